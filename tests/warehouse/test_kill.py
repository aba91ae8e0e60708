"""kill -9 at any moment: no acknowledged row is lost, everything published opens, the next sync goes on."""

import os
import random
import time
from pathlib import Path

import pytest

from tasks.home import Home
from tasks.warehouse import ingest, journal, recover, snapshot

KILLED = -9


def keys(home: Home) -> set[str]:
    return {row["example_id"] for row in snapshot.rows(home, "SELECT example_id FROM predictions")}


def leftovers(home: Home) -> list[str]:
    """Files that only a process at work should have."""
    names = [str(path.relative_to(home.root)) for path in home.root.rglob("*") if path.is_file()]
    return [name for name in names if name.startswith("spool/") or "partial" in name]


def test_random_kills_of_a_writer_that_syncs(fresh_home: Home, victims, contents, tmp_path: Path) -> None:
    ingest.sync(fresh_home)
    random.seed(8)
    notes = tmp_path / "acknowledged"
    bystander = victims.start(fresh_home, "only_write", "bystander", str(notes))
    with snapshot.reader(fresh_home) as old:
        published = set()
        for number in range(30):
            pid = victims.start(fresh_home, "work", f"victim-{number}", str(notes))
            time.sleep(random.uniform(0.02, 0.45))
            assert victims.kill(pid) == KILLED
            assert published <= keys(fresh_home)
            published = keys(fresh_home)
            assert old.execute("SELECT count(*) FROM predictions").fetchone() == (0,)
    victims.kill(bystander)
    acknowledged = set(notes.read_text().split())
    ingest.sync(fresh_home)
    assert acknowledged <= keys(fresh_home)
    assert len(acknowledged) > 500
    assert len(keys(fresh_home)) <= len(acknowledged) + 31  # at most the row in flight of each killed process
    assert leftovers(fresh_home) == []
    before = contents(fresh_home.live)
    assert contents(fresh_home.snapshot) == before
    recover.rebuild(fresh_home)
    assert contents(fresh_home.live) == before


def test_kill_before_every_file_operation_of_a_sync(fresh_home: Home, victims, contents) -> None:
    journal.write(fresh_home, "predictions", [row("first")])
    ingest.sync(fresh_home)
    spool = fresh_home.spool / "predictions"
    for count in range(1000):
        (spool / f"dead-{count}.jsonl").write_bytes(line(f"row-{count}") + b'{"example_id": "to')
        known = keys(fresh_home)
        ended = victims.wait(victims.start(fresh_home, "sync_until", count))
        assert known <= keys(fresh_home)
        ingest.sync(fresh_home)
        assert keys(fresh_home) == known | {f"row-{count}"}
        assert leftovers(fresh_home) == []
        assert len(os.listdir(fresh_home.live.parent.parent / "generations")) == 1
        if ended == 0:
            break
    assert count > 20
    before = contents(fresh_home.live)
    recover.rebuild(fresh_home)
    assert contents(fresh_home.live) == before


def test_kill_before_every_file_operation_of_a_rebuild(fresh_home: Home, victims, contents) -> None:
    journal.write(fresh_home, "predictions", [row("first"), row("second")])
    ingest.sync(fresh_home)
    before = contents(fresh_home.live)
    for count in range(0, 1000, 6):
        ended = victims.wait(victims.start(fresh_home, "rebuild_until", count))
        assert keys(fresh_home) == {"first", "second"}
        ingest.sync(fresh_home)
        assert keys(fresh_home) == {"first", "second"}
        if ended == 0:
            break
    assert count > 20
    assert contents(fresh_home.live) == before


def test_kill_before_every_file_operation_of_writing(fresh_home: Home, victims) -> None:
    for count in range(1000):
        ended = victims.wait(victims.start(fresh_home, "write_until", f"w{count}", count))
        if ended == 0:
            break
    ingest.sync(fresh_home)
    found = keys(fresh_home)
    for number in range(count + 1):
        whole = sum(key.startswith(f"w{number}-whole-") for key in found)
        assert whole in (0, 3)
        assert f"w{number}-first" not in found or whole == 3
    assert f"w{count}-first" in found
    assert leftovers(fresh_home) == []


def test_a_torn_line_is_dropped_and_the_rows_before_it_kept(fresh_home: Home) -> None:
    folder = fresh_home.spool / "predictions"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_bytes(line("whole") + line("torn")[:-1])
    (folder / "b.jsonl").write_bytes(line("torn")[:40])
    (folder / "c.jsonl").write_bytes(b"")
    long = line("x" * 300_000)
    (folder / "d.jsonl").write_bytes(line("short") + long[:-1])
    assert journal.recover(fresh_home) == 2
    ingest.sync(fresh_home)
    assert keys(fresh_home) == {"whole", "short"}


def row(name: str) -> dict:
    return {
        "run_id": "run",
        "example_id": name,
        "outcome": "stop",
        "model_calls": 1,
        "recorded_at": "2026-11-29T00:00:00",
    }


def line(name: str) -> bytes:
    from tasks.warehouse.encoding import encode
    from tasks.warehouse.schema import declared

    return encode(declared()["predictions"], row(name))


def test_a_journal_on_another_disk(fresh_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    where = "/dev/shm"
    if not os.path.isdir(where) or os.stat(where).st_dev == os.stat(fresh_home.root).st_dev:
        pytest.skip(f"{where} is no other disk")
    with tempfile.TemporaryDirectory(dir=where) as folder:
        monkeypatch.setenv("TREEBENCH_JOURNAL", folder)
        journal.write(fresh_home, "predictions", [row("far")])
        ingest.sync(fresh_home)
        assert keys(fresh_home) == {"far"}
        assert leftovers(fresh_home) == []
