"""Tables as Markdown, as comma-separated values, and as aligned text for a terminal."""

import csv as _csv
import io

from tasks.reporting.cells import MINUS, NOTHING, WHOLE, Cell, Column
from tasks.reporting.tables import Table


def markdown(shown: Table) -> str:
    """The table in GitHub's Markdown; the heading of a group stands before that of the column."""
    if not shown.rows:
        return f"{shown.empty}\n"
    heads = [" ".join(f"{column.group} {column.head}".split()) for column in shown.columns]
    if shown.flipped:
        across = [[_escaped(found.text) for found in column] for column in zip(*shown.rows, strict=True)]
        lines = [["", *[""] * len(shown.rows)], ["---"] * (len(shown.rows) + 1)]
        lines += [[head, *cells] for head, cells in zip(heads, across, strict=True)]
    else:
        rule = ["---:" if column.numeric else "---" for column in shown.columns]
        lines = [heads, rule, *[[_escaped(found.text) for found in row] for row in shown.rows]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _escaped(text: str) -> str:
    for sign in ("\\", "|", "<", "*", "_", "`", "["):
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())


def csv(shown: Table) -> str:
    """The table as comma-separated values: numbers as plain as they are known, other cells as shown."""
    out = io.StringIO()
    writer = _csv.writer(out, lineterminator="\n")
    writer.writerow([column.key for column in shown.columns])
    for row in shown.rows:
        writer.writerow(_value(column, found) for column, found in zip(shown.columns, row, strict=True))
    return out.getvalue()


def _value(column: Column, found: Cell) -> str | float | int | None:
    if found.text == NOTHING:
        return ""
    if not column.numeric or found.sort is None or column.kind == "done":
        return found.text
    if column.kind == "interval":
        return found.text.replace(MINUS, "-")
    return int(found.sort) if column.kind in WHOLE and float(found.sort).is_integer() else found.sort


def plain(shown: Table) -> str:
    """The table for a terminal: columns aligned, numbers to the right."""
    heads = [" ".join(f"{column.group} {column.head}".split()) for column in shown.columns]
    cells = [[" ".join(found.text.split()) for found in row] for row in shown.rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    lines = [heads, ["-" * width for width in widths], *cells]
    return "".join(
        "  ".join(
            text.rjust(width) if column.numeric else text.ljust(width)
            for text, width, column in zip(line, widths, shown.columns, strict=True)
        ).rstrip()
        + "\n"
        for line in lines
    )
