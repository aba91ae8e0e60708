"""Values of a query as people read them: a cell by the kind of its column."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from tasks.reporting import labels
from tasks.reporting.published import Number

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"
WHOLE = ("count", "length", "bytes")
"""Kinds of columns whose numbers are whole."""


@dataclass(frozen=True)
class Cell:
    """What stands in one place of a table. `sort` orders the column; None goes last."""

    text: str
    sort: float | str | None = None
    title: str = ""
    href: str = ""
    key: str = ""
    """What the value is called in the database, where rows can be chosen by it."""
    lines: tuple[tuple[str, str], ...] = ()
    """Key and value pairs shown instead of the text, one a line."""


@dataclass(frozen=True)
class Column:
    """How a column is shown."""

    key: str
    head: str
    kind: str = "text"
    group: str = ""
    """Heading over neighbouring columns of the same group."""
    optional: bool = False
    """Left out where no row has a value, or each counts zero."""
    link: str = ""
    """Key of the address that the text links to."""
    behind: str = ""
    """What a number is made of and leads to: examples under `method`, `flat` or `both`; or `tasks`."""

    @property
    def numeric(self) -> bool:
        """Whether it is aligned right."""
        return self.kind in _NUMERIC

    @property
    def short(self) -> bool:
        """Whether its words stay on one line."""
        return self.kind in ("ordered", "hash", "time") or self.key in ("model", "data", "transports", "suite")

    @property
    def facet(self) -> bool:
        """Whether rows can be chosen by its values."""
        return self.kind in ("ordered", "length") or self.key in (
            "model", "setup", "outcome", "suite", "subject", "stage", "test", "scorer", "result", "level",
        )  # fmt: skip

    @property
    def published(self) -> bool:
        """Whether it holds numbers of a paper, not measured ones."""
        return self.kind in ("published", "published_alone")


def cell(column: Column, record: dict[str, Any]) -> Cell:
    """One cell, by the kind of its column."""
    if column.kind == "interval":
        prefix = f"{column.key}_" if f"{column.key}_low" in record else ""
        low, high = record.get(f"{prefix}low"), record.get(f"{prefix}high")
        if low is None or high is None:
            return Cell(NOTHING, None, "fewer than two examples, or all alike")
        return Cell(f"[{number(low, 2)}, {number(high, 2)}]", float(low))
    if column.kind == "done":
        done, planned = record["done"], record["planned"]
        return Cell(f"{done:,} of {planned:,}" if done < planned else f"{planned:,}", float(done))
    value = record.get(column.key)
    if value is None or value == "":
        return Cell("all lengths", None) if column.kind == "length" else Cell(NOTHING, None)
    found = _KINDS[column.kind](column, value)
    if column.facet:
        found = replace(found, key=str(value))
    if column.behind:
        return replace(found, href=(_tasks if column.behind == "tasks" else _examples)(column, record))
    address = record.get(column.link) or ""
    return replace(found, href=address) if address.startswith(("https://", "http://")) else found


LEVELS_OF = {"first_level": "1,easy", "second_level": "2,medium", "third_level": "3,hard"}
"""Levels of difficulty behind the columns of them."""


def _tasks(column: Column, record: dict[str, Any]) -> str:
    """Address of the tasks behind a score of a long-horizon agent."""
    wanted = {key: record.get(key) for key in ("dataset", "model", "agent", "setup", "method", "scorer")}
    wanted["level"] = LEVELS_OF.get(column.key)
    return "#table-solved_tasks?" + urlencode({key: value for key, value in wanted.items() if value}, safe=",")


def _examples(column: Column, record: dict[str, Any]) -> str:
    """Address of the examples behind a number: the row's own keys, in the words of the database."""
    wanted = {key: record.get(key) for key in ("agent", "model", "setup", "dataset", "task", "length")}
    wanted["method"] = {"flat": "flat", "both": f"flat,{record['method']}"}.get(column.behind, record["method"])
    if column.key in labels.DATASETS:
        wanted["dataset"] = column.key
    if wanted["model"] is None:  # a row over several agents
        wanted["agent"] = None
    if wanted["dataset"] == "mean":
        wanted["dataset"] = None
    return "#examples?" + urlencode({key: value for key, value in wanted.items() if value is not None}, safe=",")


def number(value: float, digits: int, signed: bool = False) -> str:
    """A number with a true minus sign and thousands separators; never a negative zero."""
    text = f"{value:+,.{digits}f}" if signed else f"{value:,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("+-")
    return text.replace("-", MINUS)


def size(count: float) -> str:
    """A number of bytes for people."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:,.0f} {unit}" if unit == "B" else f"{count:,.1f} {unit}"
        count /= 1000
    return ""


def pairs(value: Any) -> tuple[tuple[str, str], ...]:
    """A JSON object as key and value pairs; nested objects give dotted keys."""
    loaded = json.loads(value) if isinstance(value, str) else value
    if not isinstance(loaded, dict):
        return (("", _plain(loaded)),)
    found: list[tuple[str, str]] = []
    for key, inner in loaded.items():
        if isinstance(inner, dict) and inner:
            found += [(f"{key}.{name}" if name else key, text) for name, text in pairs(inner)]
        else:
            found.append((key, _plain(inner)))
    return tuple(found)


def _plain(value: Any) -> str:
    if isinstance(value, list) and all(not isinstance(item, (list, dict)) for item in value):
        return ", ".join(_plain(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(column: Column, value: Any) -> Cell:
    shown = labels.label(column.key, str(value))
    return Cell(shown, shown.lower())


def _ordered(column: Column, value: Any) -> Cell:
    """An id whose label sorts in the order of the paper."""
    order = list(labels.OF_COLUMN[column.key])
    place = order.index(value) if value in order else len(order)
    return Cell(labels.label(column.key, value), f"{place:02d} {value}")


def _published(column: Column, value: Number) -> Cell:
    within = f" Tolerance {value.tolerance:g}." if value.tolerance is not None else ""
    between = f", 95 % interval [{value.low:g}, {value.high:g}]" if value.low is not None else ""
    place = f"{value.paper}, {value.place}" + (f", page {value.page}" if value.page else "")
    title = f"Published for {value.checkpoint}: {place}{between}; {value.note}.{within}"
    spread = f" ±\N{NO-BREAK SPACE}{value.tolerance:g}" if value.tolerance and column.kind == "published" else ""
    return Cell(value.printed.replace("-", MINUS) + spread, value.value, title)


def _time(_: Column, value: datetime) -> Cell:
    return Cell(f"{value:%Y-%m-%d %H:%M}", value.isoformat())


def _hash(_: Column, value: str) -> Cell:
    return Cell(value[:8], value, value)


def _example(_: Column, value: str) -> Cell:
    return Cell(value[:8], value, value, href=f"#example-{value[:12]}")


def _json(_: Column, value: Any) -> Cell:
    found = pairs(value)
    return Cell("; ".join(f"{key} {text}".strip() for key, text in found), str(value), lines=found)


def _values(_: Column, value: Any) -> Cell:
    loaded = json.loads(value) if isinstance(value, str) else value
    text = " · ".join(map(_plain, loaded)) if isinstance(loaded, list) else _plain(loaded)
    return Cell(text or NOTHING, text)


def _p(_: Column, value: float) -> Cell:
    shown = "<\N{NO-BREAK SPACE}0.001" if value < 0.001 else number(value, 3)
    return Cell(shown, value, f"{value:.3g}")


def _digits(digits: int, signed: bool = False) -> Callable[[Column, Any], Cell]:
    return lambda _, value: Cell(number(float(value), digits, signed), float(value))


_KINDS: dict[str, Callable[[Column, Any], Cell]] = {
    "text": _text,
    "ordered": _ordered,
    "count": _digits(0),
    "percent": _digits(2),
    "gain": _digits(2, signed=True),
    "ratio": _digits(3),
    "two": _digits(2),
    "p": _p,
    "length": lambda _, value: Cell(labels.length(value), float(value)),
    "bytes": lambda _, value: Cell(size(value), float(value)),
    "published": _published,
    "published_alone": _published,
    "time": _time,
    "hash": _hash,
    "example": _example,
    "json": _json,
    "values": _values,
}
_NUMERIC = {
    "count",
    "percent",
    "gain",
    "ratio",
    "two",
    "p",
    "length",
    "bytes",
    "published",
    "published_alone",
    "interval",
    "done",
}
