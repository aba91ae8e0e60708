"""The sample generators against recorded responses of the real services: same keys, same types, same odd values."""

import json
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tasks.collecting import sample
from tasks.collecting.sources import names, source
from tasks.hashing import sha256
from tasks.home import PROJECT


@cache
def documents(name: str) -> list[Any]:
    return [json.loads(received.body) for received in sample.receive(name)]


def records(name: str, found: list[Any]) -> list[Any]:
    """The records of responses that hold a list of them (for USAspending, of awards)."""
    listed: list[Any] = []
    for document in found:
        for holding in source(name).holds:
            if holding.whole or not _holds(holding, document):
                continue
            for key in holding.records:
                document = document[key]
            listed += [item["cve"] if name == "nvd" else item for item in document]
            break
    return [record for record in listed if name != "usaspending" or "generated_internal_id" in record]


def _holds(holding: Any, document: Any) -> bool:
    if not holding.records:
        return isinstance(document, list)
    return (
        isinstance(document, dict)
        and all(document.get(key) == value for key, value in holding.values.items())
        and all(key in document for key in holding.has)
        and isinstance(document[holding.records[0]], list | dict)
    )


@cache
def recorded(name: str, recordings: Path) -> list[Any]:
    return records(name, [json.loads(path.read_text("utf-8")) for path in sorted((recordings / name).glob("*.json"))])


def shape(value: Any, path: str = "") -> dict[str, set[str]]:
    """Path of every key to the JSON types that stand there; elements of arrays are not told apart."""
    found: dict[str, set[str]] = {}

    def walk(item: Any, where: str) -> None:
        kind = "number" if type(item) in (int, float) else type(item).__name__
        found.setdefault(where, set()).add(kind)
        if isinstance(item, dict):
            for key, inner in item.items():
                walk(inner, f"{where}.{'#' if key.isdigit() else key}")
        elif isinstance(item, list):
            for inner in item:
                walk(inner, f"{where}[]")

    walk(value, path)
    return found


JSON = names("json")


@pytest.mark.parametrize("name", JSON)
def test_every_key_and_type_of_the_sample_occurs_in_recorded_responses(name, recordings):
    real = shape(recorded(name, recordings))
    made = shape(records(name, documents(name)))
    unknown = sorted(path for path in made if path not in real)
    assert not unknown, unknown
    # A number may be null in the sample where all recordings have one, and the other way round, but never a string.
    wrong = {path: kinds - real[path] for path, kinds in made.items() if kinds - real[path] - {"NoneType"}}
    assert not wrong


@pytest.mark.parametrize("name", JSON)
def test_keys_that_every_recorded_record_has_stand_in_every_whole_sample_record(name, recordings):
    real = recorded(name, recordings)
    always = set.intersection(*(set(record) for record in real))
    whole = [record for record in records(name, documents(name)) if name != "crossref" or "indexed" in record]
    assert len(whole) > 100
    assert all(always <= set(record) for record in whole)


@pytest.mark.parametrize("name", JSON)
def test_order_of_keys_is_that_of_the_service(name, recordings):
    """Two keys stand in an order in which they were recorded; some services know several."""
    order: dict[tuple[bool, str, str], int] = Counter()
    for record in recorded(name, recordings):
        keys = list(record)
        sort = "gbifID" in record
        order.update((sort, before, after) for at, before in enumerate(keys) for after in keys[at + 1 :])
    for record in records(name, documents(name)):
        keys = list(record)
        sort = "gbifID" in record
        for at, before in enumerate(keys):
            for after in keys[at + 1 :]:
                assert order[sort, before, after] or not order[sort, after, before], (before, after)


@pytest.mark.parametrize("name", JSON)
def test_there_is_enough_for_long_contexts_and_something_small_for_short_ones(name):
    found = records(name, documents(name))
    assert len(found) >= 400
    assert sum(len(received.body) for received in sample.receive(name)) > 400_000
    sizes = sorted(len(json.dumps(record)) for record in found)
    assert sizes[-1] > 1.1 * sizes[0]


def test_every_process_generates_the_same_bytes():
    program = (
        "from tasks.collecting import sample, sources; from tasks.hashing import sha256\n"
        "for name in sources.names():\n"
        "    print(name, sha256(b''.join(r.body + r.url.encode() for r in sample.receive(name))))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    digests = {name: sha256(b"".join(r.body + r.url.encode() for r in sample.receive(name))) for name in names()}
    assert printed == {"".join(f"{name} {digest}\n" for name, digest in digests.items())}


def test_usgs_has_its_odd_values():
    found = records("usgs", documents("usgs"))
    properties = [record["properties"] for record in found]
    assert any(item["time"] < 0 for item in properties)
    assert any(item["mag"] < 0 for item in properties)
    assert any(record["geometry"]["coordinates"][2] is None for record in found)
    assert all(item["ids"].startswith(",") and item["ids"].endswith(",") for item in properties)
    assert all(record["id"] == item["net"] + item["code"] for record, item in zip(found, properties, strict=True))
    assert any(item["type"] == "quarry blast" for item in properties)
    alerts = Counter(item["alert"] for item in properties)
    assert alerts[None] > 0.9 * len(found)
    assert alerts["green"]
    assert len({item["place"] for item in properties}) < len(found)
    twice = Counter(record["id"] for record in found)
    assert [count for count in twice.values() if count > 1] == [2]


def test_usgs_titles_agree_with_magnitude_and_place_and_envelopes_with_features():
    for document in documents("usgs"):
        if "features" not in document:
            assert document.keys() == {"count", "maxAllowed"}
            continue
        assert document["metadata"]["count"] == len(document["features"])
        assert ("bbox" in document) == bool(document["features"])
        for feature in document["features"]:
            item = feature["properties"]
            assert item["title"].startswith(f"M {item['mag']:.1f} ")
            assert item["title"].endswith(item["place"])
            assert item["updated"] > item["time"]


def test_nvd_has_its_odd_values():
    found = records("nvd", documents("nvd"))
    versions = Counter(version for record in found for version in record["metrics"])
    assert {"cvssMetricV2", "cvssMetricV30", "cvssMetricV31", "cvssMetricV40"} <= versions.keys()
    sorts = {entry["type"] for record in found for entries in record["metrics"].values() for entry in entries}
    assert sorts == {"Primary", "Secondary"}
    languages = Counter(tuple(item["lang"] for item in record["descriptions"]) for record in found)
    assert languages["en",]
    assert languages["en", "es"]
    assert any(not record["metrics"] for record in found)
    assert any("configurations" not in record for record in found)
    assert None not in {type(value) for record in found for value in record.values()}
    assert any("\\:" in json.dumps(record).replace("\\\\", "\\") for record in found)
    twice = Counter(record["id"] for record in found)
    assert [count for count in twice.values() if count > 1] == [2]


def scores(found: list[Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (version, entry)
        for record in found
        for version, entries in record["metrics"].items()
        if version in ("cvssMetricV2", "cvssMetricV30", "cvssMetricV31")
        for entry in entries
    ]


def test_cvss_formulas_give_every_recorded_score(recordings):
    module = sample.module("cvss")
    checked = 0
    for version, entry in scores(recorded("nvd", recordings)):
        parts = entry["cvssData"]["vectorString"].split("/")
        chosen = dict(part.split(":") for part in parts if not part.startswith("CVSS"))
        score = module.score_2 if version == "cvssMetricV2" else module.score_3
        given = (entry["cvssData"]["baseScore"], entry["exploitabilityScore"], entry["impactScore"])
        assert score(chosen) == given, entry["cvssData"]["vectorString"]
        checked += 1
    assert checked > 1000


def test_sample_scores_follow_from_their_vectors():
    module = sample.module("cvss")
    for version, entry in scores(records("nvd", documents("nvd"))):
        parts = entry["cvssData"]["vectorString"].split("/")
        chosen = dict(part.split(":") for part in parts if not part.startswith("CVSS"))
        score = module.score_2 if version == "cvssMetricV2" else module.score_3
        assert score(chosen)[0] == entry["cvssData"]["baseScore"]


def test_crossref_has_its_odd_values():
    bodies = [received.body.decode("ascii") for received in sample.receive("crossref")]
    assert all("/" not in body.replace("\\/", "") for body in bodies)
    assert any("\\u00" in body for body in bodies)
    assert any('"date-parts":[[null]]' in body for body in bodies)
    found = records("crossref", documents("crossref"))
    assert any("title" not in record for record in found)
    titles = Counter(record["title"][0] for record in found if "title" in record)
    assert titles["Editorial"] > 3
    sizes = sorted(len(json.dumps(record)) for record in found)
    assert sizes[0] < 200
    assert sizes[-1] > 5000
    twice = Counter(record["DOI"] for record in found)
    assert [count for count in twice.values() if count > 1] == [2]
