"""Rows of a query as people and programs read them."""

import csv
import json
import math
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from tasks.errors import UserError

CELL = 60
"""Longest text of a table cell at a terminal; csv and json are never cut."""


def print_rows(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]], format: str) -> None:
    """Print rows to standard output. `columns` are (name, SQL type); `format` is table, csv or json."""
    match format:
        case "table":
            _print_table([name for name, _ in columns], rows)
        case "csv":
            writer = csv.writer(sys.stdout, lineterminator="\n")
            writer.writerow([name for name, _ in columns])
            writer.writerows(rows)
        case "json":
            _print_json(columns, rows)
        case _:
            raise UserError(f"There is no format {format}: choose table, csv or json.")


def _print_table(names: list[str], rows: Sequence[Sequence[Any]]) -> None:
    limit = max(CELL, shutil.get_terminal_size().columns // max(1, len(names))) if sys.stdout.isatty() else None
    cells = [[_cell(value, limit) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    numeric = [all(isinstance(row[i], int | float) or row[i] is None for row in rows) for i in range(len(names))]
    print("  ".join(name.ljust(width) for name, width in zip(names, widths, strict=True)).rstrip())
    print("  ".join("-" * width for width in widths))
    for row in cells:
        aligned = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        print("  ".join(aligned).rstrip())
    print(f"({len(rows)} row{'' if len(rows) == 1 else 's'})")


def _cell(value: Any, limit: int | None) -> str:
    """One line of printable text; line breaks and control characters are escaped."""
    if value is None:
        return "NULL"
    text = str(value)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"


def _print_json(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> None:
    objects = ({name: _plain(value, kind) for (name, kind), value in zip(columns, row, strict=True)} for row in rows)
    lines = [json.dumps(item, ensure_ascii=False, default=str) for item in objects]
    print("[" + ",\n ".join(lines) + "]")


def _plain(value: Any, kind: str = "") -> Any:
    """A value that JSON can hold: JSON columns as they are, infinite and undefined numbers as null."""
    if kind == "JSON" and isinstance(value, str):
        return json.loads(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value
