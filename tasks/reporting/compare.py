"""Two runs side by side: what differs in their configuration, in score, in answers and in cost."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import duckdb

from tasks.errors import UserError
from tasks.reporting import comparison, labels, query
from tasks.reporting.cells import Column
from tasks.reporting.compare_agents import compare_agents
from tasks.reporting.comparison import DIFFERENCE, FLIPS, TEST, Comparison
from tasks.reporting.significance import with_p
from tasks.reporting.tables import table

_SCOPES = {
    "dataset": [Column("dataset", "Dataset", "ordered"), *DIFFERENCE],
    "task": [Column("task", "Task", "ordered"), *DIFFERENCE, *TEST],
    "length": [Column("length", "Length", "length"), *DIFFERENCE],
}
_WHAT = {
    "dataset": "",
    "task": "Where every score is 0 or 1, p is that of the exact McNemar test on better and worse, otherwise of the "
    "normal test of the difference; the Holm column holds the tasks against each other.",
    "length": "The same by context length.",
}
"""What is said of each table of differences; nothing is added to what the query says of the first."""
_ENDING = [Column("pairs", "Pairs", "count"), Column("data", "Data")]
_FLIPS = [
    Column("example", "Example", "example"),
    Column("dataset", "Dataset", "ordered"),
    Column("task", "Task", "ordered"),
    Column("length", "Length", "length"),
    Column("first_score", "First", "percent"),
    Column("second_score", "Second", "percent"),
    Column("difference", "Difference", "gain"),
    Column("expected", "Expected", "values"),
    Column("first_extracted", "First answered", "values"),
    Column("second_extracted", "Second answered", "values"),
    Column("data", "Data"),
]


def compare(con: duckdb.DuckDBPyConnection, first: str, second: str) -> Comparison:
    """Compare two runs, given by id or by the first digits of one, on what both planned.

    Memory agents are compared on examples, long-horizon agents on tasks.

    Raises `UserError` for an unknown or ambiguous id, for a run and itself, for two kinds of agents, and for runs
    without a common example.
    """
    ids = _run_id(con, first), _run_id(con, second)
    if ids[0] == ids[1]:
        raise UserError(f"{first} and {second} are the same run {ids[0]}: name two.")
    agents = {
        run_id for (run_id,) in con.execute("SELECT run_id FROM agent_runs WHERE run_id IN ($1, $2)", ids).fetchall()
    }
    if len(agents) == 1:
        of_tasks = agents.pop()
        other = ids[0] if of_tasks == ids[1] else ids[1]
        raise UserError(
            f"Run {of_tasks} is of a long-horizon agent and run {other} of a memory agent; they have no example in "
            'common: name two of one kind, see `treebench sql "FROM runs"`.'
        )
    return compare_agents(con, *ids) if agents else _compare_examples(con, *ids)


def _compare_examples(con: duckdb.DuckDBPyConnection, first: str, second: str) -> Comparison:
    parameters = {"first": first, "second": second}
    results = {
        name: query.run(con, f"compare/{name}", parameters) for name in ("configuration", "tasks", "flips", "costs")
    }
    pairs = with_p("tasks", [row for row in results["tasks"].records() if row["scope"] == "task"])
    others = [row for row in results["tasks"].records() if row["scope"] != "task"]
    overall = [row for row in others if row["scope"] == "dataset"]
    if not overall:
        raise UserError(
            f"Runs {first} and {second} have no planned example in common: "
            'compare runs of one dataset version, see `treebench sql "FROM run_scores"`.'
        )
    scopes = []
    for scope, columns in _SCOPES.items():
        rows = pairs if scope == "task" else [row for row in others if row["scope"] == scope]
        shown = table(results["tasks"], rows, [*columns, *_ENDING])
        about = replace(shown.query, title=f"Difference by {scope}", what=_WHAT[scope] or shown.query.what)
        scopes.append((scope, replace(shown, query=about)))
    flipped = results["flips"].records()
    return Comparison(
        **parameters,
        title=f"{comparison.run_name(con, first)} and {comparison.run_name(con, second)}",
        headline=comparison.headline(overall, len(flipped)),
        notices=tuple(_notices(con, parameters, overall)),
        configuration=comparison.configuration(results["configuration"]),
        scopes=tuple(scopes),
        costs=comparison.costs(results["costs"]),
        flips=table(results["flips"], flipped[:FLIPS], _FLIPS),
        flipped=tuple(_described(row, first, second) for row in flipped[:FLIPS]),
        flipped_in_all=len(flipped),
    )


def _described(row: dict[str, Any], first: str, second: str) -> dict[str, Any]:
    runs = f"run_id IN ('{first}', '{second}')"
    return {
        **row,
        "about": f"{labels.label('task', row['task'])}, {labels.length(row['length'])}",
        "answers": [
            (f"{name} run ({row[f'{side}_outcome']})", row[f"{side}_answer"])
            for name, side in (("First", "first"), ("Second", "second"))
        ],
        "sql": "-- what both answered, what they remembered, and the context that they read\n"
        f"FROM answers WHERE example_id = '{row['example']}' AND {runs};\n"
        f"FROM memories WHERE example_id = '{row['example']}' AND {runs} ORDER BY run_id, position;\n"
        f"FROM context('{row['example']}');",
    }


def _run_id(con: duckdb.DuckDBPyConnection, given: str) -> str:
    if not given:
        raise UserError('The id of a run is empty: `treebench sql "FROM runs"` lists the runs.')
    found = con.execute(
        "SELECT run_id FROM runs WHERE starts_with(run_id, $1) ORDER BY run_id <> $1, run_id", [given]
    ).fetchall()
    if not found:
        raise UserError(f'There is no run {given}: `treebench sql "FROM runs"` lists the runs.')
    if len(found) > 1 and found[0][0] != given:
        raise UserError(
            f"Several runs begin with {given} ({', '.join(run for (run,) in found[:5])}): give more digits."
        )
    return found[0][0]


def _notices(
    con: duckdb.DuckDBPyConnection, parameters: dict[str, str], overall: Sequence[dict[str, Any]]
) -> list[str]:
    notices = []
    if any(row["data"] == "sample" for row in overall):
        notices.append(comparison.SAMPLE)
    planned = dict(
        con.execute(
            "SELECT run_id, count(*) FROM run_examples WHERE run_id IN ($first, $second) GROUP BY run_id", parameters
        ).fetchall()
    )
    pairs = sum(row["pairs"] for row in overall)
    for name, run_id in parameters.items():
        if planned[run_id] > pairs:
            notices.append(f"{planned[run_id] - pairs:,} planned examples of the {name} run are not in the other.")
    return notices + comparison.missing(pairs, sum(row["done"] for row in overall))
