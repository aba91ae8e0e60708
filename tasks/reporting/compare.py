"""Two runs side by side: what differs in their configuration, in score, in answers and in cost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from tasks.errors import UserError
from tasks.reporting import labels, query
from tasks.reporting.significance import with_p
from tasks.reporting.tables import MINUS, Column, Table, number, table

FLIPS = 500
"""Most examples that flipped on a page; the query below their table gives all of them."""

_DIFFERENCE = [
    Column("first_score", "First", "percent", group="Score"),
    Column("score", "Second", "percent", group="Score"),
    Column("difference", "Difference", "gain"),
    Column("interval", "95 % interval", "interval"),
    Column("clustered", "Clustered by context", "interval", optional=True),
    Column("better", "Better", "count"),
    Column("equal", "Equal", "count"),
    Column("worse", "Worse", "count"),
]
_SCOPES = {
    "dataset": [Column("dataset", "Dataset", "ordered"), *_DIFFERENCE],
    "task": [
        Column("task", "Task", "ordered"),
        *_DIFFERENCE,
        Column("test", "Test"),
        Column("p", "p", "p"),
        Column("p_holm", "p (Holm)", "p"),
    ],
    "length": [Column("length", "Length", "length"), *_DIFFERENCE],
}
_WHAT = {
    "dataset": "",
    "task": "Where every score is 0 or 1, p is that of the exact McNemar test on better and worse, otherwise of the "
    "normal test of the difference; the Holm column holds the tasks against each other.",
    "length": "The same by context length.",
}
"""What is said of each table of differences; nothing is added to what the query says of the first."""
_ENDING = [Column("pairs", "Pairs", "count"), Column("data", "Data")]
_CONFIGURATION = [Column("field", "Field"), Column("first_value", "First run"), Column("second_value", "Second run")]
_COSTS = [
    Column("quantity", "Quantity"),
    Column("first_amount", "First", "count"),
    Column("second_amount", "Second", "count"),
    Column("difference", "Difference", "count"),
    Column("ratio", "Second / first", "ratio"),
    Column("examples", "Examples", "count"),
    Column("data", "Data"),
]
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


@dataclass(frozen=True)
class Comparison:
    """Everything that is said of two runs. Differences are second minus first."""

    first: str
    second: str
    title: str
    headline: str
    notices: tuple[str, ...]
    configuration: Table
    """What differs; empty where nothing does."""
    scopes: tuple[tuple[str, Table], ...]
    """Differences by dataset, task and length: name of the scope and table."""
    costs: Table
    flips: Table
    flipped: tuple[dict[str, Any], ...]
    """The flipped examples with question and both answers, at most `FLIPS` of them."""
    flipped_in_all: int


def compare(con: duckdb.DuckDBPyConnection, first: str, second: str) -> Comparison:
    """Compare two runs, given by id or by the first digits of one, on the planned examples that both have.

    Raises `UserError` for an unknown or ambiguous id, for a run and itself, and for runs without a common example.
    """
    parameters = {"first": _run_id(con, first), "second": _run_id(con, second)}
    if parameters["first"] == parameters["second"]:
        raise UserError(f"{first} and {second} are the same run {parameters['first']}: name two.")
    results = {
        name: query.run(con, f"compare/{name}", parameters) for name in ("configuration", "tasks", "flips", "costs")
    }
    pairs = with_p("tasks", [row for row in results["tasks"].records() if row["scope"] == "task"])
    others = [row for row in results["tasks"].records() if row["scope"] != "task"]
    overall = [row for row in others if row["scope"] == "dataset"]
    if not overall:
        raise UserError(
            f"Runs {parameters['first']} and {parameters['second']} have no planned example in common: "
            'compare runs of one dataset version, see `treebench sql "FROM run_scores"`.'
        )
    scopes = []
    for scope, columns in _SCOPES.items():
        rows = pairs if scope == "task" else [row for row in others if row["scope"] == scope]
        shown = table(results["tasks"], rows, [*columns, *_ENDING])
        about = replace(shown.query, title=f"Difference by {scope}", what=_WHAT[scope] or shown.query.what)
        scopes.append((scope, replace(shown, query=about)))
    flipped = results["flips"].records()
    differing = [row for row in results["configuration"].records() if row["differs"]]
    costs = [{**row, "quantity": row["quantity"].replace("_s", " (s)").replace("_", " ")}
             for row in results["costs"].records()]  # fmt: skip
    return Comparison(
        **parameters,
        title=f"{_name(con, parameters['first'])} and {_name(con, parameters['second'])}",
        headline=_headline(overall, len(flipped)),
        notices=tuple(_notices(con, parameters, overall)),
        configuration=table(results["configuration"], differing, _CONFIGURATION),
        scopes=tuple(scopes),
        costs=table(results["costs"], costs, _COSTS),
        flips=table(results["flips"], flipped[:FLIPS], _FLIPS),
        flipped=tuple(flipped[:FLIPS]),
        flipped_in_all=len(flipped),
    )


def _run_id(con: duckdb.DuckDBPyConnection, given: str) -> str:
    found = con.execute(
        "SELECT run_id FROM runs WHERE starts_with(run_id, $1) ORDER BY run_id <> $1, run_id", [given]
    ).fetchall()
    if not found or not given:
        raise UserError(f'There is no run {given}: `treebench sql "FROM run_scores"` lists the runs.')
    if len(found) > 1 and found[0][0] != given:
        raise UserError(
            f"Several runs begin with {given} ({', '.join(run for (run,) in found[:5])}): give more digits."
        )
    return found[0][0]


def _name(con: duckdb.DuckDBPyConnection, run_id: str) -> str:
    agent, method, model = con.execute(
        "SELECT agent, method, model FROM runs WHERE run_id = $1", [run_id]
    ).fetchone() or ("", "", "")
    return f"{labels.label('agent', agent)} {labels.label('method', method)} ({model}, {run_id[:8]})"


def _headline(overall: Sequence[dict[str, Any]], flipped: int) -> str:
    said = []
    for row in overall:
        between = ""
        if row["low"] is not None:
            between = f", 95 % interval {number(row['low'], 2)} to {number(row['high'], 2)}"
        difference = number(row["difference"], 2, signed=True)
        said.append(f"{labels.label('dataset', row['dataset'])} {difference} points{between}")
    pairs = sum(row["pairs"] for row in overall)
    changed = "1 example" if flipped == 1 else f"{flipped:,} examples"
    return f"Second minus first: {'; '.join(said)} (n = {pairs:,} pairs, {changed} flipped)".replace(MINUS, "-")


def _notices(
    con: duckdb.DuckDBPyConnection, parameters: dict[str, str], overall: Sequence[dict[str, Any]]
) -> list[str]:
    notices = []
    if any(row["data"] == "sample" for row in overall):
        notices.append("Sample data: built-in and invented, for trying the pipeline. It supports no claims.")
    planned = dict(
        con.execute(
            "SELECT run_id, count(*) FROM run_examples WHERE run_id IN ($first, $second) GROUP BY run_id", parameters
        ).fetchall()
    )
    pairs = sum(row["pairs"] for row in overall)
    for name, run_id in parameters.items():
        if planned[run_id] > pairs:
            notices.append(f"{planned[run_id] - pairs:,} planned examples of the {name} run are not in the other.")
    missing = pairs - sum(row["done"] for row in overall)
    if missing:
        notices.append(f"Partial: {missing:,} pairs lack an answer on one side at least; it scores zero there.")
    return notices


def jsonable(found: Comparison) -> dict[str, Any]:
    """The comparison for programs: the shown cells of each table by heading."""

    def rows(shown: Table) -> list[dict[str, Any]]:
        return [
            {column.key: cell.sort if column.numeric and cell.sort is not None else cell.text
             for column, cell in zip(shown.columns, row, strict=True)}
            for row in shown.rows
        ]  # fmt: skip

    return {
        "first": found.first,
        "second": found.second,
        "headline": found.headline,
        "notices": list(found.notices),
        "configuration": rows(found.configuration),
        **{scope: rows(shown) for scope, shown in found.scopes},
        "costs": rows(found.costs),
        "flips": rows(found.flips),
        "flipped": found.flipped_in_all,
    }
