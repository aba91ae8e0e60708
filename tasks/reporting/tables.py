"""Query results as tables for people: cells formatted once, then written as HTML or Markdown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from tasks.reporting.cells import Cell, Column, cell
from tasks.reporting.query import Query, Result


@dataclass(frozen=True)
class Table:
    """A titled table with the query behind it."""

    query: Query
    sql: str
    """The query as it can be run again: parameters written out."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sample: bool
    tail: int = 0
    """Last rows that sum up those above."""
    flipped: bool = False
    """Shown with a row for each column: few rows with many properties."""
    folded: str = ""
    """What is said of a long table that most readers pass by: its rows are closed until asked for."""
    empty: str = ""
    """What is said where there are no rows."""
    warning: str = ""
    """What must be known before its numbers are held against each other."""

    @property
    def leading(self) -> int:
        """Columns from the first that say what a row is about; a narrow screen shows them as one."""
        names = takewhile(lambda column: column.facet or column.kind in ("hash", "example"), self.columns)
        return sum(1 for _ in names)

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Headings over the columns with the number of columns below each; an empty list where there are none."""
        runs: list[tuple[str, int]] = []
        for column in self.columns:
            if runs and runs[-1][0] == column.group and column.group:
                runs[-1] = (column.group, runs[-1][1] + 1)
            else:
                runs.append((column.group, 1))
        return runs if any(name for name, _ in runs) else []


def table(
    result: Result, records: Sequence[dict[str, Any]], columns: Iterable[Column], tail: int = 0, flipped: bool = False
) -> Table:
    """Format the records of a result; columns that are optional and empty are left out."""
    shown = tuple(
        column for column in columns if not column.optional or any(_said(column, record) for record in records)
    )
    rows = tuple(tuple(cell(column, record) for column in shown) for record in records)
    sample = any(record.get("data") == "sample" for record in records)
    return Table(result.query, result.runnable, shown, rows, sample, tail, flipped)


def _said(column: Column, record: dict[str, Any]) -> bool:
    value = record.get(f"{column.key}_low" if f"{column.key}_low" in record else column.key)
    return value not in (None, "", "[]", "{}") and not (column.kind == "count" and value == 0)
