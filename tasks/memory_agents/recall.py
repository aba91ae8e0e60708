"""Which earlier memory answers a recall query best: TF-IDF over sub-words, cosine similarity, the best one.

As scikit-learn's TfidfVectorizer with a custom tokenizer computes it: raw term counts, smoothed
idf = ln((1 + memories) / (1 + memories with the term)) + 1, vectors of length one, terms of the query that no memory
has left out. Fitted anew on all memories for each query. Every query gets a memory, even one that shares nothing.
The released agent keeps the memories in a set, whose order changes from process to process; here equal memories are
kept once, in the order in which they were written, and the earliest one wins a tie.
"""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

Pieces = Callable[[str], Sequence[str]]
"""The sub-words of a text."""


class History:
    """The memories of one example."""

    def __init__(self, pieces: Pieces):
        self._pieces = pieces
        self._texts: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self._ids: dict[str, int] = {}
        self._held: list[int] = []

    def add(self, memory: str) -> None:
        """Keep a memory, unless an equal one is kept already."""
        if memory in self._texts:
            return
        counts = Counter(terms(memory, self._pieces))
        ids = np.array([self._ids.setdefault(term, len(self._ids)) for term in counts], dtype=np.int64)
        self._held += [0] * (len(self._ids) - len(self._held))
        for term in ids:
            self._held[term] += 1
        self._texts[memory] = ids, np.array(list(counts.values()), dtype=np.float64)

    def best(self, query: str) -> str | None:
        """The memory most similar to `query`; None where no memory has any term."""
        if not self._ids:
            return None
        idf = np.log((1 + len(self._texts)) / (1 + np.array(self._held))) + 1
        asked = np.zeros(len(idf))
        for term, count in Counter(terms(query, self._pieces)).items():
            if term in self._ids:
                asked[self._ids[term]] = count
        asked *= idf
        best, most = None, -1.0
        for text, (ids, counts) in self._texts.items():
            weights = counts * idf[ids]
            similarity = float(weights @ asked[ids]) / (float(np.linalg.norm(weights)) or 1.0)
            if similarity > most + 1e-12:
                best, most = text, similarity
        return best


def terms(text: str, pieces: Pieces) -> list[str]:
    """Sub-words of the lower-case text, without the blank that a sub-word may start with."""
    return [piece.replace(" ", "") for piece in pieces(text.lower())]
