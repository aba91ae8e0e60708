"""Readers see whole snapshots; the status also sees what is not loaded yet."""

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest

from tasks.errors import Fault, UserError
from tasks.home import Home
from tasks.warehouse import ingest, journal, snapshot, stages


def test_without_a_snapshot(fresh_home: Home) -> None:
    with pytest.raises(UserError, match=r"There is no snapshot .*: run `treebench rebuild`"):
        snapshot.rows(fresh_home, "SELECT 1")
    assert stages.finished(fresh_home, "build", "x") is None
    ingest.sync(fresh_home)
    fresh_home.snapshot.unlink()
    with pytest.raises(UserError, match=r"There is no snapshot .*: run `treebench recover`"):
        snapshot.rows(fresh_home, "SELECT 1")


def test_a_reader_keeps_its_snapshot_and_a_new_one_sees_the_new(fresh_home: Home, prediction) -> None:
    ingest.sync(fresh_home)
    with snapshot.reader(fresh_home) as old:
        journal.write(fresh_home, "predictions", [prediction("a")])
        ingest.sync(fresh_home)
        assert old.execute("SELECT count(*) FROM predictions").fetchone() == (0,)
        assert snapshot.rows(fresh_home, "SELECT count(*) AS n FROM predictions WHERE example_id = ?", ["a"]) == [
            {"n": 1}
        ]
        assert snapshot.rows(fresh_home, "SELECT $id AS x", {"id": 5}) == [{"x": 5}]


@pytest.mark.parametrize("published", [False, True])
def test_a_damaged_journal_file_is_named(fresh_home: Home, prediction, published: bool) -> None:
    if published:
        ingest.sync(fresh_home)
    journal.write(fresh_home, "predictions", [prediction("a")])
    (file,) = Path(fresh_home.journal).glob("predictions/*")
    os.truncate(file, 40)
    said = []
    for reading in (lambda: snapshot.fresh_rows(fresh_home, "FROM predictions"), lambda: ingest.sync(fresh_home)):
        with pytest.raises(
            Fault, match=rf"Journal file predictions/{file.name} cannot be loaded .*Malformed"
        ) as failed:
            reading()
        said.append(str(failed.value))
    assert said[0] == said[1]


def test_nobody_can_write_the_snapshot(fresh_home: Home) -> None:
    import duckdb

    ingest.sync(fresh_home)
    with snapshot.reader(fresh_home) as con, pytest.raises(duckdb.InvalidInputException, match="read-only"):
        con.execute("DELETE FROM predictions")


def test_fresh_rows_are_those_of_the_next_sync(fresh_home: Home, prediction) -> None:
    def seen() -> list[tuple]:
        found = snapshot.fresh_rows(fresh_home, "SELECT example_id, outcome FROM predictions ORDER BY ALL")
        return [tuple(row.values()) for row in found]

    assert seen() == []
    with journal.Journal(fresh_home, "w") as writer:
        writer.append("predictions", prediction("first"))
        assert seen() == [("first", "stop")]  # before there is any snapshot
        journal.write(fresh_home, "predictions", [prediction("a"), prediction("b", seconds=5)])
        ingest.sync(fresh_home)
        writer.append("predictions", prediction("a", "timeout", seconds=1))
        writer.append("predictions", prediction("b", "timeout", seconds=1))
        journal.write(fresh_home, "predictions", [prediction("c", "length"), prediction("first", "aborted", -1)])
        expected = [("a", "timeout"), ("b", "stop"), ("c", "length"), ("first", "stop")]
        assert seen() == expected
        torn = next(iter(fresh_home.spool.glob("predictions/*")))
        size = torn.stat().st_size
        with torn.open("ab") as file:
            file.write(b'{"run_id":"run","exam')
        assert seen() == expected
        os.truncate(torn, size)
        with snapshot.fresh(fresh_home, ["model_calls"]) as con:
            published = con.execute("SELECT count(*) FROM predictions").fetchone()
            assert published == (2,)  # only what was asked for is fresh
    ingest.sync(fresh_home)
    assert seen() == expected
    published = snapshot.rows(fresh_home, "SELECT example_id, outcome FROM predictions ORDER BY ALL")
    assert [tuple(row.values()) for row in published] == expected


def test_fresh_rows_while_others_write_and_seal(fresh_home: Home, victims, tmp_path: Path) -> None:
    ingest.sync(fresh_home)
    notes = tmp_path / "notes"
    pid = victims.start(fresh_home, "only_write", "w", str(notes))
    deadline = time.monotonic() + 30
    while not notes.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    for _ in range(15):
        acknowledged = len(notes.read_text().split())
        assert snapshot.fresh_rows(fresh_home, "SELECT count(*) AS n FROM predictions")[0]["n"] >= acknowledged
    victims.kill(pid)


def test_a_finished_stage_is_known_after_the_next_sync(fresh_home: Home) -> None:
    with journal.Journal(fresh_home, "w") as writer:
        stages.record(writer, "build", "x", {"examples": 3})
    stages.record(fresh_home, "section", "y", {"sections": [1, 2]})
    ingest.sync(fresh_home)
    assert stages.finished(fresh_home, "build", "x") == {"examples": 3}
    assert stages.finished(fresh_home, "section", "y") == {"sections": [1, 2]}
    assert stages.finished(fresh_home, "section", "x") is None
    stages.record(fresh_home, "build", "x", {"examples": 4})
    ingest.sync(fresh_home)
    assert stages.finished(fresh_home, "build", "x") == {"examples": 4}
    recorded = snapshot.rows(fresh_home, "SELECT (now() AT TIME ZONE 'UTC') - recorded_at AS age FROM stages")
    assert all(timedelta(0) <= row["age"] < timedelta(minutes=5) for row in recorded)


def test_rows_are_read_inside_the_home(fresh_home: Home, prediction, tmp_path: Path, monkeypatch) -> None:
    """Copies of the spool, and what a query has no memory for: a killed reader must leave no text elsewhere."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    ingest.sync(fresh_home)
    kept = []
    with journal.Journal(fresh_home, "run") as writer:
        writer.append("predictions", prediction("a", raw_answer="SECRET"))
        monkeypatch.setattr(snapshot, "_extend", lambda con, table, files: kept.extend(files))
        snapshot.fresh_rows(fresh_home, "SELECT 1")
    assert [path.is_relative_to(fresh_home.root) for _, path in kept] == [True]
    with snapshot.reader(fresh_home) as con:
        con.execute("SET memory_limit = '30MB'")
        con.execute("CREATE TEMP TABLE big AS SELECT random()::VARCHAR AS text FROM range(1_500_000)")
        assert [path.name for path in fresh_home.root.glob("*.tmp/*")]
    assert list(elsewhere.iterdir()) == []
