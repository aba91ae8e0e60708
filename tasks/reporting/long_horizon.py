"""Tables and figures of long-horizon agents: Tables 1 and 2 and Figures 1, 3 and 4 of HyMem."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tasks.reporting import curves, labels, plots
from tasks.reporting.cells import Column
from tasks.reporting.columns import AGENT, DATA, DATASET, DONE, INTERVAL, METHOD, MODEL, SCORE_ALONE
from tasks.reporting.figures import Figure
from tasks.reporting.query import Result

LAYOUTS: dict[str, list[Column]] = {
    "long_horizon_scores": [
        DATASET, MODEL, AGENT, METHOD,
        Column("scorer", "Scorer"),
        *[
            column
            for key, name in (
                ("first_level", "Level 1, easy"), ("second_level", "Level 2, medium"), ("third_level", "Level 3, hard"),
                ("score", "All"),
            )
            for column in (
                Column(key, "measured", "percent", group=name, optional=True, behind="tasks"),
                Column(f"published_{key}", "published", "published", group=name, optional=True),
            )
        ],
        INTERVAL,
        Column("deviation", "Between trials", "percent", optional=True),
        Column("trials", "Trials", "count"),
        DONE, DATA,
    ],
    "ablation": [
        DATASET, MODEL, METHOD,
        Column("scorer", "Scorer"),
        *[
            column
            for key, kind, name in (
                ("score", "percent", "Pass@1 (%)"), ("difference", "gain", "Difference"),
                ("planner_turns", "two", "Planner turns"), ("confidence", "two", "Confidence"),
            )
            for column in (
                Column(key, "measured", kind, group=name, optional=True),
                Column(f"published_{key}", "published", "published", group=name, optional=True),
            )
        ],
        INTERVAL, DONE, DATA,
    ],
    "resources": [
        DATASET, MODEL, AGENT, METHOD,
        Column("scorer", "Scorer"),
        replace(SCORE_ALONE, behind="tasks"), INTERVAL,
        Column("tokens", "Tokens", "count", group="Per task"),
        Column("calls", "Model calls", "two", group="Per task"),
        Column("tool_calls", "Tool calls", "two", group="Per task"),
        Column("folds", "Folds", "two", group="Per task", optional=True),
        DONE, DATA,
    ],
    "solved_tasks": [
        DATASET,
        Column("level", "Level", optional=True),
        Column("name", "Task"),
        Column("question", "Question", optional=True),
        Column("expected", "Expected", optional=True),
        AGENT, MODEL, METHOD,
        Column("scorer", "Scorer", optional=True),
        Column("score", "Score", "percent"),
        Column("trials", "Trials", "count"),
        Column("outcome", "Outcome"),
        DATA,
    ],
    "context_density": [
        DATASET, MODEL, AGENT, METHOD,
        Column("turn", "Turn", "count"),
        Column("density", "Planning-relevant (%)", "percent"),
        INTERVAL,
        Column("context_tokens", "Context (tokens)", "count"),
        Column("tasks", "Tasks", "count"),
        DATA,
    ],
    "context_growth": [
        DATASET, MODEL, AGENT, METHOD,
        Column("progress", "Progress (%)", "count"),
        Column("persistent_tokens", "Persistent context", "count"),
        Column("total_tokens", "All contexts", "count"),
        Column("tasks", "Tasks", "count"),
        DATA,
    ],
}  # fmt: skip


def figures(results: Mapping[str, Result]) -> list[Figure]:
    """Figures 1, 3 and 4 of HyMem: one panel for each benchmark, model and scorer."""
    found = []
    about = (
        ("resources", "Tokens and tool calls against score",
         "Marks are means over tasks; whiskers are normal 95 % intervals of the score.",
         ("dataset", "model", "scorer", "data"), _resources),
        ("context_density", "Planning-relevant share of the context",
         "Means over the tasks that came so far, by turn in the context that lasts.",
         ("dataset", "model", "data"), _density),
        ("context_growth", "Context against task progress",
         "Means over tasks. Solid: the context that lasts for the whole task; dashed: all contexts of HyMem together.",
         ("dataset", "model", "data"), _growth),
    )  # fmt: skip
    for name, title, caption, by, panels in about:
        if name not in results:
            continue
        groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for record in results[name].records():
            groups.setdefault(tuple(record[key] for key in by), []).append(record)
        drawn = [panel for rows in groups.values() for panel in panels(rows, _about(rows[0], groups, by))]
        sample = any(key[-1] == "sample" for key in groups)
        found.append(Figure(name, title, caption, results[name].query, tuple(drawn), sample))
    return found


def _about(row: dict[str, Any], groups: Mapping[tuple[Any, ...], Any], by: tuple[str, ...]) -> str:
    words = [labels.label("dataset", row["dataset"])]
    for key in by[1:-1]:
        if len({group[by.index(key)] for group in groups if group[0] == row["dataset"]}) > 1:
            words.append(str(row[key] or "not scored"))
    return ", ".join(words) + (" (sample data)" if row["data"] == "sample" and row["dataset"] != "sample" else "")


def _whole(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The frameworks themselves, without variants of them; the variants alone where nothing else ran."""
    return [row for row in rows if row["method"] == "full"] or list(rows)


def _resources(rows: Sequence[dict[str, Any]], title: str) -> list[plots.Panel]:
    used = [row for row in _whole(rows) if None not in (row["score"], row["tokens"], row["tool_calls"])]
    return [curves.spread(used, title, across) for across in ("tokens", "tool_calls")] if used else []


def _density(rows: Sequence[dict[str, Any]], title: str) -> list[plots.Panel]:
    drawn = _curves(_whole(rows), "turn", "density")
    return [curves.trends(drawn, title, "turn", "planning-relevant (%)")] if drawn else []


def _growth(rows: Sequence[dict[str, Any]], title: str) -> list[plots.Panel]:
    drawn = _curves(_whole(rows), "progress", "persistent_tokens")
    total = _curves([row for row in _whole(rows) if row["agent"] == "hymem"], "progress", "total_tokens")
    drawn += [(f"{name}, all", key, "--", points) for name, key, _, points in total]
    return [curves.trends(drawn, title, "progress of the task (%)", "tokens")] if drawn else []


def _curves(
    rows: Sequence[dict[str, Any]], across: str, up: str
) -> list[tuple[str, str, str, list[tuple[float, float]]]]:
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in rows:
        if row[up] is not None:
            found.setdefault((row["agent"], row["method"]), []).append((row[across], row[up]))
    return [(labels.label("agent", agent), agent, "-", points) for (agent, _), points in found.items()]
