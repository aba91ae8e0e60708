"""Load the journal into the live database and publish it: the only step that writes the warehouse."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tasks.errors import Fault, UserError
from tasks.home import Home
from tasks.warehouse import database, generations, migrations, publishing
from tasks.warehouse.journal import location, recover
from tasks.warehouse.loading import load
from tasks.warehouse.location import Location
from tasks.warehouse.locks import WAIT_SECONDS, exclusive
from tasks.warehouse.schema import SQL, declared, read


@dataclass(frozen=True)
class Synced:
    """What a sync did."""

    snapshot: Path
    """The published database."""
    rows: dict[str, int] = field(default_factory=dict)
    """Journal rows loaded, by table; repeated rows count too."""
    files: int = 0
    """Journal files loaded."""
    published: bool = False
    """Whether anything was new, so that a snapshot was published."""
    aside: Path | None = None
    """Where a rebuild put the live database that it replaces."""


def sync(home: Home, wait: float = WAIT_SECONDS, sql: Path = SQL) -> Synced:
    """Load every journal file not loaded yet, bring the schema up to date and publish the snapshot.

    Safe to repeat, and to kill at any moment. `wait` bounds the seconds spent waiting for another process.
    Raises `UserError` where the live database is damaged or newer than this checkout, and `Fault` where another
    process keeps the warehouse, a journal file cannot be loaded, or the disk is full.
    """
    with exclusive(lock_file(home), wait):
        return sync_locked(home, wait, sql)


def lock_file(home: Home) -> Path:
    """The lock that whoever writes the warehouse holds."""
    return home.locks / "ingest.lock"


def sync_locked(home: Home, wait: float = WAIT_SECONDS, sql: Path = SQL) -> Synced:
    """`sync` for a caller that holds the lock."""
    if any(character in str(home.root) for character in "?\\"):
        raise UserError(f"DuckDB cannot keep files in {home.root}: set TREEBENCH_HOME to a folder without ? and \\.")
    generations.clean(home)
    recover(home)
    journal = location(home)
    base = generations.current(home)
    names = journal.names()
    loaded, outdated = _state(base, wait, sql)
    new = [name for name in names if name not in loaded]
    unpublished = publishing.missing(home, declared(sql)) or not home.snapshot.exists()
    if base is not None and not new and not outdated and not unpublished:
        return Synced(home.snapshot)
    try:
        fresh = generations.copy(home, base)
        with database.damage_told(home.live):
            rows = _advance(fresh, sql, journal, new)
        tables = declared(sql)
        changed = tables if outdated else {*rows, *publishing.missing(home, tables)}
        publishing.publish(home, fresh, sorted(changed))
        generations.switch(home, fresh)
    except OSError as error:
        raise Fault(
            f"{error.filename or home.root} cannot be written ({error.strerror}): nothing in the journal is "
            "lost; make room, then run the command again."
        ) from error
    finally:
        generations.clean(home)  # the generation before, or what has failed
    return Synced(home.snapshot, rows, len(new), True)


def _state(base: Path | None, wait: float, sql: Path) -> tuple[set[str], bool]:
    """Journal files that the live database holds, and whether its schema or views are behind this checkout."""
    if base is None:
        return set(), True
    with database.reading(base, min(wait, database.LOCK_SECONDS)) as con, database.damage_told(base):
        outdated = bool(migrations.pending(con, sql))
        try:
            return {name for (name,) in con.execute("SELECT file FROM journal_files").fetchall()}, outdated
        except database.duckdb.CatalogException:
            return set(), outdated  # made by a migration that is still pending


def _advance(fresh: Path, sql: Path, journal: Location, new: Sequence[str]) -> dict[str, int]:
    """Bring the unpublished copy up to date and checkpoint it; returns rows loaded by table."""
    with database.writing(fresh) as con:
        migrations.apply(con, sql)
        con.execute("BEGIN")
        rows = load(con, read(con), journal, new)
        con.execute("COMMIT")
        con.execute("CHECKPOINT")
    return rows
