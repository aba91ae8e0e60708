"""Trees with leaves of given lengths, which add up, as the paper's proofs assume."""

from collections.abc import Sequence

from hypothesis import strategies as st

from tasks.tokens.slices import SliceCounter
from tasks.trees.tree import Tree, TreeBuilder
from tests.sectioning.plain_tokenizers import Characters

Weights = int | list["Weights"]
"""The length of a leaf, or the children of an inner node."""


def total(weights: Weights) -> int:
    return weights if isinstance(weights, int) else sum(map(total, weights))


def grown(weights: Weights) -> tuple[Tree, SliceCounter]:
    """A tree whose nodes cover exactly their leaves, without anything between them."""
    text = "x" * total(weights)
    builder = TreeBuilder(text, "json")

    def grow(part: Weights, at: int, index: int) -> int:
        if isinstance(part, int):
            builder.leaf(at, at + part, index)
            return at + part
        builder.open(at, index)
        for position, child in enumerate(part):
            at = grow(child, at, position)
        builder.close(at)
        return at

    grow(weights, 0, 0)
    return builder.finish(), SliceCounter(text, Characters())


def trees(most: int) -> st.SearchStrategy[Weights]:
    """Weights of trees with leaves of 1 to `most` tokens."""
    inner = st.recursive(st.integers(1, most), lambda part: st.lists(part, min_size=1, max_size=5), max_leaves=25)
    return st.lists(inner, min_size=1, max_size=6)


def sibling_sequences(weights: Weights, budget: int) -> list[Sequence[Weights]]:
    """The sequences of fitting siblings that recursion packs apart; an intact root is one."""
    if total(weights) <= budget or isinstance(weights, int):
        return [[weights]]
    found: list[list[Weights]] = []
    open_sequence = False
    for child in weights:
        if total(child) <= budget:
            if not open_sequence:
                found.append([])
            found[-1].append(child)
            open_sequence = True
        else:
            found += [list(sequence) for sequence in sibling_sequences(child, budget)]
            open_sequence = False
    return list(found)
