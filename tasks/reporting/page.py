"""The report as one HTML page that needs nothing beside it: style, script and pictures stand inside."""

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tasks.home import PROJECT
from tasks.reporting import labels, plots, published
from tasks.reporting.comparison import Comparison
from tasks.reporting.contents import Contents
from tasks.reporting.writing import markdown

TEMPLATES = PROJECT / "reports" / "templates"


def html(report: Contents) -> str:
    """The page, with each panel of each figure drawn into it."""
    drawings = {
        figure.name: [plots.svg(panel, f"{figure.name}-{place}") for place, panel in enumerate(figure.panels)]
        for section in report.sections
        for figure in section.figures
    }
    return _page(
        "page.html.j2", report=report, drawings=drawings, published=published.numbers(), label=labels.label,
        length=labels.length,
    )  # fmt: skip


def readings(report: Contents) -> str:
    """The page of examples to read, which stands beside the report."""
    return _page("readings.html.j2", report=report, label=labels.label, length=labels.length, tasks=list(labels.TASKS))


def comparison(found: Comparison) -> str:
    """The page of a comparison of two runs."""
    return _page("compare.html.j2", found=found, label=labels.label)


def _page(template: str, **values: Any) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template(template).render(
        **values,
        style=(TEMPLATES / "style.css").read_text(encoding="utf-8"),
        script=(TEMPLATES / "table.js").read_text(encoding="utf-8"),
        version=_version(),
    )


def text(report: Contents) -> str:
    """The report as Markdown, with its figures as files in `figures/` beside it."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=False, undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.get_template("report.md.j2").render(report=report, markdown=markdown)


def _version() -> str:
    try:
        return version("treebench")
    except PackageNotFoundError:
        return ""
