import json
import re
from datetime import datetime

import pytest

from tasks.collecting import sample
from tasks.collecting.collect import collect, read, records_of
from tasks.collecting.received import Received, split_url
from tasks.collecting.sources import names, source
from tasks.errors import UserError
from tasks.hashing import content_id, sha256
from tasks.trees.parse import parse
from tasks.warehouse.ingest import sync
from tasks.warehouse.snapshot import rows

# From the SOURCES.md files, less responses that are no lists of the source's records: 5 single events, 11 single
# works, 2 journals, 2 members and 30 types.
RECORDED = {"usgs": (20, 2147 - 5), "nvd": (42, 1123), "crossref": (46, 617 - 11 - 2 - 2 - 30)}


@pytest.mark.parametrize("name", names())
def test_the_recorded_mirror_gives_the_counts_of_its_sources_file(name, recordings, fresh_home):
    counts = collect(fresh_home, name, "mirror", str(recordings))
    described = (recordings / name / "SOURCES.md").read_text("utf-8")
    responses, records = RECORDED[name]
    assert f"{responses} files" in described
    assert counts["responses"] == responses
    assert counts["records"] == records
    assert counts["rejected"] == 0
    sync(fresh_home)
    stored = rows(fresh_home, "FROM responses")
    assert {row["transport"] for row in stored} == {"mirror"}
    assert all((fresh_home.responses / row["sha256"]).read_bytes() for row in stored)
    payloads = rows(fresh_home, "SELECT p.*, r.sha256 FROM payloads p JOIN responses r USING (response_id)")
    assert len(payloads) == counts["payloads"]
    for row in payloads:
        body = (fresh_home.responses / row["sha256"]).read_text("utf-8")
        assert row["text"] == "".join(body[start:end] for start, end in json.loads(row["location"]))
        assert row["licence"]
        assert row["characters"] == len(row["text"])
        assert row["payload_id"] == content_id("json", row["text"])


def test_what_a_recorded_response_says_about_itself_is_kept(recordings, fresh_home):
    collect(fresh_home, "usgs", "mirror", str(recordings))
    sync(fresh_home)
    (row,) = rows(fresh_home, "FROM responses WHERE location LIKE '%2017-01-01%'")
    assert row["retrieved_at"] == datetime(2021, 11, 9, 22, 34, 32)
    assert row["status"] == 200
    assert row["url"] == "https://earthquake.usgs.gov/fdsnws/event/1/query"
    assert json.loads(row["parameters"])["orderby"] == "time-asc"


@pytest.mark.parametrize("name", names())
def test_sample_data_is_labelled_in_every_row_and_collected_once(name, fresh_home):
    counts = collect(fresh_home, name, "sample")
    assert not counts["skipped"]
    assert counts["source"] == f"{name}-sample"
    sync(fresh_home)
    again = collect(fresh_home, name, "sample")
    assert again == counts | {"skipped": True}
    for table in ("sources", "responses", "payloads"):
        labels = rows(fresh_home, f"SELECT DISTINCT sample, source FROM {table}")
        assert labels == [{"sample": True, "source": f"{name}-sample"}]
    (row,) = rows(fresh_home, "FROM sources")
    assert "invented" in row["title"]
    assert row["licence"]


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


@pytest.mark.parametrize("name", names())
def test_only_record_lists_are_cut(name):
    spec = source(name)
    kinds = {
        (received.location.rstrip("0123456789_"), records_of(read(received, "json"), spec) is not None)
        for received in sample.receive(name)
    }
    listed = {kind for kind, holds in kinds if holds}
    others = {kind for kind, holds in kinds if not holds}
    assert not listed & others
    assert others == {"usgs": {"count"}, "nvd": set(), "crossref": {"work", "member"}}[name]


def test_recorded_details_hold_no_list(recordings):
    tree = parse((recordings / "usgs" / "fdsnws_detail_usp0006kdp_18.json").read_text("utf-8"), "json")
    assert records_of(tree, source("usgs")) is None


def test_queries_become_parameters_and_repeated_ones_lists():
    assert split_url("https://a.example/b?x=1&y=&x=2") == ("https://a.example/b", {"x": ["1", "2"], "y": ""})


def test_response_ids_tell_transport_and_parameters_apart():
    one = Received("https://a.example", b"{}", "mirror", "a.json")
    other = Received("https://a.example", b"{}", "live", "a.json")
    assert one.response_id("nvd") != other.response_id("nvd")
    assert one.sha256 == sha256(b"{}")
    assert re.fullmatch(r"[0-9a-f]{32}", one.response_id("nvd"))
