"""One row as one line of JSON, checked against its table, so that every line of a journal can be loaded.

A value that could not be loaded later is refused here, where the caller can still be told: a journal line is
never rewritten, and one bad line would stop every later ingest.
"""

import json
import reprlib
from collections.abc import Mapping
from datetime import UTC, date, datetime
from numbers import Integral, Real
from typing import Any

from tasks.errors import Fault
from tasks.warehouse.schema import Column, Table

DEPTH = 100
"""Deepest nesting of a JSON value; DuckDB reads 127 levels."""

_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}


def encode(table: Table, row: Mapping[str, Any]) -> bytes:
    r"""The line for `row`, newline included, in UTF-8.

    Columns that are absent or None are left out. Lone surrogates, which no UTF-8 text can hold, become U+FFFD.
    JSON columns take lists, dicts and scalars; TIMESTAMP columns take datetimes (naive ones are UTC) or ISO text.
    Raises `Fault` naming table and column when the row does not fit the table.
    """
    if unknown := sorted(row.keys() - table.columns.keys()):
        raise Fault(f"Table {table.name} has no column {unknown[0]}: "
                    f"its columns are {', '.join(table.columns)}.")  # fmt: skip
    values = {}
    for column in table.columns.values():
        value = row.get(column.name)
        if value is not None:
            values[column.name] = _checked(table, column, value)
        elif column.required and column.default is None:
            raise Fault(f"Column {table.name}.{column.name} needs a value: the row with "
                        f"{_key(table, row)} has none.")  # fmt: skip
    text = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return whole.encode("utf-8") + b"\n"


def _checked(table: Table, column: Column, value: Any) -> Any:
    try:
        return _value(column, value)
    except (TypeError, ValueError, RecursionError) as error:
        reason = str(error) or type(error).__name__
        raise Fault(f"Column {table.name}.{column.name} is {_kind(column)} and cannot hold {reprlib.repr(value)} "
                    f"({reason}).") from error  # fmt: skip


def _value(column: Column, value: Any) -> Any:
    kind = column.type
    if kind == "VARCHAR" and isinstance(value, str):
        return value
    if kind == "JSON":
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        if text.count("[") + text.count("{") > DEPTH and _depth(value) > DEPTH:
            raise ValueError(f"nested deeper than {DEPTH}")
        return value
    if column.choices and isinstance(value, str):
        if value not in column.choices:
            raise ValueError("not one of its values")
        return value
    if kind == "BOOLEAN" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    if kind in _BITS and isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if not -(2 ** (_BITS[kind] - 1)) <= number < 2 ** (_BITS[kind] - 1):
            raise ValueError("out of range")
        return number
    if kind == "DOUBLE" and isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
        if number - number != 0:
            raise ValueError("not a finite number")
        return number
    if kind == "TIMESTAMP" and isinstance(value, (datetime, str)):
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
        return _utc(moment).isoformat()
    if kind == "DATE" and isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__}")


def _utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _plain(value: Any) -> Any:
    """What `json.dumps` asks for values it does not know: dates, and numbers of numpy."""
    if isinstance(value, datetime):
        return _utc(value).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"a {type(value).__name__} inside")


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)


def _kind(column: Column) -> str:
    return f"one of {', '.join(column.choices)}" if column.choices else column.type


def _key(table: Table, row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {row.get(name)!r}" for name in table.key)
