r"""JSON to a tree. The text stays as written: `1.0`, `\/`, `\u00e9`, duplicate keys and long integers are only spans.

An own scanner, since it is the fastest of those measured that give character positions, and does not recurse.
"""

import json
import re
import sys
from array import array
from typing import NoReturn

from tasks.errors import UserError
from tasks.trees.parse import position
from tasks.trees.tree import Identifier, Tree

# Possessive and unrolled: no input makes these backtrack over more than one token.
_BLANK = r"[ \t\n\r]*+"
_STRING_BODY = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+'
_STRING = _STRING_BODY + '"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_LEAF = rf"{_STRING}|{_NUMBER}|true|false|null|\{{{_BLANK}\}}|\[{_BLANK}\]"
_VALUE = rf"(?:({_LEAF}){_BLANK}([,}}\]]?)|([{{\[]))"

_MEMBER = re.compile(rf"{_BLANK}({_STRING}){_BLANK}:{_BLANK}{_VALUE}").match
_ELEMENT = re.compile(rf"{_BLANK}{_VALUE}").match
_AFTER = re.compile(rf"{_BLANK}([,}}\]])").match
_SKIP = re.compile(_BLANK).match
_SOUND = re.compile(_STRING_BODY).match


def parse(text: str) -> Tree:
    """The tree of a JSON text; `UserError` with line and column where it does not parse (RFC 8259, strictly)."""
    starts, ends, values = array("q"), array("q"), array("q")
    parents, stops = array("q"), array("q")
    identifiers: list[Identifier] = []
    containers: list[int] = []  # open nodes, innermost last
    closers: list[str] = []  # the bracket that ends each of them
    counts: list[int] = []  # children that each has so far
    parent, closer, count = -1, "", 0
    intern = sys.intern

    at = 0
    while True:
        if closer == "}":
            match = _MEMBER(text, at)
            if match is None:
                _refuse_member(text, at)
            start, key_end = match.span(1)
            key = text[start + 1 : key_end - 1]
            identifiers.append(intern(json.loads(f'"{key}"')) if "\\" in key else intern(key))
            value, end = match.span(2)
            inner = match.start(4)
            if inner >= 0:
                value = inner
            bracket = 3
        else:
            match = _ELEMENT(text, at)
            if match is None:
                _refuse_value(text, at)
            identifiers.append(count)
            value, end = match.span(1)
            inner = match.start(3)
            if inner >= 0:
                value = inner
            start = value
            bracket = 2
        count += 1
        node = len(starts)
        starts.append(start)
        values.append(value)
        parents.append(parent)
        ends.append(end)
        stops.append(node + 1)
        at = match.end()
        if inner >= 0:
            containers.append(parent)
            closers.append(closer)
            counts.append(count)
            parent, count = node, 0
            closer = "}" if text[value] == "{" else "]"
            continue
        delimiter = match[bracket]
        while delimiter != ",":
            if parent < 0:
                if delimiter:
                    _refuse(text, at - 1, "the end of the text")
                if at < len(text):
                    _refuse(text, at, "the end of the text")
                return Tree(text, "json", starts, ends, values, parents, stops, identifiers, bytearray(len(starts)))
            if delimiter != closer:
                _refuse(text, at - 1 if delimiter else at, f"`,` or `{closer}`")
            ends[parent] = at
            stops[parent] = len(starts)
            parent, closer, count = containers.pop(), closers.pop(), counts.pop()
            after = _AFTER(text, at)
            if after is None:
                at = _SKIP(text, at).end()  # pyright: ignore[reportOptionalMemberAccess]
                delimiter = ""
            else:
                at = after.end()
                delimiter = after[1]
        if parent < 0:
            _refuse(text, at - 1, "the end of the text")


def _refuse_member(text: str, at: int) -> NoReturn:
    """Say where `"key": value` breaks off."""
    at = _blank(text, at)
    if text[at : at + 1] != '"':
        _refuse(text, at, "a key in double quotes")
    at = _blank(text, _string(text, at))
    if text[at : at + 1] != ":":
        _refuse(text, at, "`:`")
    _refuse_value(text, at + 1)


def _refuse_value(text: str, at: int) -> NoReturn:
    at = _blank(text, at)
    if text[at : at + 1] == '"':
        _string(text, at)
    _refuse(text, at, "a value")


def _blank(text: str, at: int) -> int:
    match = _SKIP(text, at)
    return match.end() if match else at


def _string(text: str, at: int) -> int:
    """End of the string that begins at `at`; refuses one that is not sound."""
    match = _SOUND(text, at)
    end = match.end() if match else at
    if text[end : end + 1] != '"':
        _refuse(text, end, "a sound escape sequence" if text[end : end + 1] == "\\" else 'the closing `"` of a string')
    return end + 1


def _refuse(text: str, at: int, expected: str) -> NoReturn:
    found = f"found {text[at]!r}" if at < len(text) else "the text ends"
    raise UserError(f"This JSON does not parse at {position(text, at)}: expected {expected}, {found}.")
