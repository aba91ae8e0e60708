"""An HTML page as a value of what it shows (head of `reference.py`): tables, list items, terms, images, the page."""

import html
import re
from collections import Counter
from collections.abc import Iterator

from tasks.building.html_page import HtmlPage
from tasks.building.views import NUMBER, Value, folded
from tasks.trees.tree import Identifier, Tree

_DIGIT = re.compile(r"[0-9]")
_LISTS = ("ul", "ol", "dl", "li", "table")
_CELLS = ("td", "th")
_END = re.compile(r"</html\s*>", re.IGNORECASE).search


class HtmlView(HtmlPage):
    """A page as objects and arrays. Nodes of the view are its own; each knows its node in the tree."""

    root = 0

    def __init__(self, tree: Tree):
        super().__init__(tree)
        self._parents = [-1]
        self._identifiers: list[Identifier] = [""]
        self._native = [tree.root]
        self._leaves: dict[int, Value] = {}
        self._spans: dict[int, tuple[int, int]] = {}
        self._children: list[list[int]] = [[]]
        self._copies: set[int] = set()
        self._read()

    # The view.

    def children(self, node: int) -> list[int]:
        """See `View`."""
        return self._children[node]

    def members(self, node: int) -> dict[str, int]:
        """See `View`."""
        found = ((self._identifiers[child], child) for child in self._children[node])
        return {name: child for name, child in found if isinstance(name, str)}

    def parent(self, node: int) -> int:
        """See `View`."""
        return self._parents[node]

    def identifier(self, node: int) -> Identifier:
        """See `View`."""
        return self._identifiers[node]

    def key(self, node: int) -> Value | None:
        """See `View`: what names a part of the view does not stand in the text."""
        return None

    def value(self, node: int) -> Value | None:
        """See `View`."""
        return self._leaves.get(node)

    def span(self, node: int) -> tuple[int, int]:
        """See `View`."""
        native = self._native[node]
        return self._spans.get(node) or (self._tree.starts[native], self._tree.ends[native])

    def path(self, node: int) -> str:
        """See `View`."""
        return self._tree.path(self._native[node])

    def strings(self) -> Iterator[tuple[str, int]]:
        """See `View`: text runs, and the leaves of the view."""
        yield from self._elsewhere
        for node in self._elements.get("text()", ()):
            yield folded(html.unescape(self._tree.source(node))), self._tree.starts[node]
        for node, value in self._leaves.items():
            if value.type == "text" and node not in self._copies:
                yield folded(value.text), self.span(node)[0]

    def named(self) -> Counter[str]:
        """See `View`: names of elements and attributes."""
        found: Counter[str] = Counter()
        for name, nodes in self._elements.items():
            if not name.endswith(")"):
                found[name] += len(nodes)
                for node in nodes:
                    found.update(self._attributes(node).keys())
        return found

    def repeats(self) -> bool:
        """See `View`: a page with elements behind its end, which some parsers show and others drop."""
        end = _END(self._tree.text)
        return end is not None and any(
            start >= end.end() and name and not name.endswith(")")
            for start, name in zip(self._tree.starts, self._names, strict=True)
        )

    # Reading.

    def _read(self) -> None:
        page = self._add(self.root, "page", self._tree.root)
        for name, value in self._page():
            self._leaf(page, name, *value)
        for name, reader in (
            ("tables", self._tables),
            ("items", self._items),
            ("terms", self._terms),
            ("images", self._images),
            ("links", self._links),
            ("facts", self._facts),
        ):
            reader(self._add(self.root, name, self._tree.root))

    def _add(self, parent: int, identifier: Identifier, native: int) -> int:
        node = len(self._parents)
        self._parents.append(parent)
        self._identifiers.append(identifier)
        self._native.append(native)
        self._children.append([])
        self._children[parent].append(node)
        return node

    def _leaf(self, parent: int, name: str, native: int, raw: str, text: str) -> None:
        text = " ".join(text.split())
        if text:
            node = self._add(parent, name, native)
            self._leaves[node] = Value("number" if NUMBER.fullmatch(text) else "text", raw, text)

    def _element(self, parent: int, native: int) -> int:
        return self._add(parent, len(self._children[parent]), native)

    def _tables(self, parent: int) -> None:
        for table in self._elements.get("table", ()):
            inside = [node for node in self._below(table) if self._names[node] == "tr"]
            if not inside or any(self._names[node] == "table" for node in self._below(table)):
                continue
            rows = [[cell for cell in self._tree.children(row) if self._names[cell] in _CELLS] for row in inside]
            if any(self._spanning(cell) for row in rows for cell in row):
                continue
            columns = [self._text(cell)[1] for cell in rows[0]]
            if not self._head(rows, columns):
                continue
            view = self._element(parent, table)
            self._leaf(view, "columns", inside[0], self._tree.source(inside[0]), " | ".join(columns))
            listed = self._add(view, "rows", table)
            for row, cells in zip(inside[1:], rows[1:], strict=True):
                if len(cells) == len(columns) and any(self._names[cell] == "td" for cell in cells):
                    record = self._element(listed, row)
                    for column, cell in zip(columns, cells, strict=True):
                        self._leaf(record, column, cell, *self._text(cell))

    def _head(self, rows: list[list[int]], columns: list[str]) -> bool:
        """Whether the first row names the columns."""
        if not all(columns) or len({column.casefold() for column in columns}) < len(columns) or len(columns) < 2:
            return False
        names = {self._names[cell] for cell in rows[0]}
        if names == {"th"}:
            return True
        if names != {"td"} or len(columns) < 3 or any(map(_DIGIT.search, columns)) or len(rows) < 3:
            return False
        if any(len(row) != len(columns) or {self._names[cell] for cell in row} != {"td"} for row in rows):
            return False
        below = ([self._text(row[at])[1] for row in rows[1:]] for at in range(1, len(columns)))
        return any(all(map(_DIGIT.search, texts)) for texts in below)

    def _spanning(self, cell: int) -> bool:
        attributes = self._attributes(cell)
        return any(attributes.get(name, "1").strip() != "1" for name in ("colspan", "rowspan"))

    def _items(self, parent: int) -> None:
        for item in self._elements.get("li", ()):
            below = list(self._below(item))
            if any(self._names[node] in _LISTS for node in below):
                continue
            links = [node for node in below if self._names[node] == "a" and self._attributes(node).get("href")]
            if len(links) == 1:
                view = self._element(parent, item)
                self._leaf(view, "text", item, *self._text(item))
                for name, attribute in (("address", "href"), ("tooltip", "title"), ("label", "aria-label")):
                    self._attribute(view, name, links[0], attribute)

    def _terms(self, parent: int) -> None:
        for term in self._elements.get("dt", ()):
            siblings = self._siblings(term)
            at = siblings.index(term) + 1
            follow = [self._names[node] for node in siblings[at : at + 2]]
            alone = follow[:1] == ["dd"] and follow[1:] != ["dd"]
            if alone and not any(self._names[node] == "dd" for node in self._below(siblings[at])):
                self._term(parent, term, siblings[at], (self._tree.starts[term], self._tree.ends[siblings[at]]))
        for row in self._elements.get("tr", ()):
            cells = self._siblings(row, inside=True)
            names = [self._names[cell] for cell in cells]
            if names not in (["th", "td"], ["td", "td"]) or any(map(self._spanning, cells)):
                continue
            if any(self._names[node] == "table" for node in self._below(row)):
                continue
            if names == ["th", "td"] or self._pairs(row):
                self._term(parent, cells[0], cells[1], (self._tree.starts[row], self._tree.ends[row]))

    def _pairs(self, row: int) -> bool:
        """Whether a row stands in a table of at least three rows of two plain data cells each."""
        node = self._tree.parents[row]
        while node >= 0 and self._names[node] != "table":
            node = self._tree.parents[node]
        if node < 0 or any(self._names[below] == "table" for below in self._below(node)):
            return False
        rows = [self._siblings(below, inside=True) for below in self._below(node) if self._names[below] == "tr"]
        plain = ([self._names[cell] for cell in cells] == ["td", "td"] for cells in rows)
        return len(rows) >= 3 and all(plain) and not any(self._spanning(cell) for cells in rows for cell in cells)

    def _term(self, parent: int, term: int, definition: int, span: tuple[int, int]) -> None:
        view = self._element(parent, term)
        self._spans[view] = span
        self._leaf(view, "term", term, *self._text(term))
        self._leaf(view, "definition", definition, *self._text(definition))

    def _facts(self, parent: int) -> None:
        headings = [node for node in self._elements.get("h1", ()) if self._text(node)[1]]
        terms: dict[str, list[int]] = {}
        for view in self._children[self.members(self.root)["terms"]]:
            members = self.members(view)
            if {"term", "definition"} <= members.keys():
                terms.setdefault(self._leaves[members["term"]].text, []).append(members["definition"])
        once = {term: found[0] for term, found in terms.items() if len(found) == 1}
        if len(headings) != 1 or len(once) < 3:
            return
        facts = self._element(parent, self._tree.root)
        self._leaf(facts, "heading", headings[0], *self._text(headings[0]))
        entries = self._add(facts, "entries", self._tree.root)
        for term, definition in once.items():
            node = self._add(entries, term, self._native[definition])
            self._leaves[node] = self._leaves[definition]
            self._copies.add(node)

    def _images(self, parent: int) -> None:
        for image in self._elements.get("img", ()):
            if " ".join(html.unescape(self._attributes(image).get("alt", "")).split()):
                view = self._element(parent, image)
                for name, attribute in (
                    ("text", "alt"),
                    ("address", "src"),
                    ("width", "width"),
                    ("height", "height"),
                    ("tooltip", "title"),
                ):
                    self._attribute(view, name, image, attribute)

    def _links(self, parent: int) -> None:
        first = len(self._parents)
        for link in self._elements.get("a", ()):
            if self._attributes(link).get("href") and self._text(link)[1]:
                view = self._element(parent, link)
                self._leaf(view, "text", link, *self._text(link))
                for name, attribute in (("address", "href"), ("tooltip", "title")):
                    self._attribute(view, name, link, attribute)
        self._copies.update(range(first, len(self._parents)))  # most of them are list items as well

    def _attribute(self, parent: int, name: str, node: int, attribute: str) -> None:
        value = self._attributes(node).get(attribute)
        if value is not None:
            self._leaf(parent, name, node, self._tag(node), value)
