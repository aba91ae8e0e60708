"""LaTeX: nothing in a table breaks the document around it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.reporting import latex, query
from tasks.reporting.layouts import arranged


@pytest.mark.parametrize("name", ["main_table", "examples", "calls_and_tokens", "gains_by_task"])
def test_every_row_has_every_column(pair, name):
    text = latex.table(arranged(query.run(pair.con, name, {"runs": ["flat", "tree"]})))
    columns = re.search(r"\\begin\{(?:tabular|longtable)\}\{([lr]+)\}", text)[1]
    rows = [line for line in text.splitlines() if line.endswith(r"\\") and "caption" not in line]
    assert len(rows) >= 3
    for row in rows:
        spanned = sum(int(width) - 1 for width in re.findall(r"\\multicolumn\{(\d+)\}", row))
        assert len(re.findall(r"(?<!\\)&", row)) + 1 + spanned == len(columns)
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    assert "Sample data: supports no claims." in text


def test_means_stand_below_a_rule(invented):
    ids = invented.build("b1")
    for agent in ("memagent", "infmem"):
        invented.run(agent, "b1", ids, [1.0] * 4, agent=agent)
    lines = latex.table(arranged(query.run(invented.con, "main_table", {"runs": ["memagent", "infmem"]}))).splitlines()
    assert lines[next(i for i, line in enumerate(lines) if line.startswith("mean of 2")) - 1] == r"\midrule"


@given(st.text(alphabet="ab\\{}$&#%_^~<>−– ", max_size=20))
def test_special_signs_are_escaped(text):
    bare = re.sub(
        r"\\(?:textbackslash|textasciicircum|textasciitilde|textless|textgreater)\{\}|\\[{}$&#%_]|\$-\$",
        "",
        latex.escaped(text),
    )
    assert not set(bare) & set("\\{}$&#%_^<>")
