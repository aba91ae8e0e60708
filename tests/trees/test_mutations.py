"""Documents of every format, cut, repeated and mixed up: refused with a place, or a sound tree and sound sections."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import UserError
from tasks.sectioning.section import section
from tasks.trees.parse import parse
from tests.sectioning.plain_tokenizers import Characters, Pieces
from tests.trees.invariants import check_spans

SEEDS = {
    "json": """{"a": [1, 2.5e-3, "x\\n\\u00e9\\ud83d\\ude00 y. z"], "b": {"c": null,
 "c": [], "": {}}, "é😀": [[[true]]]}\r\n""",
    "yaml": """%YAML 1.2
---
# c
a: &x !t
  - 'it''s' # d
  - "q\\u00e9\\
    w"
  - {b: [1, *x ], ? c : d}
k: |2-
    text

  more
? e
: - f
  -
\t
'g': plain
  goes on\r
...
--- >
 folded
""",
    "html": """<!DOCTYPE html>
<html lang=en><head><title>t &amp; u</title><script>if (a<b) '</p>'</script><body class='>'>
<!-- c --><ul><li>a<li>b <b>c <i>d</b> e</i></ul><table><tr><td>1<td><table><tr><th>2</table><tfoot><tr><td>é😀</table>
<svg><path d=''/><![CDATA[<x>]]></svg><p>x<p>y<br/>z<my-x a=b></my-x></body></html>\r
<html><p>q""",
    "javascript": """#!x
'use strict';
/* é😀 */ const a = {b: [1, , -2, `t`], 'c\\x64': "e\\u{1F600}\\
f", ...g, [h]: i, j() {}}, k = /r\\/e/g;
export default [[], {}];
function l(m) { return {n: 1} }
let o = f`${p}`;;
""",
}


@pytest.mark.parametrize("format", SEEDS)
@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_mutations(format: str, data: st.DataObject) -> None:
    text = SEEDS[format]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 30, len(text))))
        at = data.draw(st.integers(0, len(text)))
        new = data.draw(
            st.sampled_from(["", text[start:end], SEEDS[data.draw(st.sampled_from(sorted(SEEDS)))][start:end]])
        )
        text = text[:at] + new + text[at + data.draw(st.integers(0, 3)) :]
    budget = data.draw(st.integers(1, 60))
    try:
        tree = parse(text, format)
    except UserError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert format != "html"
        assert re.match(r"This \w+ does not parse at line \d+, column \d+: ", refusal)
        return
    check_spans(tree)
    tokenizer = data.draw(st.sampled_from([Characters(), Pieces()]))
    reached = 0
    for part in section(text, format, tokenizer, budget, budget=budget).sections:
        assert reached <= part.start <= part.end
        reached = part.end
        assert part.tokens == tokenizer.count(text[part.start : part.end])
        assert part.tokens <= budget or part.atomic
    assert reached <= len(text)
