"""Reading the published snapshot, which no run ever waits for, and the journal rows that are younger than it."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from tasks.errors import UserError
from tasks.home import Home
from tasks.warehouse import database, migrations
from tasks.warehouse.ingest import sync
from tasks.warehouse.journal import location
from tasks.warehouse.loading import culprit, select, winners
from tasks.warehouse.location import SUFFIX
from tasks.warehouse.schema import SQL, Table, declared

LATEST = ("runs", "run_examples", "predictions", "model_calls")
"""Tables that show what is going on in a run."""


@contextmanager
def reader(home: Home, sql: Path = SQL) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection to the snapshot as it is now; one that is published later is not seen.

    A snapshot with an older schema, or older views, than this checkout is published anew before it is read.

    Raises `UserError` where there is none, where it cannot be read, or where a newer treebench has written it.
    """
    if not home.snapshot.exists():
        raise absent(home)
    with database.reading(home.snapshot) as con, database.damage_told(home.snapshot):
        outdated = migrations.pending(con, sql)
    if outdated and home.live.exists():  # a snapshot that was copied here alone is read as it is
        sync(home, sql=sql)
    with database.reading(home.snapshot) as con, database.damage_told(home.snapshot):
        yield con


def absent(home: Home) -> UserError:
    """That there is no snapshot, and what makes one: `recover` where the journal or the live database is there."""
    if home.live.exists() or any(home.spool.glob("*/*")) or location(home).names():
        return UserError(f"There is no snapshot {home.snapshot}: run `treebench recover`, which publishes the journal.")
    return UserError(f"There is no snapshot {home.snapshot} yet: run `treebench rebuild`.")


def rows(home: Home, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> list[dict[str, Any]]:
    """All rows of a query over the snapshot, as dicts by column name. Raises as `reader` does."""
    with reader(home) as con:
        return fetch(con, sql, parameters)


def fetch(
    con: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()
) -> list[dict[str, Any]]:
    """All rows of a query, as dicts by column name."""
    result = con.execute(sql, parameters) if parameters else con.execute(sql)
    columns = [column[0] for column in result.description or []]
    return [dict(zip(columns, values, strict=True)) for values in result.fetchall()]


@contextmanager
def fresh(home: Home, tables: Sequence[str] = LATEST) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to the snapshot in which `tables` also hold the journal rows that are not loaded yet.

    Rows of processes that are still writing are among them. Views still read what is published. Where there is no
    snapshot yet all other tables are empty. Raises as `reader` does, and `Fault` naming a journal file that cannot be
    loaded.
    """
    if home.snapshot.exists():
        with reader(home) as con:
            yield _extended(con, home, tables)
    else:
        with duckdb.connect(config={"temp_directory": f"{home.snapshot}.tmp"}) as con:
            migrations.apply(con, SQL)
            yield _extended(con, home, tables)


def fresh_rows(home: Home, sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """All rows of a query over `fresh`, as dicts by column name."""
    with fresh(home) as con:
        return fetch(con, sql, parameters)


def _extended(con: duckdb.DuckDBPyConnection, home: Home, tables: Sequence[str]) -> duckdb.DuckDBPyConnection:
    with _aside(home) as folder:
        # The spool first: a file that moves from there to the journal meanwhile is then seen twice, not never.
        spooled = {table: _whole_lines(home, table, folder) if folder else [] for table in tables}
        journal = location(home)
        loaded = {name for (name,) in con.execute("SELECT file FROM journal_files").fetchall()}
        tail = [name for name in journal.names() if name not in loaded]
        for table in tables:
            names = [name for name in tail if name.startswith(f"{table}/")]
            with journal.local(names) as sealed:
                own = [(str(home.spool / table / copy.name), copy) for copy in spooled[table]]
                if files := [*zip(names, sealed, strict=True), *own]:
                    _extend(con, declared()[table], files)
    return con


def _extend(con: duckdb.DuckDBPyConnection, table: Table, files: Sequence[tuple[str, Path]]) -> None:
    """Put a temporary view before the table, which holds the rows of `files` as if they had been loaded.

    `files` are names, for messages, with where the files lie. Raises `Fault` naming the one that cannot be loaded.
    """
    published = f"{database.name(_current(con))}.main.{database.name(table.name)}"
    tail = database.name(f"{table.name}_tail")
    columns = ", ".join(map(database.name, table.columns))
    keys = ", ".join(map(database.name, table.key))
    rows_of_files = select(table, [path for _, path in files])
    try:
        con.execute(f"CREATE TEMP TABLE {tail} AS SELECT {columns} FROM ({rows_of_files})")
    except duckdb.Error as error:
        raise culprit(table, files, error) from error
    con.execute(f"INSERT INTO {tail} SELECT {columns} FROM {published} SEMI JOIN {tail} USING ({keys})")
    con.execute(
        f"CREATE TEMP VIEW {database.name(table.name)} AS SELECT {columns} FROM {published} "
        f"ANTI JOIN {tail} USING ({keys}) UNION ALL ({winners(table, tail)})"
    )


def _current(con: duckdb.DuckDBPyConnection) -> str:
    found = con.execute("SELECT current_database()").fetchone()
    assert found is not None
    return found[0]


@contextmanager
def _aside(home: Home) -> Iterator[Path | None]:
    """A folder in the home for copies of the spool; None where there is nothing to copy, in a home only to be read.

    Texts of a gated benchmark are among the rows: they stay in the home, also where this process is killed.
    """
    if not any(home.spool.glob("*/*")):
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="reading-", dir=home.root) as folder:
        yield Path(folder)


def _whole_lines(home: Home, table: str, folder: Path) -> list[Path]:
    """Copies of the spool files of a table, without lines that are just being written."""
    copies = []
    for path in sorted((home.spool / table).glob(f"*{SUFFIX}")):
        try:
            content = path.read_bytes()
        except FileNotFoundError:  # sealed or recovered since: it is in the journal now
            continue
        copy = folder / table / path.name
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(content[: content.rfind(b"\n") + 1])
        copies.append(copy)
    return copies
