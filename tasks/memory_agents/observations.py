"""What an agent is shown at each section, under each observation method (Table 1), whatever the agent.

    method     section                     path    retrieved spans
    flat       every C tokens              no      no
    tree       subtree or siblings         no      no
    tree_path  subtree or siblings         yes     no
    treeagent  subtree or siblings         yes     yes

An observation of flat and tree is the text of the section. With a path it has up to three parts, apart by an empty
line: `Location: $.features, children 12 to 18` (equation 13; positions from 0), the text of the section, and
`Notes from earlier sections:` with the retrieved spans, one a line, if there are any. In HTML, the start tags of the
elements that the section was taken out of stand below the location: `Inside: <body><table class="wide">`. Only the text
of the section counts against the budget. A fragment of a split string gets its quotation marks back (appendix A.1).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tasks.errors import UserError
from tasks.trees.parse import parse
from tasks.trees.start_tags import StartTags

VERSION = 2
"""Raise it when an observation is rendered differently: runs of the old version are not resumed then."""

Remember = Callable[[int, str, str | None], None]
"""Records the memory after a section, with what was retrieved for it."""

Ends = Callable[[str], Sequence[int]]
"""For each token of a text, the position behind the last character that it covers, even in part."""

Retrieve = Callable[[str, Sequence[tuple[int, str]]], str | None]
"""The spans of the saved memories `(position, text)` that share words with a question; None if there are none."""


@dataclass(frozen=True)
class Method:
    """An observation method."""

    name: str
    sectioning: str
    """The sectioning that it reads: flat or tree."""
    path: bool
    links: bool


METHODS = {
    method.name: method
    for method in (
        Method("flat", "flat", path=False, links=False),
        Method("tree", "tree", path=False, links=False),
        Method("tree_path", "tree", path=True, links=False),
        Method("treeagent", "tree", path=True, links=True),
    )
}


def method(name: str) -> Method:
    """The observation method called `name`; `UserError` where there is none."""
    if name not in METHODS:
        raise UserError(f"There is no observation method {name!r}: choose {', '.join(METHODS)}.")
    return METHODS[name]


@dataclass(frozen=True)
class Section:
    """One section of a context: its text, with the marks that a fragment gets back, and where it belongs."""

    text: str
    path: str | None = None
    range: tuple[int, int] | None = None
    """First and last child of a sibling group, from 0."""
    links: tuple[int, ...] = ()
    """Positions of the sections whose memories may be read here."""
    tags: tuple[str, ...] = ()
    """Start tags of the HTML elements around it, outermost first."""


class Observations:
    """The observations of one reading of one example, in order, positions from 1; keeps the memories for links."""

    def __init__(
        self,
        method: Method,
        problem: str,
        sections: Sequence[Section],
        retrieve: Retrieve,
        remember: Remember,
        ends: Ends = lambda text: range(1, len(text) + 1),
        before: int = 0,
    ):
        """`problem` is what this reading looks for. `before` sections were read by earlier readings."""
        self._method = method
        self._problem = problem
        self._sections = sections
        self._retrieve = retrieve
        self._remember = remember
        self._ends = ends
        self._before = before
        self._saved: dict[int, str] = {}
        self._retrieved: dict[int, str | None] = {}

    def __len__(self) -> int:
        return len(self._sections)

    def at(self, position: int) -> str:
        """The observation at a section. Retrieval reads memories saved before it (equation 16)."""
        section = self._sections[position - 1]
        retrieved = None
        if self._method.links and section.links:
            retrieved = self._retrieve(self._problem, [(source, self._saved[source]) for source in section.links])
        self._retrieved[position] = retrieved
        if not self._method.path:
            return section.text
        inside = f"\nInside: {''.join(section.tags)}" if section.tags else ""
        parts = [f"Location: {location(section)}{inside}", section.text]
        if retrieved:
            parts.append(f"Notes from earlier sections:\n{retrieved}")
        return "\n\n".join(parts)

    def save(self, position: int, memory: str) -> None:
        """Keep the memory after a section, where later sections of this reading find it."""
        self._saved[position] = memory
        self._remember(self.number(position), memory, self._retrieved.get(position))

    def number(self, position: int) -> int:
        """The step of reading that a section is: sections of earlier readings count before it."""
        return self._before + position

    def again(self, problem: str) -> "Observations":
        """Another reading of the same sections, which looks for `problem` and keeps memories of its own."""
        return Observations(
            self._method, problem, self._sections, self._retrieve, self._remember, self._ends,
            self._before + len(self._sections),
        )  # fmt: skip

    def text(self, position: int) -> str:
        """The text of a section alone."""
        return self._sections[position - 1].text

    def units(self, tokens: int, stride: int) -> Iterator[tuple[int, int, int]]:
        """Runs of `tokens` tokens inside each section, one every `stride` tokens: position, first and last character.

        The last run of a section ends with it and may be shorter.
        """
        for position in range(1, len(self) + 1):
            text = self.text(position)
            ends = self._ends(text)
            for first in range(0, len(ends), stride):
                last = min(first + tokens, len(ends))
                yield position, ends[first - 1] if first else 0, len(text) if last == len(ends) else ends[last - 1]
                if last == len(ends):
                    break

    def pieces(self, text: str) -> list[str]:
        """The pieces of `text` that the agent's tokens are; empty ones where several tokens share a character."""
        ends = [0, *self._ends(text)]
        return [text[start:end] for start, end in pairwise(ends)]


def location(section: Section) -> str:
    """The structural annotation of a section (equation 13): its path, with the range of a sibling group."""
    path = section.path or "/"
    return path if section.range is None else f"{path}, children {section.range[0]} to {section.range[1]}"


def sections(text: str, rows: Sequence[Mapping], links: Mapping[int, Sequence[int]]) -> list[Section]:
    """Sections of the context `text` from rows of the tables `sections` (by position) and `links` (by target).

    Fragments of a quoted leaf lie side by side between its quotation marks, and each gets them back.
    """
    found = []
    html = any((row["path"] or "").startswith("/") for row in rows)
    tags = StartTags(parse(text, "html")) if html else None
    for number, row in enumerate(rows):
        start, end = row["span_start"], row["span_end"]
        quote = ""
        if row["type"] == "span" and not html:
            first, last = _leaf(rows, number)
            before, behind = text[first - 1 : first] if first else "", text[last : last + 1]
            quote = before if before == behind and before in ('"', "'", "`") else ""
        group = None if row["range_start"] is None else (row["range_start"], row["range_end"])
        linked = tuple(links.get(row["position"], ()))
        around = tuple(tags.around(row["path"], siblings=group is not None)) if tags else ()
        found.append(Section(f"{quote}{text[start:end]}{quote}", row["path"], group, linked, around))
    return found


def _leaf(rows: Sequence[Mapping], number: int) -> tuple[int, int]:
    """First and last character of the split leaf that the fragment `number` belongs to."""

    def joined(one: Mapping, other: Mapping) -> bool:
        return one["type"] == other["type"] == "span" and one["span_end"] == other["span_start"]

    first = last = number
    while first and joined(rows[first - 1], rows[first]):
        first -= 1
    while last + 1 < len(rows) and joined(rows[last], rows[last + 1]):
        last += 1
    return rows[first]["span_start"], rows[last]["span_end"]
