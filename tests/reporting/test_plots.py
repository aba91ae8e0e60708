"""Figures: what is drawn, that nothing overlaps, and what they are saved as."""

import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.reporting import curves, labels, plots, query
from tasks.reporting.figures import figures

NAMES = ("dataset_scores", "by_length", "gains_by_task")


def drawn(invented, *runs):
    found = figures({name: query.run(invented.con, name, {"runs": list(runs)}) for name in NAMES})
    return {figure.name: figure for figure in found}


def texts_drawn(panel):
    """The texts of a panel with their boxes in pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    figure = Figure(figsize=(plots.WIDTH, panel.height), layout="constrained", dpi=100)
    canvas = FigureCanvasAgg(figure)
    axes = figure.subplots()
    panel.draw(axes)
    axes.set_title(panel.title)
    canvas.draw()
    ticks = [
        label
        for axis in (axes.xaxis, axes.yaxis)
        for at, label in zip(axis.get_majorticklocs(), axis.get_ticklabels(), strict=True)
        if min(axis.get_view_interval()) <= at <= max(axis.get_view_interval())
    ]
    shown = [text for text in [*axes.texts, *ticks, axes.xaxis.label, axes.yaxis.label] if text.get_text()]
    inside = figure.bbox
    # Of an annotation the text alone, not the line that leads to it.
    return [(text.get_text(), Text.get_window_extent(text, canvas.get_renderer())) for text in shown], inside


def test_figures_of_a_pair(pair):
    found = drawn(pair, "flat", "tree")
    assert sorted(found) == ["by_length", "gains_by_task", "scores"]
    assert [panel.title for panel in found["scores"].panels] == ["MemAgent on JSON (sample data)"]
    assert found["scores"].sample


def test_figures_of_a_single_run_and_of_none(pair):
    assert sorted(drawn(pair, "flat")) == ["by_length", "scores"]
    assert drawn(pair) == {}


def test_panels_that_differ_in_setup_only_say_so(pair):
    pair.run("longer", "b1", ["b1/count/8192/0"], [1.0], base_budget=1024)
    titles = [panel.title for panel in drawn(pair, "flat", "longer")["scores"].panels]
    assert len(set(titles)) == 2


@pytest.mark.parametrize("scores", [[0.0] * 16, [1.0] * 16, [0.0, 1.0] * 8, [0.5] * 15 + [0.51]])
def test_no_text_overlaps_or_leaves_the_figure(invented, scores):
    tasks = list(labels.TASKS)
    for dataset in ("json", "javascript"):
        ids = invented.build(
            f"b-{dataset}", dataset=dataset, tasks=tasks, lengths=[8192 << n for n in range(8)], examples=1
        )
        for method in labels.METHODS:
            invented.run(
                f"{method} {dataset}", f"b-{dataset}", ids, (scores * 4)[:64], method=method, dataset=dataset, calls=0
            )
    runs = [row[0] for row in invented.con.execute("SELECT run_id FROM runs").fetchall()]
    for figure in drawn(invented, *runs).values():
        for panel in figure.panels:
            found, inside = texts_drawn(panel)
            for place, (text, box) in enumerate(found):
                assert inside.x0 <= box.x0 + 1, (figure.name, text)
                assert box.x1 - 1 <= inside.x1, (figure.name, text)
                for other, other_box in found[place + 1 :]:
                    apart = (
                        box.x1 <= other_box.x0 + 1
                        or other_box.x1 <= box.x0 + 1
                        or box.y1 <= other_box.y0 + 1
                        or other_box.y1 <= box.y0 + 1
                    )
                    assert apart, (figure.name, panel.title, text, other)


@settings(deadline=None)
@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_labels_are_apart_inside_the_axes_and_in_order(heights):
    gap = 10.0
    places = plots.apart(heights, gap, 0.0, 100.0)
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    for lower, upper in pairwise(order):
        assert places[upper] - places[lower] >= gap - 1e-6
    assert min(places) >= gap / 2 - 1e-6
    assert max(places) <= 100 - gap / 2 + 1e-6


@pytest.mark.parametrize(("form", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_files(pair, form, start):
    panels = drawn(pair, "flat", "tree")["by_length"].panels
    assert plots.save(panels, form).startswith(start)


def test_a_panel_in_a_page_takes_over_its_colours(pair):
    panel = drawn(pair, "flat", "tree")["scores"].panels[0]
    text = plots.svg(panel, "scores-0")
    root = ElementTree.fromstring(text.replace("xlink:href", "href"))
    assert "width" not in root.attrib
    assert root.attrib["viewBox"]
    assert "currentColor" in text
    assert "var(--treeagent)" in text
    assert "#" not in "".join(part for part in text.split('"') if part.startswith("fill: #"))
    ids = [node.attrib["id"] for node in root.iter() if "id" in node.attrib]
    assert all(name.startswith("scores-0-") for name in ids)


def test_equal_rows_give_equal_files(pair):
    panels = drawn(pair, "flat", "tree")["scores"].panels
    assert plots.save(panels, "svg") == plots.save(panels, "svg")


@pytest.mark.parametrize("score", [0.0, 50.0, 100.0])
def test_labels_of_long_horizon_panels_never_overlap(score):
    rows = [
        {"agent": agent, "method": "full", "score": score, "low": None, "high": None, "tokens": 10**6, "tool_calls": 9}
        for agent in labels.FRAMEWORKS
    ]
    points = [(1.0, score), (20.0, score)]
    drawn = [(labels.label("agent", agent), agent, "-", points) for agent in labels.FRAMEWORKS]
    for panel in (curves.spread(rows, "GAIA", "tokens"), curves.trends(drawn, "GAIA", "turn", "tokens")):
        found, inside = texts_drawn(panel)
        assert {label for label, _ in found} >= {"turn"} or {label for label, _ in found} >= {"Pass@1 (%)"}
        for place, (text, box) in enumerate(found):
            assert inside.x0 <= box.x0 + 1, text
            assert box.x1 - 1 <= inside.x1, text
            assert not any(box.overlaps(other.padded(-1)) for _, other in found[place + 1 :]), text


@pytest.mark.parametrize(("score", "bottom", "top"), [(0.0, 0.0, 5.0), (50.0, 49.5, 55.0), (100.0, 99.5, 105.0)])
def test_scores_of_long_horizon_panels_are_never_negative_and_span_five_points(score, bottom, top):
    from matplotlib.figure import Figure

    row = {"agent": "react", "method": "full", "score": score, "low": None, "high": None, "tokens": 9, "tool_calls": 0}
    axes = Figure().subplots()
    curves.spread([row], "GAIA", "tokens").draw(axes)
    assert axes.get_ylim() == pytest.approx((bottom, top))


@pytest.mark.parametrize(
    ("value", "shown"), [(42.5, "42.5"), (40.0, "40"), (1200, "1,200"), (12_500, "12.5k"), (2e6, "2M")]
)
def test_ticks_say_what_they_stand_for(value, shown):
    assert curves.tick(value, 0) == shown


def test_each_form_is_that_of_the_panels_alone(pair):
    panels = drawn(pair, "flat", "tree")["scores"].panels
    together = plots.files(panels, ["pdf", "png", "svg"])
    assert together["svg"] == plots.save(panels, "svg")
    assert together["png"] == plots.save(panels, "png")
    assert together["pdf"] == plots.save(panels, "pdf")
