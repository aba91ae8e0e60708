"""Responses into payloads: units of a few records, by slicing the source text between records.

A unit is the response with other records left out: everything before the first record, a run of records with what
stands between them, everything behind the last record. Nothing is written anew, so order of keys, escapes and number
formats stay as the service wrote them.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.trees.tree import Tree

VERSION = 1
"""Raise it when the same response would be cut otherwise."""

MOST_RECORDS = 4
MOST_CHARACTERS = 2500
"""Characters of the records of a unit together; a longer record stands alone."""


@dataclass(frozen=True)
class Unit:
    """A part of a response that is a response of its own; `ranges` are character ranges of the response, in order."""

    text: str
    ranges: tuple[tuple[int, int], ...]
    records: int


def find_list(tree: Tree, keys: Sequence[str]) -> int | None:
    """The node that `keys` lead to from the root, or None."""
    node = tree.root
    for key in keys:
        node = next((child for child in tree.children(node) if tree.identifiers[child] == key), None)
        if node is None:
            return None
    return node


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
