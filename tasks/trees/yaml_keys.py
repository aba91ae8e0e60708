"""YAML implicit keys: what stands on one line before `: `."""

import re
from typing import NamedTuple

from tasks.trees.yaml_flow import read_flow
from tasks.trees.yaml_lines import end_of, spaces
from tasks.trees.yaml_nodes import Nodes
from tasks.trees.yaml_scalars import DOUBLE_LINE, PLAIN, SINGLE_LINE, content

blank_colon = re.compile(r"[ \t]*+:(?=[ \t\r\n]|\Z)").match
_key = re.compile(
    rf"((?:[&!][^ \t\r\n]*+[ \t]++)*+)(?:({PLAIN})|({DOUBLE_LINE}|{SINGLE_LINE})|(\*[^ \t\r\n,\[\]{{}}]++))?"
    r"[ \t]*+:(?=[ \t\r\n]|\Z)"
).match


class Key(NamedTuple):
    """An implicit key: what names its member, and the position behind its colon."""

    name: str
    end: int


def key_at(nodes: Nodes, at: int) -> Key | None:
    """The scalar or alias with a colon behind it at `at`, anchor and tag included, if one stands there."""
    text = nodes.text
    match = _key(text, at)
    if match is None:
        return None
    properties, plain, quoted, alias = match.groups()
    if properties:
        _properties(nodes, at, match.end(1))
    if plain is not None:
        return Key(plain.rstrip(" \t"), match.end())
    if quoted is not None:
        return Key(content(quoted), match.end())
    if alias is not None:
        if properties:
            nodes.refuse(at, "an alias has neither anchor nor tag")
        nodes.alias_end(match.start(4))
        return Key(alias, match.end())
    return Key("", match.end())


def bracket_key_at(nodes: Nodes, at: int) -> Key | None:
    """As `key_at`, for a bracket as a key."""
    text = nodes.text
    while text[at : at + 1] in ("&", "!"):
        at = end_of(spaces(text, nodes.property_end(at)))
    if text[at : at + 1] not in ("[", "{"):
        return None
    scratch = nodes.add(0, at, 0)
    end = read_flow(nodes, at, scratch)
    nodes.truncate(scratch)
    colon = blank_colon(text, end)
    return None if colon is None or broken(text, at, end) else Key(text[at:end], colon.end())


def _properties(nodes: Nodes, at: int, end: int) -> None:
    """Check the anchors and tags between `at` and `end`."""
    seen = ""
    while at < end:
        if nodes.text[at] in seen:
            nodes.refuse(at, "a key has one anchor and one tag at most")
        seen += nodes.text[at]
        at = end_of(spaces(nodes.text, nodes.property_end(at)))


def broken(text: str, begin: int, end: int) -> bool:
    """Whether a line ends in `text[begin:end]`."""
    return text.find("\n", begin, end) >= 0 or text.find("\r", begin, end) >= 0
