"""The same rows give the same tables, whatever the order, the files and the repetitions they arrive in."""

import tempfile
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.errors import Fault
from tasks.home import Home
from tasks.warehouse import ingest, journal, migrations, snapshot
from tasks.warehouse.encoding import encode
from tasks.warehouse.loading import load
from tasks.warehouse.location import Location
from tasks.warehouse.schema import SQL, declared, read

times = st.integers(0, 3).map(lambda seconds: datetime(2026, 11, 29) + timedelta(seconds=seconds))
keys = st.sampled_from(["a", "b", "c"])
texts = st.none() | st.sampled_from(["", "x", "y", "\0", "é\U0001f600"])

predictions = st.fixed_dictionaries(
    {
        "run_id": st.just("run"),
        "example_id": keys,
        "outcome": st.sampled_from(["stop", "timeout"]),
        "raw_answer": texts,
        "model_calls": st.integers(0, 2),
        "recorded_at": times,
    }
)
responses = st.fixed_dictionaries(
    {
        "response_id": keys,
        "source": st.just("usgs"),
        "url": st.sampled_from(["u", "v"]),
        "parameters": st.sampled_from([None, {"q": 1}, {"q": 2}]),
        "retrieved_at": st.none() | times,
        "sha256": st.just("0"),
        "bytes": st.integers(0, 2),
        "transport": st.just("live"),
        "sample": st.booleans(),
    }
)
memories = st.fixed_dictionaries(
    {
        "run_id": st.just("run"),
        "example_id": keys,
        "position": st.integers(1, 2),
        "text": texts,
        "retrieved": texts,
        "recorded_at": st.none() | times,
    }
)
members = st.fixed_dictionaries({"run_id": st.just("run"), "example_id": keys})
rows = st.lists(
    st.tuples(st.just("predictions"), predictions)
    | st.tuples(st.just("responses"), responses)
    | st.tuples(st.just("memories"), memories)
    | st.tuples(st.just("run_examples"), members),
    max_size=25,
)


@cache
def empty() -> duckdb.DuckDBPyConnection:
    """A database with all tables, made once."""
    con = duckdb.connect()
    migrations.apply(con, SQL, views=False)
    return con


def loaded(syncs: list[list[list[tuple[str, dict[str, Any]]]]]) -> dict[str, list[tuple]]:
    """The tables after several syncs, each of which finds several files of rows."""
    tables = ("predictions", "responses", "memories", "run_examples")
    con = empty()
    with tempfile.TemporaryDirectory() as folder:
        for table in (*tables, "journal_files"):
            con.execute(f"DELETE FROM {table}")
        location = Location(folder, Path(folder))
        number = 0
        for files in syncs:
            names = []
            for file in files:
                for table in {table for table, _ in file}:
                    number += 1
                    path = Path(folder) / table / f"{number:04}.jsonl"
                    path.parent.mkdir(exist_ok=True)
                    path.write_bytes(b"".join(encode(declared()[table], row) for name, row in file if name == table))
                    names.append(f"{table}/{path.name}")
            con.execute("BEGIN")
            load(con, read(con), location, names)
            con.execute("COMMIT")
        return {table: con.execute(f"FROM {table} ORDER BY ALL").fetchall() for table in tables}


def test_of_rows_without_a_time_the_same_one_is_kept_in_any_order() -> None:
    def memory(retrieved: str | None, at: datetime | None) -> tuple[str, dict[str, Any]]:
        row = {"run_id": "run", "example_id": "a", "position": 1, "text": None, "retrieved": retrieved}
        return "memories", row | {"recorded_at": at}

    three = [memory(None, None), memory("", None), memory("x", datetime(2026, 11, 29))]
    for some, kept in ((three[:2], ""), (three, "x")):
        for order in (some, some[::-1]):
            (row,) = loaded([[[one]] for one in order])["memories"]
            assert kept in row


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows, st.data())
def test_order_files_and_repetitions_do_not_matter(rows: list, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(rows))
    repeated = shuffled + data.draw(st.lists(st.sampled_from(rows), max_size=5) if rows else st.just([]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(repeated)), max_size=4)))
    files = [repeated[a:b] for a, b in zip([0, *cuts], [*cuts, len(repeated)], strict=True)]
    at = data.draw(st.integers(0, len(files)))
    one_by_one = loaded([files[:at], files[at:]])
    assert one_by_one == loaded([[rows]])
    last: dict[str, datetime] = {}
    first: dict[str, datetime] = {}
    for table, row in rows:
        if table == "predictions":
            last[row["example_id"]] = max(row["recorded_at"], last.get(row["example_id"], datetime.min))
        if table == "responses":
            known = row["retrieved_at"] or datetime.max
            first[row["response_id"]] = min(known, first.get(row["response_id"], datetime.max))
    assert {row[1]: row[-1] for row in one_by_one["predictions"]} == last
    assert {row[0]: row[5] or datetime.max for row in one_by_one["responses"]} == first


def test_large_and_odd_values_arrive_as_they_were(fresh_home: Home, payload) -> None:
    huge = "x\n\0\u2028é\U0001f600" * 4_000_000
    odd = {
        "big": 2**90,
        "float": 0.1 + 0.2,
        "exponent": 1e300,
        "text": 'a"\\\0\n\u2028',
        "none": None,
        "list": [[], {}],
    }
    journal.write(fresh_home, "payloads", [payload("huge", huge, location=[[0, 5]]), payload("empty", "")])
    record = {"payload_id": "p", "kind": "k", "label": "l", "path": "$", "span_start": 0, "span_end": 2**60}
    journal.write(fresh_home, "records", [{**record, "record_id": "odd", "fields": odd, "sample": True}])
    ingest.sync(fresh_home)
    found = snapshot.rows(fresh_home, "SELECT text FROM payloads ORDER BY length(text)")
    assert [row["text"] for row in found] == ["", huge]
    import json

    kept = snapshot.rows(fresh_home, "SELECT fields, span_end FROM records")[0]
    assert json.loads(kept["fields"]) == odd
    assert kept["span_end"] == 2**60


def test_lone_surrogates_become_replacement_characters(fresh_home: Home, payload) -> None:
    journal.write(fresh_home, "payloads", [payload("p", "a\ud800b\ude00 \ud83d\ude00", licence="\udfff")])
    ingest.sync(fresh_home)
    found = snapshot.rows(fresh_home, "SELECT text, licence FROM payloads")[0]
    assert found == {"text": "a\ufffdb\ufffd \U0001f600", "licence": "\ufffd"}


def test_a_broken_journal_file_is_named_and_loads_nothing(fresh_home: Home, prediction) -> None:
    journal.write(fresh_home, "predictions", [prediction("good")])
    folder = Path(fresh_home.journal) / "predictions"
    for content, said in [
        (b'{"run_id": "run", "example', "Malformed JSON"),
        (b'{"run_id":"run","example_id":"e"}\n', "1 of its rows lack a required column"),
        (b'{"run_id":"r","example_id":"e","outcome":"odd","model_calls":1,"recorded_at":"2026-01-01"}\n', "odd"),
    ]:
        (folder / "bad.jsonl").write_bytes(content)
        with pytest.raises(Fault, match=r"Journal file predictions/bad\.jsonl cannot be loaded") as failed:
            ingest.sync(fresh_home)
        assert said in str(failed.value)
        assert not fresh_home.snapshot.exists()
    (folder / "bad.jsonl").unlink()
    assert ingest.sync(fresh_home).rows == {"predictions": 1}


def test_a_file_of_a_table_that_is_not_known(fresh_home: Home) -> None:
    folder = Path(fresh_home.journal) / "dreams"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text("{}\n")
    with pytest.raises(Fault, match=r"dreams/a\.jsonl is for table dreams, which this version of treebench does not"):
        ingest.sync(fresh_home)


def test_many_files_are_loaded_in_several_statements(fresh_home: Home, prediction) -> None:
    with journal.Journal(fresh_home, "w") as writer:
        for number in range(520):
            writer.append("predictions", prediction(f"{number % 400}", seconds=number))
            writer.seal()
    assert ingest.sync(fresh_home).files == 520
    found = snapshot.rows(fresh_home, "SELECT count(*) AS n, max(recorded_at) - min(recorded_at) AS t FROM predictions")
    assert found[0]["n"] == 400
    assert found[0]["t"] == timedelta(seconds=399)
