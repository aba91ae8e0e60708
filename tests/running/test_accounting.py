"""Calls by role, and how busy a run kept its server, against hand computation."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import duckdb
import pytest

from tasks.warehouse import migrations
from tasks.warehouse.schema import SQL
from tests.running.test_status import call_row, run_row

NOON = datetime(2026, 6, 1, 12)


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        migrations.apply(con, SQL)
        insert(con, "runs", {**run_row(), "server": "{}", "decoding": "{}"})
        yield con


def insert(con: duckdb.DuckDBPyConnection, table: str, row: dict) -> None:
    names = ", ".join(row)
    con.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))


def call(con: duckdb.DuckDBPyConnection, number: int, second: float, seconds: float, **more: object) -> None:
    row = call_row(0, number)
    row |= {"started_at": NOON + timedelta(seconds=second), "latency_s": seconds, **more}
    insert(con, "model_calls", row)


def test_roles(con: duckdb.DuckDBPyConnection) -> None:
    call(con, 1, 0, 1.0, role="controller", cached_tokens=300)
    call(con, 2, 1, 3.0)
    call(con, 3, 4, 5.0, outcome="length")
    call(con, 4, 9, 1.0, outcome="server_error", completion_tokens=None)
    call(con, 5, 10, 1.0, attempt=2, request_id="e0-4")
    found = con.execute(
        "SELECT role, calls, retries, failed_calls, cut_off, prompt_tokens, completion_tokens, cached_share, "
        "mean_latency_s, median_latency_s FROM role_costs ORDER BY role"
    ).fetchall()
    assert found == [
        ("controller", 1, 0, 0, 0, 600, 40, 0.5, 1.0, 1.0),
        ("memory", 3, 1, 1, 1, 1800, 120, 0.0, 2.5, 2.0),
    ]


def test_idle_share_and_calls_in_flight(con: duckdb.DuckDBPyConnection) -> None:
    call(con, 1, 0, 10)
    call(con, 2, 5, 10)  # busy from 0 to 15
    call(con, 3, 20, 10)  # five seconds idle
    call(con, 4, 1000, 10)  # an interruption
    assert con.execute("SELECT began - ?::TIMESTAMP, calls FROM busy_times ORDER BY began", [NOON]).fetchall() == [
        (timedelta(0), 2), (timedelta(seconds=20), 1), (timedelta(seconds=1000), 1),
    ]  # fmt: skip
    (load,) = con.execute(
        "SELECT attempts, busy_s, idle_s, interrupted_s, idle_share, in_flight FROM run_loads"
    ).fetchall()
    assert load == (4, 35, 5, 970, pytest.approx(5 / 40), pytest.approx(40 / 35))


def test_minutes(con: duckdb.DuckDBPyConnection) -> None:
    call(con, 1, 30, 60)  # half of the first minute, half of the second
    call(con, 2, 70, 10)
    found = con.execute("SELECT minute, started, in_flight, idle_share FROM run_minutes ORDER BY minute").fetchall()
    assert found == [
        (NOON, 1, pytest.approx(0.5), pytest.approx(0.5)),
        (NOON + timedelta(minutes=1), 1, pytest.approx(40 / 60), pytest.approx(0.5)),
    ]


def test_a_call_inside_another_leaves_no_gap(con: duckdb.DuckDBPyConnection) -> None:
    call(con, 1, 0, 30)
    call(con, 2, 5, 1)
    call(con, 3, 20, 5)
    assert con.execute("SELECT busy_s, idle_s FROM run_loads").fetchall() == [(30, 0)]


def test_upstream_drops_what_has_no_answer(con: duckdb.DuckDBPyConnection) -> None:
    from tests.running.test_status import example_row, prediction_row

    for number, (outcome, score) in enumerate([("stop", 1.0), ("stop", 0.0), ("timeout", 0.0), (None, None)]):
        insert(con, "examples", {**example_row(number, "count"), "supporting": "[0]"})
        insert(con, "run_examples", {"run_id": "r", "example_id": f"e{number}"})
        if outcome:
            insert(con, "predictions", prediction_row(number, outcome))
            insert(con, "scores", {"run_id": "r", "example_id": f"e{number}", "scorer": "s", "scorer_version": "1",
                                   "score": score, "recorded_at": NOON})  # fmt: skip
    found = con.execute("SELECT planned, answered, score, upstream_score FROM upstream_scores").fetchall()
    assert found == [(4, 2, 0.25, 0.5)]
