"""YAML: spans by hand, the YAML test suite, random documents with a known tree, recorded documents against PyYAML."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import UserError
from tasks.trees.tree import Tree
from tasks.trees.yaml_scalars import content
from tasks.trees.yaml_tree import parse
from tests.trees.invariants import check_spans, outline, wrapper

CASES = {
    "# top\na: &x\n  b: 1 # one\n\n  # between\n  c: [p: q, {r, s: }, ]\n# last\nd: *x\ne:\n": [
        ("$", "a: &x\n  b: 1 # one\n\n  # between\n  c: [p: q, {r, s: }, ]\n# last\nd: *x\ne:"),
        ("$.a", "a: &x\n  b: 1 # one\n\n  # between\n  c: [p: q, {r, s: }, ]"),
        ("$.a.b", "b: 1"),
        ("$.a.c", "c: [p: q, {r, s: }, ]"),
        ("$.a.c[0]", "p: q"),
        ("$.a.c[0].p", "p: q"),
        ("$.a.c[1]", "{r, s: }"),
        ("$.a.c[1].r", "r"),
        ("$.a.c[1].s", "s:"),
        ("$.d", "d: *x"),
        ("$.e", "e:"),
    ],
    "k:\n- a\n-\n- - b\n  - !!str c: d\n    ? e\n    : f\nl: |2-\n   x\n\n  y  \n\n\nm: >\n  z\n": [
        ("$", "k:\n- a\n-\n- - b\n  - !!str c: d\n    ? e\n    : f\nl: |2-\n   x\n\n  y  \n\n\nm: >\n  z"),
        ("$.k", "k:\n- a\n-\n- - b\n  - !!str c: d\n    ? e\n    : f"),
        ("$.k[0]", "- a"),
        ("$.k[1]", "-"),
        ("$.k[2]", "- - b\n  - !!str c: d\n    ? e\n    : f"),
        ("$.k[2][0]", "- b"),
        ("$.k[2][1]", "- !!str c: d\n    ? e\n    : f"),
        ("$.k[2][1].c", "!!str c: d"),
        ("$.k[2][1].e", "? e\n    : f"),
        ("$.l", "l: |2-\n   x\n\n  y"),
        ("$.m", "m: >\n  z"),
    ],
    "\"a\\u00e9\": plain\n  over lines\n'it''s': 'x\n  y'\n2: {}\n<<: [a, b]\n2: \"z\\\n  z\"\r\n? [1]\n: 2\n": [
        (
            "$",
            "\"a\\u00e9\": plain\n  over lines\n'it''s': 'x\n  y'\n2: {}\n<<: [a, b]\n2: \"z\\\n  z\"\r\n? [1]\n: 2",
        ),
        ('$["aé"]', '"a\\u00e9": plain\n  over lines'),
        ('$["it\'s"]', "'it''s': 'x\n  y'"),
        ('$["2"]', "2: {}"),
        ('$["<<"]', "<<: [a, b]"),
        ('$["<<"][0]', "a"),
        ('$["<<"][1]', "b"),
        ('$["2"]#2', '2: "z\\\n  z"'),
        ('$["[1]"]', "? [1]\n: 2"),
    ],
    "%YAML 1.2\n---\na: 1\n...\n# c\n---\n- 2\n---\n--- x\n": [
        ("$", "%YAML 1.2\n---\na: 1\n...\n# c\n---\n- 2\n---\n--- x"),
        ("$[0]", "%YAML 1.2\n---\na: 1"),
        ("$[0].a", "a: 1"),
        ("$[1]", "---\n- 2"),
        ("$[1][0]", "- 2"),
        ("$[2]", "---"),
        ("$[3]", "--- x"),
    ],
    "---\n&r\na:\t1\t# tab\n": [("$", "&r\na:\t1"), ("$.a", "a:\t1")],
    "": [("$", "")],
}


@pytest.mark.parametrize("text", CASES)
def test_spans_and_paths(text: str) -> None:
    tree = parse(text)
    assert outline(tree) == CASES[text]
    check_spans(tree)


def test_only_block_scalars_are_atomic_and_values_begin_behind_anchor_and_tag() -> None:
    tree = parse('a: |\n  b\nc: &x !!str "d"\ne: *x\n')
    found = {tree.path(node): (tree.value_source(node), tree.atomic(node)) for node in tree.children(0)}
    assert found == {"$.a": ("|\n  b", True), "$.c": ('"d"', False), "$.e": ("*x", False)}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: b: c", "line 1, column 5"),
        ("a: 1\n b: 2", "line 2, column 3"),
        ("a:\n\t- b", "line 2, column 1"),
        ("- a\nb: c", "line 2, column 1"),
        ("a: [1, 2", "line 1, column 4"),
        ("a: 'x", "line 1, column 4"),
        ('é: "\\q"', "line 1, column 5"),
        ("a: *nowhere", "line 1, column 4"),
        ("a: @b", "line 1, column 4"),
        ("a: ]", "line 1, column 4"),
        ("a: \x07", "line 1, column 4"),
        ("a: |x\n b", "line 1, column 4"),
        ("%YAML 1.2\na: 1", "line 2, column 1"),
        ("a: !e!x b", "line 1, column 4"),
        ("a: 1\r\n  b: 2", "line 2, column 4"),
    ],
)
def test_broken_text_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(UserError, match=place):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "- " * 10_000 + "x",
        "[" * 10_000 + "]" * 10_000,
        "{a: " * 10_000 + "}" * 10_000,
        "[a: " * 10_000 + "]" * 10_000,
        "? " * 10_000 + "x",
        "".join(" " * depth + "a:\n" for depth in range(1_500)),
    ],
    ids=["dashes", "brackets", "braces", "pairs", "keys", "lines"],
)
def test_any_depth(text: str) -> None:
    check_spans(parse(text))


SUITE = json.loads((Path(__file__).parent / "yaml_test_suite.json").read_text("utf-8"))


@pytest.mark.parametrize("case", SUITE["cases"], ids=lambda case: case["id"])
def test_the_yaml_test_suite(case: dict[str, Any]) -> None:
    """`documents` is null where the suite demands an error."""
    if case["documents"] is None:
        with pytest.raises(UserError):
            parse(case["text"])
        return
    tree = parse(case["text"])
    check_spans(tree)
    documents = case["documents"]
    if not documents:
        assert tree.leaf(0)
        return
    roots = [0] if len(documents) == 1 else tree.children(0)
    assert len(roots) == len(documents)
    for root, expected in zip(roots, documents, strict=True):
        _compare(tree, root, expected)


def _compare(tree: Tree, node: int, expected: Any) -> None:
    """`{"map": [[key, value], ...]}` (key null: not a scalar), `{"seq": [...]}`, `{"scalar": style, "value": ...}`."""
    children = tree.children(node)
    source = tree.value_source(node)
    if "map" in expected:
        assert len(children) == len(expected["map"])
        assert children or source.startswith("{")
        for child, (key, value) in zip(children, expected["map"], strict=True):
            assert key is None or tree.identifiers[child] == key
            _compare(tree, child, value)
    elif "seq" in expected:
        assert len(children) == len(expected["seq"])
        assert children or source.startswith("[")
        for place, (child, value) in enumerate(zip(children, expected["seq"], strict=True)):
            assert tree.identifiers[child] == place
            _compare(tree, child, value)
    elif "alias" in expected:
        assert source == "*" + expected["alias"]
    else:
        assert not children
        assert tree.atomic(node) == (expected["scalar"] in "|>")
        if expected["scalar"] in "|>":
            assert source[0] == expected["scalar"]
        else:
            assert content(source) == expected["value"]


KEYS = st.sampled_from(["a", "b c", "x-y", "200", "'q: r'", '"d\\n"', "é😀", "http://x", "-z", "?k"])
SCALARS = st.sampled_from(
    ["1", "plain text", "'it''s #1'", '"a\\"b: {"', "null", "http://a.b/c#d", "-x", "[]", "{}", "日本"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4)
        | st.lists(st.tuples(KEYS, inner), min_size=1, max_size=4).map(lambda pairs: {"map": pairs})
    ),
    max_leaves=20,
)
NOISE = st.lists(st.sampled_from(["", "# note", "  # deep note"]), max_size=2)


@given(VALUES, st.data())
@settings(max_examples=200, deadline=None)
def test_random_documents_give_the_tree_they_were_written_from(value: Any, data: st.DataObject) -> None:
    lines: list[str] = []
    spans: list[tuple[int, int, int, int]] = []  # first line, column, last line, column, in document order

    def scalar_end() -> tuple[int, int]:
        return len(lines) - 1, len(lines[-1])

    def write(item: Any, indent: int, prefix: str, place: int | None) -> None:
        """Write `item` behind `prefix`, a line that is open; `place` is where in `spans` its node is."""
        if isinstance(item, str):
            lines.append(f"{prefix} {item}" if prefix else item)
        elif isinstance(item, list) or "map" in item:
            entries = [(None, entry) for entry in item] if isinstance(item, list) else item["map"]
            if prefix:
                lines.append(prefix)
                lines.extend(data.draw(NOISE))
            for key, entry in entries:
                head = " " * indent + ("-" if key is None else f"{key}:")
                mine = len(spans)
                spans.append((len(lines), indent, 0, 0))
                write(entry, indent + 2, head, mine)
                if key is not entries[-1][0] or entry is not entries[-1][1]:
                    lines.extend(data.draw(NOISE))
        if place is not None:
            last = max(number for number, line in enumerate(lines) if line.strip() and not line.strip().startswith("#"))
            spans[place] = (*spans[place][:2], last, len(lines[last]))

    write(value, 0, "", None)
    text = "\n".join(lines) + "\n"
    tree = parse(text)
    check_spans(tree)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    expected = [(offsets[first] + column, offsets[last] + end) for first, column, last, end in spans]
    assert [(tree.starts[node], tree.ends[node]) for node in range(1, len(tree))] == expected


@given(st.text(alphabet="ab:-?[]{},&*!|>'\"#% \n\t", max_size=40))
@settings(max_examples=500, deadline=None)
def test_whatever_pyyaml_and_we_read_is_the_same(text: str) -> None:
    try:
        expected = list(yaml.compose_all(text, yaml.CSafeLoader))
    except yaml.YAMLError:
        expected = None
    try:
        tree = parse(text)
    except UserError:
        return
    check_spans(tree)
    if expected and all(expected):
        roots = [0] if len(expected) == 1 else tree.children(0)
        assert [_shape(tree, root) for root in roots] == [_shape_of_node(node) for node in expected]


def _shape(tree: Tree, node: int) -> Any:
    children = tree.children(node)
    if not children:
        return tree.value_source(node)[:1] if tree.value_source(node)[:1] in ("[", "{") else "."
    if isinstance(tree.identifiers[children[0]], str):
        return {"map": [_shape(tree, child) for child in children]}
    return [_shape(tree, child) for child in children]


def _shape_of_node(node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {"map": [_shape_of_node(value) for _, value in node.value]} if node.value else "{"
    if isinstance(node, yaml.SequenceNode):
        return [_shape_of_node(value) for value in node.value] or "["
    return "."


def _documents(recordings: Path) -> list[Path]:
    return sorted(recordings.glob("yaml_openapi/**/*.yaml"))


def test_recorded_documents_are_read_as_by_pyyaml(recordings: Path) -> None:
    for document in _documents(recordings):
        text = document.read_bytes().decode("utf-8-sig")
        tree = parse(text)
        check_spans(tree)
        pending = [(0, yaml.compose(text, yaml.CSafeLoader))]
        while pending:
            node, expected = pending.pop()
            children = tree.children(node)
            if isinstance(expected, yaml.MappingNode):
                assert [tree.identifiers[child] for child in children] == [key.value for key, _ in expected.value]
                assert [tree.starts[child] for child in children] == [key.start_mark.index for key, _ in expected.value]
                pending += zip(children, [value for _, value in expected.value], strict=True)
            elif isinstance(expected, yaml.SequenceNode):
                assert [tree.identifiers[child] for child in children] == list(range(len(expected.value)))
                assert all(
                    text[tree.starts[child]] == "-" or text[tree.value_starts[node]] == "[" for child in children
                )
                pending += zip(children, expected.value, strict=True)
            elif expected.style in ("|", ">"):
                assert tree.atomic(node)
                assert text[: tree.ends[node]] == text[: expected.end_mark.index].rstrip()
            else:
                assert content(tree.value_source(node)) == expected.value
                assert tree.ends[node] == expected.end_mark.index or not expected.value


def test_outside_the_leaves_of_recorded_documents_is_only_wrapper_text(recordings: Path) -> None:
    for document in _documents(recordings):
        for line in wrapper(parse(document.read_bytes().decode("utf-8-sig"))).splitlines():
            rest = line.split(" #")[0].strip()
            while rest.startswith("- "):
                rest = rest[2:].strip()
            assert not rest or rest.startswith("#") or rest.endswith((":", "-", "[", "]", "{", "}", ",", "---")), (
                document,
                line,
            )
