"""Random choices that stay the same when something else is added.

Every example has streams of its own, derived from what identifies it. Where one of many things is chosen, each thing
gets a rank from the stream and its own id, and the lowest rank wins: a thing that is added later changes only the
choices that it wins itself (rendezvous hashing). No choice depends on the order of work or on other examples.
"""

import random
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tasks.hashing import content_id

Thing = TypeVar("Thing")

_MASK = (1 << 64) - 1


class Stream:
    """One stream, named by the values that it is derived from."""

    def __init__(self, *parts: Any):
        self._name = content_id("stream", *parts)
        self._salt = int(self._name[:16], 16)

    def random(self, *parts: Any) -> random.Random:
        """A generator for a sequence of draws; `parts` tell several of one stream apart."""
        return random.Random(content_id(self._name, *parts))

    def rank(self, identifier: str) -> int:
        """Rank of a thing whose id begins with at least 16 hex digits, uniform over 64 bits."""
        mixed = (int(identifier[:16], 16) ^ self._salt) & _MASK
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def ordered(self, things: Iterable[Thing], identifier: Callable[[Thing], str]) -> list[Thing]:
        """The things by rank."""
        return sorted(things, key=lambda thing: self.rank(identifier(thing)))

    def named(self, names: Iterable[str]) -> list[str]:
        """Names (which are no hashes) by rank."""
        return sorted(names, key=lambda name: self.rank(content_id(name)))
