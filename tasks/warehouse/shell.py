"""`treebench sql`: one statement, or a shell that always reads the newest snapshot and holds no lock.

Each statement opens the snapshot and lets go of it again, so what is published meanwhile is seen by the next one,
and nothing that a statement sets (SET, temporary tables) lasts longer than the line it is entered on.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb

from tasks.errors import TreebenchError, UserError
from tasks.home import Home
from tasks.warehouse import database, snapshot
from tasks.warehouse.printing import print_rows

FORMATS = ("table", "csv", "json")
HELP = (
    ".tables lists tables and views, .schema NAME shows one, .format csv (json, table) chooses how rows are printed, "
    ".export FILE QUERY; writes a .csv, .json or .parquet file, .quit leaves; SQL ends with ;"
)


def run(home: Home, sql: str, format: str = "table") -> None:
    """Run SQL statements or a dot command over the snapshot and print their rows as `table`, `csv` or `json`.

    Raises `UserError` where there is no statement, and with DuckDB's reason on the first one that fails.
    """
    if not sql.strip():
        raise UserError("The statement is empty: write one, such as 'FROM runs', or leave it out for a shell.")
    if sql.lstrip().startswith("."):
        _enter(home, sql, [format])
        return
    with snapshot.reader(home) as con:
        try:
            for statement in con.extract_statements(sql):
                result = con.execute(statement)
                columns = [(column[0], str(column[1])) for column in result.description or []]
                silent = duckdb.ExpectedResultType.NOTHING in statement.expected_result_type
                if not silent or statement.type == duckdb.StatementType.MULTI:  # a PIVOT is several statements
                    print_rows(columns, result.fetchall(), format)
        except duckdb.Error as error:
            raise UserError(f"SQL error: {_explained(error)}") from error


def export(home: Home, sql: str | None, format: str, output: Path) -> None:
    """Write the rows of one statement to a file: as `csv`, `json` (an array) or `parquet`, by DuckDB itself.

    The file appears whole or not at all. Raises `UserError` for anything but one statement with rows, for a failed
    one, and where the file cannot be written.
    """
    options = {
        "csv": "FORMAT csv, HEADER", "json": "FORMAT json, ARRAY", "parquet": "FORMAT parquet, COMPRESSION zstd",
    }.get(format)  # fmt: skip
    if options is None or not sql:
        raise UserError("A file needs one query, and a format: csv, json or parquet, as its suffix or by --format.")
    partial = output.with_name(f".{output.name}.partial")
    with snapshot.reader(home) as con:
        try:
            statements = con.extract_statements(sql)
            if len(statements) != 1 or duckdb.ExpectedResultType.QUERY_RESULT not in statements[0].expected_result_type:
                raise UserError("A file holds the rows of one query: give a single SELECT or FROM.")
            query = _without_semicolon(statements[0].query)
            con.execute(f"COPY ({query}\n) TO {database.quoted(partial)} ({options})")
            partial.replace(output)
        except (duckdb.IOException, OSError) as error:
            raise UserError(f"{output} cannot be written: {database.reason(error)}.") from error
        except duckdb.Error as error:
            raise UserError(f"SQL error: {_explained(error)}") from error
        finally:
            partial.unlink(missing_ok=True)


def interact(home: Home, format: str = "table") -> None:
    """Read statements until the end of input: with history and completion at a terminal, plainly otherwise.

    At a terminal an error is printed and the shell goes on; otherwise the first one is raised, as `run` does.
    """
    chosen = [format]
    if not sys.stdin.isatty():
        for entry in _entries(iter(sys.stdin)):
            if not _enter(home, entry, chosen):
                return
        return
    print(f"{home.snapshot}\n{HELP}")
    for entry in _typed(home):
        try:
            if not _enter(home, entry, chosen):
                return
        except TreebenchError as error:
            print(error, file=sys.stderr)
        except KeyboardInterrupt:
            print("Interrupted.", file=sys.stderr)


def complete(entry: str) -> bool:
    """Whether an entry can be run: a dot command, or SQL up to a semicolon outside of quotes and comments."""
    text = entry.strip()
    if text.startswith(".") and not text.startswith(".export"):
        return True
    return not text or _ends_statement(text)


def names(home: Home) -> list[str]:
    """What a shell can complete: tables, views, columns, macros and keywords, names first."""
    with snapshot.reader(home) as con:
        found = con.execute(
            "SELECT table_name FROM information_schema.tables UNION SELECT column_name FROM duckdb_columns() "
            "WHERE NOT internal UNION SELECT function_name FROM duckdb_functions() WHERE NOT internal ORDER BY ALL"
        ).fetchall()
        keywords = con.execute(
            "SELECT upper(keyword_name) FROM duckdb_keywords() WHERE keyword_category = 'reserved' ORDER BY ALL"
        ).fetchall()
    return [name for (name,) in [*found, *keywords]]


def _enter(home: Home, entry: str, chosen: list[str]) -> bool:
    """Run one entry; False when it asks to leave. The first of `chosen` is the format, which `.format` changes."""
    text = entry.strip()
    if not text:
        return True
    if not text.startswith("."):
        run(home, text, chosen[0])
        return True
    command, _, argument = text.rstrip(";").partition(" ")
    match command:
        case ".quit" | ".exit":
            return False
        case ".help":
            print(HELP)
        case ".tables":
            _tables(home, chosen[0])
        case ".schema":
            _schema(home, argument.strip(), chosen[0])
        case ".format":
            if argument.strip() not in FORMATS:
                raise UserError(f"There is no format {argument.strip()!r}: choose one of {', '.join(FORMATS)}.")
            chosen[0] = argument.strip()
        case ".export":
            file, query = [*argument.split(maxsplit=1), "", ""][:2]
            export(home, query, Path(file).suffix.removeprefix("."), Path(file))
            print(f"{file} written", file=sys.stderr)
        case _:
            raise UserError(f"There is no command {command}: {HELP}.")
    return True


def _tables(home: Home, format: str) -> None:
    with snapshot.reader(home) as con:
        found = con.execute(
            "SELECT table_name AS name, 'table' AS kind, estimated_size AS rows, comment FROM duckdb_tables() "
            "WHERE NOT internal UNION ALL SELECT view_name, 'view', NULL, comment FROM duckdb_views() "
            "WHERE NOT internal ORDER BY kind, name"
        )
        print_rows([(column[0], str(column[1])) for column in found.description or []], found.fetchall(), format)


def _schema(home: Home, table: str, format: str) -> None:
    with snapshot.reader(home) as con:
        found = con.execute(
            "SELECT column_name AS column, data_type AS type, is_nullable AS nullable, comment FROM duckdb_columns() "
            "WHERE table_name = ? AND NOT internal ORDER BY column_index",
            [table],
        )
        columns = [(column[0], str(column[1])) for column in found.description or []]
        rows = found.fetchall()
    if not rows:
        raise UserError(f"There is no table or view {table or 'without a name'}: .tables lists them.")
    print_rows(columns, rows, format)


def _typed(home: Home) -> Iterator[str]:
    """Entries from a terminal."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import get_app
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.lexers import PygmentsLexer
    from pygments.lexers.sql import SqlLexer

    def candidates() -> list[str]:
        try:
            return names(home)
        except TreebenchError:
            return []  # said when the statement runs

    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(home.root / "sql_history")),
        lexer=PygmentsLexer(SqlLexer),
        completer=WordCompleter(candidates, ignore_case=True),
        complete_while_typing=False,
        multiline=Condition(lambda: not complete(get_app().current_buffer.text)),
    )
    while True:
        try:
            yield session.prompt("treebench> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def _entries(lines: Iterator[str]) -> Iterator[str]:
    """Statements and dot commands from lines of text; the last one needs no semicolon."""
    entry = ""
    for line in lines:
        entry += line
        if complete(entry):
            yield entry
            entry = ""
    yield entry


def _ends_statement(text: str) -> bool:
    """Whether the SQL text ends with a semicolon, as DuckDB reads it; comments may follow."""
    return not _tokens(text) or _without_semicolon(text) != text


def _without_semicolon(text: str) -> str:
    """The text up to the semicolon that ends it; all of it where none does."""
    tokens, encoded = _tokens(text), text.encode("utf-8", "replace")
    if tokens and encoded[tokens[-1] : tokens[-1] + 1] == b";":
        return encoded[: tokens[-1]].decode("utf-8")
    return text


def _tokens(text: str) -> list[int]:
    """Where the tokens of SQL text start, in bytes; comments are none."""
    return [start for start, kind in duckdb.tokenize(text) if kind != duckdb.token_type.comment]


def _explained(error: duckdb.Error) -> str:
    """DuckDB's message as one line, without the picture of the statement."""
    lines = str(error).split("\n\nLINE ")[0].splitlines()
    return " ".join(line.strip() for line in lines if line.strip()) or database.reason(error)
