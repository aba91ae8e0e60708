"""The queries in `sql/reports/`: one for each table or figure, found by name and run over a connection."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import duckdb

from tasks.errors import Fault, UserError
from tasks.home import PROJECT
from tasks.warehouse.database import quoted

REPORTS = PROJECT / "sql" / "reports"


@dataclass(frozen=True)
class Query:
    """A file in `sql/reports/`: what its leading comment says, and the statement below it."""

    name: str
    title: str
    what: str
    paper: str
    sql: str

    @property
    def number(self) -> str:
        """The place in the paper, such as `Table 1`, or an empty string where it has none."""
        found = re.search(r"(Table|Figure) \d+", self.paper)
        return found.group() if found else ""


@dataclass(frozen=True)
class Result:
    """The rows of a query, with what was asked. Fractions are in per cent already, JSON columns are text."""

    query: Query
    parameters: dict[str, Any]
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    @property
    def runnable(self) -> str:
        """The statement with its parameters written out, so that it runs in any SQL shell on the database."""

        def literal(found: re.Match[str]) -> str:
            given = self.parameters[found[1]]
            return quoted(given) if isinstance(given, str) else f"[{', '.join(map(quoted, given))}]"

        return re.sub(r"\$(\w+)", literal, self.query.sql)

    def records(self) -> list[dict[str, Any]]:
        """The rows as dictionaries by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def values(self, column: str) -> list[Any]:
        """Different values of a column, in order of appearance."""
        place = self.columns.index(column)
        return list(dict.fromkeys(row[place] for row in self.rows))


def names() -> list[str]:
    """Names of the queries of a report; those in folders below have uses of their own."""
    return sorted(file.stem for file in REPORTS.glob("*.sql"))


@lru_cache(maxsize=128)
def load(name: str) -> Query:
    """The query of that name. Raises `UserError` where there is none, or its leading comment lacks a field."""
    file = REPORTS / f"{name}.sql"
    if not re.fullmatch(r"\w+(/\w+)?", name) or not file.is_file():
        raise UserError(f"There is no query {name!r} in sql/reports/: known are {', '.join(names())}.")
    head: list[str] = []
    lines = file.read_text(encoding="utf-8").splitlines()
    while lines and lines[0].startswith("--"):
        head.append(lines.pop(0)[2:].strip())
    fields = dict(re.findall(r"(?ms)^(title|what|paper): (.*?)(?=^(?:title|what|paper): |\Z)", "\n".join(head)))
    missing = [field for field in ("title", "what", "paper") if not fields.get(field)]
    if missing:
        raise UserError(f"sql/reports/{name}.sql does not say {', '.join(missing)} in its leading comment: add it.")
    said = {field: " ".join(text.split()) for field, text in fields.items()}
    return Query(name=name, sql="\n".join(lines).strip() + "\n", **said)


def outdated(error: duckdb.Error) -> UserError:
    """That a snapshot without its journal, which cannot be published anew, was made by another version."""
    reason = str(error).splitlines()[0].split(": ", 1)[-1]
    return UserError(
        f"The snapshot was published by another version of treebench ({reason.rstrip('!')}): publish it anew, by any "
        "command of this version where it was made, and copy it again."
    )


def run(con: duckdb.DuckDBPyConnection, name: str, parameters: Mapping[str, str | Sequence[str]]) -> Result:
    """Run a query with those of `parameters` (ids, or lists of them) that it names.

    Raises `UserError` where the database has not what the query reads, `Fault` where values are out of bounds.
    """
    query = load(name)
    statement = con.extract_statements(query.sql)[0]
    given = {
        key: value if isinstance(value := parameters[key], str) else list(value)
        for key in sorted(statement.named_parameters)
    }
    try:
        found = con.execute(statement, given)
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        raise outdated(error) from error
    except duckdb.DataError as error:  # such as a latency that is not a number
        raise Fault(
            f"sql/reports/{name}.sql cannot be run ({str(error).splitlines()[0]}): a row that it reads holds a value "
            "out of bounds; find it by `treebench sql` and its query."
        ) from error
    return Result(query, given, tuple(column[0] for column in found.description or ()), tuple(found.fetchall()))
