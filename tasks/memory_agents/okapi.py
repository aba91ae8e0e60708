"""Okapi BM25, as the package rank-bm25 computes it (BM25Okapi with its defaults), in compact arrays.

score(d, q) = sum over the terms of q of idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / mean |d|)), with
idf(t) = ln(N - n + 0.5) - ln(n + 0.5), and a negative idf replaced by epsilon times the mean idf of all terms.
A context of a million tokens takes some megabytes, so that hundreds can be in work at a time.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

K1, B, EPSILON = 1.5, 0.75, 0.25


class Okapi:
    """The index of a sequence of documents, each a sequence of terms."""

    def __init__(self, documents: Iterable[Sequence[Hashable]]):
        lengths: list[int] = []
        terms, places, counts = [], [], []
        for number, document in enumerate(documents):
            lengths.append(len(document))
            found = Counter(map(hash, document))
            terms.append(np.fromiter(found.keys(), np.int64, len(found)))
            counts.append(np.fromiter(found.values(), np.int32, len(found)))
            places.append(np.full(len(found), number, np.int32))
        self._lengths = np.array(lengths, dtype=np.float64)
        every = np.concatenate(terms) if terms else np.empty(0, np.int64)
        order = np.argsort(every, kind="stable")
        self._terms, held = np.unique(every, return_counts=True)
        self._starts = np.concatenate(([0], np.cumsum(held)))
        self._places = np.concatenate(places)[order] if places else np.empty(0, np.int32)
        self._counts = np.concatenate(counts)[order] if counts else np.empty(0, np.int32)
        idf = np.log(len(lengths) - held + 0.5) - np.log(held + 0.5)
        mean = float(idf.mean()) if len(idf) else 0.0
        self._idf = np.where(idf < 0, EPSILON * mean, idf)
        total = float(self._lengths.sum())
        self._norms = K1 * (1 - B + B * self._lengths * (len(lengths) / total if total else 0.0))

    def __len__(self) -> int:
        return len(self._lengths)

    def scores(self, query: Sequence[Hashable]) -> np.ndarray:
        """The score of each document; a term that stands twice in the query counts twice."""
        scores = np.zeros(len(self))
        for term in map(hash, query):
            at = int(np.searchsorted(self._terms, term))
            if at == len(self._terms) or self._terms[at] != term:
                continue
            held = slice(self._starts[at], self._starts[at + 1])
            places, counts = self._places[held], self._counts[held]
            scores[places] += self._idf[at] * (counts * (K1 + 1) / (counts + self._norms[places]))
        return scores

    def ranked(self, query: Sequence[Hashable]) -> list[int]:
        """All documents, best first; ties in document order, which the package leaves open."""
        return np.argsort(-self.scores(query), kind="stable").tolist()
