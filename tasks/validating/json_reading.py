"""JSON payloads by the standard library."""

import json
from typing import Any

from tasks.validating.values import Number, object_of


def read(text: str) -> Any:
    """The value of a JSON text. Raises `ValueError` when it is none, or names a key twice in an object."""
    return json.loads(text, parse_float=Number, parse_int=Number, parse_constant=_refuse, object_pairs_hook=object_of)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
