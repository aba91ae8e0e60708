"""The static value of a JavaScript initialiser, read twice: by a tree-sitter parse tree and by a JSON5 reader.

Accepted is only what both read as the same value; nothing is ever executed. The reasons of a rejection are the paper's
list (calls, functions, spreads, identifier references, computed keys, parse errors, sensitive strings, ambiguous
records; TreeAgent, appendix B.1) and, beyond it, whatever JSON5 does not have: holes, bigints, template literals,
regular expressions, numeric keys, `undefined`.
"""

import math
import re
from typing import Any

import pyjson5
import tree_sitter
import tree_sitter_javascript

from tasks.collecting.masking import is_personal
from tasks.trees.javascript_tree import unescaped

LANGUAGE = tree_sitter.Language(tree_sitter_javascript.language())

DEEPEST = 200
GREATEST = 2**53
"""JavaScript and JSON5 readers agree on integers up to here."""

_REASONS = {
    "spread_element": "spread",
    "method_definition": "function",
    "function_expression": "function",
    "generator_function": "function",
    "arrow_function": "function",
    "class": "function",
    "shorthand_property_identifier": "identifier reference",
    "identifier": "identifier reference",
    "member_expression": "identifier reference",
    "subscript_expression": "identifier reference",
    "this": "identifier reference",
    "call_expression": "call",
    "new_expression": "call",
    "template_string": "template literal",
    "regex": "regular expression",
    "undefined": "undefined",
    "computed_property_name": "computed key",
    "ERROR": "parse error",
}
_OUTSIDE = frozenset(("comment", "html_comment"))
_SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[0-9A-Za-z]{30,}"
    r"|\bxox[abprs]-[0-9A-Za-z-]{10,}|\bsk_live_[0-9a-zA-Z]{16,}|\bAIza[0-9A-Za-z_-]{30,}|\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}"
)


class Rejected(Exception):
    """An initialiser has no static value that both readers agree on; the text is the reason."""


def agreed(node: tree_sitter.Node, source: bytes) -> Any:
    """The value of an object or array node of `source`. Raises `Rejected` with the reason."""
    value = _value(node, source, 0)
    text = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    try:
        other = pyjson5.decode(text)
    except (pyjson5.Json5Exception, RecursionError):
        raise Rejected("JSON5 does not read it") from None
    if not _same(value, other):
        raise Rejected("readers disagree")
    return value


def parse(text: str) -> tree_sitter.Node | None:
    """The root of a program, or None where it does not parse."""
    root = tree_sitter.Parser(LANGUAGE).parse(text.encode("utf-8", "surrogatepass")).root_node
    return None if root.has_error else root


def _value(node: tree_sitter.Node, source: bytes, depth: int) -> Any:
    if depth > DEEPEST:
        raise Rejected("nested too deeply")
    match node.type:
        case "object":
            return _object(node, source, depth)
        case "array":
            return _array(node, source, depth)
        case "string":
            return _string(_source(node, source)[1:-1])
        case "number":
            return _number(_source(node, source))
        case "true" | "false":
            return node.type == "true"
        case "null":
            return None
        case "unary_expression":
            sign, operand = node.children[0], node.children[-1]
            if sign.type in ("-", "+") and operand.type == "number":
                number = _number(_source(operand, source))
                return -number if sign.type == "-" else number
            raise Rejected("expression")
    raise Rejected(_REASONS.get(node.type, "expression"))


def _object(node: tree_sitter.Node, source: bytes, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for child in node.named_children:
        if child.type in _OUTSIDE:
            continue
        if child.type != "pair":
            raise Rejected(_REASONS.get(child.type, "expression"))
        parts = [part for part in child.named_children if part.type not in _OUTSIDE]
        key = _key(parts[0], source)
        if key in found:
            raise Rejected("duplicate key")
        found[key] = _value(parts[-1], source, depth + 1)
    return found


def _key(node: tree_sitter.Node, source: bytes) -> str:
    if node.type == "number":
        raise Rejected("numeric key")
    if node.type == "computed_property_name":
        raise Rejected("computed key")
    text = _source(node, source)
    key = _string(text[1:-1]) if node.type == "string" else unescaped(text)
    if key == "__proto__":
        raise Rejected("prototype key")
    return key


def _array(node: tree_sitter.Node, source: bytes, depth: int) -> list[Any]:
    found, filled = [], False
    for child in node.children:
        if child.type in ("[", "]") or child.type in _OUTSIDE:
            continue
        if child.type == ",":
            if not filled:
                raise Rejected("array hole")
            filled = False
            continue
        found.append(_value(child, source, depth + 1))
        filled = True
    return found


def _string(body: str) -> str:
    value = unescaped(body)
    if _SECRET.search(value) or is_personal(value):
        raise Rejected("sensitive string")
    return value


def _number(text: str) -> int | float:
    digits = text.replace("_", "").lower()
    if digits.endswith("n"):
        raise Rejected("bigint")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        raise Rejected("legacy octal number")
    value = int(digits, 0) if digits.isdigit() or digits[:2] in ("0x", "0o", "0b") else float(digits)
    if math.isinf(value) or (value == int(value) and abs(value) > GREATEST):
        raise Rejected("number beyond 2^53")
    return int(value) if value == int(value) else value


def _same(one: Any, other: Any) -> bool:
    """Equal values of equal JSON types; 1 and 1.0 are one number."""
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and list(one) == list(other)
            and all(_same(value, other[key]) for key, value in one.items())
        )
    if isinstance(one, list):
        return (
            isinstance(other, list)
            and len(one) == len(other)
            and all(_same(a, b) for a, b in zip(one, other, strict=True))
        )
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one == other
    return isinstance(one, int | float) and isinstance(other, int | float) and one == other


def _source(node: tree_sitter.Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
