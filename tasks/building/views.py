"""A payload as a value of objects, arrays and leaves with their places in the text (head of `reference.py`)."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Literal, Protocol

from tasks.trees.javascript_tree import unescaped
from tasks.trees.tree import Identifier, Tree
from tasks.trees.yaml_scalars import content

LONGEST = 160
"""Characters of a value that a question may quote or ask for."""

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
"""A decimal number as JSON writes it; YAML and HTML may write others, which are not read as numbers."""

MASKED = re.compile(r"redacted|^000 0000 0000$|\ufffd", re.IGNORECASE)
"""What stands where a personal or secret value, or a character that could not be read, stood: it says nothing."""

_OTHER_BASE = re.compile(r"-?0[xXoObB]")


@dataclass(frozen=True, slots=True)
class Value:
    """One value: as the text writes it, and as it reads. Numbers keep their spelling: `1.0` is not `1`."""

    type: Literal["text", "number", "flag"]
    raw: str
    text: str

    @property
    def presentable(self) -> bool:
        """Whether people can see it in the text exactly as a question or answer says it, and it was not masked.

        A backslash that the text writes twice is not seen as it is said.
        """
        return (
            self.text in self.raw
            and self.text.count("\\") == self.raw.count("\\")
            and not MASKED.search(self.text)
            and (
                self.type == "number"
                or (
                    0 < len(self.text) <= LONGEST
                    and '"' not in self.text
                    and self.text == " ".join(self.text.split())
                    and self.text.isprintable()
                )
            )
        )


class View(Protocol):
    """What extraction needs to know of a payload. Nodes are numbers; `path` is that of the native tree."""

    root: int

    def children(self, node: int) -> list[int]:
        """Members or elements, in document order."""
        ...

    def members(self, node: int) -> dict[str, int]:
        """The members of an object by key; empty for anything else."""
        ...

    def parent(self, node: int) -> int:
        """The object or array that holds a node; -1 for the root."""
        ...

    def identifier(self, node: int) -> Identifier:
        """Key or position of a node in its parent."""
        ...

    def key(self, node: int) -> Value | None:
        """The key of a member, as a value; None for elements and the root."""
        ...

    def value(self, node: int) -> Value | None:
        """The value of a leaf; None for objects, arrays, null and what has no value."""
        ...

    def span(self, node: int) -> tuple[int, int]:
        """Characters of the value of a node, half open."""
        ...

    def path(self, node: int) -> str:
        """Structural path of a node in the text."""
        ...

    def strings(self) -> Iterator[tuple[str, int]]:
        """Every text and key, as `folded` has it, with its place."""
        ...

    def named(self) -> Counter[str]:
        """Every key that a question must not name, with how often it stands there."""
        ...

    def repeats(self) -> bool:
        """Whether readers may differ about what it holds, as where an object holds a key twice."""
        ...


def folded(text: str) -> str:
    """A text as it is compared when it must not stand twice: without case, blanks run together."""
    return " ".join(text.split()).casefold()


class TreeView:
    """A JSON, YAML or JavaScript payload. The tree's nodes are the view's."""

    root = Tree.root

    def __init__(self, tree: Tree):
        self._tree = tree
        self._members: dict[int, dict[str, int]] = {}
        self._value = {"json": _json_value, "yaml": _yaml_value, "javascript": _javascript_value}[tree.format]

    def children(self, node: int) -> list[int]:
        """See `View`."""
        return self._tree.children(node)

    def members(self, node: int) -> dict[str, int]:
        """See `View`."""
        known = self._members.get(node)
        if known is None:
            identifiers = self._tree.identifiers
            found = ((identifiers[child], child) for child in self._tree.children(node))
            known = self._members[node] = {name: child for name, child in found if isinstance(name, str)}
        return known

    def parent(self, node: int) -> int:
        """See `View`."""
        return self._tree.parents[node]

    def identifier(self, node: int) -> Identifier:
        """See `View`."""
        return self._tree.identifiers[node]

    def key(self, node: int) -> Value | None:
        """See `View`."""
        tree, name = self._tree, self._tree.identifiers[node]
        if node == self.root or not isinstance(name, str):
            return None
        return Value("text", tree.text[tree.starts[node] : tree.value_starts[node]], name)

    def value(self, node: int) -> Value | None:
        """See `View`."""
        return self._value(self._tree.value_source(node)) if self._tree.leaf(node) else None

    def span(self, node: int) -> tuple[int, int]:
        """See `View`."""
        return self._tree.value_starts[node], self._tree.ends[node]

    def path(self, node: int) -> str:
        """See `View`."""
        return self._tree.path(node)

    def strings(self) -> Iterator[tuple[str, int]]:
        """See `View`."""
        tree = self._tree
        for node in range(len(tree)):
            name = tree.identifiers[node]
            if node and isinstance(name, str):
                yield folded(name), tree.starts[node]
            value = self.value(node)
            if value and value.type == "text":
                yield folded(value.text), tree.value_starts[node]

    def named(self) -> Counter[str]:
        """See `View`."""
        return Counter(name for name in self._tree.identifiers[1:] if isinstance(name, str))

    def repeats(self) -> bool:
        """See `View`."""
        return self._repeated

    @cached_property
    def _repeated(self) -> bool:
        tree = self._tree
        seen = {
            (tree.parents[node], tree.identifiers[node])
            for node in range(1, len(tree))
            if isinstance(tree.identifiers[node], str)
        }
        return len(seen) < sum(isinstance(name, str) for name in tree.identifiers[1:])


def _json_value(raw: str) -> Value | None:
    if raw[0] == '"':
        return Value("text", raw, json.loads(raw) if "\\" in raw else raw[1:-1])
    if raw[0] in "-0123456789":
        return Value("number", raw, raw)
    return Value("flag", raw, raw) if raw in ("true", "false") else None


def _yaml_value(raw: str) -> Value | None:
    if raw in ("", "~", "null", "{}", "[]") or raw[0] in "*{[":
        return None
    if raw[0] in "|>":
        return Value("text", raw, " ".join(raw.partition("\n")[2].split()))
    if raw[0] in "\"'":
        return Value("text", raw, content(raw))
    if raw in ("true", "false"):
        return Value("flag", raw, raw)
    if NUMBER.fullmatch(raw):
        return Value("number", raw, raw)
    return Value("text", raw, content(raw))


def _javascript_value(raw: str) -> Value | None:
    if raw[:1] in ("'", '"', "`"):
        return None if raw[0] == "`" else Value("text", raw, unescaped(raw[1:-1]))
    if raw in ("true", "false"):
        return Value("flag", raw, raw)
    if NUMBER.fullmatch(raw):
        return Value("number", raw, raw)
    try:
        plain = raw.replace("_", "").lstrip("+")
        return Value("number", raw, str(int(plain, 0)) if _OTHER_BASE.match(plain) else str(Decimal(plain)))
    except (ValueError, ArithmeticError):
        return None
