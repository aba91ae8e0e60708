r"""JavaScript to a tree: the statements of a program, and the object and array initialisers that declarations hold.

tree-sitter parses; it counts bytes, which are turned into code points once. Choices where the contract leaves room:

* A declaration of one name (`const a = {...};`, a function, a class, the same exported) is named by it, any other
  statement by its position among the program's children. Its children are those of its value.
* A declaration of several names is named by position; its children are the declarators, each named by its name.
* `export default {...}` has the initialiser's children. Initialisers anywhere else (`module.exports = {...}`, call
  arguments, in parentheses) belong to an expression, and expressions are atomic.
* A key is the property name that JavaScript gives it: `'a\x62'` is `ab`, `0x10` is `16`. A computed key is its source
  with brackets. A spread in an object is named by its position. `get a() {}` is an atomic leaf named `a`.
* A hole in an array is no node, yet counts: in `[1,,2]` the second node is `[2]`. `-5` is a number.
* Comments, a hashbang and `,` are wrapper text. The root reaches from the first statement to the last.
"""

import re
from array import array
from itertools import accumulate
from typing import NoReturn

import tree_sitter
import tree_sitter_javascript

from tasks.errors import UserError
from tasks.trees.parse import position
from tasks.trees.tree import Identifier, Tree, TreeBuilder

_LANGUAGE = tree_sitter.Language(tree_sitter_javascript.language())

_OUTSIDE = frozenset(("comment", "html_comment", "hash_bang_line"))
_DECLARATIONS = frozenset(("lexical_declaration", "variable_declaration", "using_declaration"))
_NAMED = frozenset(
    ("function_declaration", "generator_function_declaration", "class_declaration", "function_expression", "class")
)
_LITERALS = frozenset(("string", "number", "true", "false", "null", "regex"))
_INITIALISERS = frozenset(("object", "array"))

# 1 for each byte that begins a character.
_BEGINS = bytes(0 if 0x80 <= byte < 0xC0 else 1 for byte in range(256))
_escape = re.compile(
    r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-3][0-7]{0,2}|[4-7][0-7]?)|(\r\n|[\s\S]))"
)
_one_line = re.compile(r"(?:[^\\\r\n]|\\(?:\r\n|[\s\S]))*+").match
_SIMPLE_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v",
    "\n": "", "\r": "", "\r\n": "", "\u2028": "", "\u2029": "",
}  # fmt: skip


def parse(text: str) -> Tree:
    """The tree of a program; `UserError` with line and column where it does not parse."""
    return _Program(text).tree()


class _Program:
    """One parsed program and the tree that is being built of it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = text.encode("utf-8", "surrogatepass")
        self.characters = None if text.isascii() else array("q", accumulate(self.data.translate(_BEGINS), initial=0))
        self.root = tree_sitter.Parser(_LANGUAGE).parse(self.data).root_node
        self.builder = TreeBuilder(text, "javascript")

    def at(self, byte: int) -> int:
        """The code point that begins at `byte`."""
        return byte if self.characters is None else self.characters[byte]

    def source(self, node: tree_sitter.Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")

    def tree(self) -> Tree:
        """Statement by statement."""
        if self.root.has_error:
            self._refuse()
        builder = self.builder
        statements = [child for child in self.root.named_children if child.type not in _OUTSIDE]
        start = self.at(statements[0].start_byte) if statements else 0
        builder.open(start, "")
        for index, statement in enumerate(statements):
            self._statement(statement, index)
        builder.close(self.at(statements[-1].end_byte) if statements else 0)
        return builder.finish()

    def _statement(self, statement: tree_sitter.Node, index: int) -> None:
        """The node of a statement, and of everything in its values."""
        declaration = statement
        if statement.type == "export_statement":
            value = statement.child_by_field_name("value")
            if value is not None:
                self._value(statement, value, index)
                return
            declaration = statement.child_by_field_name("declaration") or statement
        if declaration.type in _DECLARATIONS:
            declarators = [child for child in declaration.named_children if child.type == "variable_declarator"]
            if len(declarators) == 1:
                self._declarator(statement, declarators[0], index)
                return
            self.builder.open(self.at(statement.start_byte), index)
            for place, declarator in enumerate(declarators):
                self._declarator(declarator, declarator, place)
            self.builder.close(self.at(statement.end_byte))
            return
        name = declaration.child_by_field_name("name") if declaration.type in _NAMED else None
        expression = [child for child in statement.named_children if child.type not in _OUTSIDE]
        literal = statement.type == "expression_statement" and len(expression) == 1 and self._divisible(expression[0])
        start = self.at(statement.start_byte)
        identifier = self._word(name) if name is not None else index
        value_end = self.at(expression[0].end_byte) if literal else None
        self.builder.leaf(start, self.at(statement.end_byte), identifier, start, not literal, value_end)

    def _declarator(self, whole: tree_sitter.Node, declarator: tree_sitter.Node, index: int) -> None:
        """One declared name and its value; `whole` is what the node covers."""
        name = declarator.child_by_field_name("name")
        value = declarator.child_by_field_name("value")
        identifier = self._word(name) if name is not None and name.type == "identifier" else index
        if value is None:
            start, end = self.at(whole.start_byte), self.at(whole.end_byte)
            value = self.at(declarator.end_byte)
            self.builder.leaf(start, end, identifier, value, True, value)
        else:
            self._value(whole, value, identifier)

    def _value(self, whole: tree_sitter.Node, value: tree_sitter.Node, identifier: Identifier) -> None:
        """The node that covers `whole` and has `value`, and all below it, without recursion."""
        builder, at = self.builder, self.at
        pending: list[tuple[tree_sitter.Node, tree_sitter.Node, Identifier] | int] = [(whole, value, identifier)]
        while pending:
            item = pending.pop()
            if isinstance(item, int):
                builder.close(item)
                continue
            whole, value, identifier = item
            start, end = at(whole.start_byte), at(whole.end_byte)
            value_start, value_end = at(value.start_byte), at(value.end_byte)
            kind = value.type
            if kind in _INITIALISERS:
                entries = self._members(value) if kind == "object" else _elements(value)
                if entries:
                    node = builder.open(start, identifier, value_start)
                    if value_end != end:
                        builder.value_ends[node] = value_end
                    pending.append(end)
                    entries.reverse()
                    pending += entries
                else:
                    builder.leaf(start, end, identifier, value_start, False, value_end)
            else:
                if kind == "string":
                    self._check_lines(value_start, value_end)
                atomic = kind not in _LITERALS and not self._divisible(value)
                builder.leaf(start, end, identifier, value_start, atomic, value_end)

    def _members(self, value: tree_sitter.Node) -> list[tuple[tree_sitter.Node, tree_sitter.Node, Identifier]]:
        """What stands in an object: the whole, its value, its name."""
        found: list[tuple[tree_sitter.Node, tree_sitter.Node, Identifier]] = []
        for child in value.named_children:
            kind = child.type
            if kind == "pair":
                parts = child.named_children
                found.append(
                    (child, parts[-1] if parts[-1].type not in _OUTSIDE else _last(parts), self._key(parts[0]))
                )
            elif kind == "method_definition":
                name = child.child_by_field_name("name")
                found.append((child, child, self._key(name) if name is not None else len(found)))
            elif kind == "shorthand_property_identifier":
                found.append((child, child, self._word(child)))
            elif kind not in _OUTSIDE:
                found.append((child, child, len(found)))
        return found

    def _key(self, key: tree_sitter.Node) -> str:
        """The property name that `key` stands for."""
        kind = key.type
        if kind == "string":
            return unescaped(self.source(key)[1:-1])
        if kind == "number":
            return property_name(self.source(key))
        return self._word(key)

    def _word(self, node: tree_sitter.Node) -> str:
        """An identifier; a computed key as it is written."""
        source = self.source(node)
        return unescaped(source) if "\\" in source and node.type != "computed_property_name" else source

    def _divisible(self, value: tree_sitter.Node) -> bool:
        """Whether `value` is a literal: a template without interpolation and `-5` are ones."""
        kind = value.type
        if kind == "template_string":
            return all(child.type != "template_substitution" for child in value.named_children)
        if kind == "unary_expression":
            operator, operand = value.children[0], value.children[-1]
            return operator.type in ("-", "+") and operand.type == "number"
        return kind in _LITERALS

    def _check_lines(self, start: int, end: int) -> None:
        """Refuse a string that runs over a line end without a backslash: tree-sitter does not."""
        if "\n" in self.text[start:end] or "\r" in self.text[start:end]:
            match = _one_line(self.text, start + 1, end)
            if match and match.end() < end - 1:
                place = position(self.text, match.end())
                raise UserError(f"This JavaScript does not parse at {place}: a string ends on the line it begins on.")

    def _refuse(self) -> NoReturn:
        """Say where the first error is."""
        node = self.root
        while not (node.is_error or node.is_missing):
            inner = next((child for child in node.children if child.has_error or child.is_missing), None)
            if inner is None:
                break
            node = inner
        start = self.at(node.start_byte)
        if node.is_missing:
            reason = f"expected {node.type!r}"
        elif len(node.children) > 1 and not self.data[node.end_byte :].strip():
            start = self.at(node.end_byte)
            reason = "the text ends too early"
        else:
            reason = f"{self.text[start : start + 20].splitlines()[0]!r} cannot stand here"
        raise UserError(f"This JavaScript does not parse at {position(self.text, start)}: {reason}.")


def _elements(value: tree_sitter.Node) -> list[tuple[tree_sitter.Node, tree_sitter.Node, Identifier]]:
    """What stands in an array, with positions that count holes."""
    found: list[tuple[tree_sitter.Node, tree_sitter.Node, Identifier]] = []
    index = 0
    for child in value.children:
        if not child.is_named:
            index += child.type == ","
        elif child.type not in _OUTSIDE:
            found.append((child, child, index))
    return found


def _last(parts: list[tree_sitter.Node]) -> tree_sitter.Node:
    return [part for part in parts if part.type not in _OUTSIDE][-1]


def unescaped(body: str) -> str:
    """What the characters between the quotation marks of a string say."""
    return _escape.sub(_character, body) if "\\" in body else body


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        return chr(int(code, 16))
    if match[4]:
        return chr(int(match[4], 8))
    return _SIMPLE_ESCAPES.get(match[5], match[5])


def property_name(number: str) -> str:
    """The property name of a numeric key: what JavaScript writes for the number."""
    digits = number.replace("_", "").lower()
    if digits.endswith("n"):
        return str(int(digits[:-1], 0))
    if digits[:2] in ("0x", "0o", "0b"):
        value = float(int(digits, 0))
    elif len(digits) > 1 and digits[0] == "0" and digits.isdigit():
        value = float(int(digits, 8) if set(digits) <= set("01234567") else int(digits))
    else:
        value = float(digits)
    if value == float("inf"):
        return "Infinity"
    if value == int(value) and value < 1e21:
        return str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    power = int(exponent or 0)
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    if -7 < power < 0:
        return "0." + "0" * (-power - 1) + whole + fraction
    if power:
        return f"{whole}{'.' if fraction else ''}{fraction}e{'+' if power > 0 else ''}{power}"
    return mantissa
