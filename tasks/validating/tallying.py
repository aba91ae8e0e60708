"""Tokens of contexts, counted a second time.

Short contexts, and every sixteenth longer one, are encoded as a whole. The others are cut where a payload begins, or
behind the last line end of the blanks that it begins with, and each part is encoded once for all contexts: behind such
a line end, the tokenizer's pattern begins anew (head of `tasks/building/counting.py`).
"""

from collections.abc import Sequence
from itertools import pairwise

from tasks.tokens.tokenizer import Tokenizer

WHOLE = 200_000
"""Characters up to which a context is always encoded as a whole."""

EVERY = 16

JOINT = 16
"""Characters between two payloads, at most."""


class Tally:
    """Counts contexts under one tokenizer."""

    def __init__(self, tokenizer: Tokenizer):
        self._tokenizer = tokenizer
        self._known: dict[str, int] = {}
        self._lines: dict[str, int] = {}

    def tokens(self, context: str, texts: Sequence[str], sha256: str) -> int:
        """Tokens of a context that consists of these payload texts."""
        cuts = _cuts(context, texts)
        if cuts is None or len(context) <= WHOLE or int(sha256[:8], 16) % EVERY == 0:
            return len(self._tokenizer.encode(context))
        return sum(self._count(context[start:end]) for start, end in pairwise([0, *cuts, len(context)]))

    def _count(self, piece: str) -> int:
        """Tokens of a piece; its last line, which differs by what stands behind the payload, is counted by itself."""
        known = self._known.get(piece)
        if known is None:
            shown = piece.rstrip()
            last = max(shown.rfind("\n"), shown.rfind("\r")) + 1
            known = self._known[piece] = self._encoded(piece[:last]) + self._encoded(piece[last:])
        return known

    def _encoded(self, text: str) -> int:
        known = self._lines.get(text)
        if known is None:
            known = self._lines[text] = len(self._tokenizer.encode(text))
        return known


def _cuts(context: str, texts: Sequence[str]) -> list[int] | None:
    """Where a context may be cut; None where it does not hold the texts in this order, or one of blanks alone."""
    at, found = 0, []
    before = 0  # where the text before begins: it holds more than blanks, so no line end that matters lies before it
    for text in texts:
        start = next((start for start in range(at, at + JOINT) if context.startswith(text, start)), None)
        if start is None or not text or text.isspace():
            return None
        at = start + len(text)
        first = start + len(text) - len(text.lstrip())
        cut = max(context.rfind("\n", before, first), context.rfind("\r", before, first)) + 1
        if not context[max(cut, before) : first].strip():
            found.append(cut)
        before = start
    return found[1:]
