"""The elements of an HTML page that are shown, with their attributes and texts."""

import html
import re
from collections.abc import Iterator

from tasks.building.views import folded
from tasks.trees.tree import Tree

METAS = {
    "description": "description",
    "author": "author",
    "og:site_name": "site",
    "article:published_time": "published",
    "article:modified_time": "modified",
}

_ATTRIBUTE = re.compile(
    r"""([^\t\n\f\r "'<>/=]+)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r "'>]+)))?"""
)
_HIDDEN = ("script", "style", "template", "textarea", "noscript")


class HtmlPage:
    """A page. Nodes are those of its tree; what is hidden has no name."""

    def __init__(self, tree: Tree):
        self._tree = tree
        self._names = [name.partition("[")[0] if isinstance(name, str) else "" for name in tree.identifiers]
        self._elements: dict[str, list[int]] = {}
        self._known: dict[int, dict[str, str]] = {}
        self._elsewhere: list[tuple[str, int]] = []
        """Texts for readers without scripts, which no description may name a second time."""
        hidden_until, hider = 0, ""
        for node, name in enumerate(self._names):
            if node < hidden_until:
                if hider == "noscript":
                    self._elsewhere += self._written(node, name)
                self._names[node] = ""
                continue
            if name in _HIDDEN:
                hidden_until, hider = tree.stops[node], name
            self._elements.setdefault(name, []).append(node)

    def _page(self) -> Iterator[tuple[str, tuple[int, str, str]]]:
        """What the head of the page says: name to element, source and text."""
        found: dict[str, tuple[int, str, str]] = {}
        for node in self._elements.get("title", ())[:1]:
            found["title"] = (node, *self._text(node))
        first = next((node for node in self._below(self._tree.root) if not self._names[node].endswith(")")), None)
        if first is not None and self._names[first] == "html":  # elsewhere, parsers differ on whose attributes they are
            self._take(found, "language", first, "lang")
        for node in self._elements.get("meta", ()):
            attributes = self._attributes(node)
            name = METAS.get(attributes.get("name", attributes.get("property", "")).lower())
            if name:
                self._take(found, name, node, "content")
        for node in self._elements.get("link", ()):
            if self._attributes(node).get("rel", "").lower() == "canonical":
                self._take(found, "canonical", node, "href")
        yield from found.items()

    def _take(self, found: dict[str, tuple[int, str, str]], name: str, node: int, attribute: str) -> None:
        value = self._attributes(node).get(attribute)
        if value is not None and name not in found:
            found[name] = (node, self._tag(node), value)

    def _below(self, node: int) -> Iterator[int]:
        return iter(range(node + 1, self._tree.stops[node]))

    def _siblings(self, node: int, inside: bool = False) -> list[int]:
        """The elements beside a node, or in it."""
        parent = node if inside else self._tree.parents[node]
        return [child for child in self._tree.children(parent) if not self._names[child].endswith(")")]

    def _tag(self, node: int) -> str:
        tree = self._tree
        end = tree.value_starts[node] if tree.value_starts[node] > tree.starts[node] else tree.ends[node]
        return tree.text[tree.starts[node] : end]

    def _written(self, node: int, name: str) -> Iterator[tuple[str, int]]:
        """The text of a run, or the alternative text of an image."""
        text = self._tree.source(node) if name == "text()" else ""
        if name == "img":
            text = self._attributes(node).get("alt", "")
        if text.strip():
            yield folded(html.unescape(text)), self._tree.starts[node]

    def _attributes(self, node: int) -> dict[str, str]:
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = {}
            for name, *values in _ATTRIBUTE.findall(self._tag(node)[1 + len(self._names[node]) : -1]):
                known.setdefault(name.lower(), html.unescape("".join(values)))
        return known

    def _text(self, node: int) -> tuple[str, str]:
        """Source and text of an element, without what is not shown."""
        tree = self._tree
        runs = [html.unescape(tree.source(below)) for below in self._below(node) if self._names[below] == "text()"]
        return tree.source(node), " ".join(" ".join(runs).split())
