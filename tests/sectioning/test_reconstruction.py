"""Nothing is lost and nothing repeated: sections and the wrapper text between them, over every recorded file.

Which characters must lie in a section is found without the parsers and the partitioner of the project: by a regular
expression for JSON and JavaScript, by `html.parser`, and by PyYAML's events. All else is wrapper text: brackets, keys,
tags with their attributes, separators, quotation marks, anchors and comments that belong to no node.
"""

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import yaml

from tasks.sectioning.section import Sectioning, section
from tasks.trees.parse import decode
from tests.sectioning.plain_tokenizers import Characters

BUDGETS = (40, 150, 600, 2500, 10_000)
"""In characters; each file is cut under one of them."""

Spans = Iterator[tuple[int, int]]


def check(text: str, made: Sectioning, content: Spans) -> None:
    """Spans ascend, the source comes back, and all of `content` (spans in order) is inside sections."""
    spans = [(part.start, part.end) for part in made.sections]
    assert all(a <= b for a, b in spans)
    assert all(one[1] <= two[0] for one, two in pairwise(spans))
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    pieces = [text[a:b] for a, b in pairwise(edges)]  # a gap, a section, a gap, ...
    assert "".join(pieces) == text
    gaps = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if text[a:b].strip()]
    place = 0
    for start, end in content:
        while place < len(gaps) and gaps[place][1] <= start:
            place += 1
        if place < len(gaps) and gaps[place][0] < end:
            lost = text[max(start, gaps[place][0]) : min(end, gaps[place][1])]
            assert not lost.strip(), (lost[:80], text[start:end][:200])


def run(texts: list[tuple[str, str]], format: str, content: Callable[[str], Spans]) -> None:
    """Check every `(name, text)`."""
    kinds = set()
    for number, (name, text) in enumerate(texts):
        budget = BUDGETS[number % len(BUDGETS)]
        made = section(text, format, Characters(), budget, budget=budget)
        try:
            check(text, made, content(text))
        except AssertionError as error:
            raise AssertionError(f"{name} under {budget}") from error
        for part in made.sections:
            assert part.tokens == part.end - part.start
            assert part.tokens <= budget or part.atomic
            kinds.add(part.type)
    assert kinds == {"subtree", "siblings", "span"}


_JSON = re.compile(r'("(?:[^"\\]|\\.)*+")(\s*:)?|([{\[]\s*[}\]])|([^\s{}\[\],:"]+)', re.DOTALL)


def json_content(text: str) -> Spans:
    """Strings that are no keys, without their marks; numbers, names and empty containers."""
    for match in _JSON.finditer(text):
        if match[1] is None:
            yield match.span()
        elif match[2] is None:
            yield _inside(match.start(1), match.end(1))


def _inside(start: int, end: int) -> tuple[int, int]:
    return (start, end) if end - start == 2 else (start + 1, end - 1)


def test_json(recordings: Path) -> None:
    texts = [(str(file), file.read_bytes().decode("utf-8-sig")) for file in sorted(recordings.glob("*/**/*.json"))]
    run(texts, "json", json_content)


def test_javascript(recordings: Path) -> None:
    texts = []
    for file in sorted(recordings.glob("javascript/*.jsonl")):
        rows = [json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()]
        for first in range(0, len(rows), 100):
            program = [f"const v{place} = {row} ; // {place}\n" for place, row in enumerate(rows[first : first + 100])]
            texts.append((f"{file} {first}", "".join(program)))
    run(texts, "javascript", javascript_content)


_JAVASCRIPT = re.compile(
    r"""(?P<out>//[^\n]*|/\*.*?\*/|\bconst\s+\w+\s*=|[-{\[\],:;()]|\s)"""
    r"""|(?P<quoted>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`)|(?P<word>[^\s{}\[\],:;()'"`]+)|\}""",
    re.DOTALL,
)
_colon = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*+:", re.DOTALL).match


def javascript_content(text: str) -> Spans:
    """As for JSON, with comments left out."""
    for match in _JAVASCRIPT.finditer(text):
        if match["out"] or match[0] == "}" or _colon(text, match.end()):
            continue
        yield _inside(*match.span()) if match["quoted"] else match.span()


class _Page(HTMLParser):
    """Collects the spans of text, comments and void elements of a page."""

    VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self._lines = [0]
        for match in re.finditer("\n", text):
            self._lines.append(match.end())
        self._text = text
        self.found: list[tuple[int, int]] = []
        self.feed(text)
        self.close()

    def _at(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def _add(self, length: int) -> None:
        self.found.append((self._at(), self._at() + length))

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in self.VOID:
            self._add(len(self.get_starttag_text() or ""))

    handle_startendtag = handle_starttag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self._add(len(data))

    def handle_entityref(self, name: str) -> None:
        self._add(1)

    handle_charref = handle_entityref

    def handle_comment(self, data: str) -> None:
        self._add(4)


def test_html(recordings: Path) -> None:
    texts = []
    for file in sorted(recordings.glob("html/*/*.htm*")):
        texts.append((file.name, decode(file.read_bytes(), "html")))
    assert len(texts) > 150
    run(texts, "html", lambda text: iter(_Page(text).found))


def yaml_content(text: str) -> Spans:
    """Scalars that are no keys, without their marks; aliases and empty collections."""
    pending: list[bool] = []  # for each open collection, whether the next node in it is a key; None for a sequence
    opened: tuple[int, bool] | None = None
    for event in yaml.parse(text, yaml.CSafeLoader):
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, yaml.CollectionEndEvent):
            pending.pop()
            if opened is not None and not opened[1]:
                yield opened[0], end
            opened = None
            continue
        opened = None
        if not isinstance(event, yaml.NodeEvent):
            continue
        key = bool(pending) and pending[-1] is True
        if pending and pending[-1] is not None:
            pending[-1] = not pending[-1]
        if isinstance(event, yaml.CollectionStartEvent):
            pending.append(True if isinstance(event, yaml.MappingStartEvent) else None)
            opened = (text.find("[" if pending[-1] is None else "{", start), key)
        elif not key and isinstance(event, yaml.AliasEvent):
            yield start, end
        elif not key and isinstance(event, yaml.ScalarEvent):
            value = text[start:end]
            while value[:1] in ("&", "!"):
                skipped = re.match(r"\S+\s*", value)
                start += skipped.end() if skipped else 0
                value = text[start:end]
            yield _inside(start, end) if event.style in ("'", '"') else (start, end)


def test_yaml(recordings: Path) -> None:
    texts = []
    for file in sorted(recordings.glob("yaml_openapi/**/*.yaml")):
        texts.append((file.name, file.read_bytes().decode("utf-8-sig")))
    run(texts, "yaml", yaml_content)
