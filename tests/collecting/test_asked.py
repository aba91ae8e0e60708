"""A run that is killed goes on where it was; a page that has not changed is not sent again; a run is recorded."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import fsspec
import pytest

from tasks.collecting import mirror
from tasks.collecting.asked import OLDEST, Asked, key
from tasks.collecting.client import Client
from tasks.collecting.collect import collect
from tasks.collecting.received import Received
from tasks.collecting.sources import source
from tasks.errors import Fault, UserError
from tasks.home import PROJECT
from tasks.warehouse.ingest import sync
from tasks.warehouse.snapshot import rows
from tests.collecting.conftest import Answer

CONTACT = "someone@example.org"
NOW = datetime(2026, 7, 1, 12)


def received(url="https://a.example/1", body=b"{}"):
    return Received(url, body, "live", url, status=200, retrieved_at=NOW, media_type="application/json")


def test_answers_come_back_after_the_process_has_gone(fresh_home):
    request = key("GET", "https://a.example/1", {"page": 1})
    with Asked(fresh_home, "usgs", "asking", NOW) as answers:
        assert answers.answered(request) is None
        answers.keep(request, received(), {})
    with Asked(fresh_home, "usgs", "asking", NOW + timedelta(hours=5)) as answers:
        assert answers.started == NOW
        assert answers.answered(request) == received()
        answers.finish()
    with Asked(fresh_home, "usgs", "asking", NOW + timedelta(hours=6)) as answers:
        assert answers.started == NOW + timedelta(hours=6)
        assert answers.answered(request) is None


@pytest.mark.parametrize(("asking", "later"), [("other", timedelta(0)), ("asking", OLDEST + timedelta(seconds=1))])
def test_an_old_run_and_one_of_other_requests_are_begun_anew(fresh_home, asking, later):
    with Asked(fresh_home, "usgs", "asking", NOW) as answers:
        answers.keep("r", received(), {})
    with Asked(fresh_home, "usgs", asking, NOW + later) as answers:
        assert answers.answered("r") is None
        assert answers.started == NOW + later


def test_a_torn_line_and_a_lost_body_are_asked_for_again(fresh_home):
    with Asked(fresh_home, "usgs", "asking", NOW) as answers:
        answers.keep("one", received(body=b"1"), {})
        answers.keep("two", received(body=b"2"), {})
    log = fresh_home.root / "asked" / "usgs" / "unfinished.jsonl"
    log.write_bytes(log.read_bytes() + b'{"request": "three", "url"')
    (fresh_home.responses / received(body=b"1").sha256).write_bytes(b"damaged")
    with Asked(fresh_home, "usgs", "asking", NOW) as answers:
        assert answers.answered("one") is None
        assert answers.answered("two").body == b"2"
        assert answers.answered("three") is None
        answers.keep("three", received(body=b"3"), {})
    assert [json.loads(line).get("request") for line in log.read_text().splitlines()] == [None, "one", "two", "three"]


@contextmanager
def full_disk(bytes_a_file):
    """Files cannot grow beyond this: what is written is cut off there, and then refused, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_a_file, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_one_sentence_and_loses_nothing_before(fresh_home):
    with Asked(fresh_home, "usgs", "asking", NOW) as answers:
        answers.keep("one", received(body=b"1"), {})
        size = (fresh_home.root / "asked" / "usgs" / "unfinished.jsonl").stat().st_size
        with full_disk(size + 20), pytest.raises(Fault, match=r"unfinished.jsonl cannot be written \(File too large\)"):
            answers.keep("two", received(body=b"2"), {})
    with Asked(fresh_home, "usgs", "asking", NOW) as answers:
        assert answers.answered("one").body == b"1"
        assert answers.answered("two") is None
        (fresh_home.root / "asked" / "usgs" / "validators.jsonl").mkdir()
        with pytest.raises(Fault, match=r"validators.jsonl cannot be written \(Is a directory\)"):
            answers.keep("three", received(body=b"3"), {"etag": "x"})


def test_a_folder_that_cannot_be_made_is_one_sentence(fresh_home):
    (fresh_home.root / "asked").write_text("")
    with pytest.raises(Fault, match=r"unfinished.jsonl cannot be written \(Not a directory\): make room or set"):
        Asked(fresh_home, "usgs", "asking", NOW)


def test_a_download_that_does_not_fit_the_disk_is_one_sentence(service, fresh_home):
    service.answer = lambda asked: Answer(write=lambda out: out.write(b"x" * 100_000))
    spec = service.as_source("eslint")
    with Asked(fresh_home, "eslint", "asking", NOW) as answers, Client(spec, CONTACT, answers=answers) as client:
        with full_disk(50_000), pytest.raises(Fault, match=r"archive-\w+ cannot be written \(File too large\)"):
            client.download(f"{service.url}/main.zip")
        assert client.download(f"{service.url}/main.zip").stat().st_size == 100_000


def test_one_run_a_source_at_a_time(fresh_home):
    with Asked(fresh_home, "usgs", "a", NOW), pytest.raises(UserError, match="Another run is asking source usgs"):
        Asked(fresh_home, "usgs", "a", NOW)
    Asked(fresh_home, "usgs", "a", NOW).__exit__()


def test_a_page_that_has_not_changed_is_not_sent_again(service, fresh_home):
    service.answer = lambda asked: (
        Answer(status=304)
        if asked.headers.get("if-none-match") == '"v1"'
        else Answer({"n": 1}, headers={"etag": '"v1"'})
    )
    bodies = []
    for day in range(2):
        now = NOW + timedelta(days=day)
        with Asked(fresh_home, "usgs", "asking", now) as answers:
            spec = service.as_source("usgs")
            with Client(spec, CONTACT, lambda seconds: None, answers=answers) as client:
                item, document = client.get_json(service.url, {"a": 1}, ["n"])
                bodies.append((item.body, document, item.status))
            answers.finish()
    assert bodies[0] == bodies[1] == (b'{"n": 1}', {"n": 1}, 200)
    assert [asked.headers.get("if-none-match") for asked in service.asked] == [None, '"v1"']


PROGRAM = """
import sys
from tasks.collecting import collect
from tasks.collecting.sources import source
from tasks.home import home
spec = source("crossref")
live = spec.live.model_copy(update={"url": sys.argv[1], "interval": 0.0})
collect.source = lambda name: spec.model_copy(update={"live": live})
print(collect.collect(home(), "crossref", "live", contact="someone@example.org", most_responses=12)["responses"])
"""


def pages(service, slow_from):
    """Twelve pages; from `slow_from` on an answer takes longer than the test waits."""

    def respond(asked):
        number = len(service.asked) - 1
        if number >= slow_from:
            time.sleep(0.3)
        items = [{"DOI": f"10.1/{number}"}]
        return Answer(
            {"message-type": "work-list", "message": {"items": items, "next-cursor": "same", "total-results": 99}}
        )

    service.answer = respond


def run(service, home):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, service.url],
        env=os.environ | {"TREEBENCH_HOME": str(home.root)},
        cwd=PROJECT,
        stdout=subprocess.PIPE,
    )


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_killed_in_the_middle_of_paging_repeats_no_finished_page(service, fresh_home, stop):
    pages(service, slow_from=5)
    process = run(service, fresh_home)
    while len(service.asked) < 6 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(stop)
    process.wait()
    log = fresh_home.root / "asked" / "crossref" / "unfinished.jsonl"
    finished = len(log.read_bytes().splitlines()) - 1
    assert finished >= 4
    before = len(service.asked)
    pages(service, slow_from=99)
    again = run(service, fresh_home)
    out, _ = again.communicate()
    assert again.returncode == 0
    assert int(out) == 12
    assert len(service.asked) - before == 12 - finished
    sync(fresh_home)
    assert len(rows(fresh_home, "FROM payloads")) == 12
    assert log.read_bytes() == b""


@pytest.fixture
def usgs_here(service, monkeypatch):
    """USGS over transport live, with a count and two pages of two events."""

    def respond(asked):
        if asked.path == "/count":
            return Answer({"count": 4, "maxAllowed": 20000})
        offset = int(asked.query["offset"])
        features = [{"id": f"us{offset + place}", "properties": {"mag": 5.0}} for place in range(2)]
        return Answer({"type": "FeatureCollection", "metadata": {"generated": 1}, "features": features})

    service.answer = respond
    spec = service.as_source("usgs", page=2)
    monkeypatch.setattr("tasks.collecting.collect.source", lambda name: spec)
    return service


@pytest.mark.parametrize("place", ["folder", "memory"])
def test_a_live_run_records_itself_into_a_mirror_that_gives_the_same_payloads(
    usgs_here, fresh_home, tmp_path, monkeypatch, place
):
    target = str(tmp_path / "recorded") if place == "folder" else f"memory://{tmp_path.name}"
    live = collect(fresh_home, "usgs", "live", contact=CONTACT, most_responses=3, record=target)
    sync(fresh_home)
    mirrored = collect(fresh_home, "usgs", "mirror", target)
    sync(fresh_home)
    assert (live["responses"], live["payloads"]) == (mirrored["responses"], mirrored["payloads"])
    fields = "url, parameters, status, sha256, method, retrieved_at"
    before = rows(fresh_home, f"SELECT {fields} FROM responses WHERE transport = 'live' ORDER BY ALL")
    after = rows(fresh_home, f"SELECT {fields} FROM responses WHERE transport = 'mirror' ORDER BY ALL")
    assert before == after
    assert len(rows(fresh_home, "FROM payloads")) == live["payloads"]
    assert len(rows(fresh_home, "FROM payload_origins")) == 2 * live["payloads"]
    files, root = fsspec.core.url_to_fs(target)
    assert not [path for path in files.find(root) if "partial" in path]
    assert CONTACT not in files.cat_file(f"{root}/usgs/SOURCES.md").decode()


def test_what_is_recorded_is_added_to_what_was_there(usgs_here, fresh_home, tmp_path):
    folder = tmp_path / "usgs"
    folder.mkdir()
    (folder / "older.json").write_text('{"type":"FeatureCollection","features":[{"id":"x","properties":{}}]}')
    note = "- older.json | 70 bytes | licence: public domain | GET https://a.example/q?x=1 -> 200"
    (folder / "SOURCES.md").write_text(f"# usgs: by hand\n\nText for people.\n\n{note}\n")
    collect(fresh_home, "usgs", "live", contact=CONTACT, most_responses=3, record=str(tmp_path))
    text = (folder / "SOURCES.md").read_text()
    assert "Text for people." in text
    assert note in text
    found = list(mirror.receive(source("usgs"), str(tmp_path)))
    assert len(found) == 4
    assert all(item.status == 200 for item in found)
    assert {item.retrieved_at is None for item in found} == {True, False}


def test_only_live_runs_are_recorded(fresh_home, tmp_path):
    with pytest.raises(UserError, match="leave out record"):
        collect(fresh_home, "usgs", "sample", record=str(tmp_path))


def test_time_is_utc(usgs_here, fresh_home):
    collect(fresh_home, "usgs", "live", contact=CONTACT, most_responses=1 + 1)
    sync(fresh_home)
    (row, *_) = rows(fresh_home, "FROM responses")
    assert abs(datetime.now(UTC).replace(tzinfo=None) - row["retrieved_at"]) < timedelta(minutes=5)
