"""Tokens of contexts, counted a second time.

Short contexts, and every sixteenth longer one, are encoded as a whole. In the others each payload is encoded with what
stands behind it in the context, once for all contexts: the tokenizer's pattern never joins what stands in front of a
line end to a character behind it that is no blank (head of `tasks/building/counting.py`). Where a payload begins with a
blank, the context is encoded as a whole too.
"""

from collections.abc import Sequence
from itertools import pairwise

from tasks.tokens.tokenizer import Tokenizer

WHOLE = 200_000
"""Characters up to which a context is always encoded as a whole."""

EVERY = 16


class Tally:
    """Counts contexts under one tokenizer."""

    def __init__(self, tokenizer: Tokenizer):
        self._tokenizer = tokenizer
        self._known: dict[str, int] = {}

    def tokens(self, format: str, context: str, texts: Sequence[str], sha256: str) -> int:
        """Tokens of a context that consists of these payload texts."""
        starts = _starts(format, context, texts)
        blank = any(not text or text[0].isspace() for text in texts)
        if starts is None or blank or len(context) <= WHOLE or int(sha256[:8], 16) % EVERY == 0:
            return len(self._tokenizer.encode(context))
        bounds = [0, *starts[1:], len(context)]
        return sum(self._count(context[start:end]) for start, end in pairwise(bounds))

    def _count(self, piece: str) -> int:
        known = self._known.get(piece)
        if known is None:
            known = self._known[piece] = len(self._tokenizer.encode(piece))
        return known


def _starts(format: str, context: str, texts: Sequence[str]) -> list[int] | None:
    """Where the parts of a context begin; None where it does not hold the texts in this order."""
    at, found = 0, []
    for text in texts:
        start = context.find(text, at)
        if start < 0:
            return None
        at = start + len(text)
        found.append(start - 4 if format == "yaml" and context.startswith("---\n", start - 4) else start)
    return found
