"""Panels of long-horizon agents: scores against what they used, and curves over turns or progress."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tasks.reporting import labels, plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def spread(rows: Sequence[dict[str, Any]], title: str, across: str) -> plots.Panel:
    """Scores of frameworks against what they used: a labelled mark with its interval each.

    `across` is tokens or tool_calls.
    """
    words = {"tokens": "tokens a task", "tool_calls": "tool calls a task"}

    def draw(axes: "Axes") -> None:
        for row in rows:
            tint = plots.colour(row["agent"])
            axes.plot(
                row[across],
                row["score"],
                color=tint,
                marker=plots.marker(row["agent"]),
                markersize=6.5,
                clip_on=False,
            )
            plots.whisker(axes, row[across], row, horizontal=False, tint=tint)
        reach = max(row[across] for row in rows) or 1
        low = min(row["score"] if row["low"] is None else row["low"] for row in rows)
        high = max(row["score"] if row["high"] is None else row["high"] for row in rows)
        room = max(high - low, plots.LEAST) * 0.1
        axes.set_ylim(max(low - room, 0), max(high + room, low + plots.LEAST))
        axes.set_xlim(-reach * 0.05, reach * 1.5)
        bottom, top = axes.get_ylim()
        places = plots.apart([row["score"] for row in rows], (top - bottom) * 0.085, bottom, top)
        for row, at in zip(rows, places, strict=True):
            name = f"{_framework(row)} {row['score']:.1f}"
            axes.annotate(
                name, (row[across], row["score"]), xytext=(reach * 1.12, at), textcoords="data",
                color=plots.colour(row["agent"]), va="center", fontsize=9, fontweight="bold",
                arrowprops={
                    "arrowstyle": "-", "color": plots.RULE, "linewidth": 0.8, "shrinkA": 2, "shrinkB": 5,
                    "relpos": (0, 0.5),
                },
            )  # fmt: skip
        plots.name_across(axes, words[across], 0, reach)
        axes.set_ylabel("Pass@1 (%)")
        _frame(axes, 0, reach)

    return plots.Panel(title, 3.1, draw)


def trends(
    curves: Sequence[tuple[str, str, str, Sequence[tuple[float, float]]]], title: str, across: str, up: str
) -> plots.Panel:
    """Curves that are labelled at their ends: name, key of the colour, line style and points each."""

    def draw(axes: "Axes") -> None:
        ends = []
        for name, key, style, points in curves:
            xs, ys = zip(*points, strict=True)
            axes.plot(xs, ys, color=plots.colour(key), linestyle=style, linewidth=1.6, clip_on=False)
            axes.plot(
                xs[-1],
                ys[-1],
                color=plots.colour(key),
                marker=plots.marker(key),
                markersize=4.5,
                clip_on=False,
            )
            ends.append((xs[-1], ys[-1], name, key))
        right = max(x for x, *_ in ends)
        left = min(points[0][0] for *_, points in curves)
        high = max(y for *_, points in curves for _, y in points)
        width = max(right - left, 1)
        axes.set_xlim(left - width * 0.03, right + width * 0.62)
        axes.set_ylim(0, max(high, 1) * 1.06)
        bottom, top = axes.get_ylim()
        places = plots.apart([y for _, y, *_ in ends], (top - bottom) * 0.085, bottom, top)
        for (x, y, name, key), at in zip(ends, places, strict=True):
            axes.annotate(
                name, (x, y), xytext=(right + width * 0.06, at), textcoords="data", color=plots.colour(key),
                va="center", fontsize=9, fontweight="bold",
                arrowprops={
                    "arrowstyle": "-", "color": plots.RULE, "linewidth": 0.8, "shrinkA": 2, "shrinkB": 4,
                    "relpos": (0, 0.5),
                },
            )  # fmt: skip
        plots.name_across(axes, across, left, right)
        axes.set_ylabel(up)
        _frame(axes, left, right)

    return plots.Panel(title, 2.9, draw)


def _framework(row: dict[str, Any]) -> str:
    name = labels.label("agent", row["agent"])
    return name if row["method"] == "full" else f"{name} {labels.label('method', row['method'])}"


def _frame(axes: "Axes", left: float, right: float) -> None:
    """Ticks and grid over the data alone: the labels stand beside them."""
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(nbins=5, integer=True).tick_values(left, right)
    axes.set_xticks([tick for tick in ticks if left <= tick <= right])
    axes.xaxis.set_major_formatter(tick)
    axes.yaxis.set_major_formatter(tick)
    bottom, top = axes.get_ylim()
    inside = [tick for tick in axes.get_yticks() if bottom <= tick <= top]
    axes.hlines(inside, axes.get_xlim()[0], right, colors=plots.RULE, linewidth=0.7, zorder=0)
    axes.spines["bottom"].set_bounds(axes.get_xlim()[0], right)


def tick(value: float, _place: float) -> str:
    """What stands at a tick: thousands and millions cut short, halves written out."""
    for size, suffix in ((1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e6 if suffix == 'M' else 1e3):g}{suffix}"
    return f"{value:,.0f}" if value == round(value) else f"{value:g}"
