"""Opening DuckDB files, and telling in one sentence why one cannot be opened or written."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from tasks.errors import Fault, TreebenchError, UserError

STORAGE_VERSION = "v1.5.0"
"""Storage format of every file, which DuckDB 1.5 reads too."""

LOCK_SECONDS = 20.0
"""How long to wait for a program that has the live database open."""


def create(path: Path) -> None:
    """Make an empty database in the format that DuckDB 1.5 reads."""
    with duckdb.connect() as con:
        con.execute(f"ATTACH {quoted(path)} AS made (STORAGE_VERSION '{STORAGE_VERSION}')")
        con.execute("DETACH made")


def reading(path: Path, wait: float = LOCK_SECONDS) -> duckdb.DuckDBPyConnection:
    """A read-only connection to `path`, as a database of its own name `treebench`.

    Every call reads the file anew, also where this process still reads the one that was replaced by it. What a query
    has no memory for goes beside the file, not to the folder that the command was started in.
    Raises `UserError` where the file is no database or is damaged, `Fault` where another program writes it.
    """
    deadline = time.monotonic() + wait
    while True:
        con = duckdb.connect(config={"temp_directory": f"{path}.tmp"})
        try:
            con.execute(f"ATTACH {quoted(path)} AS treebench (READ_ONLY, TYPE duckdb)")
            con.execute("USE treebench")
            return con
        except duckdb.Error as error:
            con.close()
            if not _is_lock(error):
                raise _unreadable(path, error) from error
            if time.monotonic() >= deadline:
                raise Fault(
                    f"{path} is open in {_lock_holder(error)}: close it there (people read the snapshot "
                    "instead: `treebench sql`), then run the command again."
                ) from error
        time.sleep(0.1)


@contextmanager
def writing(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that writes a file which nobody else uses yet; nothing is checkpointed unasked.

    Raises `Fault` where the disk is full. Damage is for `damage_told` around this.
    """
    try:
        with duckdb.connect(str(path), config={"checkpoint_threshold": "1TB"}) as con:
            con.execute("PRAGMA disable_checkpoint_on_shutdown")
            yield con
    except TreebenchError:
        raise
    except duckdb.Error as error:
        if _is_damage(error):
            raise
        raise Fault(f"{path} cannot be written ({reason(error)}): nothing published has changed; make room, then run "
                    "the command again.") from error  # fmt: skip


def quoted(value: object) -> str:
    """A SQL string literal."""
    return "'" + str(value).replace("'", "''") + "'"


def name(identifier: str) -> str:
    """A quoted SQL identifier."""
    return '"' + identifier.replace('"', '""') + '"'


def reason(error: BaseException) -> str:
    """What an operating system error is about, or the first line of a DuckDB message."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Turn DuckDB's complaints about blocks of the database at `path` into a `UserError`.

    A damaged file may well open: it shows when the blocks are read.
    """
    try:
        yield
    except duckdb.Error as error:
        if _is_damage(error):
            raise _unreadable(path, error) from error
        raise


def _is_damage(error: duckdb.Error) -> bool:
    text = str(error).lower()
    return any(sign in text for sign in ("corrupt", "checksum", "could not read enough bytes", "serialization error"))


def _unreadable(path: Path, error: duckdb.Error) -> UserError:
    return UserError(f"Database {path} cannot be read ({reason(error)}): run `treebench recover`, which rebuilds it "
                     "from the journal.")  # fmt: skip


def _is_lock(error: duckdb.Error) -> bool:
    text = str(error)
    return "Could not set lock" in text or "different configuration" in text


def _lock_holder(error: duckdb.Error) -> str:
    found = re.search(r"held in (.*?) ?\(PID (\d+)\)", str(error), re.DOTALL)
    return f"process {found[2]} ({found[1].strip()})" if found else "another program"
