"""Residual memory links (section 3.3): which saved memories are readable at which section."""

from collections.abc import Sequence

import numpy as np

from tasks.sectioning.partition import Piece
from tasks.trees.tree import Tree


def links(tree: Tree, pieces: Sequence[Piece]) -> list[list[int]]:
    """For each section (positions from 1), the positions it links to, ascending.

    l(v) is the last section that holds a character of v; section t links to l(v) for every child v of every node p
    with l(p) = t and l(v) < t (equations 14 and 15).
    """
    last = _last_sections(tree, pieces)
    sources, targets = last[1:], last[np.asarray(tree.parents)[1:]]
    linked = (sources > 0) & (sources < targets)
    found: list[list[int]] = [[] for _ in pieces]
    positions = len(pieces) + 1
    for pair in np.unique(targets[linked] * positions + sources[linked]).tolist():
        found[pair // positions - 1].append(pair % positions)
    return found


def _last_sections(tree: Tree, pieces: Sequence[Piece]) -> np.ndarray:
    """l(v) of every node; 0 where no section holds a character of it."""
    positions = np.array([i for i, piece in enumerate(pieces, 1) if piece.start < piece.end], dtype=np.int64)
    if not len(positions):
        return np.zeros(len(tree), dtype=np.int64)
    starts = np.array([pieces[i - 1].start for i in positions])
    ends = np.array([pieces[i - 1].end for i in positions])
    index = np.searchsorted(starts, np.asarray(tree.ends)) - 1  # the last section that starts before the node's end
    held = (index >= 0) & (ends[index] > np.asarray(tree.starts)) & (np.asarray(tree.starts) < np.asarray(tree.ends))
    return np.where(held, positions[index], 0)
