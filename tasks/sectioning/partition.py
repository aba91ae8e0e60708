"""Algorithm 1 of the TreeAgent paper: an ordered list of sections that keeps every fitting subtree whole."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from tasks.sectioning.splitting import split
from tasks.tokens.runs import Runs
from tasks.tokens.slices import SliceCounter
from tasks.trees.tree import Tree


class Piece(NamedTuple):
    """One section before it has a position: `node` is the subtree, the parent of the siblings, or the split leaf."""

    type: Literal["subtree", "siblings", "span", "flat"]
    node: int
    start: int
    end: int
    tokens: int
    range: tuple[int, int] | None = None
    atomic: bool = False


@dataclass
class _Frame:
    """An inner node that is being taken apart; `next` is the first of its children not yet in a section."""

    node: int
    children: list[int]
    runs: Runs
    exceeding: Iterator[int]
    oversized: int
    """The next child that is larger than the budget; the number of children if none is."""
    next: int = 0


class Partition:
    """The sections of one tree under any budget; what one budget had to count, the next one knows."""

    def __init__(self, tree: Tree, counter: SliceCounter):
        self._tree = tree
        self._counter = counter
        self._starts, self._ends = np.asarray(tree.starts), np.asarray(tree.ends)
        self._children: dict[int, tuple[list[int], Runs]] = {}

    def sections(self, budget: int) -> list[Piece]:
        """The sections under `budget` tokens, in document order. Nothing recurses.

        A subtree or sibling group exceeds `budget` only where it is one indivisible leaf (`atomic`).
        """
        root = self._tree.root
        if self._count(root) <= budget:
            return [self._subtree(root)]
        pieces: list[Piece] = []
        stack: list[_Frame] = []
        self._take_apart(root, budget, pieces, stack)
        while stack:
            frame = stack[-1]
            if frame.next == len(frame.children):
                stack.pop()
            elif frame.next == frame.oversized:
                child = frame.children[frame.next]
                frame.next += 1
                frame.oversized = next(frame.exceeding, len(frame.children))
                self._take_apart(child, budget, pieces, stack)
            else:
                stop = frame.runs.reach(frame.next, frame.oversized, budget)
                pieces.append(self._group(frame, frame.next, stop - 1))
                frame.next = stop
        return pieces

    def _take_apart(self, node: int, budget: int, pieces: list[Piece], stack: list[_Frame]) -> None:
        """Lines 3 to 5 of the algorithm for a node that does not fit; an inner one goes on the stack."""
        if self._tree.atomic(node):
            pieces.append(self._subtree(node))
        elif self._tree.leaf(node):
            for start, end, exceeds in split(self._tree, node, self._counter, budget):
                pieces.append(Piece("span", node, start, end, self._counter.count(start, end), atomic=exceeds))
        else:
            children, runs = self._runs(node)
            exceeding = iter(runs.exceeding(budget))
            stack.append(_Frame(node, children, runs, exceeding, next(exceeding, len(children))))

    def _group(self, frame: _Frame, first: int, last: int) -> Piece:
        if first == last:
            return self._subtree(frame.children[first])
        start, end = self._tree.starts[frame.children[first]], self._tree.ends[frame.children[last]]
        return Piece("siblings", frame.node, start, end, frame.runs.tokens(first, last), range=(first, last))

    def _subtree(self, node: int) -> Piece:
        tree = self._tree
        tokens = self._count(node)
        return Piece("subtree", node, tree.starts[node], tree.ends[node], tokens, atomic=tree.atomic(node))

    def _count(self, node: int) -> int:
        return self._counter.count(self._tree.starts[node], self._tree.ends[node])

    def _runs(self, node: int) -> tuple[list[int], Runs]:
        known = self._children.get(node)
        if known is None:
            children = self._tree.children(node)
            runs = Runs(self._counter, self._starts[children], self._ends[children])
            known = self._children[node] = children, runs
        return known


def partition(tree: Tree, counter: SliceCounter, budget: int) -> list[Piece]:
    """The sections of `tree` under one budget; see `Partition.sections`."""
    return Partition(tree, counter).sections(budget)
