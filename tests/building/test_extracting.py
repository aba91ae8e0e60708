import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tasks.building import extracting
from tasks.building.kinds import kinds
from tasks.building.views import Value

KINDS = kinds("json")

NVD = r"""{"format": "NVD_CVE", "vulnerabilities": [
  {"cve": {"id": "CVE-1", "published": "2020-01-01T00:00:00.000", "descriptions": [
     {"lang": "es", "value": "hola"}, {"lang": "en", "value": "say \"hi\""}],
   "metrics": {"cvssMetricV31": [
     {"type": "Secondary", "cvssData": {"baseScore": 5.0}},
     {"type": "Primary", "cvssData": {"baseScore": 9.80, "vectorString": "CVSS:3.1\/AV:N"}, "impactScore": 5.9}],
    "cvssMetricV2": [{"type": "Primary", "cvssData": {"baseScore": "7.5"}}]},
   "weaknesses": [{"type": "Primary", "description": [
     {"lang": "en", "value": "CWE-79"}, {"lang": "en", "value": "CWE-80"}]}]}}
]}"""


def extracted(text: str, *wanted: str) -> list[extracting.Record]:
    known = [KINDS[name] for name in wanted] or KINDS.values()
    return extracting.records(extracting.view_of(text, "json"), "0" * 32, known)


def test_fields_are_found_by_their_conditions_and_keep_their_spelling():
    (record,) = extracted(NVD, "nvd_vulnerability")
    assert record.kind == "nvd_vulnerability"
    assert record.identity == "CVE-1"
    assert record.path == "$.vulnerabilities[0].cve"
    assert json.loads(NVD[record.start : record.end])["id"] == "CVE-1"
    assert record.values["score_3"] == Value("number", "9.80", "9.80")
    assert record.values["impact_3"].text == "5.9"
    assert record.values["summary"].text == 'say "hi"'
    assert record.values["vector_3"].text == "CVSS:3.1/AV:N"


def test_several_values_are_ambiguous_and_other_types_are_absent():
    (record,) = extracted(NVD, "nvd_vulnerability")
    assert record.ambiguous == {"weakness"}
    assert "score_2" not in record.values
    assert "exploitability_3" not in record.values


def test_only_what_stands_in_the_text_as_it_reads_is_presentable():
    (record,) = extracted(NVD, "nvd_vulnerability")
    assert record.values["number"].presentable
    assert record.values["score_3"].presentable
    assert not record.values["summary"].presentable
    assert not record.values["vector_3"].presentable
    for text in ("a  b", " a", "a\u00a0b", "x" * 200, 'a"b'):
        assert not Value("text", json.dumps(text, ensure_ascii=False), text).presentable, text
    assert Value("text", '"Ōfunato, Japan"', "Ōfunato, Japan").presentable
    assert not Value("text", '"\\\\d"', "\\d").presentable
    assert Value("text", "\\d", "\\d").presentable


def test_null_blank_and_empty_values_are_absent():
    text = """{"type":"FeatureCollection","features":[{"id":"a1","properties":{"mag":null,"place":"  ","net":"",
    "status":"reviewed","time":[1],"sig":true},"geometry":{"coordinates":[1.5,-2,null]}}]}"""
    (record,) = extracted(text)
    assert {name: value.text for name, value in record.values.items()} == {
        "identifier": "a1",
        "review": "reviewed",
        "longitude": "1.5",
        "latitude": "-2",
    }


@pytest.mark.parametrize("text", ['{"type":"Feature","features":[{"id":"a"}]}', '{"features":[{"id":"a"}]}', "[]", "3"])
def test_other_responses_hold_no_records(text):
    assert extracted(text) == []


def reached(value: Any, path: tuple[Any, ...]) -> list[Any]:
    """The values at a path, written a second time and recursively, over values of the standard library."""
    if not path:
        return [value]
    step, rest = path[0], path[1:]
    if step == "*":
        return [found for item in value for found in reached(item, rest)] if isinstance(value, list) else []
    if isinstance(step, dict):
        items = value if isinstance(value, list) else []
        chosen = [item for item in items if isinstance(item, dict) and step.items() <= item.items()]
        return [found for item in chosen for found in reached(item, rest)]
    if isinstance(step, int):
        return reached(value[step], rest) if isinstance(value, list) and len(value) > step else []
    return reached(value[step], rest) if isinstance(value, dict) and step in value else []


@pytest.mark.parametrize("source", ["usgs", "nvd", "crossref"])
def test_recorded_responses_give_the_values_that_another_reading_gives(source: str, recordings: Path):
    seen = 0
    for path in sorted((recordings / source).glob("*.json")):
        text = path.read_text("utf-8")
        document = json.loads(text, parse_float=Decimal)
        everything = extracted(text)
        for kind in [KINDS[name] for name in ("usgs_event", "nvd_vulnerability", "crossref_work")]:
            mine = [record for record in everything if record.kind == kind.kind]
            right = isinstance(document, dict) and all(document.get(k) == v for k, v in kind.response.items())
            theirs = reached(document, kind.records) if right else []
            assert len(mine) == len(theirs)
            for record, other in zip(mine, theirs, strict=True):
                assert json.loads(text[record.start : record.end], parse_float=Decimal) == other
                for name, spec in kind.fields.items():
                    types = (str,) if spec.type == "text" else (int, Decimal)
                    values = {v for v in reached(other, spec.path) if type(v) in types and str(v).strip()}
                    if len(values) == 1:
                        found = record.values[name].text
                        assert (found if spec.type == "text" else Decimal(found)) == values.pop()
                    else:
                        assert (name in record.ambiguous) == (len(values) > 1)
                        assert name not in record.values
                seen += 1
    assert seen == {"usgs": 2142, "nvd": 1123, "crossref": 572}[source]


def test_rows_name_label_path_and_span():
    (record,) = extracted(NVD, "nvd_vulnerability")
    row = record.row(KINDS["nvd_vulnerability"], False)
    assert row["label"] == "CVE-1"
    assert row["path"] == "$.vulnerabilities[0].cve"
    assert (row["span_start"], row["span_end"]) == (record.start, record.end)
    assert row["fields"]["score_3"] == 9.8
    assert "weakness" not in row["fields"]
