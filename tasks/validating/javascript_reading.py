"""JavaScript declarations of static data: the name by a pattern, the value by pyjson5.

Collecting holds its own reading against pyjson5 as well, so a mistake of pyjson5 could stay unseen: a few payloads of
every dataset version are therefore read by json5 too, which is a thousand times slower (`otherwise`).
"""

import json
import math
import re
from typing import Any

import json5
import pyjson5

from tasks.validating.values import Number

_GAP = r"(?:\s|/\*.*?\*/|//[^\n]*\n)*"
_HEAD = re.compile(rf"{_GAP}(?:export\s+)?(?:const|let|var)\b{_GAP}([A-Za-z_$][\w$]*){_GAP}=", re.DOTALL)


def read(text: str) -> Any:
    """An object of the declared name with its value. Raises `ValueError` when the text is no such declaration."""
    name, body = _declared(text)
    try:
        value = pyjson5.decode(body)
    except (pyjson5.Json5Exception, RecursionError) as error:
        raise ValueError(f"the initialiser is no static value: {str(error)[:80]}") from None
    return {name: _plain(value)}


def otherwise(text: str) -> str | None:
    """How json5 reads a declaration otherwise than pyjson5 does; None where they agree. About 20 us a character."""
    name, body = _declared(text)
    try:
        value = json5.loads(body)
    except (ValueError, RecursionError) as error:
        return f"json5 does not read {name}: {str(error)[:80]}"
    # Written in ASCII, since json5 leaves the two halves of an escaped character apart.
    same = json.dumps({name: _plain(value)}) == json.dumps(read(text))
    return None if same else f"json5 reads {name} otherwise than pyjson5"


def _declared(text: str) -> tuple[str, str]:
    """Name and initialiser of a declaration."""
    head = _HEAD.match(text)
    if head is None:
        raise ValueError("the payload does not begin with a declaration")
    body = text[head.end() :].rstrip()
    return head[1], body[:-1] if body.endswith(";") else body


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    return Number(repr(value)) if math.isfinite(value) else None
