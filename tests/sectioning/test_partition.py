"""Sections: which nodes stand in which, with types, paths and ranges."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import UserError
from tasks.sectioning.partition import Partition
from tasks.sectioning.section import section
from tests.sectioning.additive import grown, trees
from tests.sectioning.plain_tokenizers import Characters
from tests.tokens.families import family


def test_types_paths_ranges_and_links() -> None:
    text = '{"records": [{"id": "aa", "v": 1}, {"id": "bb", "v": 2}, {"id": "cc", "v": 3}], "end": true}'
    made = section(text, "json", Characters(), 40, budget=45)
    shown = [(s.type, s.path, s.range, text[s.start : s.end]) for s in made.sections]
    assert shown == [
        ("siblings", "$.records", (0, 1), '{"id": "aa", "v": 1}, {"id": "bb", "v": 2}'),
        ("subtree", "$.records[2]", None, '{"id": "cc", "v": 3}'),
        ("subtree", "$.end", None, '"end": true'),
    ]
    assert [s.links for s in made.sections] == [[], [1], [2]]
    assert made.tried == [(45, 3)]


def test_a_text_that_fits_is_one_section() -> None:
    made = section("[1, 2]", "json", Characters(), 6)
    assert [(s.type, s.path, s.tokens) for s in made.sections] == [("subtree", "$", 6)]


def test_an_indivisible_leaf_may_exceed() -> None:
    text = "a: |\n  one two three\nb: 1\n"
    made = section(text, "yaml", Characters(), 8, budget=8)
    assert [(s.path, s.atomic, s.tokens > 8) for s in made.sections] == [("$.a", True, True), ("$.b", False, False)]


@settings(deadline=None, max_examples=100)
@given(budget=st.integers(1, 12), data=st.data())
def test_every_fitting_subtree_is_whole_in_one_section(budget: int, data: st.DataObject) -> None:
    """Equation 4; sections are in document order; and none is smaller than it need be."""
    tree, counter = grown(data.draw(trees(budget)))
    pieces = Partition(tree, counter).sections(budget)
    assert all(one.end <= two.start for one, two in pairwise(pieces))
    assert sum(piece.end - piece.start for piece in pieces) == len(tree.text)
    for node in range(len(tree)):
        if tree.ends[node] - tree.starts[node] <= budget:
            assert sum(p.start <= tree.starts[node] and tree.ends[node] <= p.end for p in pieces) == 1
    for one, two in pairwise(pieces):
        if one.range and two.range and one.node == two.node and two.range[0] == one.range[1] + 1:
            first = tree.children(one.node)[two.range[0]]
            assert one.tokens + tree.ends[first] - tree.starts[first] > budget


@settings(deadline=None, max_examples=30)
@given(value=st.recursive(st.integers(), lambda inner: st.lists(inner, max_size=6), max_leaves=60))
def test_a_second_budget_owes_nothing_to_the_first(value: object) -> None:
    text, qwen = json.dumps(value), family("qwen")
    budgets = [30, 12, 12, 60, 5]
    counted = {budget: section(text, "json", qwen, 5, budget=budget).sections for budget in budgets}
    made = section(text, "json", qwen, 5)
    for budget, sections in made.tried:
        assert sections == len(section(text, "json", qwen, 5, budget=budget).sections)
    assert counted[12] == section(text, "json", qwen, 5, budget=12).sections


def test_bad_input_is_told() -> None:
    with pytest.raises(UserError):
        section("[1,", "json", Characters(), 64)
    for base_budget, budget in ((0, None), (-1, None), (64, 0)):
        with pytest.raises(UserError, match="holds nothing"):
            section("[1]", "json", Characters(), base_budget, budget=budget)
