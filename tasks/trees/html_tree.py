"""HTML to a tree of source spans. Never fails; nothing is invented, moved or repeated.

A tokenizer and a stack of open elements of our own: lxml and selectolax keep no offsets, tree-sitter-html gives up on
misnested markup, justhtml is too slow for a context of a million tokens. The rules are the HTML standard's wherever
they can be told by spans alone:

* End tags that may be omitted are implied (`li`, `p`, `td`, `tr`, `option`, `head`, ...): the element ends where the
  next sibling or the parent's end tag begins. Elements that a browser implies (`body`, `tbody`) are not invented.
* An end tag ends the nearest open element of its name that a browser would find (not across a table cell, say), with
  all that is open in it; other end tags, repeated `html`, `head`, `body` and nested `form` tags are wrapper text.
* A tag that ends in `/>` has no content, as in XML: pages that were parsed and saved again hold `<div/>`.
* An end tag of an inline element (or `form`) that is misnested over blocks, `<b><p>x</b>y</p>`, ends its element
  behind the block: `b` holds `p`, `p` holds `x` and `y`.
* Text runs keep their blanks; a run of blanks alone is no node, nor is it counted in `text()[2]`. References and
  stray `<` are part of the run. In SVG and MathML, so is CDATA; elsewhere `<![...]>` and `<?...>` are comments.
* Doctypes are wrapper text. Comments are leaves `comment()[1]`.
* A page begins at a doctype, if the page before it has content and a doctype or `<html>`, and at `<html>`, if the page
  before it has an `html` element that is closed. A text of one page has that page as its root, from the first
  character that is no blank to the last.
"""

import re
import sys
from array import array
from functools import cache

from tasks.trees.decode import decode
from tasks.trees.html_names import (
    ATOMIC,
    BARS,
    BREAKOUT,
    CELLS,
    CLOSES_PARAGRAPH,
    FOREIGN,
    FOREIGN_BARS,
    HEAD_CONTENT,
    HEADINGS,
    IMPLIED_BEFORE_RUBY,
    INTEGRATION,
    INTEGRATION_BARS,
    NO_BARS,
    RAW,
    ROW_GROUPS,
    RUBY_PARTS,
    RULED,
    TABLE_PARTS,
    VOID,
    Bars,
)
from tasks.trees.tree import Identifier, Tree

__all__ = ["decode", "parse"]

_ATTRIBUTES = (
    r"(?:[\t\n\f\r /]++|[^\t\n\f\r />][^\t\n\f\r />=]*+"
    r"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"[^"]*+"|'[^']*+'|(?=>)|[^\t\n\f\r >"'][^\t\n\f\r >]*+))?+)*+"""
)
_tag = re.compile(rf"<(/?)([a-zA-Z][^\t\n\f\r />]*+){_ATTRIBUTES}>").match
_unquoted_slash = re.compile(r"""=[\t\n\f\r ]*[^\t\n\f\r >"'][^\t\n\f\r >]*/>\Z""").search
_markup = re.compile(r"<[a-zA-Z/!?]").search
_doctype = re.compile(r"<!doctype", re.IGNORECASE).match
_comment_end = re.compile(r"--!?>").search
_script_step = re.compile(r"<!--|-->|<(/?)script(?=[\t\n\f\r />])", re.IGNORECASE).search


def parse(text: str) -> Tree:
    """The tree of a page, or of a stream of pages. Never fails."""
    return _Pages(text).read()


class _Pages:
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

    def read(self) -> Tree:
        """Token by token."""
        text = self.text
        self._begin_page(0)
        at = run = 0  # where to look on, and where the text run began
        while found := _markup(text, at):
            at = found.start()
            kind = text[at + 1]
            if kind in "!?":
                end = self._declaration(run, at)
                if end > 0:
                    run = end
                at = abs(end)
                continue
            match = _tag(text, at)
            if match is None:
                end = self._odd_end_tag(run, at) if kind == "/" else 0
                if not end:
                    break  # the tag never ends: what is left is text
                at = run = end
                continue
            if run < at:
                self._run(run, at)
            name = sys.intern(match[2].lower())
            run = match.end()
            if match[1]:
                self._end_tag(name, at, run)
            else:
                run = self._start_tag(name, at, run)
            at = run
        self._run(run, len(text))
        self._end_page(len(text))
        return self._tree()

    # Tokens.

    def _run(self, start: int, end: int) -> None:
        """A text run; one of blanks alone is no node."""
        start = max(start, self.starts[self.pages[-1]])  # blanks before a page are not part of it
        run = self.text[start:end]
        if not run or run.isspace():
            return
        if self.names[-1] == "head":
            self._close(len(self.names) - 1, start, start)
        self.content = True
        self._leaf("text()", start, end)

    def _declaration(self, run: int, at: int) -> int:
        """`<!...>` or `<?...>` at `at`: returns its end; negative if it is CDATA, a part of the run."""
        text = self.text
        if text.startswith("<!--", at):
            if text.startswith((">", "->"), at + 4):
                end = text.index(">", at) + 1
            else:
                closing = _comment_end(text, at + 4)
                end = closing.end() if closing else len(text)
        elif text.startswith("<![CDATA[", at) and self.bars[-1].foreign:
            end = text.find("]]>", at)
            return -(end + 3 if end >= 0 else len(text))
        else:
            end = text.find(">", at) + 1 or len(text)
        self._run(run, at)
        if not _doctype(text, at):
            self._leaf("comment()", at, end)
        else:
            if self.content and self.had & {"doctype", "html"}:
                self._end_page(at)
                self._begin_page(at)
            self.had.add("doctype")
        return end

    def _odd_end_tag(self, run: int, at: int) -> int:
        """`</` without a name at `at` is a comment up to `>`, `</>` nothing: returns the end, or 0 if it is text."""
        text = self.text
        end = text.find(">", at) + 1
        if not end or (text[at + 2].isascii() and text[at + 2].isalpha()):
            return 0
        self._run(run, at)
        if end > at + 3:
            self._leaf("comment()", at, end)
        return end

    def _start_tag(self, name: str, start: int, end: int) -> int:
        """A start tag; returns where the next token begins."""
        empty = self.text[end - 2] == "/" and not _unquoted_slash(self.text[start:end])
        if self.bars[-1].foreign:
            if name not in BREAKOUT:
                if empty:
                    self._leaf(name, start, end)
                else:
                    self._open(name, start, end)
                return end
            while self.bars[-1].foreign:
                self._close(len(self.names) - 1, start, start)
        if self.names[-1] == "head" and name not in HEAD_CONTENT and name != "head":
            self._close(len(self.names) - 1, start, start)
        if name in RULED and not self._make_room(name, start):
            return end
        self.content = True
        if empty or name in VOID:
            self._leaf(name, start, end)
            return end
        self._open(name, start, end)
        if name in RAW:
            return self._raw(name, end)
        if name == "plaintext":
            self._run(end, len(self.text))
            return len(self.text)
        return end

    def _raw(self, name: str, start: int) -> int:
        """The content and end tag of an element that holds only text."""
        text = self.text
        end = _script_end(text, start) if name == "script" else _raw_end(name, text, start)
        if not text[start:end].isspace() and end > start:
            self._leaf("text()", start, end, name in ATOMIC)
        tag = _tag(text, end)
        behind = tag.end() if tag else len(text)
        self._close(len(self.names) - 1, behind, behind)
        return behind

    def _end_tag(self, name: str, start: int, end: int) -> None:
        """An end tag: it ends the nearest open element that it can mean, or none."""
        index = max(map(self._nearest, HEADINGS)) if name in HEADINGS else self._nearest(name)
        if index < 0:
            return
        bars = self.bars[-1]
        if name in ("html", "body"):
            bar = 0
        elif name == "table" or name in TABLE_PARTS:
            bar = bars.table
        elif name == "li":
            bar = bars.items
        elif name == "p":
            bar = bars.button
        else:
            bar = bars.scope
        if index < bar:
            return
        if bars.special > index and (name == "form" or name not in BARS):
            self.ended[index] = True
            self.where[name].pop()
        else:
            self._close(index, start, end)

    # Ends that a start tag implies.

    def _make_room(self, name: str, at: int) -> bool:
        """End what the start tag `name` at `at` ends; false if the tag itself is to be ignored."""
        bars = self.bars[-1]
        if name in TABLE_PARTS:
            self._table_part(name, at)
        elif name in ("html", "head", "body"):
            return self._outline(name, at)
        elif name == "form":
            if self._nearest("form") >= 0:
                return False
        elif name == "li":
            self._end_if(self._nearest("li"), bars.item, at)
        elif name in ("dd", "dt"):
            self._end_if(max(self._nearest("dd"), self._nearest("dt")), bars.term, at)
        elif name in ("option", "optgroup"):
            self._end_if(self._nearest("option"), bars.special, at)
            if name == "optgroup":
                self._end_if(self._nearest("optgroup"), bars.special, at)
        elif name in ("button", "select"):
            self._end_if(self._nearest(name), bars.scope, at)
        elif name in ("a", "nobr"):
            index = self._nearest(name)
            if index > bars.scope and bars.special > index:
                self.ended[index] = True
                self.where[name].pop()
            else:
                self._end_if(index, bars.scope, at)
        elif name in RUBY_PARTS and self._nearest("ruby") > bars.scope:
            while self.names[-1] in IMPLIED_BEFORE_RUBY or (self.names[-1] == "rtc" and name in ("rb", "rtc")):
                self._close(len(self.names) - 1, at, at)
        if name in CLOSES_PARAGRAPH:
            self._end_if(self._nearest("p"), self.bars[-1].button, at)
            if name in HEADINGS and self.names[-1] in HEADINGS:
                self._close(len(self.names) - 1, at, at)
        return True

    def _end_if(self, index: int, bar: int, at: int) -> None:
        if index > bar:
            self._close(index, at, at)

    def _table_part(self, name: str, at: int) -> None:
        """A cell, row, row group, caption or column ends what cannot hold it."""
        table = self.bars[-1].table
        row = self._nearest("tr")
        group = max(map(self._nearest, ROW_GROUPS))
        cell = max(map(self._nearest, CELLS))
        if self.names[table] == "table":
            keep = table
            if name in CELLS and row > table:
                keep = row
            elif (name in CELLS or name == "tr") and group > table:
                keep = group
            elif name == "col":
                keep = max(table, self._nearest("colgroup"))
            if len(self.names) - 1 > keep:
                self._close(keep + 1, at, at)
        elif name in CELLS:
            self._end_if(cell, max(table, row), at)
        else:  # a row or row group ends the outermost part of a table without its `<table>`
            ended = [row, cell] if name == "tr" else [group, row, cell]
            self._end_if(min((index for index in ended if index > table), default=-1), table, at)

    def _outline(self, name: str, at: int) -> bool:
        """`<html>`, `<head>` or `<body>` at `at`: whether it opens an element."""
        if name == "html":
            if "html" in self.had:
                if self._nearest("html") >= 0:
                    return False
                self._end_page(at)
                self._begin_page(at)
        elif name in self.had or self.names[-1] not in ("", "html"):
            return False
        self.had.add(name)
        return True

    # Nodes and the stack.

    def _nearest(self, name: str) -> int:
        indices = self.where.get(name)
        return indices[-1] if indices else -1

    def _add(self, parent: int, start: int, end: int, value_start: int, identifier: str, atomic: bool) -> int:
        node = len(self.starts)
        self.starts.append(start)
        self.ends.append(end)
        self.value_starts.append(value_start)
        self.parents.append(parent)
        self.stops.append(node + 1)
        self.identifiers.append(sys.intern(identifier))
        self.atomics.append(atomic)
        return node

    def _leaf(self, name: str, start: int, end: int, atomic: bool = False) -> None:
        counts = self.counts[-1]
        counts[name] = count = counts.get(name, 0) + 1
        self._add(self.nodes[-1], start, end, start, f"{name}[{count}]", atomic)

    def _open(self, name: str, start: int, end: int) -> None:
        index = len(self.names)
        counts = self.counts[-1]
        counts[name] = count = counts.get(name, 0) + 1
        node = self._add(self.nodes[-1], start, end, end, f"{name}[{count}]", False)
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

    def _close(self, index: int, inner: int, own: int) -> None:
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

    def _begin_page(self, at: int) -> None:
        text = self.text
        while at < len(text) and text[at].isspace():
            at += 1
        self.pages.append(self._add(0, at, at, at, f"page[{len(self.pages) + 1}]", False))
        self.names, self.nodes, self.counts = [""], [self.pages[-1]], [{}]
        self.bars, self.ended, self.where = [NO_BARS], [False], {}
        self.content = False
        self.had = set()

    def _end_page(self, at: int) -> None:
        if len(self.names) > 1:
            self._close(1, at, at)
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

    def _tree(self) -> Tree:
        starts, ends, value_starts, parents, stops = (
            self.starts,
            self.ends,
            self.value_starts,
            self.parents,
            self.stops,
        )
        if len(self.pages) == 1:
            starts, ends, value_starts = starts[1:], ends[1:], value_starts[1:]
            parents = array("q", [parent - 1 for parent in parents[1:]])
            stops = array("q", [stop - 1 for stop in stops[1:]])
            del self.identifiers[0]
            del self.atomics[0]
        else:
            starts[0] = value_starts[0] = starts[1]
            ends[0] = ends[self.pages[-1]]
            stops[0] = len(starts)
        return Tree(self.text, "html", starts, ends, value_starts, parents, stops, self.identifiers, self.atomics)


@cache
def _raw_end_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE)


def _raw_end(name: str, text: str, start: int) -> int:
    """Where the end tag `name` begins, or the end of the text."""
    found = _raw_end_pattern(name).search(text, start)
    return found.start() if found else len(text)


def _script_end(text: str, start: int) -> int:
    """As `_raw_end`. In `<!-- -->` a script may hold `<script></script>`, as in the standard's double escaped state.

    If that would make the script run to the end of the text, its first end tag counts.
    """
    at = start
    escaped = nested = False
    while step := _script_step(text, at):
        if step[0] == "<!--":
            escaped = True
            at = step.start() + 2  # `<!-->` opens and closes
            continue
        at = step.end()
        if step[0] == "-->":
            escaped = nested = False
        elif not step[1]:
            nested = escaped
        elif nested:
            nested = False
        else:
            return step.start()
    return _raw_end("script", text, start)
