"""Algorithm 1 of the TreeAgent paper: an ordered list of sections that keeps every fitting subtree whole."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from tasks.sectioning.splitting import split
from tasks.tokens.slices import SliceCounter
from tasks.trees.tree import Tree


@dataclass(frozen=True)
class Piece:
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
    """An inner node that is being taken apart; `pending` are positions of its children not yet in a section."""

    node: int
    children: list[int]
    next: int = 0
    pending: list[int] = field(default_factory=list)


def partition(tree: Tree, counter: SliceCounter, budget: int) -> list[Piece]:
    """The sections of `tree` under `budget` tokens, in document order. Nothing recurses.

    A subtree or sibling group exceeds `budget` only where it is one indivisible leaf (`atomic`).
    """
    pieces: list[Piece] = []
    stack: list[_Frame] = []
    _visit(tree, counter, budget, tree.root, pieces, stack)
    while stack:
        frame = stack[-1]
        if frame.next == len(frame.children):
            pieces.extend(_flush(tree, counter, frame))
            stack.pop()
            continue
        position = frame.next
        child = frame.children[position]
        frame.next += 1
        if counter.count(tree.starts[child], tree.ends[child]) > budget:
            pieces.extend(_flush(tree, counter, frame))
            _visit(tree, counter, budget, child, pieces, stack)
            continue
        if frame.pending:
            first = frame.children[frame.pending[0]]
            if counter.count(tree.starts[first], tree.ends[child]) > budget:
                pieces.extend(_flush(tree, counter, frame))
        frame.pending.append(position)
    return pieces


def _visit(tree: Tree, counter: SliceCounter, budget: int, node: int, pieces: list[Piece], stack: list[_Frame]) -> None:
    """Lines 3 and 4 of the algorithm; an inner node that does not fit goes on the stack."""
    start, end = tree.starts[node], tree.ends[node]
    tokens = counter.count(start, end)
    if tokens <= budget or tree.atomic(node):
        pieces.append(Piece("subtree", node, start, end, tokens, atomic=tree.atomic(node)))
    elif tree.leaf(node):
        pieces.extend(
            Piece("span", node, a, b, counter.count(a, b), atomic=exceeds)
            for a, b, exceeds in split(tree, node, counter, budget)
        )
    else:
        stack.append(_Frame(node, tree.children(node)))


def _flush(tree: Tree, counter: SliceCounter, frame: _Frame) -> Iterator[Piece]:
    if not frame.pending:
        return
    first, last = frame.pending[0], frame.pending[-1]
    start, end = tree.starts[frame.children[first]], tree.ends[frame.children[last]]
    tokens = counter.count(start, end)
    if first == last:
        node = frame.children[first]
        yield Piece("subtree", node, start, end, tokens, atomic=tree.atomic(node))
    else:
        yield Piece("siblings", frame.node, start, end, tokens, range=(first, last))
    frame.pending.clear()
