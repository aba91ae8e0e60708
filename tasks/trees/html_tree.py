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

import sys

from tasks.trees.decode import decode
from tasks.trees.html_elements import Elements
from tasks.trees.html_markup import comment_end, doctype, markup, raw_end, script_end, tag, unquoted_slash
from tasks.trees.html_names import (
    ATOMIC,
    BARS,
    BREAKOUT,
    CELLS,
    CLOSES_PARAGRAPH,
    HEAD_CONTENT,
    HEADINGS,
    IMPLIED_BEFORE_RUBY,
    RAW,
    ROW_GROUPS,
    RUBY_PARTS,
    RULED,
    TABLE_PARTS,
    VOID,
)
from tasks.trees.tree import Tree

__all__ = ["decode", "parse"]


def parse(text: str) -> Tree:
    """The tree of a page, or of a stream of pages. Never fails."""
    return _Reader(text).read()


class _Reader(Elements):
    """Reads token by token, and ends what a tag ends."""

    def read(self) -> Tree:
        """Token by token."""
        text = self.text
        self.begin_page(0)
        at = run = 0  # where to look on, and where the text run began
        while found := markup(text, at):
            at = found.start()
            kind = text[at + 1]
            if kind in "!?":
                end = self._declaration(run, at)
                if end > 0:
                    run = end
                at = abs(end)
                continue
            match = tag(text, at)
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
        self.end_page(len(text))
        return self.tree()

    # Tokens.

    def _run(self, start: int, end: int) -> None:
        """A text run; one of blanks alone is no node."""
        start = max(start, self.starts[self.pages[-1]])  # blanks before a page are not part of it
        run = self.text[start:end]
        if not run or run.isspace():
            return
        if self.names[-1] == "head":
            self.close(len(self.names) - 1, start, start)
        self.content = True
        self.leaf("text()", start, end)

    def _declaration(self, run: int, at: int) -> int:
        """`<!...>` or `<?...>` at `at`: returns its end; negative if it is CDATA, a part of the run."""
        text = self.text
        if text.startswith("<!--", at):
            if text.startswith((">", "->"), at + 4):
                end = text.index(">", at) + 1
            else:
                closing = comment_end(text, at + 4)
                end = closing.end() if closing else len(text)
        elif text.startswith("<![CDATA[", at) and self.bars[-1].foreign:
            end = text.find("]]>", at)
            return -(end + 3 if end >= 0 else len(text))
        else:
            end = text.find(">", at) + 1 or len(text)
        self._run(run, at)
        if not doctype(text, at):
            self.leaf("comment()", at, end)
        else:
            if self.content and self.had & {"doctype", "html"}:
                self.end_page(at)
                self.begin_page(at)
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
            self.leaf("comment()", at, end)
        return end

    def _start_tag(self, name: str, start: int, end: int) -> int:
        """A start tag; returns where the next token begins."""
        empty = self.text[end - 2] == "/" and not unquoted_slash(self.text[start:end])
        if self.bars[-1].foreign:
            if name not in BREAKOUT:
                if empty:
                    self.leaf(name, start, end)
                else:
                    self.open(name, start, end)
                return end
            while self.bars[-1].foreign:
                self.close(len(self.names) - 1, start, start)
        if self.names[-1] == "head" and name not in HEAD_CONTENT and name != "head":
            self.close(len(self.names) - 1, start, start)
        if name in RULED and not self._make_room(name, start):
            return end
        self.content = True
        if empty or name in VOID:
            self.leaf(name, start, end)
            return end
        self.open(name, start, end)
        if name in RAW:
            return self._raw(name, end)
        if name == "plaintext":
            self._run(end, len(self.text))
            return len(self.text)
        return end

    def _raw(self, name: str, start: int) -> int:
        """The content and end tag of an element that holds only text."""
        text = self.text
        end = script_end(text, start) if name == "script" else raw_end(name, text, start)
        if not text[start:end].isspace() and end > start:
            self.leaf("text()", start, end, name in ATOMIC)
        closing = tag(text, end)
        behind = closing.end() if closing else len(text)
        self.close(len(self.names) - 1, behind, behind)
        return behind

    def _end_tag(self, name: str, start: int, end: int) -> None:
        """An end tag: it ends the nearest open element that it can mean, or none."""
        index = max(map(self.nearest, HEADINGS)) if name in HEADINGS else self.nearest(name)
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
            self.close(index, start, end)

    # Ends that a start tag implies.

    def _make_room(self, name: str, at: int) -> bool:
        """End what the start tag `name` at `at` ends; false if the tag itself is to be ignored."""
        bars = self.bars[-1]
        if name in TABLE_PARTS:
            self._table_part(name, at)
        elif name in ("html", "head", "body"):
            return self._outline(name, at)
        elif name == "form":
            if self.nearest("form") >= 0:
                return False
        elif name == "li":
            self._end_if(self.nearest("li"), bars.item, at)
        elif name in ("dd", "dt"):
            self._end_if(max(self.nearest("dd"), self.nearest("dt")), bars.term, at)
        elif name in ("option", "optgroup"):
            self._end_if(self.nearest("option"), bars.special, at)
            if name == "optgroup":
                self._end_if(self.nearest("optgroup"), bars.special, at)
        elif name in ("button", "select"):
            self._end_if(self.nearest(name), bars.scope, at)
        elif name in ("a", "nobr"):
            index = self.nearest(name)
            if index > bars.scope and bars.special > index:
                self.ended[index] = True
                self.where[name].pop()
            else:
                self._end_if(index, bars.scope, at)
        elif name in RUBY_PARTS and self.nearest("ruby") > bars.scope:
            while self.names[-1] in IMPLIED_BEFORE_RUBY or (self.names[-1] == "rtc" and name in ("rb", "rtc")):
                self.close(len(self.names) - 1, at, at)
        if name in CLOSES_PARAGRAPH:
            self._end_if(self.nearest("p"), self.bars[-1].button, at)
            if name in HEADINGS and self.names[-1] in HEADINGS:
                self.close(len(self.names) - 1, at, at)
        return True

    def _end_if(self, index: int, bar: int, at: int) -> None:
        if index > bar:
            self.close(index, at, at)

    def _table_part(self, name: str, at: int) -> None:
        """A cell, row, row group, caption or column ends what cannot hold it."""
        table = self.bars[-1].table
        row = self.nearest("tr")
        group = max(map(self.nearest, ROW_GROUPS))
        cell = max(map(self.nearest, CELLS))
        if self.names[table] == "table":
            keep = table
            if name in CELLS and row > table:
                keep = row
            elif (name in CELLS or name == "tr") and group > table:
                keep = group
            elif name == "col":
                keep = max(table, self.nearest("colgroup"))
            if len(self.names) - 1 > keep:
                self.close(keep + 1, at, at)
        elif name in CELLS:
            self._end_if(cell, max(table, row), at)
        else:  # a row or row group ends the outermost part of a table without its `<table>`
            ended = [row, cell] if name == "tr" else [group, row, cell]
            self._end_if(min((index for index in ended if index > table), default=-1), table, at)

    def _outline(self, name: str, at: int) -> bool:
        """`<html>`, `<head>` or `<body>` at `at`: whether it opens an element."""
        if name == "html":
            if "html" in self.had:
                if self.nearest("html") >= 0:
                    return False
                self.end_page(at)
                self.begin_page(at)
        elif name in self.had or self.names[-1] not in ("", "html"):
            return False
        self.had.add(name)
        return True
