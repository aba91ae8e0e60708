"""Two long-horizon agents side by side, task by task, over all trials of each."""

import json
from dataclasses import replace
from typing import Any

import duckdb

from tasks.errors import UserError
from tasks.reporting import comparison, labels, query
from tasks.reporting.cells import Column
from tasks.reporting.comparison import DIFFERENCE, FLIPS, TEST, Comparison
from tasks.reporting.significance import with_p
from tasks.reporting.tables import table

_BENCHMARK = Column("dataset", "Benchmark", "ordered")
_SCORER = Column("scorer", "Scorer")
_ENDING = [Column("pairs", "Tasks", "count"), Column("data", "Data")]
_SCOPES = {
    "dataset": [_BENCHMARK, _SCORER, *DIFFERENCE, *TEST[:2]],
    "level": [_BENCHMARK, _SCORER, Column("level", "Level"), *DIFFERENCE, *TEST],
}
_TESTED = (
    "Where every score is 0 or 1, p is that of the exact McNemar test on better and worse, otherwise of the normal "
    "test of the difference"
)
_FLIPS = [
    Column("example", "Task", "example"),
    _BENCHMARK,
    Column("name", "Name"),
    Column("level", "Level"),
    _SCORER,
    Column("first_score", "First", "percent"),
    Column("second_score", "Second", "percent"),
    Column("difference", "Difference", "gain"),
    Column("expected", "Expected"),
    Column("first_answers", "First answered", "values"),
    Column("second_answers", "Second answered", "values"),
    Column("data", "Data"),
]


def compare_agents(con: duckdb.DuckDBPyConnection, first: str, second: str) -> Comparison:
    """Compare two runs of long-horizon agents on the planned tasks that both have.

    Each stands for all trials of its setup on its tasks, unless both are trials of one setup: then each is alone.

    Raises `UserError` for runs without a common task, or without a common scorer.
    """
    trials = [_trials(con, run_id) for run_id in (first, second)]
    if set(trials[0]) & set(trials[1]):
        trials = [[first], [second]]
    sides = {"first": trials[0], "second": trials[1]}
    results = {
        name: query.run(con, f"compare/{name}", sides) for name in ("agent_levels", "agent_flips", "agent_costs")
    }
    changes = query.run(con, "compare/configuration", {"first": first, "second": second})
    records = results["agent_levels"].records()
    overall = [row for row in records if row["scope"] == "dataset"]
    if not overall:
        raise _incomparable(con, first, second, sides)
    scopes = []
    for scope, columns in _SCOPES.items():
        rows = with_p("agent_levels", [row for row in records if row["scope"] == scope])
        shown = table(results["agent_levels"], rows, [*columns, *_ENDING])
        what = f"{shown.query.what} {_TESTED}." if scope == "dataset" else f"{_TESTED}; Holm over the levels."
        title = "Difference by benchmark" if scope == "dataset" else "Difference by level"
        scopes.append((scope, replace(shown, query=replace(shown.query, title=title, what=what))))
    flipped = results["agent_flips"].records()
    tasks = len({row["example"] for row in flipped})
    return Comparison(
        first=first,
        second=second,
        title=f"{comparison.run_name(con, first)} and {comparison.run_name(con, second)}",
        headline=comparison.headline(overall, tasks, "task"),
        notices=tuple(_notices(con, sides, overall)),
        configuration=comparison.configuration(changes),
        scopes=tuple(scopes),
        costs=comparison.costs(results["agent_costs"], "Tasks"),
        flips=table(results["agent_flips"], flipped[:FLIPS], _FLIPS),
        flipped=tuple(_described(row, sides) for row in flipped[:FLIPS]),
        flipped_in_all=tasks,
        noun="task",
    )


def _trials(con: duckdb.DuckDBPyConnection, run_id: str) -> list[str]:
    """All runs that differ from this one in the number of the trial only, itself among them, by that number."""
    return [
        other
        for (other,) in con.execute(
            "SELECT other.run_id FROM agent_runs AS one JOIN agent_runs AS other "
            "USING (build_id, benchmark, framework, variant, model, setup) WHERE one.run_id = $1 "
            "ORDER BY other.trial, other.run_id",
            [run_id],
        ).fetchall()
    ]


def _incomparable(con: duckdb.DuckDBPyConnection, first: str, second: str, sides: dict[str, list[str]]) -> UserError:
    common = con.execute(
        "SELECT 1 FROM run_examples AS one JOIN run_examples AS other USING (example_id) "
        "WHERE one.run_id = $1 AND other.run_id = $2 LIMIT 1",
        [first, second],
    ).fetchone()
    if common is None:
        return UserError(
            f"Runs {first} and {second} have no planned task in common: compare runs on one set of tasks, "
            'see `treebench sql "FROM agent_runs"`.'
        )
    return UserError(
        f"Runs {first} and {second} have no scorer in common: score both with the same one by `treebench solve` with "
        'the settings of each run; `treebench sql "FROM agent_levels"` lists the scorers.'
    )


def _notices(con: duckdb.DuckDBPyConnection, sides: dict[str, list[str]], overall: list[dict[str, Any]]) -> list[str]:
    notices = [comparison.SAMPLE] if any(row["data"] == "sample" for row in overall) else []
    counts = [len(trials) for trials in sides.values()]
    if max(counts) > 1:
        notices.append(f"Trials: {counts[0]} of the first and {counts[1]} of the second, averaged task by task.")
    for name, trials in sides.items():
        planned, common = con.execute(
            "SELECT count(*), count(*) FILTER (example_id IN (SELECT example_id FROM run_examples WHERE run_id = $2)) "
            "FROM run_examples WHERE run_id = $1",
            [trials[0], sides["second" if name == "first" else "first"][0]],
        ).fetchone() or (0, 0)
        if planned > common:
            notices.append(f"{planned - common:,} planned tasks of the {name} run are not in the other.")
    return notices + comparison.missing(overall[0]["pairs"], overall[0]["done"])


def _described(row: dict[str, Any], sides: dict[str, list[str]]) -> dict[str, Any]:
    runs = ", ".join(f"'{run}'" for trials in sides.values() for run in trials)
    chosen = f"task_id = '{row['example']}' AND run_id IN ({runs})"
    return {
        **row,
        "about": f"{row['name']}, level {row['level']}, {labels.label('scorer', row['scorer'])}",
        "question": row["question"] or "The texts of this benchmark are not kept here.",
        "expected": row["expected"] or "not kept here",
        "answers": [
            (f"{name} run", "\n".join(json.loads(row[f"{side}_answers"])))
            for name, side in (("First", "first"), ("Second", "second"))
        ],
        "sql": "-- every turn of each run, and what each scorer said\n"
        f"FROM agent_events WHERE {chosen} ORDER BY run_id, event;\n"
        f"FROM agent_task_scores WHERE {chosen} ORDER BY run_id, scorer;",
    }
