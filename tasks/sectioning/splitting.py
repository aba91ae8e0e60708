r"""SplitText of Algorithm 1: an oversized leaf in fragments within the budget, cut where its format permits (A.1).

What the fragments cover. A quoted value loses its quotation marks: they stay outside every fragment, the first and the
last included, and each fragment gets both back when it is read. So marks, keys, dashes, tags and anchors of a split
leaf are wrapper text like those of any node that was taken apart ("fragments restore quotation marks and enclosing
structure"), in every format alike; the fragments touch each other and joined they are what the value says. Room for the
two marks is part of the budget. Where there is nothing inside the marks, the fragment is the marks; where there is no
value at all (`key:` in YAML), it is the node.

Where a cut may lie. Between any two characters that are not of one escape sequence, one surrogate pair (two escapes),
one CR LF (escaped or not), one HTML character reference, or one `''` of a YAML single-quoted scalar.
"""

import html.entities
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain

from tasks.tokens.slices import SliceCounter
from tasks.trees.tree import Tree

_HIGH, _LOW = "[dD][89abAB][0-9a-fA-F]{2}", "[dD][c-fC-F][0-9a-fA-F]{2}"
_COMMON = rf"\r\n|\\u{_HIGH}\\u{_LOW}|\\r\\n|\\u[0-9a-fA-F]{{4}}"
_REFERENCE = "|".join(sorted((name for name in html.entities.html5 if not name.endswith(";")), reverse=True))

# All that is longer than a character and must not be cut, by the language of the value.
_WHOLE = {
    "json": re.compile(rf"{_COMMON}|\\.", re.DOTALL),
    "yaml double": re.compile(
        rf"{_COMMON}|\\x[0-9a-fA-F]{{2}}|\\U[0-9a-fA-F]{{8}}|\\(?:\r\n|[\r\n])[ \t]*|\\.", re.DOTALL
    ),
    "yaml single": re.compile(r"\r\n|''"),
    "javascript": re.compile(
        rf"{_COMMON}|\\u\{{0*{_HIGH}\}}\\u\{{0*{_LOW}\}}|\\u\{{[0-9a-fA-F]+\}}|\\x[0-9a-fA-F]{{2}}"
        r"|\\[0-3][0-7]{0,2}|\\[4-7][0-7]?|\\\r\n|\\.",
        re.DOTALL,
    ),
    # The longest name of a character reference has 31 letters; some old ones stand without a semicolon.
    "html": re.compile(rf"\r\n|&(?:#[xX][0-9a-fA-F]+;?|#[0-9]+;?|[a-zA-Z][a-zA-Z0-9]{{1,30}};|{_REFERENCE})", re.ASCII),
    "plain": re.compile(r"\r\n"),
}

_CJK_SENTENCE_END = "[。！？．]+[」』”’）》]*"
_SENTENCE_END = rf"[.!?…]+[\"'”’)\]]*\s+|{_CJK_SENTENCE_END}\s*"
_SENTENCE_END_ESCAPED = rf"[.!?…]+(?:\\?[\"']|[”’)\]])*(?:\s|\\t)+|{_CJK_SENTENCE_END}\s*"
# Line end, sentence end, blank: in this order, the last that fills the budget by half is taken.
_NATURAL = tuple(map(re.compile, (r"\r\n|\n|\r", _SENTENCE_END, r"\s+")))
_NATURAL_ESCAPED = tuple(map(re.compile, (r"\r\n|\n|\r|\\r\\n|\\n|\\r", _SENTENCE_END_ESCAPED, r"(?:\s|\\t)+")))


def split(tree: Tree, node: int, counter: SliceCounter, budget: int) -> Iterator[tuple[int, int, bool]]:
    """Fragments `(start, end, exceeds)` of the divisible leaf `node`, in order, without gaps.

    With its quotation marks, each is within `budget` tokens; `exceeds` marks one that cannot be: a single character or
    escape sequence.
    """
    return _Value(tree, node, counter, budget).fragments()


class _Value:
    """What is to be split: `text[start:end]`, `quote` around each fragment, and what must stay whole."""

    def __init__(self, tree: Tree, node: int, counter: SliceCounter, budget: int) -> None:
        self.text = tree.text
        self.counter = counter
        self.budget = budget
        self.start, self.end, self.quote = inside(tree, node)
        language = _language(tree, self.text[self.start - 1 : self.start] if self.quote else "", self.start)
        self.natural = _NATURAL if language in ("html", "plain", "yaml single") else _NATURAL_ESCAPED
        found = _WHOLE[language].finditer(self.text, self.start, self.end)
        spans = array("q", chain.from_iterable(match.span() for match in found))
        self.whole_starts, self.whole_ends = spans[::2], spans[1::2]

    def fragments(self) -> Iterator[tuple[int, int, bool]]:
        start = self.start
        while start < self.end:
            first = self._behind(start)
            # Slices without marks first, since their counts cost next to nothing.
            stop = self._reach(start, first, self.end, self.budget)
            if stop < self.end or (self.quote and self._tokens(start, stop) > self.budget):
                stop = self._natural(start, stop) or self._farthest(start, first, stop)
            yield start, stop, stop == first and self._tokens(start, stop) > self.budget
            start = stop

    def _tokens(self, start: int, stop: int) -> int:
        """Tokens of a fragment as it is read, with its marks."""
        if not self.quote:
            return self.counter.count(start, stop)
        return self.counter.count_text(f"{self.quote}{self.text[start:stop]}{self.quote}")

    def _behind(self, at: int) -> int:
        """End of the character, or of what must stay whole, that begins at `at`."""
        index = bisect_left(self.whole_starts, at)
        if index < len(self.whole_starts) and self.whole_starts[index] == at:
            return self.whole_ends[index]
        return at + 1

    def _cut(self, at: int) -> int:
        """The last place up to `at` where a cut may lie."""
        index = bisect_left(self.whole_starts, at) - 1
        return self.whole_starts[index] if index >= 0 and at < self.whole_ends[index] else at

    def _farthest(self, start: int, first: int, stop: int) -> int:
        """The end of the longest fragment up to `stop` that fits with its marks; `first` if none does."""
        room = self.budget
        while self.quote and stop > first:
            excess = self._tokens(start, stop) - self.budget
            if excess <= 0:
                break
            room = min(room, self.counter.count(start, stop)) - excess
            stop = self._reach(start, first, self._cut(stop - 1), room)
        return stop

    def _reach(self, start: int, low: int, last: int, room: int) -> int:
        """The farthest cut in `[low, last]` up to which a slice from `start` has at most `room` tokens, else `low`."""
        count = self.counter.count
        step = max(4 * room, 16)
        high = last
        while low < last:  # first in growing steps: a leaf may be as long as the text
            ahead = min(self._cut(min(low + step, last)), last)
            if ahead <= low:
                ahead = min(self._behind(low), last)
            if count(start, ahead) > room:
                high = ahead
                break
            low, step = ahead, 2 * step
        else:
            return low
        while True:  # the slice to `low` fits, or `low` is the first cut; the one to `high` does not fit
            middle = self._cut((low + high) // 2)
            if middle <= low:
                middle = self._behind(low)
            if middle >= high:
                return low
            if count(start, middle) > room:
                high = middle
            else:
                low = middle

    def _natural(self, start: int, stop: int) -> int | None:
        """The last line end, else sentence end, else blank up to `stop` that fits and leaves the budget half filled."""
        half = self._reach(start, start, stop, max((self.budget - 1) // 2 - 2 * len(self.quote), 0))
        for pattern in self.natural:
            places = [match.span() for match in pattern.finditer(self.text, max(half - 64, start), stop)]
            for begin, end in reversed(places):
                if end == self._cut(end) and begin == self._cut(begin) and end > start:
                    tokens = self._tokens(start, end)
                    if 2 * tokens < self.budget:
                        break
                    if tokens <= self.budget:
                        return end
        return None


def inside(tree: Tree, node: int) -> tuple[int, int, str]:
    """What fragments of the leaf `node` cover, and the quotation mark that each gets on both sides, or nothing."""
    text = tree.text
    if tree.format == "html":
        return tree.starts[node], tree.ends[node], ""
    start, end = tree.value_starts[node], tree.value_end(node)
    if start == end:
        return tree.starts[node], tree.ends[node], ""
    quote = text[start] if text[start] in ('"', "'", "`") else ""
    if not quote or end - start == 2:
        return start, end, ""
    return start + 1, end - 1, quote


def _language(tree: Tree, quote: str, start: int) -> str:
    """Which rules say what must stay whole."""
    if tree.format == "html":
        return "html"
    if tree.format == "yaml":
        return {'"': "yaml double", "'": "yaml single"}.get(quote, "plain")
    if tree.format == "json":
        return "json" if quote else "plain"
    return "javascript" if quote or tree.text[start : start + 1] == "/" else "plain"
