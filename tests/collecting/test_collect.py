import json
import re
from datetime import datetime

import pytest

from tasks.collecting import cutting, sample, sources
from tasks.collecting.collect import collect
from tasks.collecting.reading import read
from tasks.collecting.received import Received, split_url
from tasks.collecting.sources import names, source
from tasks.errors import Fault, UserError
from tasks.hashing import content_id, sha256
from tasks.home import Home
from tasks.trees.parse import decode, parse
from tasks.warehouse.ingest import sync
from tasks.warehouse.snapshot import rows

# Source to files and records as counted in the SOURCES.md files, less what a source's responses do not hold as records.
# usgs: 5 responses are the details of one event; crossref: 11 single works, 2 journals, 2 members and 30 types;
# apis_guru: 59 operations of the document that SOURCES.md does not count. The pages of `html` belong to two sources,
# and 36 of its 204 records are rows of question tables, not pages. `javascript` counts no records; see test_javascript.
RECORDED = {
    "usgs": (20, 2147 - 5),
    "nvd": (42, 1123),
    "crossref": (46, 617 - 11 - 2 - 2 - 30),
    "nih_reporter": (5, 354),
    "clinicaltrials": (48, 259),
    "gbif": (38, 1674),
    "contracts_finder": (18, 190),
    "usaspending": (27, 535),
    "apis_guru": (128, 3340 + 59),
    "websrc": (14, 14),
    "public_pages": (154, 204 - 36 - 14),
}


@pytest.fixture(scope="module")
def mirrored(recordings, tmp_path_factory):
    """A home with everything that is recorded, and what each source gave."""
    home = Home(tmp_path_factory.mktemp("mirrored"))
    counts = {name: collect(home, name, "mirror", str(recordings)) for name in names()}
    sync(home)
    return home, counts


@pytest.mark.parametrize("name", RECORDED)
def test_the_recorded_mirror_gives_the_counts_of_its_sources_file(name, recordings, mirrored):
    home, counts = mirrored[0], mirrored[1][name]
    responses, records = RECORDED[name]
    assert (counts["responses"], counts["records"], counts["rejected"]) == (responses, records, 0)
    spec = source(name)
    if spec.dataset != "html":
        described = (recordings / spec.mirror.folder / "SOURCES.md").read_text("utf-8")
        assert f"{responses} files" in described
    stored = rows(home, "FROM responses WHERE source = ?", [name])
    assert {row["transport"] for row in stored} == {"mirror"}
    for row in stored:
        assert sha256((home.responses / row["sha256"]).read_bytes()) == row["sha256"]
        assert row["licence"]
        assert row["notice"]
        assert row["source_version"]
        assert row["terms_url"].startswith("https://")
    payloads = rows(
        home, "SELECT p.*, r.sha256 FROM payloads p JOIN responses r USING (response_id) WHERE p.source = ?", [name]
    )
    assert len(payloads) == counts["payloads"]
    assert counts["masked"] == sum(len(json.loads(row["masks"] or "[]")) for row in payloads)
    bodies = {}
    for row in payloads:
        if row["sha256"] not in bodies:
            body = (home.responses / row["sha256"]).read_bytes()
            bodies[row["sha256"]] = decode(body, "html") if spec.format == "html" else body.decode("utf-8-sig")
        text = bodies[row["sha256"]]
        cut = "".join(text[start:end] for start, end in json.loads(row["location"]))
        assert row["text"] == masked(cut, json.loads(row["masks"] or "[]"))
        assert row["licence"]
        assert row["body_sha256"] == row["sha256"]
        assert row["characters"] == len(row["text"])
        assert row["payload_id"] == content_id(spec.format, row["text"])
    for row in [row for row in payloads if row["masks"]] + payloads[:50]:
        parse(row["text"], spec.format)
    found = rows(home, "FROM payload_origins JOIN responses USING (response_id) WHERE source = ?", [name])
    assert len(found) == counts["payloads"] + counts["repeated"]


def masked(text, masks):
    """The text with these masks put in, by what the rows say alone."""
    for mask in masks:
        start = mask["start"]
        text = text[:start] + mask["replacement"] + text[start + mask["characters"] :]
    return text


def test_what_a_recorded_response_says_about_itself_is_kept(mirrored):
    (row,) = rows(mirrored[0], "FROM responses WHERE location LIKE '%2017-01-01%'")
    assert row["retrieved_at"] == datetime(2021, 11, 9, 22, 34, 32)
    assert row["status"] == 200
    assert row["url"] == "https://earthquake.usgs.gov/fdsnws/event/1/query"
    assert json.loads(row["parameters"])["orderby"] == "time-asc"


def test_sample_data_is_labelled_in_every_row_and_collected_once(fresh_home):
    counts = {name: collect(fresh_home, name, "sample") for name in names()}
    assert {name: found["source"] for name, found in counts.items()} == {name: f"{name}-sample" for name in names()}
    assert not any(found["skipped"] or found["masked"] for found in counts.values())
    sync(fresh_home)
    assert collect(fresh_home, "usgs", "sample") == counts["usgs"] | {"skipped": True}
    for table in ("sources", "responses", "payloads"):
        labels = rows(fresh_home, f"SELECT DISTINCT sample, source FROM {table} ORDER BY source")
        assert labels == [{"sample": True, "source": f"{name}-sample"} for name in sorted(names())]
    assert rows(fresh_home, "SELECT DISTINCT sample FROM payload_origins") == [{"sample": True}]
    assert all("invented" in row["title"] and row["licence"] for row in rows(fresh_home, "FROM sources"))
    sizes = rows(fresh_home, "SELECT dataset, sum(characters) AS size FROM payloads GROUP BY ALL")
    assert all(row["size"] > 6 * 32_768 for row in sizes), "more than a context of 32K tokens"


def page(items):
    return json.dumps({"vulnerabilities": items, "format": "NVD_CVE"}).encode()


def test_a_body_that_is_no_json_is_rejected_and_the_others_are_kept(tmp_path, fresh_home):
    folder = tmp_path / "nvd"
    folder.mkdir()
    (folder / "a_page.json").write_bytes(page([{"cve": {"id": "CVE-1"}}]))
    (folder / "b_cut.json").write_bytes(page([{"cve": {"id": "CVE-2"}}])[:-9])
    (folder / "c_html.json").write_bytes(b"<!DOCTYPE html><html><body>503 Service Unavailable</body></html>")
    (folder / "d_empty.json").write_bytes(b"")
    (folder / "e_latin.json").write_bytes('{"name": "Müller"}'.encode("latin-1"))
    (folder / "f_bom.json").write_bytes(b"\xef\xbb\xbf" + page([{"cve": {"id": "CVE-3"}}]))
    (folder / "g_error.json").write_bytes(b'{"status": "error", "message": "no"}')
    counts = collect(fresh_home, "nvd", "mirror", str(tmp_path))
    assert counts["rejected"] == 4
    assert counts["payloads"] == 2
    assert counts["responses"] == 3
    sync(fresh_home)
    found = {row["subject"]: row["detail"] for row in rows(fresh_home, "FROM rejections")}
    assert found.keys() == {"nvd/b_cut.json", "nvd/c_html.json", "nvd/d_empty.json", "nvd/e_latin.json"}
    assert "line 1" in found["nvd/b_cut.json"]
    assert "markup" in found["nvd/c_html.json"]
    assert "empty" in found["nvd/d_empty.json"]
    assert "UTF-8" in found["nvd/e_latin.json"]


def test_nothing_usable_is_one_sentence_with_source_and_file_and_the_rejections_stay(tmp_path, fresh_home):
    (tmp_path / "usgs").mkdir()
    (tmp_path / "usgs" / "page.json").write_text("<html>403</html>")
    with pytest.raises(UserError, match=r"source usgs .*usgs/page\.json.* not JSON"):
        collect(fresh_home, "usgs", "mirror", str(tmp_path))
    sync(fresh_home)
    assert len(rows(fresh_home, "FROM rejections")) == 1
    for table in ("sources", "responses", "payloads", "stages"):
        assert rows(fresh_home, f"FROM {table}") == []


def test_lists_without_records_are_named(tmp_path, fresh_home):
    (tmp_path / "usgs").mkdir()
    (tmp_path / "usgs" / "count.json").write_text('{"count":1,"maxAllowed":20000}')
    with pytest.raises(UserError, match="none holds records"):
        collect(fresh_home, "usgs", "mirror", str(tmp_path))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nist", "sample"), "There is no source nist"),
        (("nvd", "pigeon"), "There is no transport pigeon"),
        (("nvd", "mirror"), "set mirror"),
        (("nvd", "live"), "set contact"),
    ],
)
def test_bad_requests_are_one_sentence(fresh_home, arguments, message):
    with pytest.raises(UserError, match=message):
        collect(fresh_home, *arguments)


def test_a_changed_mirror_is_read_again(tmp_path, fresh_home):
    (tmp_path / "nvd").mkdir()
    (tmp_path / "nvd" / "a.json").write_bytes(page([{"cve": {"id": "CVE-1"}}]))
    collect(fresh_home, "nvd", "mirror", str(tmp_path))
    sync(fresh_home)
    assert collect(fresh_home, "nvd", "mirror", str(tmp_path))["skipped"]
    (tmp_path / "nvd" / "b.json").write_bytes(page([{"cve": {"id": "CVE-2"}}]))
    counts = collect(fresh_home, "nvd", "mirror", str(tmp_path))
    assert not counts["skipped"]
    assert counts["payloads"] == 2


def test_the_same_unit_in_two_responses_is_one_payload(tmp_path, fresh_home):
    (tmp_path / "nvd").mkdir()
    for name in ("a", "b"):
        (tmp_path / "nvd" / f"{name}.json").write_bytes(page([{"cve": {"id": "CVE-1"}}]) + b"\n" * (name == "b"))
    counts = collect(fresh_home, "nvd", "mirror", str(tmp_path))
    assert counts["responses"] == 2
    assert counts["records"] == 2
    assert counts["payloads"] == 1


@pytest.mark.parametrize(
    ("name", "others"),
    [("usgs", {"count"}), ("nvd", set()), ("crossref", {"work", "member"}), ("usaspending", set()), ("gbif", set())],
)
def test_lists_are_told_from_details_and_counts(name, others):
    spec = source(name)
    kinds = {
        (received.location.rstrip("0123456789_"), read(received, spec).units is not None)
        for received in sample.receive(name)
    }
    assert {kind for kind, holds in kinds if not holds} == others
    assert {kind for kind, holds in kinds if holds} >= {kind for kind, _ in kinds} - others


def test_recorded_details_hold_no_list(recordings):
    tree = parse((recordings / "usgs" / "fdsnws_detail_usp0006kdp_18.json").read_text("utf-8"), "json")
    assert cutting.units(tree, source("usgs"), "") is None


def test_a_response_that_is_one_record_is_one_unit_whole(recordings):
    text = (recordings / "clinicaltrials" / "api_v2_study_keyword.json").read_text("utf-8")
    (unit,) = cutting.units(parse(text, "json"), source("clinicaltrials"), "") or []
    assert unit.text == text.strip()
    assert unit.records == 1


def test_queries_become_parameters_and_repeated_ones_lists():
    assert split_url("https://a.example/b?x=1&y=&x=2") == ("https://a.example/b", {"x": ["1", "2"], "y": ""})


def test_response_ids_tell_transport_and_parameters_apart():
    one = Received("https://a.example", b"{}", "mirror", "a.json")
    other = Received("https://a.example", b"{}", "live", "a.json")
    assert one.response_id("nvd") != other.response_id("nvd")
    assert one.sha256 == sha256(b"{}")
    assert re.fullmatch(r"[0-9a-f]{32}", one.response_id("nvd"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: [", "mine.yaml is no YAML: while parsing"),
        ("\xff", "mine.yaml is no YAML: 'utf-8' codec can't decode byte"),
        ("source: mine\n", "mine.yaml is broken at dataset: Field required"),
        ("- a\n", "mine.yaml is broken at the top: "),
    ],
)
def test_a_broken_file_of_a_source_is_one_sentence(tmp_path, monkeypatch, text, message):
    monkeypatch.setattr(sources, "FOLDER", tmp_path)
    source.cache_clear()
    (tmp_path / "mine.yaml").write_bytes(text.encode("latin-1"))
    with pytest.raises(Fault, match=message):
        source("mine")
