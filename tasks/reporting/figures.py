"""Which figures a report has, and what is drawn in each panel of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.reporting import labels, panels, plots
from tasks.reporting.query import Query, Result


@dataclass(frozen=True)
class Figure:
    """A titled figure of one panel for each agent (and dataset, where they cannot be averaged)."""

    name: str
    title: str
    caption: str
    query: Query
    panels: tuple[plots.Panel, ...]
    sample: bool

    @property
    def alternative(self) -> str:
        """What a reader who cannot see the figure is told."""
        return f"{self.title}: {labels.listed([panel.title for panel in self.panels])}. {self.caption}"


def figures(results: Mapping[str, Result]) -> list[Figure]:
    """The figures that these results give something to draw for."""
    wanted = [
        _figure(
            results["dataset_scores"],
            "scores",
            "Mean answer scores",
            "Bars are mean scores over all planned examples; whiskers are normal 95 % intervals.",
            ("agent", "model", "setup", "data"),
            panels.bars,
        ),
        _figure(
            results["by_length"],
            "by_length",
            "Scores by context length",
            "Means over tasks with normal 95 % intervals.",
            ("agent", "model", "setup", "data"),
            panels.lines,
            _lengths,
        ),
        _figure(
            results["gains_by_task"],
            "gains_by_task",
            "Gains over Flat by task",
            "Differences on the same planned examples with normal 95 % intervals. Panels have scales of their own.",
            ("agent", "model", "setup", "data", "dataset"),
            panels.gains,
            _last_method,
        ),
    ]
    return [figure for figure in wanted if figure.panels]


def _figure(
    result: Result,
    name: str,
    title: str,
    caption: str,
    by: tuple[str, ...],
    panel: Callable[[Sequence[dict[str, Any]], str], plots.Panel],
    narrow: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda rows: rows,
) -> Figure:
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in result.records():
        groups.setdefault(tuple(record[key] for key in by), []).append(record)
    if any(record.get("low") is None for record in result.records()):
        caption += " No interval where there are fewer than two examples, or all score alike."
    drawn = []
    for rows in groups.values():
        kept = narrow(rows)
        drawn.append(panel(kept, _title(kept, list(groups), by)))
    sample = any(key[by.index("data")] == "sample" for key in groups)
    return Figure(name, title, caption, result.query, tuple(drawn), sample)


def _title(rows: list[dict[str, Any]], groups: list[tuple[Any, ...]], by: tuple[str, ...]) -> str:
    """Agent, dataset (unless the panel names several) and whatever tells it from other panels; "sample data" if so."""
    row = rows[0]
    named = list(dict.fromkeys(labels.label("dataset", r["dataset"]) for r in rows))
    on = f" on {named[0]}" if len(named) == 1 and row["dataset"] != "mean" else ", mean of datasets"
    words = [labels.label("agent", row["agent"])]
    same_agent = [key for key in groups if key[0] == row["agent"]]
    for key in ("model", "setup"):
        if len({group[by.index(key)] for group in same_agent}) > 1:
            words.append(row[key])
    sample = " (sample data)" if row["data"] == "sample" else ""
    return ", ".join(words) + ("" if len(named) > 1 else on) + sample


def _lengths(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over datasets where there are any; Flat and TreeAgent only, as in the paper, where both were run."""
    rows = [row for row in rows if row["dataset"] == "mean"] or rows
    both = [row for row in rows if row["method"] in ("flat", "treeagent")]
    return both if len({row["method"] for row in both}) == 2 else rows


def _last_method(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The fullest method that was run: TreeAgent, as in the paper."""
    return [row for row in rows if row["method"] == rows[-1]["method"]]
