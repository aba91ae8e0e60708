"""The records that lookup questions may be made about, in an order of its own for every example."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass

import numpy as np

from tasks.building.extracting import Record
from tasks.building.kinds import Description, Kind
from tasks.building.pool import Pool
from tasks.building.streams import Stream, point
from tasks.hashing import content_id

SHARES = {"test": 60, "train": 30, "development": 10}
"""Percentage of entities that each split may ask about: no entity is asked about in two splits."""


@dataclass(frozen=True)
class Candidate:
    """A record that may be asked about, its kind and its payload."""

    payload: int
    record: Record
    kind: Kind


def split_of(entity: str) -> str:
    """The split that an entity may be asked about in."""
    place = int(content_id("split", entity)[:8], 16) % 100
    for split, share in SHARES.items():
        if place < share:
            return split
        place -= share
    raise AssertionError("shares add up to 100")


class Candidates:
    """Those of one family of kinds and one split, named by their index, with what holds for all examples."""

    def __init__(self, pool: Pool, family: str, split: str):
        self._pool = pool
        self.all: Sequence[Candidate] = [
            Candidate(index, record, kind)
            for kind in pool.families.get(family, ())
            for index in pool.by_kind[kind.name]
            if index not in pool.unusable
            for record in pool.payloads[index].records
            if record.kind == kind.name and split_of(record.entity) == split
        ]
        kinds = list(dict.fromkeys(candidate.kind.name for candidate in self.all))
        places = {name: place for place, name in enumerate(kinds)}
        self._kinds = np.array([places[candidate.kind.name] for candidate in self.all], dtype=np.int64)
        self._kind_points = np.array([point(content_id("kind", name)) for name in kinds], dtype=np.uint64)
        entities = [candidate.record.entity for candidate in self.all]
        self._points = np.array([point(content_id(entity)) for entity in entities], dtype=np.uint64)
        self.payloads = np.array([candidate.payload for candidate in self.all], dtype=np.int64)
        self.costs = np.array([pool.costs[candidate.payload] for candidate in self.all], dtype=np.int64)
        self._holding: dict[str, list[int]] = defaultdict(list)
        for index, entity in enumerate(entities):
            self._holding[entity].append(index)
        self._eligible: dict[tuple[str, str, tuple[str, ...]], np.ndarray] = {}
        self._namesakes: dict[tuple[int, tuple[str, ...]], Set[int]] = {}

    def about(self, entities: Iterable[str]) -> list[int]:
        """The candidates that are about one of these entities."""
        return [index for entity in entities for index in self._holding.get(entity, ())]

    def ranked(self, stream: Stream, free: np.ndarray, budget: int) -> np.ndarray:
        """The `free` ones whose payloads cost `budget` tokens at most, by the rank of their kind, then by their own.

        So a large table does not outvote small ones.
        """
        found = np.flatnonzero(free & (self.costs <= budget))
        kinds = stream.ranks(self._kind_points)[self._kinds[found]]
        return found[np.lexsort((stream.ranks(self._points[found]), kinds))]

    def fellows(self, order: np.ndarray, index: int) -> np.ndarray:
        """Those of an order that are of the kind of candidate `index`."""
        return order[self._kinds[order] == self._kinds[index]]

    def eligible(self, kind: Kind, name: str, description: Description, fits: Callable[[int], bool]) -> np.ndarray:
        """For every candidate, whether it is of the kind and `fits` to be asked for a field, described so."""
        key = (kind.name, name, description.fields)
        known = self._eligible.get(key)
        if known is None:
            kinds = (candidate.kind.name for candidate in self.all)
            found = [own == kind.name and fits(index) for index, own in enumerate(kinds)]
            known = self._eligible[key] = np.array(found, dtype=bool)
        return known

    def namesakes(self, index: int, description: Description) -> Set[int]:
        """Payloads that would make the description of a candidate fit twice; its own payload may be one."""
        key = (index, description.fields)
        known = self._namesakes.get(key)
        if known is None:
            candidate = self.all[index]
            found = self._pool.namesakes(candidate.record, candidate.kind, description)
            known = self._namesakes[key] = frozenset(found)
        return known
