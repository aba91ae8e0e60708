"""Whole dataset versions, from collected payloads to rows."""

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.building.build import build
from tasks.building.wording import TASKS
from tasks.collecting.collect import collect
from tasks.errors import UserError
from tasks.home import PROJECT, Home
from tasks.validating.validate import require_valid, validate
from tasks.warehouse.contexts import context
from tasks.warehouse.ingest import sync
from tasks.warehouse.snapshot import reader, rows

SOURCES = ["contracts_finder", "usaspending"]
BUILT = ("records", "questions", "examples", "example_payloads", "context_tokens", "build_examples")

PROGRAM = """
from tasks.building import working
from tasks.building.build import build
from tasks.collecting.collect import collect
from tasks.home import home
from tasks.warehouse.ingest import sync
if __name__ == "__main__":
    working.SMALL = 0  # processes are started, however little there is to do
    for name in ("webpack", "eslint", "three_js"):
        collect(home(), name, "sample")
        sync(home())
    build(home(), "javascript", ["three_js", "eslint", "webpack"], "sample", TASKS, [4096, 2048], 1, workers=3)
    sync(home())
"""


def content(home: Home) -> dict[str, list]:
    return {table: sorted(map(repr, rows(home, f"FROM {table}"))) for table in BUILT} | {
        "builds": rows(home, "SELECT * EXCLUDE (created_at) FROM builds")
    }


def written(home: Home) -> dict[str, list[bytes]]:
    """The journal files of what was built, to the byte."""
    return {table: sorted(path.read_bytes() for path in Path(home.journal, table).iterdir()) for table in BUILT}


def collected(home: Home, transport: str = "sample", *arguments) -> None:
    for name in SOURCES:
        collect(home, name, transport, *arguments)
    sync(home)


def test_two_builds_in_two_homes_are_identical(fresh_home, tmp_path):
    """Three processes, another hash seed, another order of collecting, of lengths and of tasks: the same bytes."""
    for name in ("three_js", "eslint", "webpack"):
        collect(fresh_home, name, "sample")
    sync(fresh_home)
    sources = ["webpack", "three_js", "eslint"]
    counts = build(fresh_home, "javascript", sources, "sample", TASKS, [2048, 4096], 1, workers=1)
    assert counts["examples"] == 16
    sync(fresh_home)
    other = Home(tmp_path / "other")
    other.root.mkdir()
    other.downloads.symlink_to(fresh_home.downloads)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("TASKS", repr(list(reversed(TASKS)))))
    subprocess.run(
        [sys.executable, str(program)],
        env=os.environ | {"TREEBENCH_HOME": str(other.root), "PYTHONHASHSEED": "77", "PYTHONPATH": str(PROJECT)},
        cwd=PROJECT,
        check=True,
    )
    assert content(other) == content(fresh_home)
    assert written(other) == written(fresh_home)


def test_what_is_built_is_skipped_and_contexts_are_what_was_measured(fresh_home):
    collected(fresh_home)
    arguments = (fresh_home, "json", SOURCES, "sample", ["fields_1", "count"], [2048], 2)
    counts = build(*arguments)
    sync(fresh_home)
    assert build(*arguments) == counts | {"skipped": True}
    assert build(*arguments, seed=43)["build_id"] != counts["build_id"]
    with reader(fresh_home) as connection:
        for row in rows(fresh_home, "FROM examples JOIN context_tokens USING (example_id)"):
            assert len(context(connection, row["example_id"])) == row["characters"]
            assert 0.95 * 2048 <= row["tokens"] <= 2048
    assert {
        row["sample"]
        for table in ("examples", "questions", "records", "builds")
        for row in rows(fresh_home, f"FROM {table}")
    } == {True}


def test_recorded_responses_give_a_valid_version_of_every_task(fresh_home, recordings):
    collected(fresh_home, "mirror", str(recordings))
    counts = build(fresh_home, "json", SOURCES, "mirror", TASKS, [2048, 8192], 1)
    assert counts["examples"] == 16
    sync(fresh_home)
    assert validate(fresh_home, counts["build_id"])["failed"] == 0
    sync(fresh_home)
    require_valid(fresh_home, counts["build_id"])
    assert {row["sample"] for row in rows(fresh_home, "FROM examples")} == {False}


def test_sample_and_recorded_payloads_are_never_mixed(fresh_home, recordings):
    collected(fresh_home)
    collected(fresh_home, "mirror", str(recordings))
    made = build(fresh_home, "json", SOURCES, "mirror", ["fields_1"], [4096], 3)
    sync(fresh_home)
    used = rows(
        fresh_home,
        "SELECT DISTINCT source FROM build_examples JOIN example_payloads USING (example_id) "
        "JOIN payloads USING (payload_id) WHERE build_id = ?",
        [made["build_id"]],
    )
    assert {row["source"] for row in used} == set(SOURCES)


def test_a_response_that_came_over_two_transports_counts_for_both(fresh_home, recordings, monkeypatch):
    """A live run may be recorded and then read as a mirror: the same bodies, so the same payloads."""
    from tasks.collecting import collect as module
    from tasks.collecting import mirror
    from tasks.collecting.sources import source

    @contextmanager
    def live(home, spec, *_):
        yield (replace(received, transport="live") for received in mirror.receive(spec, str(recordings)))

    monkeypatch.setattr(module.live, "receive", live)
    for transport in ("live", "mirror"):
        module.collect(fresh_home, source("usaspending").source, transport, str(recordings), "a@example.org")
        sync(fresh_home)
    for transport in ("live", "mirror"):
        assert build(fresh_home, "json", ["usaspending"], transport, ["fields_1"], [4096], 1)["payloads"] > 250


def test_a_cell_that_stays_short_is_named_and_nothing_else_is_kept(fresh_home):
    collect(fresh_home, "usgs", "sample")
    sync(fresh_home)
    with pytest.raises(
        UserError, match=r"Cell json/records_4/1024/test can be filled with 0 of 2 examples only: .*usgs"
    ):
        build(fresh_home, "json", ["usgs"], "sample", ["fields_1", "records_4"], [1024], 2)
    sync(fresh_home)
    for table in (*BUILT, "builds"):
        assert rows(fresh_home, f"FROM {table}") == []
    (row,) = rows(fresh_home, "FROM rejections")
    assert row["subject"] == "json/records_4/1024/test"
    assert "2 of 2 examples" in row["detail"]


def test_wrong_requests_are_one_sentence(fresh_home):
    collect(fresh_home, "usgs", "sample")
    sync(fresh_home)
    with pytest.raises(UserError, match="no task sums"):
        build(fresh_home, "json", ["usgs"], "sample", ["sums"], [1024], 1)
    with pytest.raises(UserError, match=r"source nvd-sample was collected .*treebench collect"):
        build(fresh_home, "json", ["usgs", "nvd"], "sample", ["count"], [1024], 1)
    with pytest.raises(UserError, match="source usgs was collected over transport mirror") as failed:
        build(fresh_home, "json", ["usgs"], "mirror", ["count"], [1024], 1)
    told = "or build from what was collected over transport sample: `treebench build --dataset json --transport sample"
    assert f"{told} --sources usgs`." in str(failed.value)
    with pytest.raises(UserError, match=r"with this source first\.$"):
        build(fresh_home, "html", ["websrc"], "sample", ["count"], [1024], 1)


def test_records_name_their_place(fresh_home):
    collected(fresh_home)
    build(fresh_home, "json", SOURCES, "sample", ["fields_1"], [2048], 1)
    sync(fresh_home)
    found = rows(fresh_home, "SELECT r.*, p.text FROM records r JOIN payloads p USING (payload_id)")
    kinds = Counter(row["kind"] for row in found)
    assert kinds.keys() == {"contract_notice", "contract_party", "federal_award"}
    for row in found:
        record = json.loads(row["text"][row["span_start"] : row["span_end"]])
        identity = record.get("id") or record["generated_internal_id"]
        assert identity in json.loads(row["fields"]).values()
        assert row["label"] in json.dumps(record, ensure_ascii=False)
        assert row["path"].startswith(("$.releases[", "$.results["))
