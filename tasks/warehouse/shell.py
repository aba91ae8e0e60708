"""`treebench sql`: one statement, or a shell that always reads the newest snapshot and holds no lock.

Each statement opens the snapshot and lets go of it again, so what is published meanwhile is seen by the next one,
and nothing that a statement sets (SET, temporary tables) lasts longer than the line it is entered on.
"""

import sys
from collections.abc import Iterator

import duckdb

from tasks.errors import TreebenchError, UserError
from tasks.home import Home
from tasks.warehouse import database, snapshot
from tasks.warehouse.printing import print_rows

HELP = ".tables lists tables and views, .schema NAME shows one, .quit leaves; SQL ends with ;"


def run(home: Home, sql: str, format: str = "table") -> None:
    """Run SQL statements over the snapshot and print their rows as `table`, `csv` or `json`.

    Raises `UserError` with DuckDB's reason on the first statement that fails.
    """
    with snapshot.reader(home) as con:
        try:
            for statement in con.extract_statements(sql):
                result = con.execute(statement)
                columns = [(column[0], str(column[1])) for column in result.description or []]
                if duckdb.ExpectedResultType.NOTHING not in statement.expected_result_type:
                    print_rows(columns, result.fetchall(), format)
        except duckdb.Error as error:
            raise UserError(f"SQL error: {_explained(error)}") from error


def interact(home: Home, format: str = "table") -> None:
    """Read statements until the end of input: with history and completion at a terminal, plainly otherwise.

    At a terminal an error is printed and the shell goes on; otherwise the first one is raised, as `run` does.
    """
    if not sys.stdin.isatty():
        for entry in _entries(iter(sys.stdin)):
            if not _enter(home, entry, format):
                return
        return
    print(f"{home.snapshot}\n{HELP}")
    for entry in _typed(home):
        try:
            if not _enter(home, entry, format):
                return
        except TreebenchError as error:
            print(error, file=sys.stderr)
        except KeyboardInterrupt:
            print("Interrupted.", file=sys.stderr)


def complete(entry: str) -> bool:
    """Whether an entry can be run: a dot command, or SQL up to a semicolon outside of quotes and comments."""
    text = entry.strip()
    return not text or text.startswith(".") or _ends_statement(text)


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


def _enter(home: Home, entry: str, format: str) -> bool:
    """Run one entry; False when it asks to leave."""
    text = entry.strip()
    if not text:
        return True
    if not text.startswith("."):
        run(home, text, format)
        return True
    command, _, argument = text.rstrip(";").partition(" ")
    match command:
        case ".quit" | ".exit":
            return False
        case ".help":
            print(HELP)
        case ".tables":
            _tables(home, format)
        case ".schema":
            _schema(home, argument.strip(), format)
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
    tokens = [start for start, kind in duckdb.tokenize(text) if kind != duckdb.token_type.comment]
    return not tokens or text.encode("utf-8", "replace")[tokens[-1] : tokens[-1] + 1] == b";"


def _explained(error: duckdb.Error) -> str:
    """DuckDB's message as one line, without the picture of the statement."""
    lines = str(error).split("\n\nLINE ")[0].splitlines()
    return " ".join(line.strip() for line in lines if line.strip()) or database.reason(error)
