"""YAML scalars: where they end, and what a key says.

Where YAML 1.2 and the readers in wide use (libyaml, ruamel.yaml) differ on what is an error, the lenient side is taken.
"""

import re
from functools import cache

from tasks.trees.yaml_nodes import Nodes

_BREAK = r"(?:\r\n?|\n)"
_FIRST = r"""[^ \t\r\n\-?:,\[\]{}#&*!|>'"%@`]"""
_BLOCK_REST = r"(?:[^\r\n:#]++|:(?![ \t\r\n]|\Z)|(?<![ \t\r\n])#)*+"
_FLOW_REST = r"(?:[^\r\n:#,\[\]{}]++|:(?![ \t\r\n,\[\]{}]|\Z)|(?<![ \t\r\n])#)*+"
PLAIN = rf"(?:{_FIRST}|[\-?:](?![ \t\r\n]|\Z)){_BLOCK_REST}"
_ESCAPE = r'\\(?:[0abtnvfre "/\\N_LP\t]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}'
DOUBLE_LINE = rf'"(?:[^"\\\r\n]++|{_ESCAPE}))*+"'
SINGLE_LINE = r"'(?:[^'\r\n]++|'')*+'"

# One line of a plain scalar; blanks at its end do not belong to it.
plain_in_block = re.compile(PLAIN).match
plain_in_flow = re.compile(rf"(?:{_FIRST}|[\-?:](?![ \t\r\n,\[\]{{}}]|\Z)){_FLOW_REST}").match
_more_in_block = re.compile(_BLOCK_REST).match
_more_in_flow = re.compile(_FLOW_REST).match
_line_feed = re.compile(rf"[ \t]*+{_BREAK}(?:[ \t]*+{_BREAK})*+( *+)[ \t]*+").match
# A line that ends a document, wherever it stands.
marker = re.compile(r"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)").match
_marker_inside = re.compile(r"[\r\n](?:---|\.\.\.)(?=[ \t\r\n]|\Z)").search

_double = re.compile(rf'"(?:[^"\\]++|{_ESCAPE}|{_BREAK}))*+("?)').match
_single = re.compile(r"'(?:[^']++|'')*+('?)").match

_header = re.compile(rf"[|>](?:[+-]?([1-9])|([1-9])[+-]|[+-])?(?=([ \t]*+)(#[^\r\n]*+)?({_BREAK}|\Z))").match
_leading = re.compile(rf"((?: *+{_BREAK})*+)( *+)(?=([^\r\n])?)").match


def quoted_end(nodes: Nodes, at: int) -> int:
    """End of the quoted scalar that begins at `at`."""
    text = nodes.text
    match = _double(text, at) if text[at] == '"' else _single(text, at)
    if match is None or not match[1]:
        end = match.end() if match else at
        if end < len(text):
            nodes.refuse(end, f"{text[end : end + 2]!r} is not an escape sequence")
        nodes.refuse(at, "the closing quotation mark is missing")
    end = match.end()
    inside = _marker_inside(text, at, end)
    if inside:
        nodes.refuse(inside.start() + 1, "the document ends inside a quoted scalar")
    return end


def plain_end(nodes: Nodes, at: int, outer: int) -> int:
    """End of the plain scalar that begins at `at` in a block collection indented by `outer` (-1 for none)."""
    text = nodes.text
    match = plain_in_block(text, at)
    if match is None:
        nodes.refuse(at, f"no value can begin with {text[at]!r} here")
    end = match.end()
    while True:
        while text[end - 1] in " \t":
            end -= 1
        feed = _line_feed(text, end)
        if feed is None or len(feed[1]) <= outer:
            return end
        at = feed.end()
        if text[at : at + 1] == "#" or (feed.start(1) == at and marker(text, at)):
            return end
        match = _more_in_block(text, at)
        if match is None or match.end() == at:
            return end
        end = match.end()
        if text[end : end + 1] == ":":
            nodes.refuse(end, "a key stands on one line, this one begins on an earlier line")


def flow_plain_end(nodes: Nodes, at: int) -> int:
    """End of the plain scalar that begins at `at` inside brackets."""
    text = nodes.text
    match = plain_in_flow(text, at)
    if match is None:
        nodes.refuse(at, f"no value can begin with {text[at]!r} here" if at < len(text) else "a bracket is not closed")
    end = match.end()
    while True:
        while text[end - 1] in " \t":
            end -= 1
        feed = _line_feed(text, end)
        if feed is None:
            return end
        at = feed.end()
        if text[at : at + 1] == "#" or (feed.start(1) == at and marker(text, at)):
            return end
        match = _more_in_flow(text, at)
        if match is None or match.end() == at:
            return end
        end = match.end()


@cache
def _body(indent: int) -> re.Pattern[str]:
    """All lines of a block scalar whose text is indented by `indent`."""
    guard = "" if indent else r"(?!(?:---|\.\.\.)(?:[ \t\r\n]|\Z))"
    return re.compile(rf"(?:{guard} {{{indent}}}[^\r\n]++(?:{_BREAK}|\Z)|[ \t]*+{_BREAK})*+")


def block_scalar_end(nodes: Nodes, at: int, outer: int) -> int:
    """End of the block scalar whose header begins at `at`: behind the last character that is no blank.

    `outer` is the indentation of the collection that holds it, -1 for none.
    """
    text = nodes.text
    header = _header(text, at)
    if header is None or (header[4] and not header[3]):
        nodes.refuse(at, "only digits 1-9, + and - may follow the sign of a block scalar")
    begin = header.end(5)
    digit = header[1] or header[2]
    leading = _leading(text, begin)
    if leading is None:
        return header.end()
    if digit:
        indent = max(outer, 0) + int(digit)
    else:
        indent = len(leading[2])
        if indent <= outer or not leading[3]:
            return header.end()
        if any(len(line) > indent for line in leading[1].splitlines()):
            nodes.refuse(leading.start(2), "the blank lines before this line are indented more than it is")
    match = _body(indent).match(text, begin)
    end = match.end() if match else begin
    body = text[begin:end].rstrip(" \t\r\n")
    return begin + len(body) if body else header.end()


_SIMPLE_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_folding = re.compile(rf"[ \t]*+{_BREAK}((?:[ \t]*{_BREAK})*)[ \t]*")
_escape_or_folding = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^\r\n]))"
    rf"|\\{_BREAK}((?:[ \t]*{_BREAK})*)[ \t]*|[ \t]*{_BREAK}((?:[ \t]*{_BREAK})*)[ \t]*"
)
_breaks = re.compile(_BREAK)


def content(source: str) -> str:
    """What the plain or quoted scalar `source` says: escapes decoded, lines folded (sections 7.3.1 to 7.3.3)."""
    if source[:1] == '"':
        return _escape_or_folding.sub(_decoded, source[1:-1])
    if source[:1] == "'":
        source = source[1:-1].replace("''", "'")
    return _folding.sub(lambda match: _line_feeds(match[1]) or " ", source)


def _decoded(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else "\ufffd"
    if match[4]:
        return _SIMPLE_ESCAPES.get(match[4], match[4])
    if match[5] is not None:
        return _line_feeds(match[5])
    return _line_feeds(match[6]) or " "


def _line_feeds(blank_lines: str) -> str:
    return "\n" * len(_breaks.findall(blank_lines))
