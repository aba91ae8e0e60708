import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.collecting.cutting import Unit
from tasks.collecting.initialisers import Rejection, identifier, of_literal, of_program
from tasks.collecting.javascript_values import Rejected
from tasks.trees.parse import parse

FILLER = "'a string that makes it long enough to be looked at'"


def reason(text):
    with pytest.raises(Rejected) as caught:
        of_literal(text, "name")
    return str(caught.value)


@pytest.mark.parametrize(
    ("element", "why"),
    [
        ("call(1)", "call"),
        ("new Map()", "call"),
        ("() => 1", "function"),
        ("function () {}", "function"),
        ("class {}", "function"),
        ("...rest", "spread"),
        ("name", "identifier reference"),
        ("a.b", "identifier reference"),
        ("NaN", "identifier reference"),
        ("Infinity", "identifier reference"),
        ("undefined", "undefined"),
        ("`text`", "template literal"),
        ("`${1}`", "template literal"),
        ("/x/g", "regular expression"),
        ("1 + 1", "expression"),
        ("void 0", "expression"),
        ("!0", "expression"),
        ("5n", "bigint"),
        ("010", "legacy octal number"),
        ("9007199254740993", "number beyond 2^53"),
        ("1e999", "number beyond 2^53"),
        ("- 1", "JSON5 does not read it"),
        (r"'\1'", "JSON5 does not read it"),
        (r"'\u{1F600}'", "JSON5 does not read it"),
        ("{1: 'x'}", "numeric key"),
        ("{['x']: 1}", "computed key"),
        ("{x}", "identifier reference"),
        ("{get x() { return 1 }}", "function"),
        ("{m() {}}", "function"),
        ("{a: 1, a: 2}", "duplicate key"),
        ("{a: 1, 'a': 2}", "duplicate key"),
        ("{__proto__: null}", "prototype key"),
        ("'ada.novak@there.net'", "sensitive string"),
        ("'-----BEGIN RSA PRIVATE KEY-----'", "sensitive string"),
        ("'AKIAABCDEFGHIJKLMNOP'", "sensitive string"),
        (", 1", "array hole"),
    ],
)
def test_each_rejection_has_its_reason(element, why):
    assert reason(f"[{FILLER}, {element}]") == why


@pytest.mark.parametrize("text", [f"[{FILLER}", f"[{FILLER}] + [1]", f"{FILLER}{FILLER}", f"{{a: {FILLER}}}, [1]"])
def test_what_is_no_initialiser_is_a_parse_error(text):
    assert reason(text) == "parse error"


def test_sizes_have_bounds():
    assert reason("[1, 2, 3]") == "too short"


def test_odd_forms_that_both_readers_know_are_accepted_as_they_stand():
    text = (
        "{ // a comment\n  hex: 0xFF, 'single': \"\\x41\\u0042\", $dollar: -.5e3, plus: +1, 'l': 'a\\\nb', "
        "nested: [[], {},], }"
    )
    unit = of_literal(text, "module.exports")
    assert unit.text == f"const exports = {text};"
    assert (unit.before, unit.behind, unit.ranges) == ("const exports = ", ";", ((0, len(text)),))


scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=12)
values = st.recursive(
    scalars | st.floats(allow_nan=False, allow_infinity=False, width=32),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(values, st.booleans())
def test_whatever_json_writes_is_accepted_or_rejected_with_a_reason_and_never_misread(value, ascii_only):
    text = json.dumps({"filler": FILLER, "value": value}, ensure_ascii=ascii_only)
    known = {"JSON5 does not read it", "number beyond 2^53", "prototype key", "readers disagree", "sensitive string"}
    try:
        unit = of_literal(text, None)
    except Rejected as rejected:
        why = str(rejected)
    else:
        why = ""
    assert why in known | {""}
    if why:
        return
    assert unit.text == f"const initialiser = {text};"
    tree = parse(unit.text, "javascript")
    assert len(tree.children(tree.root)) == 1


PROGRAM = """\
'use strict';
const größe = 'é';
const plain = { key: 'value of the first key', other: [ 1, 2, 3 ] };
var one = [ 'the first of two declarators', 1, 2 ], two = { second: 'the second of two declarators' };
module.exports = { create(context) { return { messages: { unexpected: 'Unexpected thing in this place.' } } } };
exports.table = { rows: [ 'assigned to a property of exports' ] };
run("name", rule, { valid: [ 'an argument of a call, as in tests' ], invalid: [] });
export default { name: 'the default export of a module', value: 3 };
const wrong = [ 'contains a call in its list', call() ];
const short = [ 1, 2 ];
"""


def test_a_program_gives_declarations_as_they_stand_and_names_those_that_have_none():
    found = list(of_program(PROGRAM))
    units = [item for item in found if isinstance(item, Unit)]
    assert [unit.text for unit in units] == [
        "const plain = { key: 'value of the first key', other: [ 1, 2, 3 ] };",
        "var one = [ 'the first of two declarators', 1, 2 ];",
        "var two = { second: 'the second of two declarators' };",
        "const create = { messages: { unexpected: 'Unexpected thing in this place.' } };",
        "const table = { rows: [ 'assigned to a property of exports' ] };",
        "const runArgument = { valid: [ 'an argument of a call, as in tests' ], invalid: [] };",
        "const defaultExport = { name: 'the default export of a module', value: 3 };",
    ]
    for unit in units:
        cut = "".join(PROGRAM[start:end] for start, end in unit.ranges)
        assert unit.text == unit.before + cut + unit.behind
        assert len(parse(unit.text, "javascript")) > 2
    rejections = [item for item in found if isinstance(item, Rejection)]
    assert [(item.line, item.reason) for item in rejections] == [(5, "function"), (9, "call")]


def test_a_program_that_does_not_parse_is_rejected_as_a_whole():
    assert list(of_program("const a = [")) == [Rejection(1, 1, "parse error", 11)]


def test_equal_values_written_otherwise_are_one(tmp_path):
    one = of_literal(f"{{a: {FILLER}, b: [1, 16]}}", "x")
    other = of_literal(f'{{"a":{FILLER},\n  b:[1,0x10],}}', "y")
    assert one.text != other.text
    assert one.canonical == other.canonical


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (None, "initialiser"),
        ("exports.aliasToReal", "aliasToReal"),
        ("'no-console'", "no_console"),
        ("default", "_default"),
        ("2d", "_2d"),
        ("a[0]", "_0"),
        ("$x", "$x"),
    ],
)
def test_names_become_identifiers(name, expected):
    assert identifier(name) == expected


# Lines of the recorded files, those that hold a static value for both readers, and why the others do not.
RECORDED = {
    "babel": (11, 9, {"template literal": 2}),
    "eslint": (1439, 1338, {"template literal": 94, "numeric key": 4, "JSON5 does not read it": 2, "bigint": 1}),
    "lodash": (96, 96, {}),
    "plotly_js": (739, 736, {"numeric key": 3}),
    "three_js": (166, 123, {"template literal": 32, "JSON5 does not read it": 9, "numeric key": 2}),
    "webpack": (
        146,
        137,
        {"sensitive string": 5, "numeric key": 2, "duplicate key": 1, "template literal": 1},
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_initialisers_are_accepted_or_rejected_with_a_reason(name, recordings):
    from collections import Counter

    from tasks.collecting import mirror
    from tasks.collecting.reading import read
    from tasks.collecting.sources import source

    spec = source(name)
    accepted, reasons, lines = 0, Counter(), 0
    for item in mirror.receive(spec, str(recordings)):
        lines += 1
        reading = read(item, spec)
        accepted += len(reading.units or ())
        reasons.update(part.reason for part in reading.rejected)
        assert item.location.endswith(f":{lines}")
        assert item.archive_sha256
    assert (lines, accepted, dict(reasons)) == RECORDED[name]
