"""Residual memory links (section 3.3): which saved memories are readable at which section."""

from bisect import bisect_left
from collections.abc import Sequence

from tasks.sectioning.partition import Piece
from tasks.trees.tree import Tree


def links(tree: Tree, pieces: Sequence[Piece]) -> list[list[int]]:
    """For each section (positions from 1), the positions it links to, ascending.

    l(v) is the last section that holds a character of v; section t links to l(v) for every child v of every node p
    with l(p) = t and l(v) < t (equations 14 and 15).
    """
    starts = [piece.start for piece in pieces]
    found: list[set[int]] = [set() for _ in pieces]
    lasts = [_last(starts, pieces, tree.starts[node], tree.ends[node]) for node in range(len(tree))]
    for node in range(1, len(tree)):
        target, source = lasts[tree.parents[node]], lasts[node]
        if 0 < source < target:
            found[target - 1].add(source)
    return [sorted(sources) for sources in found]


def _last(starts: Sequence[int], pieces: Sequence[Piece], start: int, end: int) -> int:
    """Position of the last section with a character of `[start, end)`; 0 if there is none."""
    position = bisect_left(starts, end)
    return position if position and pieces[position - 1].end > start else 0
