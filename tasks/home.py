"""Where things lie on disk: the checkout, and `TREEBENCH_HOME` with everything a run leaves behind."""

import os
from dataclasses import dataclass
from pathlib import Path

from tasks.errors import UserError

PROJECT = Path(__file__).resolve().parent.parent
"""The checkout: `sql/`, `datasets/` and `reports/` are read from here."""


@dataclass(frozen=True)
class Home:
    """The folder of one installation. All data of all runs lies under `root`; deleting it forgets them."""

    root: Path

    @property
    def journal(self) -> str:
        """Sealed journal files; any fsspec location (`TREEBENCH_JOURNAL`), by default under `root`."""
        return os.environ.get("TREEBENCH_JOURNAL") or str(self.root / "journal")

    @property
    def spool(self) -> Path:
        """Journal files that are still being written, one writer each; always on a local disk."""
        return self.root / "spool"

    @property
    def responses(self) -> Path:
        """Retrieved response bodies, one file each, named by SHA-256."""
        return self.root / "responses"

    @property
    def live(self) -> Path:
        """The live DuckDB database: only the ingest step opens it."""
        return self.root / "warehouse" / "live" / "live.duckdb"

    @property
    def snapshot(self) -> Path:
        """The published database that people and reports read."""
        return self.root / "treebench.duckdb"

    @property
    def parquet(self) -> Path:
        """The published tables as Parquet files."""
        return self.root / "parquet"

    @property
    def downloads(self) -> Path:
        """Model weights and vocabularies taken from pinned registry packages."""
        return self.root / "downloads"

    @property
    def reports(self) -> Path:
        """Rendered reports, one folder a build."""
        return self.root / "reports"

    @property
    def locks(self) -> Path:
        """Lock files; a lock ends with the process that holds it."""
        return self.root / "locks"

    @property
    def prefect(self) -> Path:
        """Home of the Prefect server that commands start when no PREFECT_API_URL is set."""
        return self.root / "prefect"


def home() -> Home:
    """The home named by `TREEBENCH_HOME`, by default `.treebench` in the checkout. Created if absent.

    Raises `UserError` where there can be no such folder.
    """
    root = Path(os.environ.get("TREEBENCH_HOME") or PROJECT / ".treebench").expanduser().resolve()
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{root} cannot be the home ({error.strerror}): set TREEBENCH_HOME to a folder.") from error
    return Home(root)
