"""Journal files into tables, the same result whatever the order, the grouping and the number of times.

Of several rows with one key one is kept, chosen by the rows alone: in tables with `recorded_at` the latest (rows
without a time are older than all others); in the others the one with the earliest time (they are written once, so
this is the first). Equal times are decided by the other columns.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb

from tasks.errors import Fault
from tasks.warehouse.database import name as q
from tasks.warehouse.database import quoted, reason
from tasks.warehouse.location import Location
from tasks.warehouse.schema import Table

BATCH_BYTES = 128 * 1024 * 1024
"""Journal files loaded by one statement: bounds the memory that sorting repeated rows can take."""

BATCH_FILES = 500
"""Journal files loaded by one statement at most."""

OBJECT_BYTES = 16 * 1024 * 1024
"""Smallest read buffer; a file with longer lines than that gets one of the size of the file."""


def load(
    con: duckdb.DuckDBPyConnection, tables: dict[str, Table], location: Location, names: Sequence[str]
) -> dict[str, int]:
    """Load these files and record them, in the open transaction; returns rows read by table.

    Raises `Fault` naming the file that cannot be loaded.
    """
    by_table: dict[str, list[str]] = defaultdict(list)
    for file in names:
        by_table[file.partition("/")[0]].append(file)
    if unknown := sorted(by_table.keys() - tables.keys()):
        raise Fault(
            f"Journal file {by_table[unknown[0]][0]} is for table {unknown[0]}, which this version of treebench does "
            "not have: update treebench to the version that wrote it."
        )
    rows: dict[str, int] = {}
    for table_name, files in sorted(by_table.items()):
        rows[table_name] = 0
        with location.local(files) as paths:
            for batch in _batches(list(zip(files, paths, strict=True))):
                rows[table_name] += _load_batch(con, tables[table_name], batch)
    return rows


def _load_batch(con: duckdb.DuckDBPyConnection, table: Table, batch: list[tuple[str, Path]]) -> int:
    paths = [path for _, path in batch]
    try:
        con.execute(f"CREATE OR REPLACE TEMP TABLE staged AS {select(table, paths)}")
    except duckdb.Error as error:
        raise culprit(table, batch, error) from error
    counts = dict(con.execute('SELECT "#file", count(*) FROM staged GROUP BY ALL').fetchall())
    try:
        con.execute(upsert(table, "staged"))
    except (duckdb.ConstraintException, duckdb.ConversionException) as error:
        raise culprit(table, batch, error) from error
    con.executemany(
        "INSERT INTO journal_files VALUES (?, ?, ?, now() AT TIME ZONE 'UTC')",
        [[file, table.name, counts.get(str(path), 0)] for file, path in batch],
    )
    con.execute("DROP TABLE staged")
    return sum(counts.values())


def select(table: Table, paths: Sequence[Path]) -> str:
    """SQL that reads files of a table with its types, and a column `#file` with the path."""
    columns = ", ".join(f"{quoted(column)}: '{'JSON' if c.type == 'JSON' else 'VARCHAR'}'"
                        for column, c in table.columns.items())  # fmt: skip
    longest = max((path.stat().st_size for path in paths), default=0)
    casts = []
    for column in table.columns.values():
        value = f"{q(column.name)}::{column.type}"
        if column.required and column.default is not None:
            value = f"coalesce({value}, {column.default})"
        casts.append(f"{value} AS {q(column.name)}")
    return (
        f'SELECT {", ".join(casts)}, filename AS "#file" FROM read_json([{", ".join(map(quoted, paths))}], '
        f"format='newline_delimited', columns={{{columns}}}, filename=true, "
        f"maximum_object_size={max(OBJECT_BYTES, longest + 1)})"
    )


def winners(table: Table, relation: str) -> str:
    """SQL that selects, of each key in `relation`, the row that is kept."""
    columns = ", ".join(map(q, table.columns))
    order = ["recorded_at DESC"] if table.replaceable else []
    if table.others:
        order.append(_row(table, "r"))
    ordering = f" ORDER BY {', '.join(order)}" if order else ""
    keys = ", ".join(map(q, table.key))
    return f"SELECT {columns} FROM {relation} r QUALIFY row_number() OVER (PARTITION BY {keys}{ordering}) = 1"


def upsert(table: Table, relation: str) -> str:
    """SQL that puts the rows of `relation` into the table, keeping of each key the row that wins."""
    columns = ", ".join(map(q, table.columns))
    statement = f"INSERT INTO {q(table.name)} ({columns}) {winners(table, relation)} ON CONFLICT "
    if not table.others:
        return statement + "DO NOTHING"
    keys = ", ".join(map(q, table.key))
    sets = ", ".join(f"{q(column)} = excluded.{q(column)}" for column in table.others)
    new, old = _row(table, "excluded"), _row(table, q(table.name))
    better = f"{new} < {old}"
    if table.replaceable:
        here = f"{q(table.name)}.recorded_at"
        later = f"excluded.recorded_at > {here} OR ({here} IS NULL AND excluded.recorded_at IS NOT NULL)"
        better = f"{later} OR (excluded.recorded_at IS NOT DISTINCT FROM {here} AND {better})"
    return f"{statement}({keys}) DO UPDATE SET {sets} WHERE {better}"


def _row(table: Table, alias: str) -> str:
    return f"row({', '.join(f'{alias}.{q(column)}' for column in table.others)})"


def _batches(files: list[tuple[str, Path]]) -> Iterator[list[tuple[str, Path]]]:
    batch: list[tuple[str, Path]] = []
    size = 0
    for file, path in files:
        bytes_ = path.stat().st_size
        if batch and (size + bytes_ > BATCH_BYTES or len(batch) == BATCH_FILES):
            yield batch
            batch, size = [], 0
        batch.append((file, path))
        size += bytes_
    if batch:
        yield batch


def culprit(table: Table, batch: Sequence[tuple[str, Path]], error: duckdb.Error) -> Fault:
    """The failure with the name of the first file that cannot be read by itself."""
    bad, why = batch[0][0], reason(error)
    with duckdb.connect() as probe:
        for file, path in batch:
            required = " OR ".join(f"{q(c.name)} IS NULL" for c in table.columns.values() if c.required) or "false"
            try:
                missing = probe.execute(f"SELECT count(*) FROM ({select(table, [path])}) WHERE {required}").fetchone()
            except duckdb.Error as failure:
                bad, why = file, reason(failure)
                break
            if missing and missing[0]:
                bad, why = file, f"{missing[0]} of its rows lack a required column"
                break
    return Fault(f"Journal file {bad} cannot be loaded into table {table.name} ({why}): move it out of the journal, "
                 "then run the command again.")  # fmt: skip
