import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.collecting import cutting
from tasks.trees.parse import parse

blanks = st.text(" \n\t", max_size=3)
scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=40)
records = st.dictionaries(st.text(max_size=8), scalars | st.lists(scalars, max_size=3), max_size=5)


@st.composite
def responses(draw):
    """A response with a record list, written with blanks and escapes as services write them."""
    found = draw(st.lists(records, max_size=14))
    texts = [
        json.dumps(record, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
        for record in found
    ]
    joined = f"{draw(blanks)},{draw(blanks)}".join(texts)
    before, behind = draw(records), draw(records)
    text = (
        f'{draw(blanks)}{{"before":{json.dumps(before)},{draw(blanks)}"message":{{"items":{draw(blanks)}[{joined}]'
        f'{draw(blanks)},"behind":{json.dumps(behind)}}}{draw(blanks)}}}{draw(blanks)}'
    )
    return text, found, before, behind


@settings(max_examples=80, deadline=None)
@given(responses(), st.text(max_size=5))
def test_units_are_slices_that_hold_every_record_once_with_the_envelope(response, key):
    text, found, before, behind = response
    tree = parse(text, "json")
    node = cutting.find_list(tree, ["message", "items"])
    assert node is not None
    units = cutting.cut(tree, node, key)
    cut = []
    for unit in units:
        assert unit.text == "".join(text[start:end] for start, end in unit.ranges)
        document = json.loads(unit.text)
        assert document["before"] == before
        assert document["message"]["behind"] == behind
        assert len(document["message"]["items"]) == unit.records
        assert 1 <= unit.records <= cutting.MOST_RECORDS
        cut += document["message"]["items"]
    assert cut == found
    assert units == cutting.cut(parse(text, "json"), node, key)


def test_a_long_record_stands_alone_and_short_ones_together():
    found = [{"n": 0, "text": "x" * 3000}, *({"n": number} for number in range(1, 9))]
    tree = parse(json.dumps({"items": found}), "json")
    node = cutting.find_list(tree, ["items"])
    assert node is not None
    sizes = [unit.records for unit in cutting.cut(tree, node, "a key")]
    assert sizes[0] == 1
    assert sum(sizes) == 9
    assert max(sizes) > 1


def test_units_come_in_every_size():
    tree = parse(json.dumps({"items": [{"n": number} for number in range(200)]}), "json")
    node = cutting.find_list(tree, ["items"])
    assert node is not None
    assert {unit.records for unit in cutting.cut(tree, node, "some key")} == {1, 2, 3, 4}


def test_a_list_that_is_not_there_is_none():
    tree = parse('{"a":{"b":[1]}}', "json")
    assert cutting.find_list(tree, ["a", "c"]) is None
    assert cutting.find_list(tree, ["a", "b"]) is not None
