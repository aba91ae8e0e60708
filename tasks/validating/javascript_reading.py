"""JavaScript declarations of static data: the name by a pattern, the value by pyjson5."""

import math
import re
from typing import Any

import pyjson5

from tasks.validating.values import Number

_GAP = r"(?:\s|/\*.*?\*/|//[^\n]*\n)*"
_HEAD = re.compile(rf"{_GAP}(?:export\s+)?(?:const|let|var)\b{_GAP}([A-Za-z_$][\w$]*){_GAP}=", re.DOTALL)


def read(text: str) -> Any:
    """An object of the declared name with its value. Raises `ValueError` when the text is no such declaration."""
    head = _HEAD.match(text)
    if head is None:
        raise ValueError("the payload does not begin with a declaration")
    body = text[head.end() :].rstrip()
    try:
        value = pyjson5.decode(body[:-1] if body.endswith(";") else body)
    except (pyjson5.Json5Exception, RecursionError) as error:
        raise ValueError(f"the initialiser is no static value: {str(error)[:80]}") from None
    return {head[1]: _plain(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    return Number(repr(value)) if math.isfinite(value) else None
