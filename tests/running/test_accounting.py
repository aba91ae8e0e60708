"""Calls by role, and how busy a run kept its server, against hand computation."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@pytest.fixture(scope="module")
def loaded() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        migrations.apply(con, SQL)
        for run_id in ("r", "other"):
            insert(con, "runs", {**run_row(run_id), "server": "{}", "decoding": "{}"})
        yield con


def insert(con: duckdb.DuckDBPyConnection, table: str, row: dict) -> None:
    names = ", ".join(row)
    con.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))


def call(con: duckdb.DuckDBPyConnection, number: int, second: float, seconds: float | None, **more: object) -> None:
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


def test_an_overflow_that_was_foreseen_is_no_call(con: duckdb.DuckDBPyConnection) -> None:
    call(con, 1, 0, 1.0)
    call(con, 2, 1, None, outcome="overflow")
    call(con, 3, 2, 1.0, outcome="overflow")
    for view in ("role_costs", "example_costs", "run_costs"):
        assert con.execute(f"SELECT calls, retries, failed_calls FROM {view}").fetchall() == [(2, 0, 1)]


def test_idle_share_and_calls_in_flight(con: duckdb.DuckDBPyConnection) -> None:
    call(con, 1, 0, 10)
    call(con, 2, 5, 10)  # busy from 0 to 15
    call(con, 3, 20, 10)  # five seconds idle
    call(con, 4, 1000, 10)  # an interruption
    ended = "SELECT began - ?::TIMESTAMP, calls FROM busy_times WHERE run_id = 'r' ORDER BY began"
    assert con.execute(ended, [NOON]).fetchall() == [
        (timedelta(0), 2), (timedelta(seconds=20), 1), (timedelta(seconds=1000), 1),
    ]  # fmt: skip
    loads = con.execute(
        "SELECT attempts, busy_s, idle_s, interrupted_s, idle_share, in_flight FROM load_totals"
    ).fetchall()
    assert loads == [(4, 35, 5, 970, pytest.approx(5 / 40), pytest.approx(40 / 35))] * 2  # the run; the endpoint


def test_minutes(con: duckdb.DuckDBPyConnection) -> None:
    call(con, 1, 30, 60)  # half of the first minute, half of the second
    call(con, 2, 70, 10)
    call(con, 3, 200, 10)  # a minute without any call before it, in which the run went on
    found = con.execute(
        "SELECT minute, seconds, started, in_flight, idle_share FROM load_minutes WHERE run_id = 'r' ORDER BY minute"
    ).fetchall()
    assert found == [
        (NOON, 30, 1, pytest.approx(1), pytest.approx(0)),
        (NOON + timedelta(minutes=1), 60, 1, pytest.approx(40 / 60), pytest.approx(0.5)),
        (NOON + timedelta(minutes=2), 60, 0, 0, 1),
        (NOON + timedelta(minutes=3), 30, 1, pytest.approx(1 / 3), pytest.approx(2 / 3)),
    ]


def test_a_call_inside_another_leaves_no_gap(con: duckdb.DuckDBPyConnection) -> None:
    call(con, 1, 0, 30)
    call(con, 2, 5, 1)
    call(con, 3, 20, 5)
    assert con.execute("SELECT DISTINCT busy_s, idle_s FROM load_totals").fetchall() == [(30, 0)]


CALLS = st.lists(
    st.tuples(st.sampled_from(["r", "other"]), st.integers(0, 1500), st.integers(0, 200)), min_size=1, max_size=8
)


@given(calls=CALLS)
@settings(max_examples=25, deadline=None)
def test_loads_are_what_counting_second_by_second_gives(loaded: duckdb.DuckDBPyConnection, calls: list) -> None:
    loaded.execute("DELETE FROM model_calls")
    for number, (run, began, seconds) in enumerate(calls):
        call(loaded, number, began, seconds, run_id=run)
    for subject in ("r", "other", None):
        own = [(began, began + seconds) for run, began, seconds in calls if subject in (None, run)]
        found = loaded.execute(
            "SELECT attempts, busy_s, idle_s, interrupted_s, in_flight FROM load_totals "
            "WHERE run_id IS NOT DISTINCT FROM ?",
            [subject],
        ).fetchall()
        if not own:
            assert found == []
            continue
        first, last = min(began for began, _ in own), max(ended for _, ended in own)
        flying = [sum(began <= second < ended for began, ended in own) for second in range(first, last)]
        points = {began for began, ended in own if began == ended}  # a call that took no time ends a gap as well
        gaps, length = [], 0
        for second, count in enumerate(flying, start=first):
            if second in points and length:
                gaps.append(length)
                length = 0
            if count and length:
                gaps.append(length)
                length = 0
            length += not count
        gaps.append(length)
        busy, idle = sum(map(bool, flying)), sum(gap for gap in gaps if gap <= 600)
        in_flight = sum(flying) / busy if busy else None
        assert found == [(len(own), busy, idle, sum(gaps) - idle, pytest.approx(in_flight) if busy else None)]
        minutes = loaded.execute(
            "SELECT sum(seconds), sum(started), sum(in_flight * seconds), sum(idle_share * seconds), max(seconds) "
            "FROM load_minutes WHERE run_id IS NOT DISTINCT FROM ?",
            [subject],
        ).fetchone()
        assert minutes[0] == pytest.approx(busy + idle)
        assert minutes[1] == len(own)
        assert (minutes[2] or 0, minutes[3] or 0) == (pytest.approx(sum(flying)), pytest.approx(idle))
        assert minutes[4] <= 60


def test_upstream_drops_what_has_no_answer(con: duckdb.DuckDBPyConnection) -> None:
    from tests.running.test_status import example_row, prediction_row

    # Two cells of unlike sizes: cells weigh equally under either policy. An empty answer counts as none upstream.
    cells = {
        "count": [
            ("stop", "42", 1.0), ("stop", "42", 0.0), ("timeout", None, 0.0), (None, None, None), ("stop", " ", 0.0),
        ],
        "extremum": [("length", "7", 1.0)],
        "frequent": [("server_error", None, 0.0)],
    }  # fmt: skip
    number = 0
    for task, examples in cells.items():
        for outcome, raw, score in examples:
            number += 1
            insert(con, "examples", {**example_row(number, task), "supporting": "[0]"})
            insert(con, "run_examples", {"run_id": "r", "example_id": f"e{number}"})
            if outcome:
                insert(con, "predictions", {**prediction_row(number, outcome), "raw_answer": raw})
                insert(con, "scores", {"run_id": "r", "example_id": f"e{number}", "scorer": "s",
                                       "scorer_version": "1", "score": score, "recorded_at": NOON})  # fmt: skip
    found = con.execute("SELECT planned, answered, score, upstream_score FROM upstream_scores").fetchall()
    assert found == [(7, 3, pytest.approx((0.2 + 1 + 0) / 3), pytest.approx((0.5 + 1) / 2))]
    assert con.execute("SELECT score FROM run_scores").fetchone() == (pytest.approx(0.4),)
