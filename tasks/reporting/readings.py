"""Examples of every cell to be read and judged by people, with where their answers stand (view `readings`)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from tasks.reporting.query import outdated


@dataclass(frozen=True)
class Place:
    """Where a value of an answer stands; `value` is None for a count."""

    value: str | None
    payload: int | None
    """Number of the payload in the context, from 1; None where no record is known to hold the value."""
    source: str | None
    path: str | None
    excerpt: str | None


@dataclass(frozen=True)
class Reading:
    """An example to be read."""

    example: str
    dataset: str
    task: str
    length: int
    split: str
    question: str
    answer: tuple[str, ...]
    ordered: bool
    tokens: int | None
    payloads: int
    support: int
    sample: bool
    places: tuple[Place, ...]


def readings(con: duckdb.DuckDBPyConnection, builds: Sequence[str]) -> tuple[Reading, ...]:
    """The examples of these dataset versions to be read, at most five a cell, cell by cell.

    Raises `UserError` where the database was published by another version of treebench.
    """
    try:
        return _read(con, list(builds))
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        raise outdated(error) from error


def _read(con: duckdb.DuckDBPyConnection, builds: list[str]) -> tuple[Reading, ...]:
    chosen = {"builds": builds}
    places: dict[str, list[Place]] = {}
    for example, value, position, source, path, excerpt in con.execute(
        "SELECT example_id, value, position, source, path, excerpt FROM reading_places WHERE example_id IN "
        "(SELECT example_id FROM readings WHERE list_contains($builds::VARCHAR[], build_id)) "
        "ORDER BY example_id, number",
        chosen,
    ).fetchall():
        payload = None if position is None else position + 1
        places.setdefault(example, []).append(Place(value, payload, source, path, excerpt))
    found = con.execute(
        "SELECT example_id AS example, dataset, task, length, split, question, answer, ordered, tokens, payloads, "
        "support, sample FROM readings WHERE list_contains($builds::VARCHAR[], build_id) "
        "ORDER BY dataset_order(dataset), dataset, task_order(task), length, split, turn",
        chosen,
    )
    names = [column[0] for column in found.description]
    rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    return tuple(
        Reading(**row | {"answer": tuple(json.loads(row["answer"])), "places": tuple(places.get(row["example"], ()))})
        for row in rows
    )
