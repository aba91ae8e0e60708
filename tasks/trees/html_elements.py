"""The HTML elements that are open and the nodes that are known, while a page is read."""

import sys
from array import array

from tasks.trees.html_names import BARS, FOREIGN, FOREIGN_BARS, INTEGRATION, INTEGRATION_BARS, NO_BARS, Bars
from tasks.trees.tree import Identifier, Tree


class Elements:
    """The nodes read so far, and the stack of open elements, in columns; the outermost is the page."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = array("q", [0])
        self.ends = array("q", [0])
        self.value_starts = array("q", [0])
        self.parents = array("q", [-1])
        self.stops = array("q", [1])
        self.identifiers: list[Identifier] = [""]
        self.atomics = bytearray(1)
        self.pages: list[int] = []
        self.content = False  # whether the page has an element or text
        self.had: set[str] = set()  # which of doctype, html, head and body the page had
        self.names: list[str] = []
        self.nodes: list[int] = []
        self.counts: list[dict[str, int]] = []  # children so far, by tag
        self.bars: list[Bars] = []
        self.ended: list[bool] = []  # the end tag was met already, in a block that is still open in the element
        self.where: dict[str, list[int]] = {}  # indices in the stack by name, but for elements ended

    def nearest(self, name: str) -> int:
        """Where in the stack the innermost open element `name` lies, -1 if there is none."""
        indices = self.where.get(name)
        return indices[-1] if indices else -1

    def add(self, parent: int, start: int, end: int, value_start: int, identifier: str, atomic: bool) -> int:
        """A new node, a leaf as yet."""
        node = len(self.starts)
        self.starts.append(start)
        self.ends.append(end)
        self.value_starts.append(value_start)
        self.parents.append(parent)
        self.stops.append(node + 1)
        self.identifiers.append(sys.intern(identifier))
        self.atomics.append(atomic)
        return node

    def leaf(self, name: str, start: int, end: int, atomic: bool = False) -> None:
        """A text run, a comment or an element without content, in the innermost open element."""
        counts = self.counts[-1]
        counts[name] = count = counts.get(name, 0) + 1
        self.add(self.nodes[-1], start, end, start, f"{name}[{count}]", atomic)

    def open(self, name: str, start: int, end: int) -> None:
        """The element whose start tag is `text[start:end]`: what follows is in it."""
        index = len(self.names)
        counts = self.counts[-1]
        counts[name] = count = counts.get(name, 0) + 1
        node = self.add(self.nodes[-1], start, end, end, f"{name}[{count}]", False)
        outer = self.bars[-1]
        if name in FOREIGN:
            own = FOREIGN_BARS
        elif outer.foreign:
            own = INTEGRATION_BARS if name in INTEGRATION else None
        else:
            own = BARS.get(name)
        if own:
            bars = Bars._make(index if bar else before for bar, before in zip(own, outer, strict=True))
            bars = bars._replace(foreign=own.foreign)
        else:
            bars = outer
        self.names.append(name)
        self.nodes.append(node)
        self.counts.append({})
        self.bars.append(bars)
        self.ended.append(False)
        self.where.setdefault(name, []).append(index)

    def close(self, index: int, inner: int, own: int) -> None:
        """End the open element `index` at `own`, what is open in it at `inner`, and what only waited for its end."""
        names, ended, ends, stops, where = self.names, self.ended, self.ends, self.stops, self.where
        while True:
            name = names.pop()
            node = self.nodes.pop()
            self.counts.pop()
            self.bars.pop()
            if not ended.pop():
                where[name].pop()
            ends[node] = inner if len(names) > index else own
            stops[node] = len(stops)
            if len(names) <= index and not ended[-1]:
                return

    def begin_page(self, at: int) -> None:
        """A page begins behind the blanks at `at`."""
        text = self.text
        while at < len(text) and text[at].isspace():
            at += 1
        self.pages.append(self.add(0, at, at, at, f"page[{len(self.pages) + 1}]", False))
        self.names, self.nodes, self.counts = [""], [self.pages[-1]], [{}]
        self.bars, self.ended, self.where = [NO_BARS], [False], {}
        self.content = False
        self.had = set()

    def end_page(self, at: int) -> None:
        """End all that is open at `at`, the page before the blanks that end there."""
        if len(self.names) > 1:
            self.close(1, at, at)
        page = self.pages[-1]
        child = page + 1
        reached = self.starts[page]
        while child < len(self.starts):
            reached = self.ends[child]
            child = self.stops[child]
        while at > reached and self.text[at - 1].isspace():
            at -= 1
        self.ends[page] = max(at, reached)
        self.stops[page] = len(self.starts)

    def tree(self) -> Tree:
        """One node a page below node 0; a single page is the root itself."""
        starts, ends, values, parents, stops = self.starts, self.ends, self.value_starts, self.parents, self.stops
        if len(self.pages) == 1:
            starts, ends, values = starts[1:], ends[1:], values[1:]
            parents = array("q", [parent - 1 for parent in parents[1:]])
            stops = array("q", [stop - 1 for stop in stops[1:]])
            del self.identifiers[0]
            del self.atomics[0]
        else:
            starts[0] = values[0] = starts[1]
            ends[0] = ends[self.pages[-1]]
            stops[0] = len(starts)
        return Tree(self.text, "html", starts, ends, values, parents, stops, self.identifiers, self.atomics)
