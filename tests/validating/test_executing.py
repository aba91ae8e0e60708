"""The second executor on contexts that can be checked by eye."""

import pytest

from tasks.validating.executing import Record, Unfair, execute, reach, value_of
from tasks.validating.json_reading import read
from tasks.validating.reading import Unit, named, texts
from tasks.validating.values import Number, RepeatedKey

TEXT = """[
{"type":"things","list":[{"id":"a","size":1.50,"sort":"red"},{"id":"b","size":7,"sort":"blue"},{"id":"c","sort":"red"}]},
{"type":"other","list":[{"id":"a","size":100,"sort":"red"}]},
{"type":"things","list":[{"id":"d","size":-2e1,"sort":"green"},{"id":"e","size":3,"sort":"blue"},{"id":"f","sort":"red"}]}
]"""
CONTEXT = [Unit("json", line.rstrip(",")) for line in TEXT.splitlines()[1:-1]]

SCOPE = {"kind": "thing", "response": {"type": "things"}, "records": ["list", "*"]}
ID = {"name": "id", "type": "text", "path": ["id"]}
SIZE = {"name": "size", "type": "number", "path": ["size"]}
SORT = {"name": "sort", "type": "text", "path": ["sort"]}


def where(field, operator, value):
    return {"field": field, "operator": operator, "value": value}


def lookup(*ids, fields=(SIZE,)):
    targets = [[where(ID, "equals", name)] for name in ids]
    return {"operation": "lookup", "scope": SCOPE, "targets": targets, "fields": list(fields)}


def count(*conditions):
    return {"operation": "count", "scope": SCOPE, "conditions": list(conditions)}


def frequent(top, *conditions):
    return {"operation": "frequent", "scope": SCOPE, "conditions": list(conditions), "field": SORT, "top": top}


def extremum(direction, *conditions):
    reference = {"operation": "extremum", "scope": SCOPE, "conditions": list(conditions)}
    return reference | {"field": SIZE, "direction": direction}


@pytest.mark.parametrize(
    ("reference", "answer", "responses"),
    [
        (lookup("a"), ["1.50"], {0}),
        (lookup("e", "a", fields=(SORT, SIZE)), ["blue", "3", "red", "1.50"], {0, 2}),
        (count(where(SORT, "equals", "red")), ["3"], {0, 2}),
        (count(where(SIZE, "above", "2")), ["2"], {0, 2}),
        (count(where(SIZE, "below", "2"), where(SORT, "equals", "green")), ["1"], {2}),
        (frequent(1), ["red"], {0, 2}),
        (frequent(2), ["red", "blue"], {0, 2}),
        (extremum("greatest"), ["7"], {0, 2}),
        (extremum("smallest"), ["-2e1"], {0, 2}),
        (extremum("smallest", where(SORT, "equals", "blue")), ["3"], {0, 2}),
    ],
)
def test_answers(reference, answer, responses):
    found = execute(reference, CONTEXT)
    assert found.answer == answer
    assert found.responses == responses
    assert found.scope == 6


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        (lookup("z"), "fits 0 records"),
        (lookup("c"), "size has no value"),
        (lookup("A"), "differ in case or blanks only"),
        (lookup("a", "a"), "two descriptions mean the same record"),
        (count(where(SORT, "equals", "pink")), "0 of 6 records"),
        (count(where(ID, "equals", "A")), "differ in case or blanks only"),
        (count(where(SIZE, "above", "3.0")), "stands on the boundary"),
        (count(where(SIZE, "above", "-100"), where(SIZE, "below", "0"), where(ID, "equals", "a")), "0 of 6"),
        (frequent(3), "only 3 values"),
        (frequent(1, where(SIZE, "below", "2")), "equally frequent"),
        (extremum("greatest", where(ID, "equals", "a")), "only 1 values"),
        ({"operation": "sum", "scope": SCOPE}, "unknown"),
    ],
)
def test_unfair_questions_are_found(reference, reason):
    with pytest.raises(Unfair, match=reason):
        execute(reference, CONTEXT)


def test_a_count_of_everything_is_trivial():
    two = [Unit("json", '{"type":"things","list":[{"id":"a","sort":"red"},{"id":"b","sort":"red"}]}')]
    with pytest.raises(Unfair, match="2 of 2"):
        execute(count(where(SORT, "equals", "red")), two)


def test_a_tied_extreme_is_unfair_whatever_the_spelling():
    tied = [Unit("json", '{"type":"things","list":[{"size":7.0},{"size":7},{"size":1}]}')]
    with pytest.raises(Unfair, match="stands twice"):
        execute(extremum("greatest"), tied)


def test_values_of_both_types_and_of_none():
    value = {"n": Number("7"), "t": "7", "many": ["a", "b"], "same": ["a", "a"], "blank": " ", "none": None, "on": True}
    record = Record(((None, value),))

    def held(name, sort):
        return value_of(record, {"name": name, "type": sort, "path": [name]})

    assert held("n", "number") == "7"
    assert held("n", "text") is None
    assert held("t", "number") is None
    assert held("blank", "text") is None
    assert held("none", "text") is None
    assert held("on", "flag") == "true"
    assert held("t", "flag") is None
    two = {"name": "either", "type": "text", "path": ["nothing"], "also": [["t"]]}
    assert value_of(record, two) == "7"
    same = {"name": "same", "type": "text", "path": ["same", "*"]}
    assert value_of(record, same) == "a"
    with pytest.raises(Unfair, match="2 different values"):
        value_of(record, {"name": "many", "type": "text", "path": ["many", "*"]})


def test_paths_that_go_up_and_name_keys():
    value = read(
        '{"paths":{"/a":{"get":{"id":"x"},"put":{"id":"y"},"summary":"s"},"/b":{"get":{}}},"info":{"title":"T"}}'
    )
    assert reach(value, ["paths", "*", ["get", "put"], "id"]) == ["x", "y"]
    assert reach(value, ["paths", "*", ["get", "put"], "#"]) == ["get", "put", "get"]
    assert reach(value, ["paths", "*", ["put"], "^", "#"]) == ["/a"]
    assert reach(value, ["paths", "*", ["put"], "^", "^", "^", "info", "title"]) == ["T"]
    assert reach(value, ["^"]) == []
    assert reach(value, ["#"]) == []
    assert reach(value, ["paths", {"get": "*", "put": "*"}, "summary"]) == ["s"]
    assert len(reach(value, ["paths", {}])) == 2


def test_a_single_scope_lies_in_one_payload():
    once = lookup("a") | {"scope": SCOPE | {"single": True}}
    assert execute(once, CONTEXT[:2]).answer == ["1.50"]
    with pytest.raises(Unfair, match="several payloads"):
        execute(once, CONTEXT)


def test_paths():
    value = read('[{"a":[{"k":"x","v":1},{"k":"y","v":2},{"k":"x","v":3}]}]')[0]
    assert reach(value, ["a", {"k": "x"}, "v"]) == ["1", "3"]
    assert reach(value, ["a", 1, "v"]) == ["2"]
    assert reach(value, ["a", "*", "k"]) == ["x", "y", "x"]
    assert reach(value, ["a", 9]) == []
    assert reach(value, ["a", "b"]) == []
    assert reach(value, ["a", {"v": "1"}]) == []  # a number is not a string


def test_reading_keeps_spellings_and_refuses_what_is_no_json():
    assert read("[1.0, 1e5, -0]") == ["1.0", "1e5", "-0"]
    for text in ("[NaN]", "[Infinity]", "[1,]", ""):
        with pytest.raises(ValueError, match=r".+"):
            read(text)
    with pytest.raises(RepeatedKey, match="'a' stands twice"):
        read('[{"a":1,"a":2}]')


def test_strings_and_keys():
    value = read('[{"a":"x","b":["y",{"c":1}]}]')
    assert sorted(texts(value)) == ["x", "y"]
    assert sorted(named(value)) == ["a", "b", "c"]
