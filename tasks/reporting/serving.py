"""What the calls took and how busy they kept the servers: by role, in all, and over time."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tasks.reporting import plots
from tasks.reporting.cells import Column
from tasks.reporting.columns import AGENT, DATA, DATASET, METHOD, MODEL
from tasks.reporting.figures import Figure
from tasks.reporting.query import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAYOUTS: dict[str, list[Column]] = {
    "calls_by_role": [
        AGENT, MODEL, DATASET, METHOD,
        Column("role", "Role"),
        Column("calls", "Calls", "count"),
        Column("retries", "Retries", "count", optional=True),
        Column("failed", "Failed attempts", "count", optional=True),
        Column("cut_off", "Cut off", "count", optional=True),
        Column("input_tokens", "Input tokens", "count"),
        Column("output_tokens", "Output tokens", "count"),
        Column("cached", "Cached input (%)", "percent", optional=True),
        Column("mean_s", "mean", "two", group="Seconds a call"),
        Column("median_s", "median", "two", group="Seconds a call"),
        Column("p95_s", "95 %", "two", group="Seconds a call"),
        DATA,
    ],
    "server_loads": [
        MODEL,
        Column("endpoint", "Server"),
        Column("began", "First call (UTC)", "time"),
        Column("attempts", "Attempts", "count"),
        Column("busy_s", "busy", "count", group="Seconds"),
        Column("idle_s", "idle", "count", group="Seconds"),
        Column("interrupted_s", "interrupted", "count", group="Seconds", optional=True),
        Column("idle", "Idle (%)", "percent"),
        Column("in_flight", "In flight", "two"),
        DATA,
    ],
    "load_over_time": [
        MODEL,
        Column("endpoint", "Server"),
        Column("minute", "From (UTC)", "time"),
        Column("minutes", "Minutes", "count"),
        Column("started", "Attempts", "count"),
        Column("in_flight", "In flight", "two"),
        Column("idle", "Idle (%)", "percent"),
        DATA,
    ],
    "upstream_scores": [
        AGENT, MODEL, DATASET, METHOD,
        Column("planned", "Planned", "count"),
        Column("answered", "Answered", "count"),
        Column("score", "Failed ones wrong (used here)", "percent"),
        Column("upstream_score", "Failed ones left out (released code)", "percent"),
        Column("difference", "Difference", "gain"),
        DATA,
    ],
}  # fmt: skip

FEWEST = 3
"""Points of a server that make a curve."""


def figures(results: Mapping[str, Result]) -> list[Figure]:
    """Calls in flight and idle share of each server over time."""
    result = results["load_over_time"]
    servers: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in result.records():
        servers.setdefault((record["model"], record["endpoint"]), []).append(record)
    panels = []
    for (model, endpoint), rows in servers.items():
        if len(rows) >= FEWEST:
            several = sum(other == model for other, _ in servers) > 1
            title = f"{model} at {endpoint}" if several else model
            panels.append(load(rows, title + (" (sample data)" if rows[0]["data"] == "sample" else "")))
    if not panels:
        return []
    caption = "Line: mean calls in flight; grey bars: share of the time without any. Interruptions are left out."
    sample = any(record["data"] == "sample" for record in result.records())
    return [Figure("load_over_time", "Load of the servers over time", caption, result.query, tuple(panels), sample)]


def load(rows: Sequence[dict[str, Any]], title: str) -> plots.Panel:
    """Calls in flight and idle share of one server, by hours or minutes since the first call."""
    first: datetime = rows[0]["minute"]
    since = [(row["minute"] - first).total_seconds() / 60 for row in rows]
    unit, size = ("hours", 60) if since[-1] > 180 else ("minutes", 1)
    across = [minutes / size for minutes in since]
    step = rows[0]["minutes"] / size

    def draw(axes: "Axes") -> None:
        from matplotlib.ticker import MaxNLocator

        idle = axes.twinx()
        idle.bar(across, [row["idle"] or 0 for row in rows], width=step, align="edge", color=plots.RULE)
        idle.set_ylim(0, 100)
        idle.set_ylabel("idle (%)")
        idle.spines["right"].set_visible(False)
        for run in _unbroken(across, step):
            axes.step(
                [*(across[at] for at in run), across[run[-1]] + step],
                [rows[at]["in_flight"] for at in [*run, run[-1]]],
                where="post",
                color=plots.OTHER[0],
                linewidth=1.4,
            )
        axes.set_zorder(idle.get_zorder() + 1)  # the line before the bars
        axes.set_ylim(0, max(row["in_flight"] for row in rows) * 1.1 or 1)
        axes.set_xlim(0, across[-1] + step)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=across[-1] + step >= 3))
        axes.tick_params(axis="x", pad=6)
        axes.set_xlabel(f"{unit} since the first call")
        axes.set_ylabel("calls in flight")

    return plots.Panel(title, 2.6, draw)


def _unbroken(across: Sequence[float], step: float) -> list[list[int]]:
    """Places that follow each other without an interruption."""
    runs: list[list[int]] = []
    for at, place in enumerate(across):
        if runs and place - across[at - 1] <= step * 1.5:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs
