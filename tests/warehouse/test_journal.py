"""What the journal accepts, refuses and publishes."""

import os
import subprocess
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import fsspec
import pytest

from tasks.errors import Fault, UserError
from tasks.home import Home
from tasks.warehouse import ingest, journal, snapshot


def sealed(home: Home) -> list[Path]:
    return sorted(Path(home.journal).glob("*/*"))


def test_rows_are_in_the_spool_at_once_and_sealed_at_the_end(fresh_home: Home, prediction) -> None:
    with journal.Journal(fresh_home, "run 1/shard 2") as writer:
        writer.append("predictions", prediction("a"))
        spooled = list(fresh_home.spool.glob("*/*"))
        assert b'"example_id":"a"' in spooled[0].read_bytes()
        assert sealed(fresh_home) == []
        assert journal.recover(fresh_home) == 0  # its writer lives
    assert [path.name for path in sealed(fresh_home)] == [spooled[0].name]
    assert "run-1-shard-2" in spooled[0].name
    assert list(fresh_home.spool.glob("*/*")) == []


def test_a_large_file_is_sealed_while_writing_goes_on(fresh_home: Home, prediction) -> None:
    with journal.Journal(fresh_home, "w") as writer:
        for number in range(9):
            writer.append("predictions", prediction(f"{number}", raw_answer="x" * 1024 * 1024))
        assert len(sealed(fresh_home)) == 2
        writer.append("memories", {"run_id": "r", "example_id": "e", "position": 1, "text": None})
    names = [path.name for path in sealed(fresh_home) if path.parent.name == "predictions"]
    assert len(names) == 3
    assert names == sorted(names)
    assert ingest.sync(fresh_home).rows == {"predictions": 9, "memories": 1}


def test_threads_share_a_writer(fresh_home: Home, prediction) -> None:
    with journal.Journal(fresh_home, "w") as writer:

        def work(name: str) -> None:
            for number in range(200):
                writer.append("predictions", prediction(f"{name}-{number}"))

        threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    ingest.sync(fresh_home)
    assert snapshot.rows(fresh_home, "SELECT count(*) AS n FROM predictions") == [{"n": 1600}]


@pytest.mark.parametrize(
    ("table", "row", "said"),
    [
        ("dreams", {}, "There is no table dreams: the tables are agent_events, "),
        ("migrations", {}, "There is no table migrations"),
        ("journal_files", {}, "There is no table journal_files"),
        ("predictions", {"answr": 1}, "Table predictions has no column answr: its columns are run_id, example_id, "),
        ("predictions", {"example_id": None}, "Column predictions.example_id needs a value: the row with run_id 'run'"),
        ("predictions", {"outcome": None}, "Column predictions.outcome needs a value"),
        ("predictions", {"outcome": "fine"}, "is one of stop, length, overflow, "),
        ("predictions", {"raw_answer": 7}, "Column predictions.raw_answer is VARCHAR and cannot hold 7 (a int)."),
        ("predictions", {"raw_answer": b"x"}, "cannot hold b'x' (a bytes)"),
        ("predictions", {"model_calls": True}, "Column predictions.model_calls is INTEGER and cannot hold True"),
        ("predictions", {"model_calls": 1.5}, "is INTEGER and cannot hold 1.5"),
        ("predictions", {"model_calls": 2**31}, "is INTEGER and cannot hold 2147483648 (out of range)."),
        ("predictions", {"recorded_at": "yesterday"}, "is TIMESTAMP and cannot hold 'yesterday'"),
        ("predictions", {"recorded_at": 5}, "is TIMESTAMP and cannot hold 5"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(fresh_home: Home, prediction, table: str, row: dict, said: str) -> None:
    with journal.Journal(fresh_home, "w") as writer:
        with pytest.raises(Fault) as refused:
            writer.append(table, {**prediction("e"), **row})
        assert said in str(refused.value)
        assert "\n" not in str(refused.value)
        with pytest.raises(Fault):
            journal.write(fresh_home, table, [{**prediction("e"), **row}])
    assert sealed(fresh_home) == []
    assert list(fresh_home.spool.glob("*/*")) == []


@pytest.mark.parametrize("score", [float("nan"), float("inf"), True, "1"])
def test_a_score_is_a_finite_number(fresh_home: Home, score: Any) -> None:
    row = {"run_id": "r", "example_id": "e", "scorer": "s", "scorer_version": "1", "recorded_at": datetime(2026, 1, 1)}
    with pytest.raises(Fault, match=r"Column scores\.score is DOUBLE and cannot hold"):
        journal.write(fresh_home, "scores", [{**row, "score": score}])


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize("value", [{1, 2}, {"a": float("nan")}, nested(101), nested(5000), {"a": object()}])
def test_json_that_could_not_be_loaded_is_refused(fresh_home: Home, value: Any) -> None:
    with pytest.raises(Fault, match=r"Column stages\.summary is JSON and cannot hold"):
        journal.write(fresh_home, "stages", [stage(value)])


def stage(summary: Any, recorded_at: Any = datetime(2026, 11, 29)) -> dict[str, Any]:
    return {"stage": "s", "input_hash": "h", "summary": summary, "recorded_at": recorded_at}


def test_json_as_deep_as_allowed_is_loaded(fresh_home: Home) -> None:
    journal.write(fresh_home, "stages", [stage(nested(100))])
    ingest.sync(fresh_home)
    assert snapshot.rows(fresh_home, "SELECT summary FROM stages")[0]["summary"] == "[" * 100 + "]" * 100


def test_times_are_kept_in_utc(fresh_home: Home) -> None:
    east = datetime(2026, 11, 29, 3, 0, 0, 5, tzinfo=timezone(timedelta(hours=5)))
    journal.write(fresh_home, "stages", [stage({"at": east}, east)])
    journal.write(fresh_home, "stages", [{**stage({}, "2026-11-28T22:00:00+00:00"), "stage": "t"}])
    ingest.sync(fresh_home)
    found = snapshot.rows(fresh_home, "SELECT recorded_at, summary FROM stages ORDER BY stage")
    assert found[0] == {
        "recorded_at": datetime(2026, 11, 28, 22, 0, 0, 5),
        "summary": '{"at":"2026-11-28T22:00:00.000005"}',
    }
    assert found[1]["recorded_at"] == datetime(2026, 11, 28, 22)


def test_numbers_of_numpy(fresh_home: Home, prediction) -> None:
    import numpy

    journal.write(fresh_home, "predictions", [prediction("e", model_calls=numpy.int64(7))])
    journal.write(fresh_home, "stages", [stage({"n": numpy.int64(3), "x": numpy.float32(0.5)})])
    ingest.sync(fresh_home)
    assert snapshot.rows(fresh_home, "SELECT model_calls, summary FROM predictions, stages") == [
        {"model_calls": 7, "summary": '{"n":3,"x":0.5}'}
    ]


def test_write_is_all_or_nothing(fresh_home: Home, prediction) -> None:
    def rows() -> Iterator[dict]:
        yield prediction("a")
        raise KeyError("the source broke")

    with pytest.raises(KeyError):
        journal.write(fresh_home, "predictions", rows())
    assert journal.write(fresh_home, "predictions", []) == 0
    assert sealed(fresh_home) == []
    assert list(fresh_home.spool.glob("*/*")) == []
    assert (
        journal.write(fresh_home, "predictions", (prediction(f"{n}", raw_answer="x" * 99_999) for n in range(99))) == 99
    )
    assert len(sealed(fresh_home)) == 1
    assert ingest.sync(fresh_home).rows == {"predictions": 99}


@pytest.mark.parametrize("url", ["memory://journal-of-tests", "file://{home}/elsewhere"])
def test_any_fsspec_location(fresh_home: Home, prediction, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("TREEBENCH_JOURNAL", url.format(home=fresh_home.root))
    with journal.Journal(fresh_home, "w") as writer:
        writer.append("predictions", prediction("a"))
    journal.write(fresh_home, "predictions", [prediction("b")])
    assert ingest.sync(fresh_home).rows == {"predictions": 2}
    assert ingest.sync(fresh_home).files == 0
    with snapshot.fresh(fresh_home) as con:
        assert con.execute("SELECT count(*) FROM predictions").fetchone() == (2,)
    journal.write(fresh_home, "predictions", [prediction("c")])
    with snapshot.fresh(fresh_home) as con:
        assert con.execute("SELECT count(*) FROM predictions").fetchone() == (3,)
    assert not any((fresh_home.root / "journal").glob("*"))
    if url.startswith("memory"):
        fsspec.filesystem("memory").rm("/journal-of-tests", recursive=True)


def test_a_location_of_an_unknown_kind(fresh_home: Home, prediction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEBENCH_JOURNAL", "carrier-pigeon://loft")
    with pytest.raises(UserError, match="TREEBENCH_JOURNAL=carrier-pigeon://loft cannot be used"):
        journal.write(fresh_home, "predictions", [prediction("a")])


def test_rows_wait_in_the_spool_while_the_location_cannot_be_written(
    fresh_home: Home, prediction, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    monkeypatch.setenv("TREEBENCH_JOURNAL", str(blocked))
    writer = journal.Journal(fresh_home, "w")
    for number in range(6):  # sealing by size fails meanwhile, appending does not
        writer.append("predictions", prediction(f"{number}", raw_answer="x" * 1024 * 1024))
    with pytest.raises(Fault, match="its rows are safe where they are") as failed:
        writer.seal()
    assert str(blocked) in str(failed.value)
    blocked.unlink()
    writer.append("predictions", prediction("last"))
    writer.seal()
    assert ingest.sync(fresh_home).rows == {"predictions": 7}


def test_the_first_failure_is_the_one_that_is_reported(
    fresh_home: Home, prediction, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.touch()
    monkeypatch.setenv("TREEBENCH_JOURNAL", str(blocked))

    def fail() -> None:
        with journal.Journal(fresh_home, "w") as writer:
            writer.append("predictions", prediction("a"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    blocked.unlink()
    assert ingest.sync(fresh_home).rows == {"predictions": 1}


def test_a_file_that_may_grow_no_more(fresh_home: Home, victims, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    assert victims.wait(victims.start(fresh_home, "append_within", "w", 10_000, str(notes))) == 0
    acknowledged = set(notes.read_text().split())
    assert "w-after" in acknowledged
    assert len(acknowledged) > 5
    ingest.sync(fresh_home)
    found = {row["example_id"] for row in snapshot.rows(fresh_home, "SELECT example_id FROM predictions")}
    assert found == acknowledged


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 32 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(small_disk: Path, prediction) -> None:
    home = Home(small_disk)
    journal.write(home, "predictions", [prediction("before")])
    ingest.sync(home)
    filler = small_disk / "filler"
    acknowledged = {"before"}
    with journal.Journal(home, "w") as writer:
        writer.append("predictions", prediction("kept"))
        acknowledged.add("kept")
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        filler.write_bytes(b"x" * (free - 20_000))

        def fill() -> None:
            for number in range(1000):
                writer.append("predictions", prediction(f"{number}", raw_answer="x" * 1000))
                acknowledged.add(f"{number}")

        with pytest.raises(Fault, match=r"cannot be written \(No space left on device\)") as failed:
            fill()
        assert str(home.spool) in str(failed.value)
        with pytest.raises(Fault, match="No space left on device"):
            journal.write(home, "predictions", [prediction("whole", raw_answer="x" * 100_000)])
    with pytest.raises(Fault, match="No space left on device"):
        ingest.sync(home)
    assert snapshot.rows(home, "SELECT example_id FROM predictions") == [{"example_id": "before"}]
    assert not list(small_disk.rglob("*.partial"))
    filler.unlink()
    ingest.sync(home)
    found = {row["example_id"] for row in snapshot.rows(home, "SELECT example_id FROM predictions")}
    assert found == acknowledged


def test_a_stage_is_sealed_after_the_rows_it_vouches_for(fresh_home: Home, prediction) -> None:
    with journal.Journal(fresh_home, "w") as writer:
        writer.append("stages", stage({}))
        writer.append("validations", {
            "build_id": "b", "suite": "s", "subject": "t", "check_name": "c", "passed": True,
            "recorded_at": datetime(2026, 11, 29),
        })  # fmt: skip
        writer.append("predictions", prediction("a"))
    published = sorted(sealed(fresh_home), key=lambda path: path.stat().st_ctime_ns)
    assert [path.parent.name for path in published] == ["validations", "predictions", "stages"]


@pytest.mark.parametrize("name", ["a b", "it's", "a[1]", "st*r", "ünï", "{x,y}", "50%", "a#b"])
def test_homes_with_odd_names(tmp_path: Path, prediction, name: str) -> None:
    home = Home(tmp_path / name)
    home.root.mkdir()
    journal.write(home, "predictions", [prediction("a")])
    assert ingest.sync(home).rows == {"predictions": 1}
    with journal.Journal(home, "w") as writer:
        writer.append("predictions", prediction("b"))
        assert snapshot.fresh_rows(home, "SELECT count(*) AS n FROM predictions") == [{"n": 2}]


@pytest.mark.parametrize("name", ["wh?t", "back\\slash"])
def test_a_home_that_duckdb_cannot_use(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=r"set TREEBENCH_HOME to a folder without \? and"):
        ingest.sync(Home(tmp_path / name))
