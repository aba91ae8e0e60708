"""What payloads say, format by format; the validator's readers (other parsers) are the oracle for recorded ones."""

from pathlib import Path
from typing import Any

import pytest

from tasks.building.extracting import follow, records, view_of
from tasks.building.kinds import kinds
from tasks.building.views import View, folded
from tasks.collecting import mirror
from tasks.collecting.collected import Collected
from tasks.collecting.received import Received
from tasks.collecting.sources import names, source
from tasks.validating.reading import Unit
from tasks.validating.values import Number


def plain(view: View, node: int) -> Any:
    """A view as the validator's readers would have it; empty objects and arrays, and null, are None."""
    value = view.value(node)
    if value:
        return {"text": str, "number": Number, "flag": lambda text: text == "true"}[value.type](value.text)
    children = view.children(node)
    if not children:
        return None
    found = [(view.identifier(child), plain(view, child)) for child in children]
    return [item for _, item in found] if isinstance(found[0][0], int) else dict(found)


def comparable(value: Any) -> Any:
    """A value whose equality is that of the reference language: numbers by size, nothing that is empty."""
    if isinstance(value, dict):
        found = {key: comparable(item) for key, item in value.items()}
        return {key: item for key, item in found.items() if item is not None} or None
    if isinstance(value, list):
        return [comparable(item) for item in value] or None
    return ("number", float(value)) if isinstance(value, Number) else value


@pytest.mark.parametrize("name", ["public_pages", "websrc", "apis_guru", "eslint", "lodash", "three_js", "crossref"])
def test_recorded_payloads_read_as_other_parsers_read_them(name: str, recordings: Path):
    spec = source(name)
    collected = Collected(spec, "mirror")
    for number, received in enumerate(mirror.receive(spec, str(recordings))):
        if isinstance(received, Received) and number % 4 == 0 and len(received.body) < 90_000:
            collected.add(received, None)
    assert collected.payloads
    for row in collected.payloads.values():
        view, other = view_of(row["text"], spec.format), Unit(spec.format, row["text"])
        if view.repeats():
            continue
        assert comparable(plain(view, view.root)) == comparable(other.value), row["url"]
        if spec.format != "html":
            assert sorted(text for text, _ in view.strings()) == sorted(map(folded, other.strings.elements()))
            assert view.named() == other.named


YAML = """openapi: 3.0.0
info: {title: Pets, version: "1.0"}
paths:
  "/pets/{id}":
    get:
      operationId: getPet
      deprecated: true
      summary: |-
        Get one
        pet
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer, maximum: 99}}
      responses:
        "200": {description: 'It''s a pet', content: {text/xml: {}}}
        default: &other {description: ~}
definitions:
  Pet:
    properties:
      name: {type: string, maxLength: 0x10, minLength: 3}
"""


def yaml_values(kind: str) -> list[dict[str, str]]:
    found = records(view_of(YAML, "yaml"), "0" * 32, [kinds("yaml")[kind]])
    return [{name: value.text for name, value in record.values.items()} for record in found]


def test_yaml_records_reach_what_holds_them():
    (operation,) = yaml_values("yaml_operation")
    assert operation == {
        "identifier": "getPet",
        "method": "get",
        "address": "/pets/{id}",
        "synopsis": "Get one pet",
        "api": "Pets",
        "obsolete": "true",
    }
    (parameter,) = yaml_values("yaml_parameter")
    assert {
        "operation": "getPet",
        "designation": "id",
        "highest": "99",
        "necessary": "true",
    }.items() <= parameter.items()
    first, second = yaml_values("yaml_response")
    assert (first["status"], first["explanation"], first["medium"]) == ("200", "It's a pet", "text/xml")
    assert "explanation" not in second
    (item,) = yaml_values("yaml_property")
    assert (item["schema"], item["shortest"], item["api"]) == ("Pet", "3", "Pets")
    assert "longest" not in item  # YAML 1.2 reads 0x10 as a number, the reference language reads decimals only


def test_yaml_texts_that_stand_otherwise_are_not_presentable():
    found = records(view_of(YAML, "yaml"), "0" * 32, kinds("yaml").values())
    values = {name: value for record in found for name, value in record.values.items() if name != "explanation"}
    assert not values["synopsis"].presentable
    assert values["address"].presentable
    escaped = next(r.values["explanation"] for r in found if "explanation" in r.values)
    assert escaped.raw == "'It''s a pet'"
    assert not escaped.presentable


PAGE = """<!DOCTYPE html><html lang=en><title>Lakes &amp; rivers</title><meta name="author" content="A. Day">
<table><tr><th>Lake<th>Depth (m)<tr><td>Big <b>Blue</b><td>12.5<tr><td>Ox&nbsp;Bow<td>&ndash;</table>
<table><tr><td>Area</td><td>3 km</td></tr><tr><td>Fish</td><td>carp</td></tr><tr><td>Boats</td><td>7</td></tr></table>
<h1>Lakes</h1><ul><li><a href="/a?b&amp;c" title="All">Home</a><li>no link<li><a href=x>one</a><a href=y>two</a></ul>
<dl><dt>Weir<dd>A low dam<dt>Lock<dd>one<dd>two</dl><img alt="Map" src="m.png" width=40><script>var x = "<li>";</script>
"""


def test_a_page_shows_tables_items_terms_images_links_and_facts():
    view = view_of(PAGE, "html")
    value = plain(view, view.root)
    assert value["page"] == {"title": "Lakes & rivers", "language": "en", "author": "A. Day"}
    (table,) = value["tables"]
    assert table["columns"] == "Lake | Depth (m)"
    assert table["rows"] == [{"Lake": "Big Blue", "Depth (m)": "12.5"}, {"Lake": "Ox Bow", "Depth (m)": "–"}]
    assert type(table["rows"][0]["Depth (m)"]) is Number
    assert value["items"] == [{"text": "Home", "address": "/a?b&c", "tooltip": "All"}]
    assert [term["term"] for term in value["terms"]] == ["Weir", "Area", "Fish", "Boats"]
    assert value["images"] == [{"text": "Map", "address": "m.png", "width": "40"}]
    assert [link["text"] for link in value["links"]] == ["Home", "one", "two"]
    assert value["facts"] == [
        {"heading": "Lakes", "entries": {"Weir": "A low dam", "Area": "3 km", "Fish": "carp", "Boats": "7"}}
    ]
    assert comparable(value) == comparable(Unit("html", PAGE).value)


def test_what_stands_for_readers_without_scripts_is_not_shown_but_stands_there():
    page = (
        '<h1>Boats</h1><img alt="Ferry" src=""><noscript><img alt="Ferry" src="f.png"><a href="/x">More</a></noscript>'
        '<ul><li><a href="/y">Piers</a></ul>'
    )
    view, other = view_of(page, "html"), Unit("html", page)
    value = plain(view, view.root)
    assert value["images"] == [{"text": "Ferry"}]
    assert [link["text"] for link in value["links"]] == ["Piers"]
    assert comparable(value) == comparable(other.value)
    assert [text for text, _ in view.strings()].count("ferry") == other.strings["ferry"] == 2
    assert other.inside(other.value["images"][0])["ferry"] == 1
    assert [text for text, _ in view.strings()].count("more") == other.strings["more"] == 1


def test_places_of_a_page_are_those_of_its_elements():
    view = view_of(PAGE, "html")
    row = follow(view, view.root, ("tables", "*", "rows", "*"))[0]
    start, end = view.span(row)
    assert PAGE[start:end] == "<tr><td>Big <b>Blue</b><td>12.5"
    assert view.path(row) == "/html[1]/table[1]/tr[2]"
    value = view.value(view.members(row)["Lake"])
    assert value
    assert not value.presentable  # its text is not in one piece


def test_a_first_row_of_data_cells_is_a_head_where_the_column_below_differs():
    def columns(*rows: str) -> list[str]:
        text = "<table>" + "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row.split())}</tr>" for row in rows)
        view = view_of(text + "</table>", "html")
        assert comparable(plain(view, view.root)) == comparable(Unit("html", text + "</table>").value)
        return [v.text for n in follow(view, view.root, ("tables", "*", "columns")) if (v := view.value(n))]

    assert columns("Model Weight Price", "A 3g cheap", "B 4g dear") == ["Model | Weight | Price"]
    assert columns("Model Weight Price", "A light cheap", "B heavy dear") == []
    assert columns("Model 3g Price", "A 3g cheap", "B 4g dear") == []
    assert columns("Model Weight", "A 3g", "B 4g") == []


SCRIPT = """// data
const LEVELS = [ {name: 'low', maxValue: 3, on: true}, {name: "hi\\x67h", maxValue: 0x10},
  /* c */ {name: 'mid', 'maxValue': .5}, ];"""


def test_javascript_values_and_places():
    view = view_of(SCRIPT, "javascript")
    assert comparable(plain(view, view.root)) == comparable(Unit("javascript", SCRIPT).value)
    entries = follow(view, view.root, ("LEVELS", "*"))
    second = view.members(entries[1])
    high, sixteen = view.value(second["name"]), view.value(second["maxValue"])
    assert high
    assert sixteen
    assert (high.text, high.presentable) == ("high", False)
    assert (sixteen.text, sixteen.presentable) == ("16", False)
    assert view.path(entries[2]) == "$.LEVELS[2]"
    key = view.key(second["name"])
    assert key
    assert (key.text, key.presentable) == ("name", True)


def test_a_page_that_readers_differ_about_is_seen():
    assert view_of("<html><body><p>a</p></body></html>\n<!-- end -->\n", "html").repeats() is False
    assert view_of("<html><body><p>a</p></body></html>\n<div>b</div>\n", "html").repeats() is True


def test_repeated_keys_are_seen():
    assert view_of('{"a": 1, "b": {"a": 2}}', "json").repeats() is False
    assert view_of('[{"a": 1, "a": 2}]', "json").repeats() is True


def test_every_format_has_a_source():
    assert {source(name).format for name in names()} == {"json", "html", "yaml", "javascript"}
