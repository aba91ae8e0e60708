"""Exact token counts of slices of one text, without encoding them again.

The text is cut at every safe cut (`tasks.tokens.boundaries`). Counts add up over the parts, so a slice costs two
subtractions and the counts of a few characters at its two ends; and parts repeat, above all in structured data, so
their counts are remembered. Where no safe cuts are proven for a tokenizer, every slice is encoded: correct, and slower.
"""

import logging
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np

from tasks.tokens.boundaries import Rule, Unproven, code_points, cuts
from tasks.tokens.tokenizer import Tokenizer

LONGEST_REMEMBERED = 256
"""Characters of a part whose count is remembered for all texts."""

_MOST_REMEMBERED = 300_000  # parts, some 40 MB
_BLOCK = 30_000  # parts at a time, so that temporary arrays are small
_HIGH_BITS = np.uint64(0x8080808080808080)
_FIRST_BYTES = np.array([(1 << 8 * size) - 1 for size in range(9)], dtype="<u8")

_remembered: WeakKeyDictionary[Tokenizer, dict[str, int]] = WeakKeyDictionary()
_said: set[str] = set()
_log = logging.getLogger(__name__)


@runtime_checkable
class Additive(Protocol):
    """A tokenizer that may know where its counts add up; every other is counted by encoding."""

    def rule(self, text: str) -> Rule:
        """The rule of safe cuts that holds in `text`; `Unproven` where none is known."""
        ...

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, each encoded by itself."""
        ...


class SliceCounter:
    """Counts slices of `text` in tokens of `tokenizer`, without special tokens around them."""

    def __init__(self, text: str, tokenizer: Tokenizer):
        self.text = text
        self._tokenizer = tokenizer
        self._additive = tokenizer if isinstance(tokenizer, Additive) else None
        self._known = _remembered.setdefault(tokenizer, {})
        self._long: dict[tuple[int, int], int] = {}
        self._rule = _rule(text, tokenizer)
        self.cuts = cuts(text, self._rule) if self._rule else np.zeros(0, dtype=np.int64)
        """Safe cuts, ascending."""
        self.sums = np.zeros(len(self.cuts), dtype=np.int64)
        """Tokens from the first safe cut to each of them."""
        for begin in range(0, len(self.cuts) - 1, _BLOCK):
            places = self.cuts[begin : begin + _BLOCK + 1]
            counted = self._count_between(text[places[0] : places[-1]], places - places[0])
            self.sums[begin + 1 : begin + len(places)] = np.cumsum(counted) + self.sums[begin]
        self._cuts, self._sums = self.cuts.data, self.sums.data  # faster than arrays, one by one

    def count(self, start: int, end: int) -> int:
        """Tokens of `text[start:end]`."""
        first = bisect_left(self._cuts, start)
        last = bisect_right(self._cuts, end) - 1
        if first > last:
            return self.part(start, end)
        between = self._sums[last] - self._sums[first]
        return self.part(start, self._cuts[first]) + between + self.part(self._cuts[last], end)

    def count_text(self, text: str) -> int:
        """Tokens of a text that is no slice, such as a fragment with the quotation marks it gets back."""
        return self._tokenizer.count(text)

    def part(self, start: int, end: int) -> int:
        """Tokens of `text[start:end]`, a slice without a safe cut inside: encoded once."""
        if end - start <= LONGEST_REMEMBERED:
            part = self.text[start:end]
            known = self._known.get(part)
            if known is None:
                known = self._known[part] = self._tokenizer.count(part)
            return known
        known = self._long.get((start, end))
        if known is None:
            known = self._long[start, end] = self._tokenizer.count(self.text[start:end])
        return known

    def at_least(self, start: int, end: int) -> int:
        """A number of tokens that `text[start:end]` cannot have less than, found without encoding it."""
        part = self.text[start:end]
        if not self._rule or not self._rule.longest or not (part.isascii() and part.isprintable()):
            return 0
        return -(-len(part) // self._rule.longest)

    def counts(self, parts: Sequence[str]) -> np.ndarray:
        """Tokens of each part by itself; those that are new are encoded together."""
        known = self._known
        fresh = list(set(parts).difference(known))
        if fresh:
            if len(known) > _MOST_REMEMBERED:
                known.clear()
                fresh = list(set(parts))
            new = self._additive.counts(fresh) if self._additive else list(map(self._tokenizer.count, fresh))
            known.update(zip(fresh, new, strict=True))
        found = np.fromiter(map(known.__getitem__, parts), np.int64, len(parts))
        for part in fresh:
            if len(part) > LONGEST_REMEMBERED:
                del known[part]
        return found

    def _count_between(self, text: str, places: np.ndarray) -> np.ndarray:
        """Tokens of the parts of `text` between each place and the next; the first place is 0, the last its end.

        Of the parts of structured data, nine in ten are up to eight ASCII characters long. Those are read as numbers,
        which are told apart many times faster than strings.
        """
        starts, ends = places[:-1], places[1:]
        lengths = ends - starts
        characters = np.zeros(len(text) + 8, dtype=np.uint8)
        np.minimum(code_points(text), 0xFF, out=characters[: len(text)], casting="unsafe")  # beyond ASCII: high bit
        eights = np.lib.stride_tricks.sliding_window_view(characters, 8)[starts].view("<u8").ravel()
        numbers = eights & _FIRST_BYTES[np.minimum(lengths, 8)]
        short = (lengths <= 8) & (numbers & _HIGH_BITS == 0)
        distinct, which = np.unique(numbers[short], return_inverse=True)
        counted = np.zeros(len(starts), dtype=np.int64)
        counted[short] = self.counts([part.decode("ascii") for part in distinct.view("S8").tolist()])[which]
        spans = zip(starts[~short].tolist(), ends[~short].tolist(), strict=True)
        counted[~short] = self.counts([text[start:end] for start, end in spans])
        return counted


def _rule(text: str, tokenizer: Tokenizer) -> Rule | None:
    """The rule of safe cuts; none where nothing is proven, which is said once for each tokenizer."""
    reason = "it does not say where its counts add up"
    if isinstance(tokenizer, Additive):
        try:
            return tokenizer.rule(text)
        except Unproven as error:
            reason = str(error)
    if tokenizer.name not in _said:
        _said.add(tokenizer.name)
        _log.warning("Tokenizer %s: %s; so every slice is encoded by itself, exact but slower.", tokenizer.name, reason)
    return None
