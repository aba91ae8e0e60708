"""Flat: the fixed-length baseline (section 2 of the paper): token ids in runs, mapped back to characters."""

from tasks.sectioning.partition import Piece
from tasks.tokens.tokenizer import Tokenizer


def flat(text: str, tokenizer: Tokenizer, base_budget: int) -> list[Piece]:
    """Runs of `base_budget` tokens; a cut inside a character moves to its end. Joined they are the text.

    Characters without a token of their own go with the section of the next token, at the end with the last section.
    """
    ends = tokenizer.ends(text)
    if not ends:
        return [Piece("flat", 0, 0, len(text), 0)] if text else []
    pieces: list[Piece] = []
    start = 0
    for first in range(0, len(ends), base_budget):
        last = min(first + base_budget, len(ends))
        end = len(text) if last == len(ends) else ends[last - 1]
        pieces.append(Piece("flat", 0, start, end, last - first))
        start = end
    return pieces
