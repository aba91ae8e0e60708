"""What stands in a report: everything that is read from the warehouse, before it is written in any form."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb

from tasks.reporting import labels, long_horizon, query, serving
from tasks.reporting.arranging import arranged
from tasks.reporting.figures import Figure, figures
from tasks.reporting.headline import headline
from tasks.reporting.readings import Reading, readings
from tasks.reporting.selection import Selection, select
from tasks.reporting.tables import Table


@dataclass(frozen=True)
class Section:
    """A heading with figures and tables below it."""

    name: str
    title: str
    figures: tuple[Figure, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Contents:
    """A whole report."""

    title: str
    headline: str
    selection: Selection
    sections: tuple[Section, ...]
    notices_of_sources: tuple[tuple[str, str], ...]
    """Attributions that sources ask to show: source and notice."""
    rendered_at: datetime
    facts: tuple[tuple[str, str], ...]
    """Short facts below the title: name and value."""
    readings: tuple[Reading, ...] = ()
    """Examples on a page of their own."""


SECTIONS = (
    ("scores", "Scores", ("scores",), ("main_table", "dataset_scores")),
    ("differences", "Paired differences", (), ("paired_differences", "repeats")),
    ("lengths", "By context length", ("by_length",), ("by_length", "models_by_length")),
    ("tasks", "By task", ("gains_by_task",), ("gains_by_task", "by_task")),
    ("cost", "Calls and tokens", (), ("calls_and_tokens", "calls_by_role")),
    ("load", "Load of the servers", ("load_over_time",), ("server_loads", "load_over_time")),
    ("outcomes", "Outcomes", (), ("outcomes", "upstream_scores")),
    ("long_horizon", "Long-horizon agents", ("resources",), ("long_horizon_scores", "ablation", "resources")),
    (
        "contexts",
        "Contexts of long-horizon agents",
        ("context_density", "context_growth"),
        ("context_density", "context_growth"),
    ),
    ("solved", "Tasks of long-horizon agents", (), ("solved_tasks",)),
    ("matching", "Budget matching", (), ("budget_matching",)),
    ("examples", "Examples", (), ("examples",)),
    ("data", "Data", (), ("builds", "sources")),
    ("checks", "Validation and rejections", (), ("validation", "expectations", "rejections")),
    ("runs", "Configuration of each run", (), ("generation_limits", "runs")),
)
"""Name, title, figures and tables, in the order of the page."""


def gather(con: duckdb.DuckDBPyConnection, builds: Sequence[str] = (), runs: Sequence[str] = ()) -> Contents:
    """Run every query for the chosen dataset versions or runs and lay out what is found.

    Raises `UserError` for an unknown id, or where two versions of one dataset would be mixed.
    """
    selection = select(con, builds, runs)
    results = {name: query.run(con, name, selection.parameters) for name in query.names()}
    pictured = [*figures(results), *serving.figures(results), *long_horizon.figures(results)]
    drawn = {figure.name: figure for figure in pictured}
    sections = []
    for name, title, shown, wanted in SECTIONS:
        tables = [arranged(results[table]) for table in wanted]
        kept = tuple(table for table in tables if table.rows or (table.empty and selection.builds))
        if kept:
            pictures = tuple(drawn[figure] for figure in shown if figure in drawn)
            sections.append(Section(name, title, pictures, kept))
    sources = results["sources"].records()
    subjects = [*selection.datasets, *selection.benchmarks]
    return Contents(
        title=f"treebench: {labels.listed([labels.label('dataset', name) for name in subjects])}",
        headline=headline(results["main_table"], results["long_horizon_scores"]),
        selection=selection,
        sections=tuple(sections),
        notices_of_sources=tuple((row["title"], row["notice"]) for row in sources if row["notice"]),
        rendered_at=datetime.now(UTC).replace(tzinfo=None),
        facts=tuple(_facts(selection, results)),
        readings=readings(con, selection.builds),
    )


def _facts(selection: Selection, results: dict[str, query.Result]) -> list[tuple[str, str]]:
    runs = results["runs"].records()
    builds = results["builds"].records()
    facts = []
    if builds:
        facts.append(("Dataset version", labels.listed([build[:12] for build in selection.builds])))
        lengths = [labels.length(tokens) for tokens in selection.lengths]
        shown = ", ".join(lengths) + f" tokens ({builds[0]['tokenizer']})" if lengths else "none"
        facts.append(("Context lengths", shown))
        facts.append(("Examples", f"{sum(build['examples'] for build in builds):,}"))
    if selection.agent_runs:
        tasks = max(row["planned"] for row in results["long_horizon_scores"].records())
        facts.append(("Long-horizon tasks", f"{tasks:,}"))
    if runs:
        models = dict.fromkeys(f"{run['model']}{_served(run['server'])}" for run in runs)
        facts.append(("Model" if len(models) == 1 else "Models", labels.listed(list(models))))
        facts.append(("Runs", f"{len(runs)}"))
    return facts


def _served(server: str) -> str:
    """The model as the server names it, where it says so."""
    said = json.loads(server)
    model = said.get("model") if isinstance(said, dict) else None
    return f" ({model})" if isinstance(model, str) and model else ""
