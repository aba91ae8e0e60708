"""A text in sections: parsed, budget searched, cut, with paths and residual links."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.errors import UserError
from tasks.sectioning.budget import search
from tasks.sectioning.flat import flat
from tasks.sectioning.links import links
from tasks.sectioning.partition import Partition, Piece
from tasks.tokens.slices import SliceCounter
from tasks.tokens.tokenizer import Tokenizer
from tasks.trees.parse import parse
from tasks.trees.tree import Tree

Method = Literal["tree", "flat"]


@dataclass(frozen=True)
class Section:
    """One section; `position` counts from 1, `range` are child positions from 0, inclusive."""

    position: int
    type: str
    path: str | None
    range: tuple[int, int] | None
    start: int
    end: int
    tokens: int
    atomic: bool
    links: list[int]


@dataclass(frozen=True)
class Sectioning:
    """The sections of a text, with the budget search that led to them."""

    tokens: int
    base_budget: int
    budget: int
    flat_sections: int
    tried: list[tuple[int, int]]
    sections: list[Section]


def section(
    text: str,
    format: str,
    tokenizer: Tokenizer,
    base_budget: int,
    method: Method = "tree",
    budget: int | None = None,
) -> Sectioning:
    """Cut `text` into sections; `budget` in tokens skips the search.

    Raises `UserError` for a budget below 1, and where the text does not parse in `format`.
    """
    for name, value in (("base budget", base_budget), ("budget", budget)):
        if value is not None and value < 1:
            raise UserError(f"A {name} of {value} tokens holds nothing: give 1 or more.")
    if method == "flat":
        return _flat(text, tokenizer, base_budget, budget or base_budget)
    tree = parse(text, format)
    counter = SliceCounter(tree.text, tokenizer)
    partition = Partition(tree, counter)
    tokens = counter.count(0, len(text))
    flat_sections = -(-tokens // base_budget)
    found: dict[int, list[Piece]] = {}

    def count(tried: int) -> int:
        found[tried] = partition.sections(tried)
        return len(found[tried])

    if budget is not None:
        chosen, tries = budget, [(budget, count(budget))]
    else:
        result = search(count, base_budget, flat_sections)
        chosen, tries = result.budget, result.tried
    return Sectioning(tokens, base_budget, chosen, flat_sections, tries, sections(tree, found[chosen]))


def _flat(text: str, tokenizer: Tokenizer, base_budget: int, budget: int) -> Sectioning:
    pieces = flat(text, tokenizer, budget)
    tokens = sum(piece.tokens for piece in pieces)
    parts = [Section(i, p.type, None, None, p.start, p.end, p.tokens, False, []) for i, p in enumerate(pieces, 1)]
    return Sectioning(tokens, base_budget, budget, -(-tokens // base_budget), [], parts)


def sections(tree: Tree, pieces: Sequence[Piece]) -> list[Section]:
    """The pieces with positions, paths and links."""
    linked = links(tree, pieces)
    return [
        Section(i + 1, p.type, tree.path(p.node), p.range, p.start, p.end, p.tokens, p.atomic, linked[i])
        for i, p in enumerate(pieces)
    ]
