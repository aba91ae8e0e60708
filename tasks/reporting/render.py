"""A report as files: written into a folder aside, which then takes the place of the one before."""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tasks.errors import Fault, UserError
from tasks.hashing import content_id
from tasks.home import Home
from tasks.reporting import latex, page, plots, writing
from tasks.reporting.comparison import Comparison
from tasks.reporting.contents import Contents, gather
from tasks.warehouse.snapshot import reader

FORMATS = ("png", "svg", "pdf")


def render(home: Home, builds: Sequence[str] = (), runs: Sequence[str] = (), name: str | None = None) -> dict[str, str]:
    """Render the report of dataset versions, or of runs, into `reports/<name>/` and point `reports/latest` at it.

    Args:
        home: where the database is and the report goes
        builds: dataset versions, one for each dataset; all their runs are shown
        runs: show just these runs
        name: folder of the report; by default the dataset and the digits of the dataset version

    Returns:
        paths of `html`, `markdown` and the folders of `figures` and `tables`, and the `headline`

    Raises `UserError` for an unknown id or a bad name, `Fault` where the report cannot be written.
    """
    if name is not None and (not re.fullmatch(r"[\w.-]+", name) or name.startswith(".") or name == "latest"):
        raise UserError(f"A report cannot be named {name!r}: use letters, digits, dots and dashes.")
    with reader(home) as con:
        report = gather(con, builds, runs)
    name = name or _name(report, runs)
    folder = _publish(home, name, lambda aside: _write(report, aside), newest=True)
    return {
        "html": str(folder / "report.html"),
        "markdown": str(folder / "report.md"),
        "figures": str(folder / "figures"),
        "tables": str(folder / "tables"),
        "headline": report.headline,
    }


def render_comparison(home: Home, found: Comparison) -> Path:
    """Write the page of a comparison into `reports/compare-<first>-<second>/` and return its path."""

    def write(folder: Path) -> None:
        (folder / "compare.html").write_text(page.comparison(found), encoding="utf-8")

    return _publish(home, f"compare-{found.first[:8]}-{found.second[:8]}", write) / "compare.html"


def _publish(home: Home, name: str, write: Callable[[Path], None], newest: bool = False) -> Path:
    """Let `write` fill a folder aside, then put it in the place of `reports/<name>`; point `latest` at the `newest`."""
    aside = None
    try:
        home.reports.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=home.reports))
        write(aside)
        aside.chmod(0o755)
        with _only_one(home, name):
            _take_place(aside, home.reports / name)
            if newest:
                _point(home.reports / "latest", name)
    except OSError as error:
        raise Fault(
            f"The report {name} could not be written to {home.reports} ({error.strerror}): make room there, or make it "
            "writable, then run the command again."
        ) from error
    finally:
        if aside:
            shutil.rmtree(aside, ignore_errors=True)
    return home.reports / name


def _name(report: Contents, runs: Sequence[str]) -> str:
    chosen = report.selection
    versions = chosen.builds or chosen.agent_runs
    digits = versions[0] if len(chosen.builds) == 1 else content_id(*versions)
    name = f"{'-'.join(chosen.datasets or chosen.benchmarks)}-{digits[:12]}"
    return f"{name}-{content_id(*sorted(runs))[:8]}" if runs else name


def _write(report: Contents, folder: Path) -> None:
    (folder / "report.html").write_text(page.html(report), encoding="utf-8")
    if report.readings:
        (folder / "readings.html").write_text(page.readings(report), encoding="utf-8")
    (folder / "report.md").write_text(page.text(report), encoding="utf-8")
    (folder / "tables").mkdir()
    for table in (table for section in report.sections for table in section.tables if table.rows):
        (folder / "tables" / f"{table.query.name}.tex").write_text(latex.table(table), encoding="utf-8")
        (folder / "tables" / f"{table.query.name}.csv").write_text(writing.csv(table), encoding="utf-8")
    (folder / "figures").mkdir()
    for section in report.sections:
        for figure in section.figures:
            for form, content in plots.files(figure.panels, FORMATS).items():
                (folder / "figures" / f"{figure.name}.{form}").write_bytes(content)


@contextmanager
def _only_one(home: Home, name: str) -> Iterator[None]:
    """Two renderings of one report may end at the same time: the folders change places one after the other."""
    home.locks.mkdir(parents=True, exist_ok=True)
    with (home.locks / f"report-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _take_place(aside: Path, folder: Path) -> None:
    old = folder.parent / f".{folder.name}.old"
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    aside.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _point(link: Path, name: str) -> None:
    new = link.parent / f".latest.{os.getpid()}"
    new.unlink(missing_ok=True)
    new.symlink_to(name)
    new.replace(link)
