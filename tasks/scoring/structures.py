"""Values of a final answer that is written as JSON, as a Python literal, or as a Markdown table."""

import ast
import html
import json
import re
from itertools import accumulate
from typing import Any

_ANSWER_KEYS = {"answer", "answers", "final_answer", "final answer", "result", "value", "values"}
_REMARK_KEYS = {"unit", "units", "confidence", "explanation", "reasoning", "reason", "note", "notes", "evidence"}
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_COUNT = re.compile(r"[0-9]+")
DEEPEST = 50
"""Lists in lists deeper than this are text: no answer has so many, and parsers fail at depths of their own."""
_ESCAPE = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")


def structured(text: str, wanted: int) -> list[str] | None:
    """Values of a list, object, string or table that is the text, or ends it behind a label; None if there is none."""
    behind = re.search(r"(?:[:=]|\b(?:is|are))\s*([\[{].*[\]}])\s*\.?$", text, re.DOTALL)
    for part in [text.rstrip(". \n"), *([behind.group(1)] if behind else [])]:
        found = _parsed(part) if part[:1] in set('[{("') else None
        if found is None:
            continue
        values = _flat(found, wanted)
        inner = part[1:-1]
        if len(values) != wanted and re.fullmatch(r"[0-9., ]+", inner):  # [1,234, 5,678] holds two numbers
            values = split if len(split := re.split(r",\s+", inner.strip())) == wanted else values
        return values
    return _table(text, wanted)


def _parsed(text: str) -> Any:
    if _depth(text) > DEEPEST:
        return None
    try:
        return json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        pass
    if text[:1] not in "[{(" or len(text) > 100_000:
        return None
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return found if isinstance(found, (list, tuple, dict)) else None


def _depth(text: str) -> int:
    """How many brackets are open at most, or closed too often; those in quotes count."""
    depths = accumulate(1 if bracket in "[{(" else -1 for bracket in re.findall(r"[\[\](){}]", text))
    return max(map(abs, depths), default=0)


def _flat(found: Any, wanted: int) -> list[str]:
    if isinstance(found, dict):
        named = [value for key, value in found.items() if str(key).casefold() in _ANSWER_KEYS]
        if named:
            return _flat(named[-1], wanted)
        inner = {key: _flat(value, wanted) for key, value in found.items()}
        if sum(map(len, inner.values())) > wanted:  # a unit or a reason that nobody asked for
            inner = {key: values for key, values in inner.items() if str(key).casefold() not in _REMARK_KEYS} or inner
        if wanted > 1 and all(len(values) == 1 and _COUNT.fullmatch(values[0]) for values in inner.values()):
            # {"md": 12, "mb": 9} may say how often each value occurs, or what each field holds: a label and a value
            return [f"{key}: {values[0]}" for key, values in inner.items()]
        return [value for values in inner.values() for value in values]
    if isinstance(found, (list, tuple)):
        if all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in found) and len(found) == wanted > 1:
            return [f"{label}: {value}" for label, value in found]
        return [value for inner in found for value in _flat(inner, wanted)]
    if found is None:
        return ["null"]
    if isinstance(found, bool):
        return [str(found).lower()]
    return [str(found)]


def _table(text: str, wanted: int) -> list[str] | None:
    """Cells of the body of a Markdown table: of its only row, or of each row as a label and a value."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    ruled = next((place for place, line in enumerate(lines) if "|" in line and _RULE.fullmatch(line)), None)
    if ruled is None:
        return None
    body = []
    for line in lines[ruled + 1 :]:
        if "|" not in line:
            break
        body.append([cell.strip() for cell in line.strip("|").split("|")])
    if len(body) == 1 and len(body[0]) == wanted + 1:
        return body[0][1:]  # the first cell names the record
    if len(body) == 1 or not body:
        return body[0] if body else None
    return [": ".join(row) for row in body]


def unescaped(text: str) -> str:
    r"""The text with `&amp;` and `\u00e9`, as HTML and JSON write them and agents copy them, as the signs."""
    if "&" in text:
        text = html.unescape(text)
    if "\\u" in text:
        text = _ESCAPE.sub(_sign, text)
    return text


def _sign(found: re.Match[str]) -> str:
    units = bytes.fromhex(found[0].replace("\\u", ""))
    return units.decode("utf-16-be", errors="replace")
