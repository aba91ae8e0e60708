r"""Tokens of contexts as sums over payloads, without encoding any context as a whole.

The tokenizer cuts a text into pieces by a pattern and merges only inside a piece. What joins two payloads ends in a
line feed, and no piece reaches over a line feed unless blanks follow it; so if a payload begins with a character that
is no blank, a piece begins there, whatever stands before. The tokens of a context are then those of its parts, each
counted once: payload with the joint behind it, the last one with the end, and the beginning. Contexts with payloads
that begin otherwise are encoded as a whole. Tests hold this against plain encoding.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.tokens.tokenizer import Tokenizer
from tasks.warehouse.contexts import Frame, frame_of, render


@dataclass(frozen=True)
class Cost:
    """Tokens of one payload in a context, with what joins it to the next."""

    joined: int
    sums: bool
    """Whether a piece begins where this payload begins."""


class Counter:
    """Counts contexts of one format under one tokenizer."""

    def __init__(self, format: str, tokenizer: Tokenizer):
        self._format = format
        self._tokenizer = tokenizer
        self._frame: Frame = frame_of(format)
        self._last: dict[str, int] = {}
        self.empty = tokenizer.count(self._frame.before)
        """Tokens in front of the first payload."""

    def cost(self, text: str) -> Cost:
        """What one payload costs, wherever it stands."""
        body = self._frame.body(text)
        return Cost(self._tokenizer.count(body + self._frame.between), not body[0].isspace() and body[0].isascii())

    def context(self, texts: Sequence[str], costs: Sequence[Cost]) -> int:
        """Tokens of the context of these payloads, whose costs are given."""
        if not all(cost.sums for cost in costs):
            return self._tokenizer.count(render(self._format, texts))
        last = texts[-1]
        if last not in self._last:
            self._last[last] = self._tokenizer.count(self._frame.body(last) + self._frame.behind)
        return self.empty + sum(cost.joined for cost in costs[:-1]) + self._last[last]
