"""Random choices that stay the same when something else is added.

Every example has streams of its own, derived from what identifies it. Where one of many things is chosen, each thing
gets a rank from the stream and its own id, and the lowest rank wins: a thing that is added later changes only the
choices that it wins itself (rendezvous hashing). No choice depends on the order of work or on other examples.
"""

import random
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from tasks.hashing import content_id

_MASK = (1 << 64) - 1
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


class Stream:
    """One stream, named by the values that it is derived from."""

    def __init__(self, *parts: Any):
        self._name = content_id("stream", *parts)
        self._salt = int(self._name[:16], 16)

    def random(self, *parts: Any) -> random.Random:
        """A generator for a sequence of draws; `parts` tell several of one stream apart."""
        return random.Random(content_id(self._name, *parts))

    def rank(self, point: int) -> int:
        """Rank of a thing by its `point`, uniform over 64 bits."""
        mixed = (point ^ self._salt) & _MASK
        mixed = ((mixed ^ (mixed >> 30)) * _FIRST) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * _SECOND) & _MASK
        return mixed ^ (mixed >> 31)

    def ranks(self, points: np.ndarray) -> np.ndarray:
        """As `rank`, for an array of points (uint64) at once."""
        mixed = points ^ np.uint64(self._salt)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_FIRST)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_SECOND)
        return mixed ^ (mixed >> np.uint64(31))

    def named(self, names: Iterable[str]) -> list[str]:
        """Names (which are no hashes) by rank."""
        return sorted(names, key=lambda name: self.rank(_point_of_name(name)))


def point(identifier: str) -> int:
    """Where a thing stands that a stream may rank: the first 64 bits of its id, which begins with 16 hex digits."""
    return int(identifier[:16], 16)


@lru_cache(maxsize=100_000)
def _point_of_name(name: str) -> int:
    return point(content_id(name))
