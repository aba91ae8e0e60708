"""Panels of memory agents: bars of scores, lines over context lengths, gains by task."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tasks.reporting import labels, plots
from tasks.reporting.cells import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def bars(rows: Sequence[dict[str, Any]], title: str) -> plots.Panel:
    """Scores by dataset and method as horizontal bars with intervals and the number at the end of each."""
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    several = len(datasets) > 1
    place = 0.0
    places: list[tuple[float, dict[str, Any]]] = []
    heads: list[tuple[float, str]] = []
    for dataset in datasets:
        if several:
            heads.append((place, labels.label("dataset", dataset)))
            place += 0.9
        for row in rows:
            if row["dataset"] == dataset:
                places.append((place, row))
                place += 1
        place += 0.3

    def draw(axes: "Axes") -> None:
        top = max([row["high"] or row["score"] for row in rows] + [plots.LEAST])
        for at, name in heads:
            axes.text(0, at, name, va="center", ha="left", fontsize=9, fontweight="bold")
        for at, row in places:
            axes.barh(at, row["score"], height=0.62, color=plots.colour(row["method"]))
            end = plots.whisker(axes, at, row, horizontal=True, over_bar=True)
            axes.text(end + top * 0.02, at, f"{row['score']:.1f}", va="center", ha="left", fontsize=9)
        axes.set_yticks([at for at, _ in places], [labels.label("method", row["method"]) for _, row in places])
        axes.set_ylim(places[-1][0] + 0.6, -0.6)
        axes.set_xlim(0, top * 1.14)
        axes.set_xlabel("mean answer score (%)")
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)

    return plots.Panel(title, 0.75 + 0.28 * place, draw)


def lines(rows: Sequence[dict[str, Any]], title: str) -> plots.Panel:
    """Scores by context length: a line for each method, labelled at its end, with intervals."""
    lengths = sorted({row["length"] for row in rows})
    methods = list(dict.fromkeys(row["method"] for row in rows))

    def draw(axes: "Axes") -> None:
        shift = min(0.07, 0.03 * (1.4 * len(lengths) - 0.5))  # few lengths stand far apart
        ends = []
        for index, method in enumerate(methods):
            found = sorted((row for row in rows if row["method"] == method), key=lambda row: row["length"])
            offset = (index - (len(methods) - 1) / 2) * shift
            across = [lengths.index(row["length"]) + offset for row in found]
            heights = [row["score"] for row in found]
            axes.plot(
                across,
                heights,
                color=plots.colour(method),
                marker=plots.marker(method),
                markersize=4.5,
                linewidth=1.6,
                linestyle="--" if method == "flat" else "-",
                clip_on=False,
            )
            for at, row in zip(across, found, strict=True):
                plots.whisker(axes, at, row, horizontal=False, tint=plots.colour(method))
            ends.append((across[-1], heights[-1], method))
        low = min([row["score"] if row["low"] is None else row["low"] for row in rows])
        high = max([row["score"] if row["high"] is None else row["high"] for row in rows])
        room = max(high - low, plots.LEAST) * 0.08
        axes.set_ylim(max(low - room, 0), max(high + room, low + plots.LEAST))
        axes.set_xlim(-0.3 - 0.02 * len(lengths), len(lengths) - 0.8 + 0.4 * len(lengths))
        axes.set_xticks(range(len(lengths)), [labels.length(tokens) for tokens in lengths])
        axes.tick_params(axis="x", labelsize=8 if len(lengths) > 6 else 9, pad=6)
        plots.name_across(axes, "context length (tokens)", 0, len(lengths) - 1)
        axes.set_ylabel("mean answer score (%)")
        axes.grid(axis="y")
        bottom, top = axes.get_ylim()
        places = plots.apart([height for _, height, _ in ends], (top - bottom) * 0.085, bottom, top)
        for (_, height, method), at in zip(ends, places, strict=True):
            axes.annotate(
                f"{labels.label('method', method)} {height:.1f}",
                (max(across for across, _, _ in ends), at),
                xytext=(9, 0),
                textcoords="offset points",
                color=plots.colour(method),
                va="center",
                fontsize=9,
                fontweight="bold",
            )

    return plots.Panel(title, 2.9, draw)


def gains(rows: Sequence[dict[str, Any]], title: str) -> plots.Panel:
    """Gains of one method over Flat by task: a mark with its interval on either side of zero, numbers in a column."""
    tint = plots.colour(rows[0]["method"])

    def draw(axes: "Axes") -> None:
        reach = [value for row in rows for value in (row["gain"], row["low"], row["high"]) if value is not None]
        low, high = min([*reach, 0.0]), max([*reach, 0.0])
        spare = max(plots.LEAST - (high - low), 0) / 2
        low, high = low - spare, high + spare
        width = high - low
        axes.axvline(0, color=plots.INK, linewidth=0.9)
        for at, row in enumerate(rows):
            axes.plot([0, row["gain"]], [at, at], color=tint, linewidth=2.2, solid_capstyle="butt")
            axes.plot(row["gain"], at, color=tint, marker=plots.marker(row["method"]), markersize=5.5)
            plots.whisker(axes, at, row, horizontal=True, value="gain")
            axes.text(high + width * 0.2, at, number(row["gain"], 1, signed=True), va="center", ha="right", fontsize=9)
        axes.set_yticks(range(len(rows)), [labels.label("task", row["task"]) for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(low - width * 0.06, high + width * 0.22)
        axes.set_xlabel(f"{labels.label('method', rows[0]['method'])} minus Flat (percentage points)")
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)

    return plots.Panel(title, 0.9 + len(rows) * 0.3, draw)
