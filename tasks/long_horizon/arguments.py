"""What models write as arguments, made fit to be recorded: JSON and code can say what no table can hold."""

import json
from collections.abc import Mapping
from typing import Any

LENGTH = 100_000
"""Characters that the arguments of a tool call may have, as JSON."""

DEPTH = 20
NAME = 200
"""Characters of a tool's name that are kept."""


def whole(text: str) -> str:
    """A text without lone surrogates, which JSON escapes can make and neither tokenizers nor files can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def recordable(arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arguments of a tool call as JSON gives them back; None for what is none of JSON, or too large for a call."""
    try:
        text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    found = json.loads(whole(text)) if len(text) <= LENGTH else None
    return found if _shallow(found, DEPTH) else None


def _shallow(value: Any, left: int) -> bool:
    """Whether a value has at most `left` levels."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return left > 0 and all(_shallow(one, left - 1) for one in inner)
