"""The payloads that contexts are made of, with their records, their token costs, and who excludes whom."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tasks.building import deriving, extracting
from tasks.building.counting import Cost, Counter
from tasks.building.extracting import Record
from tasks.building.kinds import Description, Kind, Pattern
from tasks.building.streams import Stream, point
from tasks.building.views import folded
from tasks.tokens.tokenizer import Tokenizer


@dataclass(frozen=True)
class Payload:
    """One payload, with its tokens and records."""

    payload_id: str
    source: str
    counted: Cost
    records: tuple[Record, ...]


@dataclass
class Pool:
    """All payloads of a build, in order of their ids. Payloads are named by their index."""

    payloads: Sequence[Payload]
    kinds: Mapping[str, Kind]
    """Kinds of the files, and those derived from the payloads, by name."""
    standings: Mapping[str, Mapping[int, Sequence[int]]]
    """Where each value that describes a record stands as a text or key (see `said`): payload to characters."""
    keys: Mapping[str, set[int]]
    """Key to the payloads that hold it."""
    repeating: set[int]
    """Payloads in which an object holds a key twice."""
    frame: int
    """Tokens of an empty context."""
    _different: dict[tuple[str, str], int] = field(default_factory=dict)
    _twins: dict[tuple[str, tuple[str, ...]], dict[tuple[str, ...], list[int]]] = field(default_factory=dict)

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        holders: dict[str, list[int]] = defaultdict(list)
        for index, payload in enumerate(self.payloads):
            for record in payload.records:
                holders[record.entity].append(index)
        return holders

    @cached_property
    def unusable(self) -> set[int]:
        """Payloads that stand in no context: two records of one entity, or two members of one key, contradict."""
        entities = ([record.entity for record in payload.records] for payload in self.payloads)
        return self.repeating | {index for index, names in enumerate(entities) if len(names) != len(set(names))}

    @cached_property
    def by_kind(self) -> dict[str, list[int]]:
        """Name of a kind to the payloads that hold records of it."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, payload in enumerate(self.payloads):
            for kind in sorted({record.kind for record in payload.records}):
                found[kind].append(index)
        return found

    @cached_property
    def families(self) -> dict[str, list[Kind]]:
        """Kinds that were derived by one pattern, together; a kind of its own, alone. Only those with records."""
        found: dict[str, list[Kind]] = defaultdict(list)
        for name in sorted(self.by_kind):
            found[self.kinds[name].kind].append(self.kinds[name])
        return found

    @cached_property
    def sources(self) -> dict[str, list[int]]:
        """Source to its payloads."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, payload in enumerate(self.payloads):
            found[payload.source].append(index)
        return found

    @cached_property
    def costs(self) -> list[int]:
        """Tokens of every payload, with what joins it to the next one."""
        return [payload.counted.joined for payload in self.payloads]

    @cached_property
    def _costs(self) -> np.ndarray:
        return np.array(self.costs, dtype=np.int64)

    @cached_property
    def _points(self) -> np.ndarray:
        return np.array([point(payload.payload_id) for payload in self.payloads], dtype=np.uint64)

    def ranked(self, indices: Iterable[int], stream: Stream, most: int) -> list[int]:
        """Those payloads that cost `most` tokens at most, by their rank in a stream."""
        found = np.fromiter(indices, dtype=np.int64)
        found = found[self._costs[found] <= most]
        return found[np.argsort(stream.ranks(self._points[found]), kind="stable")].tolist()

    @cached_property
    def cheapest(self) -> dict[str, int]:
        """Name of a kind to the fewest tokens of a payload that holds records of it."""
        return {kind: min(self.costs[index] for index in found) for kind, found in self.by_kind.items()}

    @cached_property
    def _rivals(self) -> list[frozenset[int] | None]:
        return [None] * len(self.payloads)

    def rivals(self, index: int) -> frozenset[int]:
        """Payloads that may not stand in a context with this one: they hold another copy of one of its entities."""
        known = self._rivals[index]
        if known is None:
            found = {holder for record in self.payloads[index].records for holder in self._holders[record.entity]}
            known = self._rivals[index] = frozenset(found - {index})
        return known

    @cached_property
    def _places(self) -> dict[str, int]:
        return {payload.payload_id: index for index, payload in enumerate(self.payloads)}

    def namesakes(self, record: Record, kind: Kind, description: Description) -> Set[int]:
        """Payloads that would make the description of a record fit twice; its own payload may be one."""
        first = description.fields[0]
        if kind.single or len(description.fields) > 1 or kind.fields[first].type == "number":
            return self._alike(record, kind, description)
        standing = self.standings.get(said(record.values[first].text), {})
        own = self._places[record.payload_id]
        outside = any(not record.start <= at < record.end for at in standing.get(own, ()))
        return standing.keys() if outside else standing.keys() - {own}

    def _alike(self, record: Record, kind: Kind, description: Description) -> set[int]:
        """Payloads with another record of the kind that has the same values."""
        twins = self._twins.get((kind.name, description.fields))
        if twins is None:
            twins = self._twins[kind.name, description.fields] = defaultdict(list)
            for index in self.by_kind[kind.name]:
                for other in self.payloads[index].records:
                    if other.kind == kind.name and (told := _told(other, description)):
                        twins[told].append(index)
        holders = twins[_told(record, description) or ()]
        own = [index for index in holders if self.payloads[index].payload_id == record.payload_id]
        return set(holders) - set(own) | set(own[1:])

    def different(self, kind: Kind, name: str) -> int:
        """How many different values a field has, whatever their case."""
        known = self._different.get((kind.name, name))
        if known is None:
            records = (record for index in self.by_kind[kind.name] for record in self.payloads[index].records)
            texts = (r.values[name].text.casefold() for r in records if r.kind == kind.name and name in r.values)
            known = self._different[kind.name, name] = len(set(texts))
        return known

    def coined(self, words: Iterable[str]) -> set[int]:
        """Payloads that hold one of these words as a key: a question that says it would name a key."""
        return set().union(*(self.keys.get(word, ()) for word in words))

    def declaring(self, kind: Kind) -> set[int]:
        """Payloads that call something by the name that a single kind is called by."""
        return set(self.keys.get(kind.anchor, ())) if kind.anchor else set()


def said(text: str) -> str:
    """A text as people hear it, without signs around it: `Monday:` and `Monday` are one."""
    return folded(text).strip(" .:;,!?*") or folded(text)


def _told(record: Record, description: Description) -> tuple[str, ...] | None:
    if not all(name in record.values for name in description.fields):
        return None
    return tuple(folded(record.values[name].text) for name in description.fields)


def prepare(
    rows: Iterable[Mapping[str, str]],
    dataset: str,
    format: str,
    known: Mapping[str, Kind],
    patterns: Sequence[Pattern],
    tokenizer: Tokenizer,
) -> Pool:
    """Extract records and count tokens. `rows` have payload_id, source and text."""
    counter = Counter(format, tokenizer)
    kinds = dict(known)
    rows = sorted(rows, key=lambda row: row["payload_id"])
    views = [extracting.view_of(row["text"], format) for row in rows]
    own: list[list[str]] = []
    for row, view in zip(rows, views, strict=True):
        derived = deriving.derived(view, patterns, dataset, row["payload_id"])
        own.append(list(derived))
        for name, kind in derived.items():
            kinds[name] = deriving.merged(kinds[name], kind) if name in kinds else kind
    everywhere = [*known, *(name for name, kind in kinds.items() if kind.derived == deriving.COMMON)]
    payloads: list[Payload] = []
    strings: list[list[tuple[str, int]]] = []
    keys: dict[str, set[int]] = defaultdict(set)
    repeating: set[int] = set()
    for index, (row, view, names) in enumerate(zip(rows, views, own, strict=True)):
        records = extracting.records(
            view, row["payload_id"], [kinds[name] for name in dict.fromkeys([*everywhere, *names])]
        )
        payloads.append(Payload(row["payload_id"], row["source"], counter.cost(row["text"]), tuple(records)))
        strings.append(list(view.strings()))
        for key in view.named():
            keys[key].add(index)
        if view.repeats():
            repeating.add(index)
    describing = {
        said(record.values[description.fields[0]].text)
        for payload in payloads
        for record in payload.records
        if not kinds[record.kind].single
        for description in kinds[record.kind].descriptions
        if len(description.fields) == 1 and description.fields[0] in record.values
    }
    standings: dict[str, dict[int, list[int]]] = defaultdict(dict)
    for index, found in enumerate(strings):
        for text, at in found:
            value = said(text)
            if value in describing:
                standings[value].setdefault(index, []).append(at)
    return Pool(payloads, kinds, standings, keys, repeating, counter.empty)
