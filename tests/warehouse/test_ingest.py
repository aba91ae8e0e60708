"""One writer at a time, damage, newer databases, and what is published."""

import os
import shutil
import time
from pathlib import Path

import duckdb
import pytest

from tasks.errors import Fault, UserError
from tasks.home import Home
from tasks.warehouse import ingest, journal, recover, snapshot


def count(home: Home) -> int:
    return snapshot.rows(home, "SELECT count(*) AS n FROM predictions")[0]["n"]


def filled(home: Home, prediction, name: str = "a") -> None:
    journal.write(home, "predictions", [prediction(name)])
    ingest.sync(home)


def test_nothing_new_changes_nothing(fresh_home: Home, prediction) -> None:
    first = ingest.sync(fresh_home)
    assert (first.rows, first.files, first.published) == ({}, 0, True)
    journal.write(fresh_home, "predictions", [prediction("a"), prediction("a", seconds=1), prediction("b")])
    second = ingest.sync(fresh_home)
    assert (second.rows, second.files, second.published) == ({"predictions": 3}, 1, True)
    before = {path: path.stat().st_mtime_ns for path in fresh_home.root.rglob("*") if path.is_file()}
    third = ingest.sync(fresh_home)
    assert (third.rows, third.files, third.published) == ({}, 0, False)
    after = {path: path.stat().st_mtime_ns for path in fresh_home.root.rglob("*") if path.is_file()}
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    assert changed == {fresh_home.locks / "ingest.lock"}
    assert count(fresh_home) == 2


def test_only_the_parquet_of_changed_tables_is_written_anew(fresh_home: Home, prediction) -> None:
    ingest.sync(fresh_home)
    stamps = {path.name: path.stat().st_ino for path in fresh_home.parquet.iterdir()}
    assert "payloads.parquet" in stamps
    assert not {"migrations.parquet", "journal_files.parquet"} & stamps.keys()
    filled(fresh_home, prediction)
    changed = {path.name for path in fresh_home.parquet.iterdir() if path.stat().st_ino != stamps[path.name]}
    assert changed == {"predictions.parquet"}
    found = duckdb.sql(f"SELECT example_id, outcome, recorded_at FROM '{fresh_home.parquet}/predictions.parquet'")
    assert found.fetchall() == [("a", "stop", prediction("a")["recorded_at"])]


@pytest.mark.parametrize("what", ["treebench.duckdb", "parquet", "parquet/scores.parquet"])
def test_what_is_deleted_is_published_again(fresh_home: Home, prediction, what: str) -> None:
    filled(fresh_home, prediction)
    path = fresh_home.root / what
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert ingest.sync(fresh_home).published
    assert count(fresh_home) == 1
    assert (fresh_home.parquet / "scores.parquet").exists()
    assert not ingest.sync(fresh_home).published


def test_all_files_have_the_storage_format_of_duckdb_1_5(fresh_home: Home, prediction, tmp_path: Path) -> None:
    def versions(path: Path) -> tuple[int, int]:
        """Storage version in the main header, and serialization version in the newer of the two block headers."""
        content = path.read_bytes()
        headers = [content[start : start + 64] for start in (4096, 8192)]
        newer = max(headers, key=lambda header: int.from_bytes(header[8:16], "little"))
        return int.from_bytes(content[12:20], "little"), int.from_bytes(newer[56:64], "little")

    def made(name: str, options: str) -> Path:
        with duckdb.connect() as con:
            con.execute(f"ATTACH '{tmp_path / name}' AS d {options}; CREATE TABLE d.t (x INTEGER); DETACH d")
        return tmp_path / name

    filled(fresh_home, prediction, "a")
    filled(fresh_home, prediction, "b")
    old = versions(made("old", "(STORAGE_VERSION 'v1.5.0')"))
    assert versions(fresh_home.snapshot) == versions(fresh_home.live) == old
    assert all(ours < newest for ours, newest in zip(old, versions(made("newest", "")), strict=True))


def test_another_process_that_ingests_is_named(fresh_home: Home, victims, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    pid = victims.start(fresh_home, "hold_lock", str(ready))
    wait_for(ready)
    with pytest.raises(Fault, match=rf"The warehouse has been in use for 0\.2 s by process {pid} \(.*victim\.py\)"):
        ingest.sync(fresh_home, wait=0.2)
    assert not fresh_home.snapshot.exists()
    victims.kill(pid)
    assert ingest.sync(fresh_home, wait=0.2).published


def test_a_program_that_keeps_the_live_database_open_is_named(
    fresh_home: Home, victims, prediction, tmp_path: Path
) -> None:
    filled(fresh_home, prediction)
    ready = tmp_path / "ready"
    pid = victims.start(fresh_home, "hold_database", str(ready))
    wait_for(ready)
    with pytest.raises(Fault, match=rf"live\.duckdb is open in process {pid} \(.*\): close it there"):
        ingest.sync(fresh_home, wait=0.3)
    assert count(fresh_home) == 1
    victims.kill(pid)
    filled(fresh_home, prediction, "b")
    assert count(fresh_home) == 2


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_two_writers_at_once_while_a_reader_stays_open(fresh_home: Home, victims, tmp_path: Path) -> None:
    ingest.sync(fresh_home)
    notes = [tmp_path / "one", tmp_path / "two"]
    with snapshot.reader(fresh_home) as old:
        pids = [victims.start(fresh_home, "work", note.name, str(note)) for note in notes]
        seen = 0
        for _ in range(15):
            time.sleep(0.1)
            assert count(fresh_home) >= seen
            seen = count(fresh_home)
            assert old.execute("SELECT count(*) FROM predictions").fetchone() == (0,)
        for pid in pids:
            victims.kill(pid)
    ingest.sync(fresh_home)
    acknowledged = {key for note in notes for key in note.read_text().split()}
    assert seen > 40
    assert len(acknowledged) <= count(fresh_home) <= len(acknowledged) + 2


def damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    match how:
        case "other file":
            content = bytearray(b"SQLite format 3\0" * 4096)
        case "empty":
            content = bytearray()
        case "cut":
            content = content[: len(content) // 2]
        case "torn":  # the first metadata block, as a kill inside a checkpoint leaves it
            content[12288 + 64 : 12288 + 40_000] = os.urandom(40_000 - 64)
    path.write_bytes(content)


@pytest.mark.parametrize("how", ["other file", "empty", "cut", "torn"])
def test_a_damaged_live_database_is_refused_and_rebuilt(fresh_home: Home, prediction, contents, how: str) -> None:
    filled(fresh_home, prediction, "a")
    before = contents(fresh_home.live)
    damage(fresh_home.live, how)
    damaged = fresh_home.live.read_bytes()
    with pytest.raises(UserError, match=r"live\.duckdb cannot be read \(.*\): run `treebench recover`") as refused:
        ingest.sync(fresh_home)
    assert "\n" not in str(refused.value)
    assert count(fresh_home) == 1
    rebuilt = recover.rebuild(fresh_home)
    assert rebuilt.rows == {"predictions": 1}
    assert rebuilt.aside
    assert (rebuilt.aside / "live.duckdb").read_bytes() == damaged
    assert contents(fresh_home.live) == before
    filled(fresh_home, prediction, "b")
    assert count(fresh_home) == 2


def test_damage_that_shows_only_when_rows_are_read(fresh_home: Home, payload) -> None:
    journal.write(fresh_home, "payloads", (payload(f"{n}", os.urandom(4000).hex()) for n in range(200)))
    ingest.sync(fresh_home)
    content = bytearray(fresh_home.snapshot.read_bytes())
    text = snapshot.rows(fresh_home, "SELECT text FROM payloads LIMIT 1")[0]["text"]
    middle = len(content) // 2
    assert len(text) == 8000
    content[middle : middle + 300_000] = os.urandom(300_000)
    fresh_home.snapshot.write_bytes(content)
    with pytest.raises(UserError, match=r"treebench\.duckdb cannot be read \(.*\): run `treebench recover`"):
        snapshot.rows(fresh_home, "SELECT sum(length(text)) FROM payloads")


def test_a_damaged_snapshot(fresh_home: Home, prediction) -> None:
    filled(fresh_home, prediction)
    damage(fresh_home.snapshot, "torn")
    with pytest.raises(UserError, match=r"treebench\.duckdb cannot be read \(.*\): run `treebench recover`"):
        count(fresh_home)
    recover.rebuild(fresh_home)
    assert count(fresh_home) == 1


@pytest.mark.parametrize("what", ["warehouse", "warehouse/live", "warehouse/generations"])
def test_a_deleted_live_database_is_rebuilt_by_sync(fresh_home: Home, prediction, contents, what: str) -> None:
    filled(fresh_home, prediction, "a")
    before = contents(fresh_home.live)
    path = fresh_home.root / what
    path.unlink() if path.is_symlink() else shutil.rmtree(path)
    assert ingest.sync(fresh_home).rows == {"predictions": 1}
    assert contents(fresh_home.live) == before


def test_a_folder_put_back_from_a_back_up(fresh_home: Home, prediction, contents) -> None:
    filled(fresh_home, prediction, "a")
    copy = fresh_home.root / "copy"
    shutil.copytree(fresh_home.live.parent, copy)
    filled(fresh_home, prediction, "b")
    shutil.rmtree(fresh_home.root / "warehouse")
    (fresh_home.root / "warehouse").mkdir()
    copy.rename(fresh_home.live.parent)
    assert ingest.sync(fresh_home).rows == {"predictions": 1}
    assert count(fresh_home) == 2
    filled(fresh_home, prediction, "c")
    assert count(fresh_home) == 3


def test_what_someone_wrote_into_the_live_log_is_kept(fresh_home: Home, prediction) -> None:
    filled(fresh_home, prediction, "a")
    with duckdb.connect(str(fresh_home.live)) as con:
        con.execute("PRAGMA disable_checkpoint_on_shutdown")
        con.execute("INSERT INTO predictions SELECT * REPLACE ('by hand' AS example_id) FROM predictions")
    filled(fresh_home, prediction, "b")
    assert count(fresh_home) == 3


def test_a_database_that_may_grow_no_more(fresh_home: Home, prediction, victims, tmp_path: Path) -> None:
    filled(fresh_home, prediction, "a")
    journal.write(fresh_home, "predictions", [prediction(f"{n}", raw_answer=os.urandom(5000).hex()) for n in range(99)])
    said = tmp_path / "said"
    size = fresh_home.live.stat().st_size
    for limit in (4096, size // 2, size + 4096):
        assert victims.wait(victims.start(fresh_home, "sync_within", limit, str(said))) == 0
        sentence = said.read_text()
        assert "\n" not in sentence
        assert "File too large" in sentence
        assert "run the command again" in sentence
        assert count(fresh_home) == 1
        assert not list(fresh_home.root.rglob("*.partial"))
        assert len(os.listdir(fresh_home.root / "warehouse" / "generations")) == 1
        said.unlink()
    assert ingest.sync(fresh_home).rows == {"predictions": 99}
