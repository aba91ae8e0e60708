"""The payloads that contexts are made of, with their records, their token costs, and who excludes whom."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tasks.building import extracting
from tasks.building.extracting import Record
from tasks.building.kinds import Kind
from tasks.tokens.tokenizer import Tokenizer
from tasks.trees.parse import parse
from tasks.trees.tree import Tree

FRAMES = {"json": ("[\n", ",\n", "\n]")}
"""What a rendered context puts before, between and behind payloads; only used to estimate tokens, never to render."""


@dataclass(frozen=True)
class Payload:
    """One payload. `cost` is its tokens with what separates it from the next one."""

    payload_id: str
    source: str
    cost: int
    records: tuple[Record, ...]


@dataclass(frozen=True)
class Standing:
    """Where a visible value stands: in which payload, at which character."""

    payload: int
    at: int


class Pool:
    """All payloads of a build, in order of their ids. Payloads are named by their index."""

    def __init__(
        self,
        payloads: Sequence[Payload],
        standings: Mapping[str, Sequence[Standing]],
        keys: Mapping[str, set[int]],
        frame: int,
    ):
        """`standings` say where each value that describes a record stands as a string, whatever its case.

        `keys` say which payloads hold which key.
        """
        self.payloads = payloads
        self.frame = frame
        """Tokens of an empty context."""
        self._standings = standings
        self._keys = keys
        holders: dict[str, list[int]] = defaultdict(list)
        for index, payload in enumerate(payloads):
            for record in payload.records:
                holders[record.entity].append(index)
        self._holders = holders
        # Two records of one entity in the same payload contradict each other wherever it stands.
        entities = ([record.entity for record in payload.records] for payload in payloads)
        self.unusable = {index for index, names in enumerate(entities) if len(names) != len(set(names))}

    @cached_property
    def by_kind(self) -> dict[str, list[int]]:
        """Kind to the payloads that hold records of it."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, payload in enumerate(self.payloads):
            for kind in sorted({record.kind for record in payload.records}):
                found[kind].append(index)
        return found

    @cached_property
    def sources(self) -> dict[str, list[int]]:
        """Source to its payloads."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, payload in enumerate(self.payloads):
            found[payload.source].append(index)
        return found

    def rivals(self, index: int) -> set[int]:
        """Payloads that may not stand in a context with this one: they hold another copy of one of its entities."""
        found = {holder for record in self.payloads[index].records for holder in self._holders[record.entity]}
        return found - {index}

    def namesakes(self, record: Record, value: str) -> set[int]:
        """Payloads in which the value stands as a string outside this record; its own payload may be one."""
        found = set()
        for standing in self._standings.get(value.casefold(), ()):
            payload_id = self.payloads[standing.payload].payload_id
            if payload_id != record.payload_id or not record.start <= standing.at < record.end:
                found.add(standing.payload)
        return found

    def keyed(self, words: Iterable[str]) -> set[int]:
        """Payloads that hold one of these words as a key: a question that says it would name a key."""
        return set().union(*(self._keys.get(word, ()) for word in words))


def prepare(
    rows: Iterable[Mapping[str, str]], dataset_format: str, known: Mapping[str, Kind], tokenizer: Tokenizer
) -> Pool:
    """Extract records and count tokens. `rows` have payload_id, source and text."""
    before, between, behind = FRAMES[dataset_format]
    rows = sorted(rows, key=lambda row: row["payload_id"])
    trees = [parse(row["text"], dataset_format) for row in rows]
    costs = [tokenizer.count(row["text"] + between) for row in rows]
    found = [extracting.records(tree, row["payload_id"], known.values()) for tree, row in zip(trees, rows, strict=True)]
    describing: set[str] = set()
    for records in found:
        for record in records:
            for description in known[record.kind].descriptions:
                if description.field in record.values:
                    describing.add(record.values[description.field].text.casefold())
    standings: dict[str, list[Standing]] = defaultdict(list)
    keys: dict[str, set[int]] = defaultdict(set)
    for index, tree in enumerate(trees):
        for key in {identifier for identifier in tree.identifiers[1:] if isinstance(identifier, str)}:
            keys[key].add(index)
        for value, at in _strings(tree):
            if value in describing:
                standings[value].append(Standing(index, at))
    payloads = [
        Payload(row["payload_id"], row["source"], cost, tuple(records))
        for row, cost, records in zip(rows, costs, found, strict=True)
    ]
    return Pool(payloads, standings, keys, tokenizer.count(before + behind))


def _strings(tree: Tree) -> Iterable[tuple[str, int]]:
    """Every string value of a JSON text, case folded, with its place."""
    text = tree.text
    for node in range(len(tree)):
        start = tree.value_starts[node]
        if text[start] == '"':
            raw = text[start : tree.ends[node]]
            yield (json.loads(raw) if "\\" in raw else raw[1:-1]).casefold(), start
