"""The page of examples to read: five a cell, each with its answer and where it stands."""

import json
from collections import Counter

import pytest
from lxml import html

from tasks.reporting import page
from tasks.reporting.contents import gather

TEXT = '[{"id": "a1", "depth": 5, "size": 5}, {"id": "b2", "depth": 7.50, "size": 5}]'


@pytest.fixture
def written(invented):
    """A version with seven examples a cell, and one whose two records lie in table `records`."""
    invented.build("b1", examples=7)
    (example,) = invented.build("b2", "yaml", tasks=["fields_1"], examples=1)
    invented.con.execute("UPDATE payloads SET text = ? WHERE payload_id = 'payload-yaml'", [TEXT])
    records = [(TEXT.index('{"id": "a1"'), "a1", 5, 5), (TEXT.index('{"id": "b2"'), "b2", 7.5, 5)]
    for place, (start, name, depth, size) in enumerate(records):
        invented.insert(
            "records",
            record_id=name,
            payload_id="payload-yaml",
            kind="earthquake",
            label=name,
            path=f"$[{place}]",
            span_start=start,
            span_end=TEXT.index("}", start) + 1,
            fields=json.dumps({"id": name, "depth": depth, "size": size}),
            sample=True,
        )
    invented.con.execute("UPDATE examples SET supporting = '[0]'")
    return invented, example


def asked(invented, example: str, task: str, reference: dict, answer: list[str]) -> list[tuple]:
    """The places of a question of this reference."""
    invented.con.execute(
        "UPDATE questions SET task = ?, reference = ?, answer = ? WHERE question_id = ?",
        [task, json.dumps(reference), json.dumps(answer), example],
    )
    invented.con.execute("UPDATE examples SET task = ? WHERE example_id = ?", [task, example])
    return invented.con.execute(
        "SELECT value, position, path, excerpt FROM reading_places WHERE example_id = ? ORDER BY number", [example]
    ).fetchall()


def equals(name: str, value: str) -> dict:
    return {"field": {"name": name}, "operator": "equals", "value": value}


def test_each_value_of_a_lookup_has_a_place(written):
    targets = [[equals("id", "b2")], [equals("id", "a1")]]
    reference = {"operation": "lookup", "targets": targets, "fields": [{"name": "depth"}]}
    found = asked(*written, "records_2", reference, ["7.50", "5"])
    assert [row[:3] for row in found] == [("7.50", 0, "$[1]"), ("5", 0, "$[0]")]
    assert [row[0] in row[3] for row in found] == [True, True]
    assert found[1][3].startswith('{"id": "a1", "depth": 5')


def test_the_field_that_is_asked_for_comes_before_an_equal_value(written):
    """The size is 5 in both records, the depth in the first alone; `7.50` is the number 7.5."""
    extremum = {"operation": "extremum", "conditions": [], "direction": "smallest"}
    assert asked(*written, "extremum", extremum | {"field": {"name": "depth"}}, ["5"])[0][2] == "$[0]"
    assert asked(*written, "extremum", extremum | {"field": {"name": "depth"}}, ["7.50"])[0][2] == "$[1]"
    narrowed = extremum | {"conditions": [equals("id", "b2")], "field": {"name": "size"}}
    assert asked(*written, "extremum", narrowed, ["5"])[0][2] == "$[1]"


def test_a_count_shows_a_first_record_that_is_counted(written):
    found = asked(*written, "count", {"operation": "count", "conditions": [equals("id", "b2")]}, ["1"])
    assert [row[:3] for row in found] == [(None, 0, "$[1]")]
    assert found[0][3].startswith('{"id": "b2"')


def test_an_excerpt_begins_with_the_whole_line(written):
    invented, example = written
    text = "paths:\n    - id: a1\n      depth: 5\n"
    start = text.index("id: a1")
    invented.con.execute("UPDATE payloads SET text = ? WHERE payload_id = 'payload-yaml'", [text])
    invented.con.execute("UPDATE records SET span_start = ?, span_end = ? WHERE record_id = 'a1'", [start, len(text)])
    count = {"operation": "count", "conditions": [equals("id", "a1")]}
    assert asked(invented, example, "count", count, ["1"])[0][3] == "    - id: a1\n      depth: 5\n"
    long = text.replace("- id", "x" * 90 + " id")
    invented.con.execute("UPDATE payloads SET text = ? WHERE payload_id = 'payload-yaml'", [long])
    invented.con.execute("UPDATE records SET span_start = ? WHERE record_id = 'a1'", [long.index("id: a1")])
    assert asked(invented, example, "count", count, ["1"])[0][3] == "id: a1\n      depth: 5\n"


def test_a_value_that_no_record_holds_has_no_place(written):
    assert asked(*written, "frequent", {"operation": "frequent", "conditions": [], "field": {}}, ["x"]) == [
        ("x", None, None, None)
    ]


def test_five_of_every_cell_stand_on_the_page(written):
    invented, example = written
    report = gather(invented.con, builds=["b1", "b2"])
    shown = html.document_fromstring(page.readings(report))
    rows = shown.xpath("//tbody/tr")
    cells = Counter((row.xpath("./td[1]/@data-key")[0], row.xpath("./td[2]/@data-key")[0]) for row in rows)
    assert cells == {("json", "fields_1"): 5, ("json", "count"): 5, ("yaml", "fields_1"): 1}
    assert {row.xpath("./td[last()]")[0].text_content() for row in rows} == {"sample"}
    assert "Sample data" in shown.xpath("//header")[0].text_content()
    assert "Up to five examples of every cell" in shown.xpath("//h1")[0].text_content()
    text = rows[0].text_content()
    assert "What is the magnitude of M" in text
    assert "near <Anza> & Ocotillo?" in text
    assert f"treebench show {example[:16]}" in rows[-1].text_content()
    assert not shown.xpath("//script[@src] | //link[@rel='stylesheet'] | //img | //iframe")
    assert set(shown.xpath("//a/@href")) == {"report.html"}
    assert shown.xpath("//th/@data-facet") == ["dataset", "task", "length", "split", "data"]
    for statement in shown.xpath("//details[@class='sql']//code")[0].text_content().split(";")[:2]:
        assert invented.con.execute(statement).fetchall()


def test_without_examples_there_is_no_such_page(invented):
    invented.build("b1", examples=0)
    report = gather(invented.con)
    assert report.readings == ()
    assert "readings.html" not in page.html(report)
