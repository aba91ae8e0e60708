r"""Tokens of contexts as sums over payloads, without encoding any context as a whole.

The tokenizer cuts a text into pieces by a pattern and merges only inside a piece. Where blanks hold a line end, a piece
ends behind the last one of them and takes nothing from what follows. What joins two payloads ends in a line feed, so a
piece ends between any two of them: behind the joint, or, if the next payload begins with blanks, behind the last line
end of those (its `lead`). The tokens of a context are those of its parts, each counted once. Payloads of nothing but
blanks are the exception: with them, a context is encoded as a whole. Tests hold this against plain encoding.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tasks.tokens.tokenizer import Tokenizer
from tasks.warehouse.contexts import Frame, frame_of, render

_LEAD = re.compile(r"\s*[\r\n]")


@dataclass(frozen=True)
class Cost:
    """Tokens of one payload in a context, with what joins it to the next, but without its lead."""

    joined: int
    lead: str
    """Blanks that it begins with, up to their last line end: they count as part of what stands before."""
    sums: bool
    """Whether there is more than blanks to it."""


class Counter:
    """Counts contexts of one format under one tokenizer."""

    def __init__(self, format: str, tokenizer: Tokenizer):
        self._format = format
        self._tokenizer = tokenizer
        self._frame: Frame = frame_of(format)
        self._known: dict[tuple[str, str], int] = {}
        self.empty = tokenizer.count(self._frame.before)
        """Tokens in front of the first payload."""

    def cost(self, text: str) -> Cost:
        """What one payload costs, wherever it stands."""
        body = self._frame.body(text)
        found = _LEAD.match(body)
        lead = found[0] if found else ""
        return Cost(self._tokenizer.count(body[len(lead) :] + self._frame.between), lead, not body.isspace())

    def context(self, texts: Sequence[str], costs: Sequence[Cost]) -> int:
        """Tokens of the context of these payloads, whose costs are given."""
        if not all(cost.sums for cost in costs):
            return self._tokenizer.count(render(self._format, texts))
        tokens = self._tokenizer.count(self._frame.before + costs[0].lead)
        for text, (cost, following) in zip(texts, pairwise(costs), strict=False):
            tokens += self._count(text, cost, self._frame.between + following.lead) if following.lead else cost.joined
        return tokens + self._count(texts[-1], costs[-1], self._frame.behind)

    def _count(self, text: str, cost: Cost, behind: str) -> int:
        """Tokens of a payload, without its lead, with something else behind it."""
        key = (text, behind)
        if key not in self._known:
            self._known[key] = self._tokenizer.count(self._frame.body(text)[len(cost.lead) :] + behind)
        return self._known[key]
