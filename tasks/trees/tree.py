"""A native text as a tree of exact source spans, in flat arrays (section 3.1 of the TreeAgent paper).

Nodes are numbered in document order (preorder, the root is 0). All positions are code points of the text,
half open. Nothing is re-serialised: the text of a node is `text[starts[node]:ends[node]]`. Nothing recurses, so
nesting may be as deep as the text is long.

How a format module builds a tree (its `parse(text) -> Tree`)::

    builder = TreeBuilder(text, "json")
    builder.open(0, "")                              # the root: an inner node, now the current parent
    builder.leaf(2, 8, "a", value_start=7)           # the member `"a": 1`, from the key's quote to the value's end
    builder.open(10, "b", value_start=15)            # an inner node; what follows until close() are its children
    builder.leaf(16, 17, 0)
    builder.close(18)                                # end of the current inner node
    builder.close(19)
    tree = builder.finish()                          # checks nesting and order, O(nodes)

* `start` to `end` is the span of the contract (JSON member: key's quote to value's end; YAML element: from the `-`;
  HTML element: with its tags). An inner node that gets no children is a leaf: there is no separate flag.
* `identifier` names a node in its parent: a `str` (key, name of a declaration) or an `int` (position from 0). For HTML
  it is the finished step, such as `table[2]`, `text()[1]`, `page[3]`. The root's identifier is never used. A key that
  stands twice needs no care: `path` adds `#2`.
* `value_start`, by default `start`, is where the value proper begins: behind key, colon, tag, anchor or dash. A string
  leaf must have its opening quotation mark there (splitting gives the marks back). For HTML elements it is the
  character behind the start tag, so that `text[start:value_start]` is the tag.
* `value_end`, by default `end`, is where the value ends, if something follows it inside the node (`;` in JavaScript).
* `atomic=True` marks a leaf that is never divided (block scalars, scripts, expressions).
* `builder.ends[node]`, `builder.identifiers[node]` and the other arrays may be changed until `finish`.
"""

import json
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence

Identifier = str | int

_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Tree:
    """The finished tree. Index the arrays with a node number; use the methods for anything about relations.

    `starts`, `ends`, `value_starts`: positions; `parents`: node number, -1 for the root; `stops`: number behind the
    last node of the subtree, so that the descendants of `v` are `v + 1 .. stops[v] - 1`; `atomics`: 1 for indivisible
    leaves. Where a value ends says `value_end`.
    """

    __slots__ = (
        "_ordinals",
        "_value_ends",
        "atomics",
        "ends",
        "format",
        "identifiers",
        "parents",
        "starts",
        "stops",
        "text",
        "value_starts",
    )

    def __init__(
        self,
        text: str,
        format: str,
        starts: Sequence[int],
        ends: Sequence[int],
        value_starts: Sequence[int],
        parents: Sequence[int],
        stops: Sequence[int],
        identifiers: list[Identifier],
        atomics: bytearray,
        value_ends: Mapping[int, int] | None = None,
    ) -> None:
        self.text = text
        self.format = format
        self.starts = starts
        self.ends = ends
        self.value_starts = value_starts
        self.parents = parents
        self.stops = stops
        self.identifiers = identifiers
        self.atomics = atomics
        self._value_ends = value_ends or {}
        self._ordinals: dict[int, dict[int, int]] = {}

    root = 0

    def __len__(self) -> int:
        return len(self.starts)

    def children(self, node: int) -> list[int]:
        """Children of `node` in document order."""
        stops = self.stops
        stop = stops[node]
        child = node + 1
        found = []
        while child < stop:
            found.append(child)
            child = stops[child]
        return found

    def leaf(self, node: int) -> bool:
        """Whether `node` has no children."""
        return self.stops[node] == node + 1

    def atomic(self, node: int) -> bool:
        """Whether `node` is a leaf that is never divided."""
        return bool(self.atomics[node])

    def source(self, node: int) -> str:
        """The slice of `node`, key or tags included."""
        return self.text[self.starts[node] : self.ends[node]]

    def value_source(self, node: int) -> str:
        """The slice of the value of `node`: without key, dash, tag, anchor, `;`; for HTML without the start tag."""
        return self.text[self.value_starts[node] : self.value_end(node)]

    def value_end(self, node: int) -> int:
        """Where the value of `node` ends: its end, but for a JavaScript statement, where a `;` may follow."""
        return self._value_ends.get(node, self.ends[node])

    def ancestors(self, node: int) -> Iterator[int]:
        """Parent, grandparent and so on up to the root."""
        parent = self.parents[node]
        while parent >= 0:
            yield parent
            parent = self.parents[parent]

    def path(self, node: int) -> str:
        """Structural path of `node` (section 3.2): `$.records[3]["other key"]`, `/html[1]/body[1]/table[2]`."""
        chain = [node, *self.ancestors(node)][:-1]
        chain.reverse()
        if self.format == "html":
            return "/" + "/".join(str(self.identifiers[step]) for step in chain)
        return "$" + "".join(map(self._step, chain))

    def _step(self, node: int) -> str:
        identifier = self.identifiers[node]
        if isinstance(identifier, int):
            return f"[{identifier}]"
        step = "." + identifier if _PLAIN_KEY.match(identifier) else f"[{quoted(identifier)}]"
        ordinal = self._ordinals_of(self.parents[node]).get(node)
        return f"{step}#{ordinal}" if ordinal else step

    def _ordinals_of(self, parent: int) -> dict[int, int]:
        """Which children of `parent` carry a key that an earlier one has: node to 2, 3, and so on."""
        known = self._ordinals.get(parent)
        if known is None:
            known = {}
            seen: dict[Identifier, int] = {}
            for child in self.children(parent):
                identifier = self.identifiers[child]
                if isinstance(identifier, str):
                    seen[identifier] = count = seen.get(identifier, 0) + 1
                    if count > 1:
                        known[child] = count
            self._ordinals[parent] = known
        return known


def quoted(key: str) -> str:
    """`key` as a JSON string that any UTF-8 stream can carry: only what JSON or UTF-8 demands is escaped."""
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(key, ensure_ascii=False))


class TreeBuilder:
    """Collects nodes in document order; see the module's text."""

    def __init__(self, text: str, format: str) -> None:
        self.text = text
        self.format = format
        self.starts = array("q")
        self.ends = array("q")
        self.value_starts = array("q")
        self.parents = array("q")
        self.stops = array("q")
        self.identifiers: list[Identifier] = []
        self.atomics = bytearray()
        self.value_ends: dict[int, int] = {}
        self._open: list[int] = []

    @property
    def current(self) -> int:
        """The innermost node that is open: -1 before the root and after its end."""
        return self._open[-1] if self._open else -1

    def open(self, start: int, identifier: Identifier, value_start: int | None = None) -> int:
        """Begin an inner node; it is the parent of everything until its `close`."""
        node = self._append(start, start, identifier, value_start, False)
        self._open.append(node)
        return node

    def close(self, end: int) -> int:
        """End the innermost open node at `end`."""
        node = self._open.pop()
        self.ends[node] = end
        self.stops[node] = len(self.starts)
        return node

    def leaf(
        self,
        start: int,
        end: int,
        identifier: Identifier,
        value_start: int | None = None,
        atomic: bool = False,
        value_end: int | None = None,
    ) -> int:
        """A node without children."""
        node = self._append(start, end, identifier, value_start, atomic)
        if value_end is not None and value_end != end:
            self.value_ends[node] = value_end
        return node

    def _append(self, start: int, end: int, identifier: Identifier, value_start: int | None, atomic: bool) -> int:
        node = len(self.starts)
        self.starts.append(start)
        self.ends.append(end)
        self.value_starts.append(start if value_start is None else value_start)
        self.parents.append(self.current)
        self.stops.append(node + 1)
        self.identifiers.append(identifier)
        self.atomics.append(atomic)
        return node

    def finish(self) -> Tree:
        """The tree. `ValueError` for a parser that is wrong: an open node, two roots, overlap, a child that sticks out.

        No text can cause these.
        """
        if self._open:
            raise ValueError(f"node {self._open[-1]} is still open")
        starts, ends, parents = self.starts, self.ends, self.parents
        reached = array("q", starts)
        for node in range(len(starts)):
            parent = parents[node]
            if parent < 0:
                if node:
                    raise ValueError(f"node {node} stands beside the root")
            elif not reached[parent] <= starts[node] <= ends[node] <= ends[parent]:
                raise ValueError(f"node {node} overlaps an earlier sibling or leaves its parent {parent}")
            else:
                reached[parent] = ends[node]
        if not starts:
            raise ValueError("a tree needs a root")
        return Tree(
            self.text,
            self.format,
            starts,
            ends,
            self.value_starts,
            parents,
            self.stops,
            self.identifiers,
            self.atomics,
            self.value_ends,
        )
