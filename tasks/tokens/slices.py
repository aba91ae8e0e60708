"""Exact token counts of slices of one text, without encoding them again.

The text is cut at every safe cut (`tasks.tokens.boundaries`). Counts add up over the parts, so a slice costs two
subtractions and the counts of a few characters at its two ends; and parts repeat, above all in structured data, so
their counts are remembered. Where no safe cuts are proven for a tokenizer, every slice is encoded: correct, and slower.
"""

import logging
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np

from tasks.tokens.boundaries import Rule, Unproven, cuts
from tasks.tokens.tokenizer import Tokenizer

LONGEST_REMEMBERED = 256
"""Characters of a part whose count is remembered for all texts."""

_MOST_REMEMBERED = 300_000  # parts, some 40 MB
_BLOCK = 200_000  # parts at a time, so that a long text needs little memory

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
        self.cuts = _safe_cuts(text, tokenizer)
        """Safe cuts, ascending."""
        self.sums = np.zeros(len(self.cuts), dtype=np.int64)
        """Tokens from the first safe cut to each of them."""
        for begin in range(0, len(self.cuts) - 1, _BLOCK):
            places = self.cuts[begin : begin + _BLOCK + 1].tolist()
            parts = [text[start:end] for start, end in pairwise(places)]
            counted = np.cumsum(self.counts(parts))
            self.sums[begin + 1 : begin + len(places)] = counted + self.sums[begin]
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
                known = self._tokenizer.count(part)
                self._remember({part: known})
            return known
        known = self._long.get((start, end))
        if known is None:
            known = self._long[start, end] = self._tokenizer.count(self.text[start:end])
        return known

    def counts(self, parts: Sequence[str]) -> list[int]:
        """Tokens of each part by itself; those that are new are encoded together."""
        found = list(map(self._known.get, parts))
        fresh = list({part for part, known in zip(parts, found, strict=True) if known is None})
        if fresh:
            new = self._additive.counts(fresh) if self._additive else list(map(self._tokenizer.count, fresh))
            made = dict(zip(fresh, new, strict=True))
            found = [made[part] if known is None else known for part, known in zip(parts, found, strict=True)]
            self._remember({part: known for part, known in made.items() if len(part) <= LONGEST_REMEMBERED})
        return found  # pyright: ignore[reportReturnType]

    def _remember(self, made: dict[str, int]) -> None:
        if len(self._known) > _MOST_REMEMBERED:
            self._known.clear()
        self._known.update(made)


def _safe_cuts(text: str, tokenizer: Tokenizer) -> np.ndarray:
    """The safe cuts of `text`; none where nothing is proven, which is said once for each tokenizer."""
    reason = "it does not say where its counts add up"
    if isinstance(tokenizer, Additive):
        try:
            return cuts(text, tokenizer.rule(text))
        except Unproven as error:
            reason = str(error)
    if tokenizer.name not in _said:
        _said.add(tokenizer.name)
        _log.warning("Tokenizer %s: %s; so every slice is encoded by itself, exact but slower.", tokenizer.name, reason)
    return np.zeros(0, dtype=np.int64)
