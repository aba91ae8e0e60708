"""Algorithm 1 against the least number of sections there is, and against itself written down naively."""

import json
from collections.abc import Callable, Iterator

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.sectioning.partition import Partition, Piece, partition
from tasks.sectioning.splitting import split
from tasks.tokens.slices import SliceCounter
from tasks.tokens.tokenizer import Tokenizer
from tasks.trees.parse import parse
from tasks.trees.tree import Tree
from tests.sectioning.additive import Weights, grown, sibling_sequences, total, trees
from tests.tokens.families import FRAGMENTS, family


def least_sections(weights: Weights, budget: int) -> int:
    """The fewest subtree or sibling sections within `budget` that cover the tree: every choice is tried.

    Section 3.1; also fitting subtrees may be taken apart here, which the algorithm never does.
    """
    if isinstance(weights, int):
        return 1
    apart = [0] + [len(weights) * budget] * len(weights)  # fewest sections for the first children
    for stop in range(1, len(weights) + 1):
        apart[stop] = apart[stop - 1] + least_sections(weights[stop - 1], budget)
        for start in range(stop):
            if sum(map(total, weights[start:stop])) <= budget:
                apart[stop] = min(apart[stop], apart[start] + 1)
    return 1 if total(weights) <= budget else apart[-1]


@settings(deadline=None, max_examples=150)
@given(budget=st.integers(2, 12), data=st.data())
def test_the_count_is_the_least_there_is(budget: int, data: st.DataObject) -> None:
    weights = data.draw(trees(budget))
    tree, counter = grown(weights)
    assert len(partition(tree, counter, budget)) == least_sections(weights, budget)


@settings(deadline=None, max_examples=200)
@given(c=st.integers(1, 12), data=st.data())
def test_proposition_3_1(c: int, data: st.DataObject) -> None:
    """Under 2C-1, fitting siblings take no more sections than Flat under C."""
    weights = data.draw(st.lists(st.integers(1, 2 * c - 1), min_size=1, max_size=40))
    tree, counter = grown(weights)
    assert len(partition(tree, counter, 2 * c - 1)) <= -(-sum(weights) // c)


@settings(deadline=None, max_examples=200)
@given(c=st.integers(1, 8), data=st.data())
def test_corollary_3_2(c: int, data: st.DataObject) -> None:
    """For a whole tree, as many more as there are boundaries between sequences that are packed apart."""
    weights = data.draw(trees(2 * c - 1))
    tree, counter = grown(weights)
    boundaries = len(sibling_sequences(weights, 2 * c - 1)) - 1
    assert len(partition(tree, counter, 2 * c - 1)) <= -(-total(weights) // c) + boundaries


@pytest.mark.parametrize("c", [2, 3, 5, 9, 40])
def test_no_budget_below_2c_minus_1_will_do(c: int) -> None:
    """The example of the proof: C pairs of lengths C-1 and C."""
    tree, counter = grown([c - 1, c] * c)
    flat = -(-c * (2 * c - 1) // c)
    for budget in range(c, 2 * c - 1):
        assert len(partition(tree, counter, budget)) == 2 * c > flat
    assert len(partition(tree, counter, 2 * c - 1)) <= flat


def literal(tree: Tree, budget: int, counter: SliceCounter, count: Callable[[str], int]) -> list[Piece]:
    """Algorithm 1 line by line; every count encodes the slice, only leaves are split as the project does it."""
    children: dict[int, list[int]] = {node: [] for node in range(len(tree))}
    for node in range(1, len(tree)):
        children[tree.parents[node]].append(node)

    def tok(first: int, last: int) -> int:
        return count(tree.text[tree.starts[first] : tree.ends[last]])

    def piece(type: str, node: int, first: int, last: int, range: tuple[int, int] | None = None) -> Piece:
        start, end = tree.starts[first], tree.ends[last]
        return Piece(type, node, start, end, tok(first, last), range, type == "subtree" and tree.atomic(node))  # type: ignore[arg-type]

    def flush(parent: int, pending: list[int]) -> Iterator[Piece]:
        if len(pending) == 1:
            yield piece("subtree", pending[0], pending[0], pending[0])
        elif pending:
            among = children[parent]
            span = (among.index(pending[0]), among.index(pending[-1]))
            yield piece("siblings", parent, pending[0], pending[-1], span)
        pending.clear()

    def visit(node: int) -> Iterator[Piece]:
        if tok(node, node) <= budget or tree.atomic(node):
            yield piece("subtree", node, node, node)
            return
        if not children[node]:
            for start, end, exceeds in split(tree, node, counter, budget):
                yield Piece("span", node, start, end, count(tree.text[start:end]), None, exceeds)
            return
        pending: list[int] = []
        for child in children[node]:
            if tok(child, child) > budget:
                yield from flush(node, pending)
                yield from visit(child)
            else:
                if pending and tok(pending[0], child) > budget:
                    yield from flush(node, pending)
                pending.append(child)
        yield from flush(node, pending)

    return list(visit(tree.root))


TEXTS = st.lists(st.sampled_from(FRAGMENTS), max_size=4).map("".join)
PRINTABLE = TEXTS.map(lambda text: "".join(filter(str.isprintable, text)))
VALUES = st.recursive(
    st.integers() | st.booleans() | st.none() | PRINTABLE | st.floats(allow_nan=False, allow_infinity=False, width=32),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(PRINTABLE, inner, max_size=6),
    max_leaves=40,
)


def as_html(value: object) -> str:
    if isinstance(value, dict):
        return "".join(f"<dt>{len(key)}</dt>\n<dd>{as_html(inner)}</dd>" for key, inner in value.items())
    if isinstance(value, list):
        return "<ul>" + "\n".join(f"<li>{as_html(inner)}" for inner in value) + "</ul>"
    return str(value).replace("&", "&amp;").replace("<", "&lt;") + "<br>"


WRITTEN: dict[str, Callable[[object], str]] = {
    "json": lambda value: json.dumps(value, ensure_ascii=False),
    "yaml": lambda value: yaml.safe_dump(value, allow_unicode=True),
    "html": as_html,
    "javascript": lambda value: f"const a = {json.dumps(value)};\nlet b = [{json.dumps(value, indent=2)}, x => x + 1]",
}


@pytest.mark.parametrize("name", ["qwen", "smollm2", "sentencepiece unigram", "unsplit"])
@pytest.mark.parametrize("format", WRITTEN)
@settings(deadline=None, max_examples=25)
@given(value=VALUES, budgets=st.lists(st.integers(3, 120), min_size=1, max_size=4))
def test_against_algorithm_1_line_by_line(format: str, name: str, value: object, budgets: list[int]) -> None:
    tokenizer: Tokenizer = family(name)
    text = WRITTEN[format](value)
    tree = parse(text, format)
    counter = SliceCounter(tree.text, tokenizer)
    sections = Partition(tree, counter).sections
    for budget in budgets:
        assert sections(budget) == literal(tree, budget, SliceCounter(tree.text, tokenizer), tokenizer.count)
