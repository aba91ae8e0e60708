"""Residual links, by the definitions of section 3.3."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.sectioning.links import links
from tasks.sectioning.partition import Partition, Piece
from tasks.trees.tree import Tree, TreeBuilder
from tests.sectioning.additive import grown, trees


def by_definition(tree: Tree, pieces: list[Piece]) -> list[list[int]]:
    """Equations 14 and 15 over sets of characters."""
    held = [set(range(piece.start, piece.end)) for piece in pieces]
    last = [
        max((t for t, one in enumerate(held, 1) if one & set(range(tree.starts[v], tree.ends[v]))), default=0)
        for v in range(len(tree))
    ]
    residual = {(last[v], last[p]) for p in range(len(tree)) for v in tree.children(p) if 0 < last[v] < last[p]}
    return [sorted(i for i, t in residual if t == target) for target in range(1, len(pieces) + 1)]


@settings(deadline=None, max_examples=150)
@given(budget=st.integers(1, 12), data=st.data())
def test_by_definition(budget: int, data: st.DataObject) -> None:
    tree, counter = grown(data.draw(trees(budget)))
    pieces = Partition(tree, counter).sections(budget)
    assert links(tree, pieces) == by_definition(tree, pieces)


def test_what_holds_no_character_has_no_memory() -> None:
    builder = TreeBuilder("ab", "yaml")
    builder.open(0, "")
    builder.leaf(0, 1, 0)
    builder.leaf(1, 1, 1)
    builder.leaf(1, 2, 2)
    builder.close(2)
    tree = builder.finish()
    pieces = [Piece("subtree", 1, 0, 1, 1), Piece("subtree", 2, 1, 1, 0), Piece("subtree", 3, 1, 2, 1)]
    assert links(tree, pieces) == by_definition(tree, pieces) == [[], [], [1]]
    assert links(tree, pieces[1:2]) == [[]]


def test_a_parent_ends_where_its_last_child_does() -> None:
    """Two records of two sections each: the root's last section reads both, each record's last its first."""
    tree, counter = grown([[3, 3], [3, 3]])
    assert links(tree, Partition(tree, counter).sections(4)) == [[], [1], [], [2, 3]]
