"""What the tables look like: read from a database, or from the migrations of this checkout."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import duckdb

from tasks.home import PROJECT
from tasks.warehouse import migrations

SQL = PROJECT / "sql"
"""`schema/` (numbered migrations) and `views/` of this checkout."""

BOOKKEEPING = frozenset({"migrations", "journal_files"})
"""Tables that the warehouse keeps about itself; no journal row goes there."""


@dataclass(frozen=True)
class Column:
    """One column: its SQL type, whether NULL is refused, and its default expression."""

    name: str
    type: str
    required: bool
    default: str | None
    choices: tuple[str, ...] = ()
    """Allowed values, for an enumeration."""


@dataclass(frozen=True)
class Table:
    """One table with its columns in order and its primary key."""

    name: str
    columns: dict[str, Column]
    key: tuple[str, ...]

    @property
    def replaceable(self) -> bool:
        """Whether a row with a later `recorded_at` replaces an earlier one of the same key."""
        return "recorded_at" in self.columns

    @property
    def others(self) -> tuple[str, ...]:
        """Columns outside the key, times first: what rows of one key are compared by."""
        names = [name for name in self.columns if name not in self.key]
        return tuple(sorted(names, key=lambda name: self.columns[name].type != "TIMESTAMP"))


def read(con: duckdb.DuckDBPyConnection) -> dict[str, Table]:
    """The tables of the connected database that journal rows go to, by name."""
    columns: dict[str, dict[str, Column]] = {}
    for table, name, type_, nullable, default in con.execute(
        "SELECT table_name, column_name, data_type, is_nullable, column_default FROM duckdb_columns() "
        "WHERE NOT internal AND database_name = current_database() AND table_name IN "
        "(SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()) "
        "ORDER BY table_name, column_index"
    ).fetchall():
        columns.setdefault(table, {})[name] = Column(name, type_, not nullable, default, _choices(con, type_))
    keys = dict(
        con.execute(
            "SELECT table_name, constraint_column_names FROM duckdb_constraints() "
            "WHERE constraint_type = 'PRIMARY KEY' AND database_name = current_database()"
        ).fetchall()
    )
    return {
        name: Table(name, found, tuple(keys.get(name, ())))
        for name, found in columns.items()
        if name not in BOOKKEEPING
    }


@lru_cache(maxsize=8)
def declared(sql: Path = SQL) -> dict[str, Table]:
    """The tables that the migrations of a checkout make; built once a process, in memory."""
    with duckdb.connect() as con:
        migrations.apply(con, sql, views=False)
        return read(con)


def _choices(con: duckdb.DuckDBPyConnection, type_: str) -> tuple[str, ...]:
    if not type_.startswith("ENUM("):
        return ()
    found = con.execute(f"SELECT enum_range(NULL::{type_})").fetchone()
    return tuple(found[0]) if found else ()
