"""HTML pages by lxml: what a page shows, as the head of `tasks/building/reference.py` describes it."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import lxml.html
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

from tasks.validating.values import DECIMAL, Number

_HIDDEN = frozenset(("script", "style", "template", "textarea", "noscript"))
_TEXTS = etree.XPath("descendant::text()", smart_strings=False)
_RUNS = etree.XPath("descendant::text()")
_FIRST = re.compile(r"(?:\s+|<!--.*?-->|<[!?][^>]*>)*<html[\s>]", re.DOTALL | re.IGNORECASE)
_METAS = {
    "description": "description",
    "author": "author",
    "og:site_name": "site",
    "article:published_time": "published",
    "article:modified_time": "modified",
}


class Shown(dict[str, Any]):
    """A record of a page, with the elements that it takes up and the place of each of its texts."""

    def __init__(self, first: Any, last: Any):
        self.first, self.last = first, last
        self.at: list[tuple[str, Any]] = []

    def put(self, name: str, text: str | None, element: Any) -> None:
        """Add a member, unless it is blank."""
        text = " ".join((text or "").split())
        if text:
            self[name] = Number(text) if DECIMAL.fullmatch(text) else text
            if not DECIMAL.fullmatch(text):
                self.at.append((text, element))


def read(text: str) -> dict[str, Any]:
    """The value of a page."""
    return Page(text).value


class Page:
    """A parsed page: its value, and where each text stands, as the number of an element in document order."""

    def __init__(self, text: str):
        root, elsewhere = _parsed(text)
        self._elements = list(root.iter())
        self._order = {element: number for number, element in enumerate(self._elements)}
        self.names = frozenset(
            name
            for element in self._elements
            if isinstance(element.tag, str)
            for name in (element.tag, *element.attrib)
        )
        self.value: dict[str, Any] = {
            "page": _page(root, _FIRST.match(text) is not None),
            "tables": list(_tables(root)),
            "items": list(_items(root)),
            "terms": list(_terms(root)),
            "images": list(_images(root)),
            "links": list(_links(root)),
        }
        self.value["facts"] = list(_facts(root, self.value["terms"]))
        self.standings = [*self._runs(root), *self._leaves(), *((text, -1) for text in elsewhere)]

    def inside(self, record: Shown) -> list[str]:
        """Every text that stands in a record, however often."""
        first = self._order[record.first]
        last = max(self._order[element] for element in record.last.iter())
        return [text for text, at in self.standings if first <= at <= last]

    def _runs(self, root: Any) -> Iterator[tuple[str, int]]:
        for run in _RUNS(root):
            if run.strip():
                holder = run.getparent()
                yield str(run), self._order[holder.getparent() if run.is_tail else holder]

    def _leaves(self) -> Iterator[tuple[str, int]]:
        shown = [self.value["page"]]
        for table in self.value["tables"]:
            shown += [table, *table["rows"]]
        for name in ("items", "terms", "images", "facts"):
            shown += self.value[name]
        for record in shown:
            for text, element in record.at:
                yield text, self._order[element]


def _parsed(text: str) -> tuple[Any, list[str]]:
    """The page without what is hidden, and the texts that only readers without scripts are shown."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    root = lxml.html.document_fromstring(text.encode("utf-8", "surrogatepass"), parser=parser)
    elsewhere = [run for hidden in root.iter("noscript") for run in _TEXTS(hidden)]
    elsewhere += [image.get("alt") or "" for hidden in root.iter("noscript") for image in hidden.iter("img")]
    for hidden in list(root.iter(*_HIDDEN)):
        for child in list(hidden):
            hidden.remove(child)
        hidden.text = None
    return root, [shown for shown in elsewhere if shown.strip()]


def _elements(root: Any, *wanted: str) -> Iterator[Any]:
    return (element for element in root.iter(*wanted) if isinstance(element.tag, str))


def _text(element: Any) -> str:
    return " ".join(" ".join(_TEXTS(element)).split())


def _page(root: Any, begins: bool) -> Shown:
    found = Shown(root, root)
    title = next(_elements(root, "title"), None)
    if title is not None:
        found.put("title", _text(title), title)
    if begins:
        found.put("language", root.get("lang"), root)
    for meta in _elements(root, "meta"):
        name = _METAS.get((meta.get("name") or meta.get("property") or "").lower())
        if name and name not in found:
            found.put(name, meta.get("content"), meta)
    for link in _elements(root, "link"):
        if (link.get("rel") or "").lower() == "canonical" and "canonical" not in found:
            found.put("canonical", link.get("href"), link)
    return found


def _tables(root: Any) -> Iterator[Shown]:
    for table in _elements(root, "table"):
        rows = list(_elements(table, "tr"))
        if not rows or next(table.iterdescendants("table"), None) is not None:
            continue
        cells = [[cell for cell in row if cell.tag in ("td", "th")] for row in rows]
        if any(_spanning(cell) for row in cells for cell in row):
            continue
        columns = [_text(cell) for cell in cells[0]]
        if not _is_head(cells, columns):
            continue
        shown = Shown(table, table)
        shown.put("columns", " | ".join(columns), rows[0])
        shown["rows"] = [
            _row(row, columns, found)
            for row, found in zip(rows[1:], cells[1:], strict=True)
            if len(found) == len(columns) and any(cell.tag == "td" for cell in found)
        ]
        yield shown


def _is_head(cells: list[list[Any]], columns: list[str]) -> bool:
    """Whether the first row of a table names its columns."""
    different = len({column.casefold() for column in columns}) == len(columns) >= 2
    if not different or not all(columns):
        return False
    if all(cell.tag == "th" for cell in cells[0]):
        return True
    regular = all(len(row) == len(columns) >= 3 and all(cell.tag == "td" for cell in row) for row in cells)
    if not regular or len(cells) < 3 or re.search("[0-9]", " ".join(columns)):
        return False
    return any(all(re.search("[0-9]", _text(row[at])) for row in cells[1:]) for at in range(1, len(columns)))


def _row(row: Any, columns: list[str], cells: list[Any]) -> Shown:
    shown = Shown(row, row)
    for column, cell in zip(columns, cells, strict=True):
        shown.put(column, _text(cell), cell)
    return shown


def _spanning(cell: Any) -> bool:
    return any((cell.get(name) or "1").strip() != "1" for name in ("colspan", "rowspan"))


def _items(root: Any) -> Iterator[dict[str, Any]]:
    for item in _elements(root, "li"):
        if next(item.iterdescendants("ul", "ol", "dl", "li", "table"), None) is not None:
            continue
        links = [link for link in _elements(item, "a") if link.get("href")]
        if len(links) == 1:
            shown = Shown(item, item)
            shown.put("text", _text(item), item)
            for name, attribute in (("address", "href"), ("tooltip", "title"), ("label", "aria-label")):
                shown.put(name, links[0].get(attribute), links[0])
            yield shown


def _terms(root: Any) -> Iterator[Shown]:
    for term in _elements(root, "dt"):
        follow = [other for other in term.itersiblings() if isinstance(other.tag, str)][:2]
        tags = [other.tag for other in follow]
        alone = tags[:1] == ["dd"] and tags[1:] != ["dd"]
        if alone and next(follow[0].iterdescendants("dd"), None) is None:
            yield _term(term, follow[0])
    for row in _elements(root, "tr"):
        cells = _cells(row)
        tags = [cell.tag for cell in cells]
        if tags not in (["th", "td"], ["td", "td"]) or any(map(_spanning, cells)):
            continue
        if next(row.iterdescendants("table"), None) is None and (tags[0] == "th" or _is_of_pairs(row)):
            yield _term(*cells)


def _cells(row: Any) -> list[Any]:
    return [cell for cell in row if isinstance(cell.tag, str)]


def _is_of_pairs(row: Any) -> bool:
    """Whether a row stands in a table of at least three rows of two plain data cells each."""
    table = next(row.iterancestors("table"), None)
    if table is None or next(table.iterdescendants("table"), None) is not None:
        return False
    rows = [_cells(other) for other in _elements(table, "tr")]
    plain = all([cell.tag for cell in cells] == ["td", "td"] for cells in rows)
    return len(rows) >= 3 and plain and not any(_spanning(cell) for cells in rows for cell in cells)


def _facts(root: Any, terms: list[Shown]) -> Iterator[Shown]:
    headings = [heading for heading in _elements(root, "h1") if _text(heading)]
    whole = [term for term in terms if "term" in term and "definition" in term]
    counts = Counter(str(term["term"]) for term in whole)
    once = {str(term["term"]): term["definition"] for term in whole if counts[str(term["term"])] == 1}
    if len(headings) == 1 and len(once) >= 3:
        shown = Shown(root, root)
        shown.put("heading", _text(headings[0]), headings[0])
        shown["entries"] = once
        yield shown


def _term(term: Any, definition: Any) -> Shown:
    shown = Shown(term, definition)
    shown.put("term", _text(term), term)
    shown.put("definition", _text(definition), definition)
    return shown


def _images(root: Any) -> Iterator[Shown]:
    for image in _elements(root, "img"):
        if (image.get("alt") or "").strip():
            shown = Shown(image, image)
            for name, attribute in (
                ("text", "alt"),
                ("address", "src"),
                ("width", "width"),
                ("height", "height"),
                ("tooltip", "title"),
            ):
                shown.put(name, image.get(attribute), image)
            yield shown


def _links(root: Any) -> Iterator[Shown]:
    for link in _elements(root, "a"):
        if link.get("href") and _text(link):
            shown = Shown(link, link)
            shown.put("text", _text(link), link)
            for name, attribute in (("address", "href"), ("tooltip", "title")):
                shown.put(name, link.get(attribute), link)
            yield shown
