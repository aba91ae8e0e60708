"""Calls by role, loads of servers and the released policy for failed items, against hand computation; their figure."""

from datetime import timedelta

import pytest

from tasks.reporting import query, serving
from tests.reporting.invented import START
from tests.reporting.test_plots import texts_drawn


def at(invented, run_id: str, minute: float, seconds: float) -> None:
    """A call of a run that starts some minutes after the others would have."""
    invented.call(run_id, "e", invented.calls, 100)
    invented.con.execute(
        "UPDATE model_calls SET started_at = $1, latency_s = $2 WHERE call_id = $3",
        [START + timedelta(minutes=minute), seconds, f"call {invented.calls}"],
    )


@pytest.fixture
def two_runs(invented):
    """Two runs that ask one server: the first from minute 0 to 3, the second from 2 to 6, and again after an hour."""
    ids = invented.build("b1")
    invented.run("one", "b1", ids)
    invented.run("two", "b1", ids, method="treeagent")
    at(invented, "one", 0, 180)
    at(invented, "two", 2, 60)
    at(invented, "two", 4, 120)
    at(invented, "two", 66, 60)
    return invented


def test_a_server_is_idle_when_no_run_asks_it(two_runs) -> None:
    given = {"runs": ["one"], "agent_runs": []}
    (row,) = query.run(two_runs.con, "server_loads", given).records()
    assert (row["attempts"], row["busy_s"], row["idle_s"], row["interrupted_s"]) == (4, 360, 60, 3600)
    assert (row["idle"], row["in_flight"]) == (pytest.approx(100 / 7, abs=0.01), pytest.approx(420 / 360, abs=0.01))
    rows = query.run(two_runs.con, "load_over_time", given).records()
    assert [((row["minute"] - START).seconds // 60, row["started"], row["in_flight"], row["idle"]) for row in rows] == [
        (0, 1, 1, 0), (1, 0, 1, 0), (2, 1, 2, 0), (3, 0, 0, 100), (4, 1, 1, 0), (5, 0, 1, 0), (66, 1, 1, 0),
    ]  # fmt: skip
    assert query.run(two_runs.con, "server_loads", {"runs": [], "agent_runs": []}).rows == ()


def test_days_of_load_are_240_rows_at_most(invented) -> None:
    invented.run("one", "b1", invented.build("b1"))
    at(invented, "one", 0, 3 * 86_400)
    rows = query.run(invented.con, "load_over_time", {"runs": ["one"], "agent_runs": []}).records()
    assert len(rows) <= 240
    assert {row["minutes"] for row in rows} == {18}


def test_calls_by_role(pair) -> None:
    pair.call("flat", "b1/count/8192/0", 1, 100, attempt=2)
    rows = query.run(pair.con, "calls_by_role", {"runs": ["flat", "tree"]}).records()
    wanted = ("method", "role", "calls", "retries", "failed", "input_tokens", "output_tokens", "cached", "median_s")
    assert [tuple(row[name] for name in wanted) for row in rows] == [
        ("flat", "memory", 12, 1, 0, 1300, 130, 50.0, 2.0), ("treeagent", "memory", 16, 0, 0, 1440, 160, 50.0, 2.0),
    ]  # fmt: skip


def test_failed_items_under_both_policies(invented) -> None:
    ids = invented.build("b1")  # two cells of two examples
    invented.run("one", "b1", ids, [1.0, "timeout", 1.0, 0.0])
    (row,) = query.run(invented.con, "upstream_scores", {"runs": ["one"]}).records()
    wanted = ("planned", "answered", "score", "upstream_score", "difference")
    assert tuple(row[name] for name in wanted) == (4, 3, 50.0, 75.0, 25.0)


def test_the_figure_of_loads(two_runs) -> None:
    results = {"load_over_time": query.run(two_runs.con, "load_over_time", {"runs": ["one"], "agent_runs": []})}
    (figure,) = serving.figures(results)
    assert [panel.title for panel in figure.panels] == ["embedded (sample data)"]
    found, inside = texts_drawn(figure.panels[0])
    assert {text for text, _ in found} >= {"calls in flight", "minutes since the first call"}
    assert all(inside.x0 <= box.x0 + 1 and box.x1 - 1 <= inside.x1 for _, box in found)
    assert serving._unbroken([0, 1, 2, 5, 6], 1) == [[0, 1, 2], [3, 4]]
    none = {"load_over_time": query.run(two_runs.con, "load_over_time", {"runs": [], "agent_runs": []})}
    assert serving.figures(none) == []
