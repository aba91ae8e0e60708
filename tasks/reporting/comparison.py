"""What a comparison of two runs says, for both kinds of agents: its parts, columns and words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import duckdb

from tasks.reporting import labels
from tasks.reporting.cells import MINUS, NOTHING, WHOLE, Cell, Column, number
from tasks.reporting.query import Result
from tasks.reporting.tables import Table, table

FLIPS = 500
"""Most examples that flipped on a page; the query below their table gives all of them."""

SAMPLE = "Sample data: built-in and invented, for trying the pipeline. It supports no claims."
DIFFERENCE = [
    Column("first_score", "First", "percent", group="Score"),
    Column("score", "Second", "percent", group="Score"),
    Column("difference", "Difference", "gain"),
    Column("interval", "95 % interval", "interval"),
    Column("clustered", "Clustered by context", "interval", optional=True),
    Column("better", "Better", "count"),
    Column("equal", "Equal", "count"),
    Column("worse", "Worse", "count"),
]
TEST = [Column("test", "Test"), Column("p", "p", "p"), Column("p_holm", "p (Holm)", "p")]
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
    """Differences by dataset, task and length, or by level: name of the scope and table."""
    costs: Table
    flips: Table
    flipped: tuple[dict[str, Any], ...]
    """The flipped examples with question and both answers, at most `FLIPS`; `about` and `sql` say more of each.

    A task has a row for each scorer that sees a change, one after the other.
    """
    flipped_in_all: int
    """Examples or tasks, each counted once."""
    noun: str = "example"
    """What the runs are compared on: `example` or `task`."""

    @property
    def by_example(self) -> list[list[dict[str, Any]]]:
        """The rows of `flipped`, those of one example or task together."""
        return [list(rows) for _, rows in groupby(self.flipped, key=lambda row: row["example"])]


def configuration(found: Result) -> Table:
    """The table of what differs in the configuration."""
    return table(found, [row for row in found.records() if row["differs"]], _CONFIGURATION)


def costs(found: Result, head: str = "Examples") -> Table:
    """The table of what both took; `head` stands over the number of what it is summed over."""
    rows = [{**row, "quantity": row["quantity"].replace("_s", " (s)").replace("_", " ")} for row in found.records()]
    return table(found, rows, [replace(c, head=head) if c.key == "examples" else c for c in _COSTS])


def run_name(con: duckdb.DuckDBPyConnection, run_id: str) -> str:
    """What people call a run: agent, method, model and first digits."""
    agent, method, model = con.execute(
        "SELECT agent, method, model FROM runs WHERE run_id = $1", [run_id]
    ).fetchone() or ("", "", "")
    return f"{labels.label('agent', agent)} {labels.label('method', method)} ({model}, {run_id[:8]})"


def headline(overall: Sequence[Mapping[str, Any]], flipped: int, noun: str = "example") -> str:
    """One sentence over the differences by dataset: points, interval, pairs and how many flipped."""
    said = []
    for row in overall:
        between = ""
        if row["low"] is not None:
            between = f", 95 % interval {number(row['low'], 2)} to {number(row['high'], 2)}"
        difference = number(row["difference"], 2, signed=True)
        by = f" by scorer {row['scorer']}" if len(overall) > 1 and row.get("scorer") else ""
        said.append(f"{labels.label('dataset', row['dataset'])}{by} {difference} points{between}")
    pairs = max(row["pairs"] for row in overall) if "scorer" in overall[0] else sum(row["pairs"] for row in overall)
    changed = f"1 {noun}" if flipped == 1 else f"{flipped:,} {noun}s"
    counted = "1 pair" if pairs == 1 else f"{pairs:,} pairs"
    return f"Second minus first: {'; '.join(said)} (n = {counted}, {changed} flipped)".replace(MINUS, "-")


def missing(pairs: int, done: int) -> list[str]:
    """What is said of pairs without both answers."""
    if pairs == done:
        return []
    lack = "1 pair lacks" if pairs - done == 1 else f"{pairs - done:,} pairs lack"
    return [f"Partial: {lack} an answer on one side at least; it scores zero there."]


def jsonable(found: Comparison) -> dict[str, Any]:
    """The comparison for programs: the shown cells of each table by heading, null where there is no value."""

    def rows(shown: Table) -> list[dict[str, Any]]:
        return [
            {column.key: _value(column, cell) for column, cell in zip(shown.columns, row, strict=True)}
            for row in shown.rows
        ]

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


def _value(column: Column, cell: Cell) -> Any:
    """A number where the column has numbers, both bounds of an interval, else the text."""
    if cell.text == NOTHING and not cell.sort:
        return None
    if column.kind == "interval":
        return [float(bound) for bound in cell.text.replace(MINUS, "-").strip("[]").split(", ")]
    if not column.numeric or cell.sort is None:
        return cell.text
    whole = column.kind in WHOLE and float(cell.sort).is_integer()
    return int(cell.sort) if whole else cell.sort
