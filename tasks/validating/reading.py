"""A rendered JSON context as Python values, by the standard library: another parser than the one that built it."""

import json
from collections.abc import Iterator
from typing import Any


class Number(str):
    """A number as the text spells it: `1.0` is not `1`. Never equal to a string by accident: compare `type` first."""

    __slots__ = ()


class RepeatedKey(ValueError):
    """An object names a key twice, so its value is ambiguous."""


def read(context: str) -> list[Any]:
    """The responses of a context. Raises `ValueError` when it is no JSON array, or names a key twice in an object."""
    found = json.loads(context, parse_float=Number, parse_int=Number, parse_constant=_refuse, object_pairs_hook=_object)
    if not isinstance(found, list):
        raise ValueError("the context is no array of responses")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKey(f"key {next(key for key in keys if keys.count(key) > 1)!r} stands twice in an object")
    return made


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def strings(value: Any) -> Iterator[str]:
    """Every string value below a value, keys and numbers excepted."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, str) and not isinstance(item, Number):
            yield item


def keys(value: Any) -> set[str]:
    """Every key below a value."""
    found: set[str] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            found.update(item)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return found
