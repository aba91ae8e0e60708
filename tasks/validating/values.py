"""Leaves of values that are read: texts are `str`, flags `bool`, no value is `None`; numbers keep their spelling."""

import re

DECIMAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
"""A decimal number as JSON writes it."""


class Number(str):
    """A number as the text spells it: `1.0` is not `1`. Never equal to a text by accident: compare `type` first."""

    __slots__ = ()


class RepeatedKey(ValueError):
    """An object names a key twice, so its value is ambiguous."""


def object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object from its members. Raises `RepeatedKey`."""
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKey(f"key {next(key for key in keys if keys.count(key) > 1)!r} stands twice in an object")
    return made
