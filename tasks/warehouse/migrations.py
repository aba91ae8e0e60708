"""Bring a database to the schema of this checkout: numbered SQL files, each applied once, then the views."""

from pathlib import Path

import duckdb

from tasks.errors import Fault, UserError
from tasks.hashing import sha256

VIEWS = "views"
"""Name under which table `migrations` records the views, which are replaced whenever a file of theirs changes."""

_TABLE = """
CREATE TABLE IF NOT EXISTS migrations (
    name VARCHAR PRIMARY KEY,
    sha256 VARCHAR NOT NULL,
    applied_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE migrations IS 'Schema files applied to this database';
COMMENT ON COLUMN migrations.name IS 'File in sql/schema/ without its suffix; views for all files in sql/views/';
COMMENT ON COLUMN migrations.sha256 IS 'SHA-256 of the SQL text that was applied';
COMMENT ON COLUMN migrations.applied_at IS 'When it was applied (UTC)';
"""


def pending(con: duckdb.DuckDBPyConnection, sql: Path) -> list[str]:
    """Names of the migrations, and `views`, that `apply` would run on the connected database.

    Raises `UserError` where the database was made by a newer treebench, or by another text of a migration.
    """
    applied = _applied(con)
    files = _migrations(sql)
    for name in applied.keys() - files.keys() - {VIEWS}:
        raise UserError(
            f"The database records migration {name}, which this version of treebench does not have: "
            "update treebench to the version that wrote it."
        )
    for name in applied.keys() & files.keys():
        if applied[name] != sha256(files[name]):
            raise UserError(
                f"Migration {name} was changed after the database was made with it: "
                "run `treebench recover`, which rebuilds the database from the journal."
            )
    names = [name for name in files if name not in applied]
    if applied.get(VIEWS) != _views_hash(sql):
        names.append(VIEWS)
    return names


def apply(con: duckdb.DuckDBPyConnection, sql: Path, views: bool = True) -> list[str]:
    """Run what is pending, each migration in a transaction with the record of it; returns the names run.

    The views are left alone where `views` is False.

    Raises as `pending` does, and `Fault` when a file cannot be run; that file then leaves no trace.
    """
    con.execute(_TABLE)
    names = pending(con, sql)
    files = _migrations(sql)
    for name in names:
        if name != VIEWS:
            _run(con, name, sha256(files[name]), [(f"sql/schema/{name}.sql", files[name])])
    if views and VIEWS in names:
        scripts = [(f"sql/views/{path.name}", path.read_text("utf-8")) for path in _view_files(sql)]
        _run(con, VIEWS, _views_hash(sql), [("the views", _drop_views(con)), *scripts])
    return names


def _run(con: duckdb.DuckDBPyConnection, name: str, digest: str, scripts: list[tuple[str, str]]) -> None:
    con.execute("BEGIN")
    try:
        for where, text in scripts:
            _execute(con, where, text)
        con.execute(
            "INSERT INTO migrations VALUES (?, ?, now() AT TIME ZONE 'UTC') "
            "ON CONFLICT DO UPDATE SET sha256 = excluded.sha256, applied_at = excluded.applied_at",
            [name, digest],
        )
        con.execute("COMMIT")
    except Fault:
        con.execute("ROLLBACK")
        raise


def _execute(con: duckdb.DuckDBPyConnection, where: str, text: str) -> None:
    try:
        con.execute(text)
    except (duckdb.ProgrammingError, duckdb.DataError, duckdb.IntegrityError, duckdb.NotSupportedError) as error:
        reason = str(error).splitlines()[0]
        raise Fault(
            f"{where} cannot be applied to the database ({reason}): check that this checkout is complete, "
            "then run the command again."
        ) from error


def _applied(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    known = con.execute(
        "SELECT 1 FROM duckdb_tables() WHERE table_name = 'migrations' AND database_name = current_database()"
    ).fetchone()
    return dict(con.execute("SELECT name, sha256 FROM migrations").fetchall()) if known else {}


def _migrations(sql: Path) -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in sorted((sql / "schema").glob("[0-9]*.sql"))}


def _view_files(sql: Path) -> list[Path]:
    return sorted((sql / "views").glob("*.sql"))


def _views_hash(sql: Path) -> str:
    return sha256("\0".join(f"{path.name}\0{path.read_text('utf-8')}" for path in _view_files(sql)))


def _drop_views(con: duckdb.DuckDBPyConnection) -> str:
    """Statements that drop every view and macro, so that none outlives its file."""
    views = con.execute(
        "SELECT view_name FROM duckdb_views() WHERE NOT internal AND database_name = current_database()"
    ).fetchall()
    macros = con.execute(
        "SELECT DISTINCT function_name, function_type FROM duckdb_functions() WHERE NOT internal "
        "AND database_name = current_database() AND function_type IN ('macro', 'table_macro')"
    ).fetchall()
    drops = [f'DROP VIEW "{name}";' for (name,) in views]
    drops += [f'DROP MACRO {"TABLE " if kind == "table_macro" else ""}"{name}";' for name, kind in macros]
    return "\n".join(drops) or "SELECT 1;"
