r"""JSON: spans by hand, text kept as written, and what is accepted against Python's own reader."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import UserError
from tasks.trees.json_tree import parse
from tasks.trees.tree import Tree
from tests.trees.invariants import check_spans, outline

CASES = {
    ' {"a": 1.0, "b\\u00e9": [ -0, 1e5 , "\\/\\"" ] ,"a":{ } , "a" : null,"":[]}\r\n': [
        ("$", '{"a": 1.0, "b\\u00e9": [ -0, 1e5 , "\\/\\"" ] ,"a":{ } , "a" : null,"":[]}'),
        ("$.a", '"a": 1.0'),
        ('$["bé"]', '"b\\u00e9": [ -0, 1e5 , "\\/\\"" ]'),
        ('$["bé"][0]', "-0"),
        ('$["bé"][1]', "1e5"),
        ('$["bé"][2]', '"\\/\\""'),
        ("$.a#2", '"a":{ }'),
        ("$.a#3", '"a" : null'),
        ('$[""]', '"":[]'),
    ],
    '["😀", "\\ud83d\\ude00", 123456789012345678901234567890, [[true], {"$x_1": false}]]': [
        ("$", '["😀", "\\ud83d\\ude00", 123456789012345678901234567890, [[true], {"$x_1": false}]]'),
        ("$[0]", '"😀"'),
        ("$[1]", '"\\ud83d\\ude00"'),
        ("$[2]", "123456789012345678901234567890"),
        ("$[3]", '[[true], {"$x_1": false}]'),
        ("$[3][0]", "[true]"),
        ("$[3][0][0]", "true"),
        ("$[3][1]", '{"$x_1": false}'),
        ("$[3][1].$x_1", '"$x_1": false'),
    ],
    '{"a-b": {"1": {"q\\"": {"n\\n": {"\\ud800": {"é": 1}}}}}}': [
        ("$", '{"a-b": {"1": {"q\\"": {"n\\n": {"\\ud800": {"é": 1}}}}}}'),
        ('$["a-b"]', '"a-b": {"1": {"q\\"": {"n\\n": {"\\ud800": {"é": 1}}}}}'),
        ('$["a-b"]["1"]', '"1": {"q\\"": {"n\\n": {"\\ud800": {"é": 1}}}}'),
        ('$["a-b"]["1"]["q\\""]', '"q\\"": {"n\\n": {"\\ud800": {"é": 1}}}'),
        ('$["a-b"]["1"]["q\\""]["n\\n"]', '"n\\n": {"\\ud800": {"é": 1}}'),
        ('$["a-b"]["1"]["q\\""]["n\\n"]["\\ud800"]', '"\\ud800": {"é": 1}'),
        ('$["a-b"]["1"]["q\\""]["n\\n"]["\\ud800"]["é"]', '"é": 1'),
    ],
    "\t5\n": [("$", "5")],
}


@pytest.mark.parametrize("text", CASES)
def test_spans_and_paths(text: str) -> None:
    tree = parse(text)
    assert outline(tree) == CASES[text]
    check_spans(tree)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "line 1, column 1: expected a value, the text ends"),
        ("[1,\n 2,]", "line 2, column 4: expected a value, found ']'"),
        ('{"é": 1,}', "line 1, column 9: expected a key"),
        ('{"a" 1}', "line 1, column 6: expected `:`"),
        ('["a\nb"]', "line 1, column 4: expected the closing"),
        ('["\\x"]', "line 1, column 3: expected a sound escape"),
        ('["\\u12"]', "line 1, column 3"),
        ("[01]", "line 1, column 3"),
        ("[1.]", "line 1, column 3"),
        ("[+1]", "line 1, column 2"),
        ("[NaN]", "line 1, column 2"),
        ("[1 2]", "line 1, column 4: expected `,` or `]`"),
        ("[1}", "line 1, column 3"),
        ("{'a': 1}", "line 1, column 2"),
        ("[1] x", "line 1, column 5: expected the end"),
        ("[1]]", "line 1, column 4: expected the end"),
        ("1,", "line 1, column 2: expected the end"),
        ("[1,\r\n\r\n[", "line 3, column 2: expected a value, the text ends"),
        ("\ufeff[]", "line 1, column 1"),
        ("[\xa01]", "line 1, column 2"),
    ],
)
def test_broken_text_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(UserError, match=re.escape(place)):
        parse(text)


@pytest.mark.parametrize(("before", "after"), ["[]", ('{"a":', "}"), ('[{"a":', "}]")])
def test_any_depth(before: str, after: str) -> None:
    tree = parse(before * 10_000 + "1" + after * 10_000)
    assert tree.path(len(tree) - 1).count("[0]" if before[0] == "[" else ".a") == 10_000
    check_spans(tree)


def value_of(tree: Tree, node: int = 0) -> Any:
    """The value read off the tree; objects as lists of pairs."""
    children = tree.children(node)
    if not children:
        value = json.loads(tree.value_source(node))
        return [] if value == {} else value
    if isinstance(tree.identifiers[children[0]], str):
        return [(tree.identifiers[child], value_of(tree, child)) for child in children]
    return [value_of(tree, child) for child in children]


def _no_constant(name: str) -> None:
    raise ValueError(name)


def strictly(text: str) -> Any:
    return json.loads(text, object_pairs_hook=list, parse_constant=_no_constant)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=6), inner, max_size=5),
    max_leaves=30,
)


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
@settings(max_examples=200, deadline=None)
def test_what_is_written_is_read(value: Any, indent: Any, ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    tree = parse(text)
    check_spans(tree)
    assert value_of(tree) == strictly(text)


PIECES = [*'{}[],:" \\u0-1.eE+\n\ttruefalsn/é😀', '"a"', '"a":', "12", "true", "null", "1.5", "\\u00e9", "[1]", "{}"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(max_examples=600, deadline=None)
def test_accepted_is_what_python_accepts(text: str) -> None:
    try:
        expected = strictly(text)
    except ValueError:
        with pytest.raises(UserError, match=r"line \d+, column \d+"):
            parse(text)
        return
    assert value_of(parse(text)) == expected


@given(VALUES, st.data())
@settings(max_examples=200, deadline=None)
def test_broken_documents_are_refused_where_python_refuses_them(value: Any, data: st.DataObject) -> None:
    """One character is lost or added; the line is Python's or next to it."""
    text = json.dumps(value, indent=data.draw(st.sampled_from([None, 1])))
    place = data.draw(st.integers(0, len(text)))
    text = text[:place] + data.draw(st.sampled_from(["", ",", '"', "]", "}", "x", "\n"])) + text[place + 1 :]
    python = ours = None
    try:
        expected = strictly(text)
    except json.JSONDecodeError as error:
        python = error.lineno
    try:
        tree = parse(text)
    except UserError as error:
        ours = int(re.findall(r"line (\d+), column \d+", str(error))[0])
    if python is None or ours is None:
        assert python is ours is None
        assert value_of(tree) == expected
    else:
        assert abs(ours - python) <= 1
