"""From the result of a query to its table: layout, published numbers, p values, and what is said beside it."""

from dataclasses import replace
from typing import Any

from tasks.reporting import labels
from tasks.reporting.cells import Column
from tasks.reporting.columns import METHOD
from tasks.reporting.layouts import LAYOUTS
from tasks.reporting.published import beside
from tasks.reporting.query import Result
from tasks.reporting.significance import with_p
from tasks.reporting.tables import Table, table

EMPTY = {
    "main_table": "No run yet: `treebench run`.",
    "repeats": "No configuration ran more than once.",
    "paired_differences": "A difference needs a run under Flat and one under another method, with all else equal.",
    "budget_matching": "Not cut into sections yet: `treebench section`.",
    "sources": "No context draws on a source.",
    "validation": "Not validated yet: `treebench validate`.",
    "rejections": "Nothing was rejected.",
}
"""What is said instead of a table without rows; any other table without rows is left out."""

FOLDED = {
    "dataset_scores", "by_length", "by_task", "gains_by_task", "examples", "validation", "expectations",
    "paired_differences", "models_by_length", "generation_limits", "context_density", "context_growth",
    "calls_by_role", "load_over_time", "upstream_scores", "runs", "solved_tasks",
}  # fmt: skip
LONG = 12
"""Tables that are folded where they have more rows than this."""

NOT_COMPARABLE = (
    "Published numbers are of other data and models: on sample data they show where they would stand, and cannot be "
    "compared with what was measured."
)

SETUP = Column("setup", "Setup")
FEW = 4
"""Up to so many runs or dataset versions stand side by side, with their properties below each other."""


def arranged(result: Result) -> Table:
    """The table of a result, with published numbers beside measured ones.

    The column `setup` appears only where an agent ran under several, and "Average" only over several datasets.
    """
    records = with_p(result.query.name, beside(result))
    columns = list(LAYOUTS[result.query.name])
    if "setup" in result.columns and len({(r["agent"], r["setup"]) for r in records}) > len(
        {r["agent"] for r in records}
    ):
        columns.insert(columns.index(METHOD), SETUP)
    tail = sum("model" in result.columns and record["model"] is None for record in records)
    if result.query.name == "main_table":
        columns = _without_empty_groups(columns, records)
        columns = [_with_tolerance(column, records) for column in columns]
    flipped = result.query.name in ("runs", "builds") and len(records) <= FEW
    shown = table(result, records, columns, tail, flipped)
    apart = shown.sample and result.query.name != "generation_limits" and any(c.published for c in shown.columns)
    return replace(
        shown,
        empty=EMPTY.get(result.query.name, ""),
        folded=_folded(result, records),
        warning=NOT_COMPARABLE if apart else "",
    )


def _folded(result: Result, records: list[dict[str, Any]]) -> str:
    if result.query.name not in FOLDED or len(records) <= LONG:
        return ""
    if result.query.name in ("validation", "expectations"):
        failed = sum(record.get("failed", 0) > 0 or record.get("result") == "failed" for record in records)
        return f"{len(records)} checks, " + (f"{failed} of them failed" if failed else "all of them held")
    return f"{len(records):,} rows"


def _without_empty_groups(columns: list[Column], records: list[dict[str, Any]]) -> list[Column]:
    """Published scores are shown only for datasets that were measured; one dataset needs no average."""
    measured = {key for key in labels.DATASETS if any(record.get(key) is not None for record in records)}
    if any(record["datasets"] > 1 for record in records):
        measured.add("average")
    return [column for column in columns if not column.group or column.key.removeprefix("published_") in measured]


def _with_tolerance(column: Column, records: list[dict[str, Any]]) -> Column:
    """A tolerance that all published numbers of a column share stands in its heading, once."""
    shared = {record[column.key].tolerance for record in records if column.published and record[column.key]}
    if len(shared) != 1 or None in shared:
        return column
    return replace(column, head=f"{column.head}\n±\N{NO-BREAK SPACE}{shared.pop():g}", kind="published_alone")
