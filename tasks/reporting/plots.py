"""Drawing with matplotlib: one panel at a time, readable in print, on a dark page and without colour.

Panels are about 320 points wide, so that text keeps its size on a telephone; files for papers put them side by side.
Methods differ by colour (Okabe and Ito's set, safe for colour-blind readers), marker and label.
"""

import io
import re
import textwrap
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tasks.reporting import labels
from tasks.reporting.tables import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, RULE, PAPER = "#1d1f21", "#d7d9dc", "#ffffff"
COLOURS = {"flat": "#6b7076", "tree": "#c77700", "tree_path": "#b04a86", "treeagent": "#0067a5"}
MARKERS = {"flat": "o", "tree": "^", "tree_path": "s", "treeagent": "D"}
OTHER = ("#0067a5", "P")

STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": RULE,
    "axes.labelcolor": INK,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "axes.titlepad": 10,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "grid.color": RULE,
    "grid.linewidth": 0.7,
    "svg.fonttype": "path",
    "svg.hashsalt": "treebench",
    "path.simplify": False,
}

_DRAWING = threading.Lock()
"""Matplotlib's settings are shared by all threads: one of them draws at a time."""

WIDTH = 4.5
"""Width of a panel in inches."""

LEAST = 5.0
"""No axis of scores spans fewer percentage points than this, so that small differences look small."""


@dataclass(frozen=True)
class Panel:
    """Something to draw on axes of its own: a title, a height in inches and the drawing itself."""

    title: str
    height: float
    draw: Callable[["Axes"], None]


def colour(method: str) -> str:
    """The colour of a method."""
    return COLOURS.get(method, OTHER[0])


def bars(rows: Sequence[dict[str, Any]], title: str) -> Panel:
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
        top = max([row["high"] or row["score"] for row in rows] + [LEAST])
        for at, name in heads:
            axes.text(0, at, name, va="center", ha="left", fontsize=9, fontweight="bold")
        for at, row in places:
            axes.barh(at, row["score"], height=0.62, color=colour(row["method"]))
            end = _whisker(axes, at, row, horizontal=True)
            axes.text(end + top * 0.02, at, f"{row['score']:.1f}", va="center", ha="left", fontsize=9)
        axes.set_yticks([at for at, _ in places], [labels.label("method", row["method"]) for _, row in places])
        axes.set_ylim(places[-1][0] + 0.6, -0.6)
        axes.set_xlim(0, top * 1.14)
        axes.set_xlabel("mean answer score (%)")
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)

    return Panel(title, 0.75 + 0.28 * place, draw)


def lines(rows: Sequence[dict[str, Any]], title: str) -> Panel:
    """Scores by context length: a line for each method, labelled at its end, with intervals."""
    lengths = sorted({row["length"] for row in rows})
    methods = list(dict.fromkeys(row["method"] for row in rows))

    def draw(axes: "Axes") -> None:
        shift = 0.07
        ends = []
        for index, method in enumerate(methods):
            found = sorted((row for row in rows if row["method"] == method), key=lambda row: row["length"])
            offset = (index - (len(methods) - 1) / 2) * shift
            across = [lengths.index(row["length"]) + offset for row in found]
            heights = [row["score"] for row in found]
            axes.plot(
                across,
                heights,
                color=colour(method),
                marker=MARKERS.get(method, OTHER[1]),
                markersize=4.5,
                linewidth=1.6,
                linestyle="--" if method == "flat" else "-",
                clip_on=False,
            )
            for at, row in zip(across, found, strict=True):
                _whisker(axes, at, row, horizontal=False, tint=colour(method))
            ends.append((across[-1], heights[-1], method))
        low = min([row["score"] if row["low"] is None else row["low"] for row in rows])
        high = max([row["score"] if row["high"] is None else row["high"] for row in rows])
        room = max(high - low, LEAST) * 0.08
        axes.set_ylim(max(low - room, 0), max(high + room, low + LEAST))
        axes.set_xlim(-0.3 - 0.02 * len(lengths), len(lengths) - 0.8 + 0.4 * len(lengths))
        axes.set_xticks(range(len(lengths)), [labels.length(tokens) for tokens in lengths])
        axes.tick_params(axis="x", labelsize=8 if len(lengths) > 6 else 9)
        axes.set_xlabel("context length (tokens)")
        axes.set_ylabel("mean answer score (%)")
        axes.grid(axis="y")
        bottom, top = axes.get_ylim()
        places = _apart([height for _, height, _ in ends], (top - bottom) * 0.085, bottom, top)
        for (_, height, method), at in zip(ends, places, strict=True):
            axes.annotate(
                f"{labels.label('method', method)} {height:.1f}",
                (max(across for across, _, _ in ends), at),
                xytext=(9, 0),
                textcoords="offset points",
                color=colour(method),
                va="center",
                fontsize=9,
                fontweight="bold",
            )

    return Panel(title, 2.9, draw)


def gains(rows: Sequence[dict[str, Any]], title: str) -> Panel:
    """Gains of one method over Flat by task: a mark with its interval on either side of zero, numbers in a column."""
    tint = colour(rows[0]["method"])

    def draw(axes: "Axes") -> None:
        reach = [value for row in rows for value in (row["gain"], row["low"], row["high"]) if value is not None]
        low, high = min([*reach, 0.0]), max([*reach, 0.0])
        spare = max(LEAST - (high - low), 0) / 2
        low, high = low - spare, high + spare
        width = high - low
        axes.axvline(0, color=INK, linewidth=0.9)
        for at, row in enumerate(rows):
            axes.plot([0, row["gain"]], [at, at], color=tint, linewidth=2.2, solid_capstyle="butt")
            axes.plot(row["gain"], at, color=tint, marker=MARKERS.get(row["method"], OTHER[1]), markersize=5.5)
            _whisker(axes, at, row, horizontal=True, value="gain")
            axes.text(high + width * 0.2, at, number(row["gain"], 1, signed=True), va="center", ha="right", fontsize=9)
        axes.set_yticks(range(len(rows)), [labels.label("task", row["task"]) for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(low - width * 0.06, high + width * 0.22)
        axes.set_xlabel(f"{labels.label('method', rows[0]['method'])} minus Flat (percentage points)")
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)

    return Panel(title, 0.9 + len(rows) * 0.3, draw)


def svg(panel: Panel, name: str) -> str:
    """The panel as an SVG element to stand inside a page, whose colours it takes over; `name` is unique in the page."""
    text = save([panel], "svg").decode()
    text = re.sub(r"(?s)^.*?(?=<svg)", "", text)
    text = re.sub(r"(?s)<metadata>.*?</metadata>", "", text)
    text = re.sub(r'<svg [^>]*?viewBox="([^"]+)"[^>]*>', r'<svg viewBox="\1" aria-hidden="true">', text, count=1)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r'(xlink:href="|url\()#', rf"\1#{name}-", text)
    names = {INK: "currentColor", RULE: "var(--rule)", PAPER: "none"}
    names |= {tint: f"var(--{method.replace('_', '-')})" for method, tint in COLOURS.items()}
    for tint, name in names.items():
        text = text.replace(tint, name)
    return text


def save(panels: Sequence[Panel], form: str, columns: int = 2) -> bytes:
    """Panels side by side as an SVG, PDF or PNG file on white paper."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    heights = [max(p.height for p in panels[i * columns : (i + 1) * columns]) for i in range(rows)]
    with _DRAWING, mpl.rc_context(STYLE):  # pyright: ignore[reportArgumentType]
        spaced = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12)
        figure: Figure = Figure(figsize=(WIDTH * columns, sum(heights)), layout=spaced, facecolor=PAPER)
        grid = figure.subplots(rows, columns, squeeze=False, gridspec_kw={"height_ratios": heights})
        for index, axes in enumerate(grid.flat):
            if index >= len(panels):
                axes.set_visible(False)
                continue
            axes.set_facecolor("none")
            panels[index].draw(axes)
            axes.set_title(textwrap.fill(panels[index].title, 42))
        out = io.BytesIO()
        metadata = {"Date": None} if form == "svg" else {"CreationDate": None} if form == "pdf" else None
        figure.savefig(out, format=form, dpi=160, metadata=metadata)
    return out.getvalue()


def _whisker(
    axes: "Axes", at: float, row: dict[str, Any], horizontal: bool, value: str = "score", tint: str = INK
) -> float:
    """Draw the interval of a row, if it has one; returns how far the drawing reaches."""
    if row["low"] is None or row["high"] is None:
        return row[value]
    along, across = ([row["low"], row["high"]], [at, at]) if horizontal else ([at, at], [row["low"], row["high"]])
    axes.plot(along, across, color=tint, linewidth=0.9, solid_capstyle="butt", zorder=3)
    return max(row["high"], row[value])


def _apart(heights: Sequence[float], gap: float, bottom: float, top: float) -> list[float]:
    """Places for labels as near to `heights` as they can be with `gap` between neighbours, inside the axes."""
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    groups: list[list[int]] = []
    for index in order:
        groups.append([index])
        while (
            len(groups) > 1
            and _centre(groups[-1], heights, gap, bottom, top) - _centre(groups[-2], heights, gap, bottom, top)
            < gap * (len(groups[-1]) + len(groups[-2])) / 2 - 1e-9
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    places = [0.0] * len(heights)
    for group in groups:
        centre = _centre(group, heights, gap, bottom, top)
        for rank, index in enumerate(group):
            places[index] = centre + (rank - (len(group) - 1) / 2) * gap
    return places


def _centre(group: Sequence[int], heights: Sequence[float], gap: float, bottom: float, top: float) -> float:
    reach = gap * len(group) / 2
    return min(max(sum(heights[index] for index in group) / len(group), bottom + reach), top - reach)
