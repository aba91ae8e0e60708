"""Static object and array initialisers of JavaScript programs, each with its declaration.

The outermost initialiser with a static value is taken; where one has none, the reason is recorded and the initialisers
inside it are looked at. The payload is the declaration as it stands in the file. An initialiser that no declaration of
its own holds (a property, an argument, an assignment) gets one: `const NAME = ...;` with the name of what holds it, and
the row says that this was written.
"""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import tree_sitter

from tasks.collecting.cutting import Ranges, Unit
from tasks.collecting.javascript_values import Rejected, agreed, parse
from tasks.hashing import content_id

SHORTEST = 40
"""Characters; a shorter initialiser is too little to ask about and is passed over."""
LONGEST = 1_000_000
"""Characters; a longer one fits into no context."""

_INITIALISERS = frozenset(("object", "array"))
_DECLARATIONS = frozenset(("lexical_declaration", "variable_declaration"))
_RESERVED = frozenset(
    "await break case catch class const continue debugger default delete do else enum export extends false finally for "
    "function if implements import in instanceof interface let new null package private protected public return static "
    "super switch this throw true try typeof var void while with yield".split()
)
_BEGINS = bytes(0 if 0x80 <= byte < 0xC0 else 1 for byte in range(256))


@dataclass(frozen=True)
class Rejection:
    """An initialiser that was not taken: its line and column (from 1) and why."""

    line: int
    column: int
    reason: str
    characters: int


def of_program(text: str) -> Iterator[Unit | Rejection]:
    """What the initialisers of a program file give, in order."""
    root = parse(text)
    if root is None:
        yield Rejection(1, 1, "parse error", len(text))
        return
    source = text.encode("utf-8", "surrogatepass")
    at = None if text.isascii() else array("q", accumulate(source.translate(_BEGINS), initial=0))
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type not in _INITIALISERS:
            pending += reversed(node.named_children)
            continue
        start, end = (node.start_byte, node.end_byte) if at is None else (at[node.start_byte], at[node.end_byte])
        if end - start < SHORTEST:
            continue
        try:
            if end - start > LONGEST:
                raise Rejected("too long")
            value = agreed(node, source)
            yield _declared(node, text, source, (start, end), at, value)
        except Rejected as rejected:
            yield Rejection(node.start_point.row + 1, node.start_point.column + 1, str(rejected), end - start)
            pending += reversed(node.named_children)


def of_literal(text: str, name: str | None) -> Unit:
    """The unit of an initialiser that was cut out of its file before. Raises `Rejected`."""
    if not SHORTEST <= len(text) <= LONGEST:
        raise Rejected("too short" if len(text) < SHORTEST else "too long")
    root = parse(f"({text})")
    expression = root.named_children[0] if root is not None and root.named_children else None
    inner = expression.named_children[0] if expression is not None and expression.named_children else None
    while inner is not None and inner.type not in _INITIALISERS:
        inner = inner.named_children[-1] if inner.named_children else None
    if inner is None or inner.end_byte - inner.start_byte != len(text.encode("utf-8", "surrogatepass")):
        raise Rejected("parse error")
    value = agreed(inner, f"({text})".encode("utf-8", "surrogatepass"))
    return _written(text, ((0, len(text)),), identifier(name), value)


def _declared(
    node: tree_sitter.Node, text: str, source: bytes, span: tuple[int, int], at: "array[int] | None", value: Any
) -> Unit:
    """The unit of an accepted initialiser."""
    holder = node.parent
    if holder is not None and holder.type == "variable_declarator":
        declaration, name = holder.parent, holder.child_by_field_name("name")
        if declaration is not None and declaration.type in _DECLARATIONS and name and name.type == "identifier":
            declarators = [child for child in declaration.named_children if child.type == "variable_declarator"]
            whole = declaration if len(declarators) == 1 else holder
            start, end = whole.start_byte, whole.end_byte
            if at is not None:
                start, end = at[start], at[end]
            before, behind = ("", "") if whole is declaration else (f"{declaration.children[0].type} ", ";")
            unit = f"{before}{text[start:end]}{behind}"
            return Unit(unit, ((start, end),), 1, before, behind, canonical=content_id(value))
    return _written(text[span[0] : span[1]], (span,), identifier(_name(node, source)), value)


def _written(literal: str, ranges: Ranges, name: str, value: Any) -> Unit:
    before, behind = f"const {name} = ", ";"
    return Unit(f"{before}{literal}{behind}", ranges, 1, before, behind, canonical=content_id(value))


def _name(node: tree_sitter.Node, source: bytes) -> str | None:
    """What the thing that holds an initialiser is called."""
    while node.parent is not None:
        node = node.parent
        match node.type:
            case "pair":
                return _text(node.child_by_field_name("key"), source)
            case "assignment_expression":
                return _last(node.child_by_field_name("left"), source)
            case "variable_declarator" | "field_definition" | "function_declaration" | "method_definition":
                return _text(node.child_by_field_name("name") or node.child_by_field_name("property"), source)
            case "call_expression" | "new_expression":
                called = node.child_by_field_name("function") or node.child_by_field_name("constructor")
                name = _last(called, source)
                return f"{name}Argument" if name else None
            case "export_statement":
                return "defaultExport"
    return None


def _last(node: tree_sitter.Node | None, source: bytes) -> str | None:
    """The last name of `a.b.c`."""
    if node is None:
        return None
    return _text(node.child_by_field_name("property") or node, source)


def _text(node: tree_sitter.Node | None, source: bytes) -> str | None:
    return None if node is None else source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def identifier(name: str | None) -> str:
    """A JavaScript name like `name`; its last part where it is `a.b.c`."""
    last = re.split(r"[.\[]", (name or "").strip("'\"` ]"))[-1].strip("'\"` ]")
    plain = re.sub(r"[^A-Za-z0-9_$]+", "_", last).strip("_")[:60] or "initialiser"
    return f"_{plain}" if plain[0].isdigit() or plain in _RESERVED else plain
