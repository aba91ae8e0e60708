"""JSON responses into units of a few records, by slicing the source text between records.

A unit is the response with other records left out: everything before the first record, a run of records with what
stands between them, everything behind the last record. Nothing is written anew, so order of keys, escapes and number
formats stay as the service wrote them. A response that is one record is one unit, whole.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.collecting.sources import Holding, Source
from tasks.trees.tree import Tree

VERSION = 2
"""Raise it when the same response would be cut otherwise."""

MOST_RECORDS = 4
MOST_CHARACTERS = 2500
"""Characters of the records of a unit together; a longer record stands alone."""

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Unit:
    """A part of a response that stands for itself.

    `ranges` are character ranges of the response whose texts, joined, are `text` behind `before` and in front of
    `behind`.
    """

    text: str
    ranges: Ranges
    records: int
    before: str = ""
    """What was written in front of the source text, such as the name of an initialiser that has none."""
    behind: str = ""
    licence: str | None = None
    """Licence that the unit itself names."""
    canonical: str | None = None
    """Hash of the content without its layout: equal ones are the same unit written otherwise."""


def units(tree: Tree, spec: Source, key: str) -> list[Unit] | None:
    """The units of a JSON response; None where it is of a sort that holds no records (count, detail, error)."""
    for holding in spec.holds:
        if not _is_one(tree, holding):
            continue
        if holding.whole:
            start, end = tree.starts[tree.root], tree.ends[tree.root]
            return [Unit(tree.text[start:end], ((start, end),), 1)]
        records = find_list(tree, holding.records)
        if records is not None:
            return cut(tree, records, key)
    return None


def find_list(tree: Tree, keys: Sequence[str]) -> int | None:
    """The list that `keys` lead to from the root, or None."""
    node = find(tree, keys)
    return node if node is not None and tree.text[tree.value_starts[node]] == "[" else None


def find(tree: Tree, keys: Sequence[str]) -> int | None:
    """The node that `keys` lead to from the root, or None."""
    node = tree.root
    for key in keys:
        node = next((child for child in tree.children(node) if tree.identifiers[child] == key), None)
        if node is None:
            return None
    return node


def _is_one(tree: Tree, holding: Holding) -> bool:
    """Whether the response is of this sort."""
    top = {tree.identifiers[child]: child for child in tree.children(tree.root)}
    for key, value in holding.values.items():
        if key not in top or tree.value_source(top[key]) != f'"{value}"':
            return False
    if not all(key in top for key in holding.has) or any(key in top for key in holding.lacks):
        return False
    if holding.whole:
        return tree.text[tree.value_starts[tree.root]] == "{"
    node = find_list(tree, holding.records)
    if node is None:
        return False
    first = next(iter(tree.children(node)), None)
    keys = set() if first is None else {tree.identifiers[child] for child in tree.children(first)}
    return first is None or keys.issuperset(holding.each_has)


def cut(tree: Tree, records: int, key: str) -> list[Unit]:
    """The units of a response whose record list is the node `records`; none if the list is empty.

    Each unit holds as many records as `key` and its place decide, from 1 to `MOST_RECORDS`, so that units of every
    size are there to fill a context with; equal keys and texts give equal units.
    """
    found = tree.children(records)
    if not found:
        return []
    text, starts, ends = tree.text, tree.value_starts, tree.ends
    head = (tree.starts[tree.root], starts[found[0]])
    tail = (ends[found[-1]], tree.ends[tree.root])
    units = []
    first = 0
    while first < len(found):
        wanted = 1 + hashlib.sha256(f"{key} {first}".encode()).digest()[0] % MOST_RECORDS
        last = first
        while (
            last + 1 < min(first + wanted, len(found))
            and ends[found[last + 1]] - starts[found[first]] <= MOST_CHARACTERS
        ):
            last += 1
        ranges = (head, (starts[found[first]], ends[found[last]]), tail)
        units.append(Unit("".join(text[start:end] for start, end in ranges), ranges, last - first + 1))
        first = last + 1
    return units
