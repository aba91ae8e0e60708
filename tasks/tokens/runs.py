"""Exact token counts of neighbours in a text, alone and in runs: what sibling groups are packed by."""

from bisect import bisect_left, bisect_right

import numpy as np

from tasks.tokens.slices import LONGEST_REMEMBERED, SliceCounter

_UNKNOWN = np.iinfo(np.int64).min


class Runs:
    """Neighbours `text[starts[i]:ends[i]]` in order, without overlap.

    For a run from `i` to `j` with a safe cut inside, `tokens = tail[j] - head[i]`: tokens up to the run's end less
    tokens up to its start, both from one and the same safe cut on. So how far a run may reach is a search among tails.
    """

    def __init__(self, counter: SliceCounter, starts: np.ndarray, ends: np.ndarray):
        self._counter = counter
        cuts, sums = counter.cuts, counter.sums
        first = np.searchsorted(cuts, starts)  # of each start, the safe cut from there on
        last = np.searchsorted(cuts, ends, side="right") - 1  # of each end, the safe cut up to there
        cut = first <= last  # neighbours with a safe cut inside
        if len(cuts):
            inner = np.minimum(first, len(cuts) - 1)
            first_at, first_sum, last_at, last_sum = cuts[inner], sums[inner], cuts[last], sums[last]
        else:
            first_at = first_sum = last_at = last_sum = np.zeros(len(starts), dtype=np.int64)
        self._starts, self._ends = starts.tolist(), ends.tolist()
        self._first, self._last = first.tolist(), last.tolist()
        # Up to the first cut inside, or without one the whole; and from the last cut. Long ones wait until it is
        # certain that they are needed: where brackets nest deeply, those of all levels would be as long as the text.
        up_to = np.where(cut, first_at, ends)
        light = up_to - starts <= LONGEST_REMEMBERED
        near = (last >= 0) & (ends - last_at <= LONGEST_REMEMBERED)
        heads = self._counted(starts, up_to, light)
        tails = self._counted(last_at, ends, near)

        self._heads: list[int] = np.where(cut & light, first_sum - heads, _UNKNOWN).tolist()
        up_to_end = np.where(near, last_sum + tails, -1)
        self._tails: list[int] = up_to_end.tolist()
        self._most: list[int] = np.maximum.accumulate(up_to_end).tolist()
        self._far: list[int] = np.flatnonzero(~near).tolist()
        self._sizes = np.where(cut, last_sum - first_sum + heads + tails, heads)
        self._least = np.flatnonzero(~light | (cut & ~near))  # those of which `_sizes` is only a lower bound
        for index in self._least[~cut[self._least]].tolist():
            self._sizes[index] = counter.at_least(self._starts[index], self._ends[index])

        self._largest = int(self._sizes.max())

    def _counted(self, starts: np.ndarray, ends: np.ndarray, which: np.ndarray) -> np.ndarray:
        text = self._counter.text
        spans = zip(starts.tolist(), np.where(which, ends, starts).tolist(), strict=True)
        return self._counter.counts([text[start:end] for start, end in spans])

    def exceeding(self, budget: int) -> list[int]:
        """The neighbours of more than `budget` tokens."""
        if len(self._least):
            doubtful = self._sizes[self._least] <= budget
            for index in self._least[doubtful].tolist():
                self._sizes[index] = self._counter.count(self._starts[index], self._ends[index])
            self._least = self._least[~doubtful]
            self._largest = int(self._sizes.max())
        return np.flatnonzero(self._sizes > budget).tolist() if self._largest > budget else []

    def tokens(self, first: int, last: int) -> int:
        """Tokens of the run from neighbour `first` to neighbour `last`, both included."""
        tail = self._tails[last]
        if tail >= 0 and self._first[first] <= self._last[last]:
            return tail - self._head(first)
        return self._counter.count(self._starts[first], self._ends[last])

    def reach(self, first: int, stop: int, budget: int) -> int:
        """The first neighbour in `(first, stop)` with which the run from `first` has more than `budget` tokens.

        `stop` if there is none. Counts need not grow with every neighbour; no neighbour is passed over that exceeds.
        """
        at = first + 1
        joined = bisect_left(self._last, self._first[first], at, stop)  # from there on a safe cut is inside the run
        while at < joined:
            if self.tokens(first, at) > budget:
                return at
            at += 1
        if at == stop:
            return stop
        most = budget + self._head(first)
        while at < stop:
            far = self._next_far(at, stop)
            # `_most` holds the greatest tail so far: where it first exceeds, a tail does, unless one before `at` did.
            found = bisect_right(self._most, most, at, far)
            if found > at:
                if found < far:
                    return found
                at = found
            elif at < far:
                if self._tails[at] > most:
                    return at
                at += 1
            else:
                if self.tokens(first, at) > budget:
                    return at
                at += 1
        return stop

    def _head(self, first: int) -> int:
        """Tokens up to the start of neighbour `first`; there must be a safe cut behind it."""
        head = self._heads[first]
        if head == _UNKNOWN:
            counter, index = self._counter, self._first[first]
            cut = int(counter.cuts[index])
            head = self._heads[first] = int(counter.sums[index]) - counter.part(self._starts[first], cut)
        return head

    def _next_far(self, at: int, stop: int) -> int:
        index = bisect_left(self._far, at)
        return min(self._far[index], stop) if index < len(self._far) else stop
