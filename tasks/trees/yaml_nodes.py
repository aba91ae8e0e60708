"""What the YAML readers share: the growing arrays of nodes, anchors and tags of the document, and refusals."""

import re
import sys
from array import array
from typing import NoReturn

from tasks.errors import UserError
from tasks.trees.parse import position
from tasks.trees.tree import Identifier, Tree

_PROPERTY = re.compile(
    r"(?:&([^ \t\r\n,\[\]{}]++)|!(?:<[^ \t\r\n<>]++>|([A-Za-z0-9-]*!)?[^ \t\r\n,\[\]{}!]*+))(?=[ \t\r\n,\[\]{}]|\Z)"
).match
_ALIAS = re.compile(r"\*([^ \t\r\n,\[\]{}]++)").match

# Characters that YAML 1.2 allows nowhere (section 5.1): control characters but tab and line ends.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]").search


class Nodes:
    """Nodes in document order; see `tree.py` for the arrays' meanings."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = array("q")
        self.ends = array("q")
        self.value_starts = array("q")
        self.parents = array("q")
        self.stops = array("q")
        self.identifiers: list[Identifier] = []
        self.atomics = bytearray()
        self.anchors: set[str] = set()
        self.handles: set[str] = set()

    def add(self, parent: int, start: int, identifier: Identifier) -> int:
        """A new node that is empty until `finish`."""
        node = len(self.starts)
        self.starts.append(start)
        self.ends.append(start)
        self.value_starts.append(start)
        self.parents.append(parent)
        self.stops.append(node + 1)
        self.identifiers.append(sys.intern(identifier) if isinstance(identifier, str) else identifier)
        self.atomics.append(0)
        return node

    def finish(self, node: int, end: int) -> None:
        """All that stands below `node` is known."""
        self.ends[node] = end
        self.stops[node] = len(self.starts)

    def truncate(self, count: int) -> None:
        """Forget the nodes from `count` on: they turned out to be part of a key."""
        for column in (self.starts, self.ends, self.value_starts, self.parents, self.stops):
            del column[count:]
        del self.identifiers[count:]
        del self.atomics[count:]

    def property_end(self, at: int) -> int:
        """End of the anchor or tag that begins at `at`; an anchor is remembered."""
        match = _PROPERTY(self.text, at)
        if match is None:
            self.refuse(at, "this is neither an anchor nor a tag")
        if match[1] is not None:
            self.anchors.add(match[1])
        elif match[2] and match[2] != "!" and f"!{match[2]}" not in self.handles:
            self.refuse(at, f"the tag handle !{match[2]} is not declared by a %TAG line")
        return match.end()

    def alias_end(self, at: int) -> int:
        """End of the alias that begins at `at`; refuses one without an anchor before it."""
        match = _ALIAS(self.text, at)
        if match is None:
            self.refuse(at, "an alias needs a name")
        if match[1] not in self.anchors:
            self.refuse(at, f"no anchor &{match[1]} stands before this alias")
        return match.end()

    def refuse(self, at: int, reason: str) -> NoReturn:
        """Stop with the one error that a person sees."""
        raise UserError(f"This YAML does not parse at {position(self.text, at)}: {reason}.")

    def tree(self) -> Tree:
        """The finished tree, one node a document below node 0; a single document is the root itself."""
        starts, parents, stops = self.starts, self.parents, self.stops
        if stops[1] == len(starts):
            self.starts, self.ends, self.value_starts = starts[1:], self.ends[1:], self.value_starts[1:]
            self.parents = array("q", [parent - 1 for parent in parents[1:]])
            self.stops = array("q", [stop - 1 for stop in stops[1:]])
            del self.identifiers[0]
            del self.atomics[0]
        return Tree(
            self.text,
            "yaml",
            self.starts,
            self.ends,
            self.value_starts,
            self.parents,
            self.stops,
            self.identifiers,
            self.atomics,
        )
