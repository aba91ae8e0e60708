"""Exact token counts of any slice of one text, without encoding the slice (the contract's last section)."""

import logging
from bisect import bisect_left, bisect_right

from tasks.tokens.tokenizer import Tokenizer

_SHORT = 200
"""Longest end of a slice, in characters, whose count is remembered."""

_said: set[str] = set()


class SliceCounter:
    """Counts tokens of slices. Every count equals that of encoding the slice on its own.

    Where the tokenizer's piece boundaries are known, a count is two look-ups and at most two short encodings; for
    other tokenizers, and texts, every slice is encoded, which is said once for each tokenizer.
    """

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self.text = text
        self._tokenizer = tokenizer
        self._known: dict[str, int] = {}
        self._slices: dict[tuple[int, int], int] = {}
        cuts = tokenizer.cuts(text)
        self.exact_parts = cuts is not None
        """Whether `head` and `tail` may be used."""
        if cuts is None:
            self._positions: list[int] = []
            self._tokens: list[int] = []
            if tokenizer.name not in _said:
                _said.add(tokenizer.name)
                logging.getLogger("treebench").warning(
                    "Piece boundaries of tokenizer %s are not proven here: every slice is encoded, which is slower.",
                    tokenizer.name,
                )
        else:
            self._positions = cuts.positions.tolist()
            self._tokens = cuts.tokens.tolist()

    def total(self) -> int:
        """Tokens of the whole text."""
        return self._tokens[-1] if self.exact_parts else self.count(0, len(self.text))

    def count(self, start: int, end: int, before: str = "", after: str = "") -> int:
        """Tokens of `before + text[start:end] + after`."""
        if not self.exact_parts:
            return self._encoded(start, end, before, after)
        positions = self._positions
        first = bisect_right(positions, start) if before else bisect_left(positions, start)
        last = (bisect_left(positions, end) if after else bisect_right(positions, end)) - 1
        if first > last:
            return self._count(before + self.text[start:end] + after)
        between = self._tokens[last] - self._tokens[first]
        head = before + self.text[start : positions[first]]
        tail = self.text[positions[last] : end] + after
        return between + (self._count(head) if head else 0) + (self._count(tail) if tail else 0)

    def head(self, start: int) -> tuple[int, int]:
        """`(h, p)` of a slice's start: with `(t, q)` of its end, the slice has `h + t` tokens if `p <= q`."""
        at = bisect_left(self._positions, start)
        position = self._positions[at]
        part = self.text[start:position]
        return (self._count(part) if part else 0) - self._tokens[at], position

    def tail(self, end: int) -> tuple[int, int]:
        """`(t, q)` of a slice's end; see `head`."""
        at = bisect_right(self._positions, end) - 1
        position = self._positions[at]
        part = self.text[position:end]
        return (self._count(part) if part else 0) + self._tokens[at], position

    def _count(self, part: str) -> int:
        known = self._known.get(part)
        if known is None:
            known = self._tokenizer.count(part)
            if len(part) <= _SHORT:
                self._known[part] = known
        return known

    def _encoded(self, start: int, end: int, before: str, after: str) -> int:
        if before or after:
            return self._tokenizer.count(before + self.text[start:end] + after)
        known = self._slices.get((start, end))
        if known is None:
            known = self._slices[start, end] = self._tokenizer.count(self.text[start:end])
        return known

    def count_text(self, text: str) -> int:
        """Tokens of a text that is no slice."""
        return self._tokenizer.count(text)
