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

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, RULE, PAPER, HALO = "#1d1f21", "#d7d9dc", "#ffffff", "#fefefe"
"""Text and lines; grids; the ground; the seam between a bar and the line over it, of the colour of the ground."""
COLOURS = {
    "flat": "#6b7076", "tree": "#c77700", "tree_path": "#b04a86", "treeagent": "#0067a5",
    "base": "#6c7177", "react": "#c4500a", "summary": "#ad7a00", "resum": "#00805c", "amem": "#b14b87",
    "thread": "#7a5c3e", "hymem": "#0068a6",
}  # fmt: skip
"""By method or framework; no two are equal, so that the page can tell them apart."""
MARKERS = {
    "flat": "o", "tree": "^", "tree_path": "s", "treeagent": "D",
    "base": "o", "react": "^", "summary": "v", "resum": "s", "amem": "P", "thread": "X", "hymem": "D",
}  # fmt: skip
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
    """The colour of a method or framework."""
    return COLOURS.get(method, OTHER[0])


def marker(method: str) -> str:
    """The marker of a method or framework."""
    return MARKERS.get(method, OTHER[1])


def svg(panel: Panel, name: str) -> str:
    """The panel as an SVG element to stand inside a page, whose colours it takes over; `name` is unique in the page."""
    text = save([panel], "svg").decode()
    text = re.sub(r"(?s)^.*?(?=<svg)", "", text)
    text = re.sub(r"(?s)<metadata>.*?</metadata>", "", text)
    text = re.sub(r'<svg [^>]*?viewBox="([^"]+)"[^>]*>', r'<svg viewBox="\1" aria-hidden="true">', text, count=1)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r'(xlink:href="|url\()#', rf"\1#{name}-", text)
    names = {INK: "currentColor", RULE: "var(--rule)", PAPER: "none", HALO: "var(--paper)"}
    names |= {tint: f"var(--{method.replace('_', '-')})" for method, tint in COLOURS.items()}
    for tint, name in names.items():
        text = text.replace(tint, name)
    return text


def save(panels: Sequence[Panel], form: str, columns: int = 2) -> bytes:
    """Panels side by side as an SVG, PDF or PNG file on white paper."""
    return files(panels, [form], columns)[form]


def files(panels: Sequence[Panel], forms: Sequence[str], columns: int = 2) -> dict[str, bytes]:
    """Panels side by side on white paper, drawn once and written as each of `forms`: png, svg, pdf."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    written: dict[str, bytes] = {}
    with _DRAWING, rc_context(STYLE):  # pyright: ignore[reportArgumentType]
        figure = _figure(panels, columns)
        for form in sorted(forms, key=["png", "svg", "pdf"].index):  # the last two reckon in points and stay with them
            out = io.BytesIO()
            if form == "png":
                FigureCanvasAgg(figure).print_png(out)
            elif form == "svg":
                FigureCanvasSVG(figure).print_svg(out, metadata={"Date": None})
            else:
                FigureCanvasPdf(figure).print_pdf(out, metadata={"CreationDate": None})
            written[form] = out.getvalue()
    return written


def _figure(panels: Sequence[Panel], columns: int) -> "Figure":
    """The panels laid out: margins are found once, as that takes as long as drawing."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    heights = [max(p.height for p in panels[i * columns : (i + 1) * columns]) for i in range(rows)]
    spaced = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12)
    size = (WIDTH * columns, sum(heights))
    figure = Figure(figsize=size, dpi=160, layout=spaced, facecolor=PAPER)
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False, gridspec_kw={"height_ratios": heights})
    for index, axes in enumerate(grid.flat):
        if index >= len(panels):
            axes.set_visible(False)
            continue
        axes.set_facecolor("none")
        panels[index].draw(axes)
        axes.set_title(textwrap.fill(panels[index].title, 42))
    spaced.execute(figure)
    figure.set_layout_engine("none")
    return figure


def whisker(
    axes: "Axes",
    at: float,
    row: dict[str, Any],
    horizontal: bool,
    value: str = "score",
    tint: str = INK,
    over_bar: bool = False,
) -> float:
    """Draw the interval of a row, if it has one; returns how far the drawing reaches."""
    if row["low"] is None or row["high"] is None:
        return row[value]
    along, across = ([row["low"], row["high"]], [at, at]) if horizontal else ([at, at], [row["low"], row["high"]])
    if over_bar:
        axes.plot(along, across, color=HALO, linewidth=3.2, solid_capstyle="butt", zorder=2.9)
    axes.plot(along, across, color=tint, linewidth=1.1 if over_bar else 0.9, solid_capstyle="butt", zorder=3)
    return max(row["high"], row[value])


def name_across(axes: "Axes", name: str, left: float, right: float) -> None:
    """Name the horizontal axis in the middle of its data, which end before the labels beside them."""
    begins, ends = axes.get_xlim()
    axes.set_xlabel(name, x=((left + right) / 2 - begins) / (ends - begins))


def apart(heights: Sequence[float], gap: float, bottom: float, top: float) -> list[float]:
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
