"""Other splitters at one budget, and what each of them loses."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from tasks.tokens.tokenizer import Tokenizer
from tasks.trees.tree import Tree

Span = tuple[int, int]


@dataclass(frozen=True)
class Cut:
    """What a splitter made: chunks, and where each stands in the text (None: it is no slice of it)."""

    chunks: Sequence[str]
    spans: Sequence[Span | None]


def semchunk(text: str, tokenizer: Tokenizer, budget: int) -> Cut:
    """semchunk with this project's counter."""
    import semchunk

    chunker = semchunk.chunkerify(tokenizer.count, budget)
    chunks, spans = chunker(text, offsets=True)
    return Cut(chunks, spans)


def semantic_text_splitter(text: str, tokenizer: Tokenizer, budget: int) -> Cut:
    """semantic-text-splitter with this project's counter, blanks kept as its manual says for lossless chunks."""
    from semantic_text_splitter import TextSplitter

    found = TextSplitter.from_callback(tokenizer.count, budget, trim=False).chunk_indices(text)
    return Cut([chunk for _, chunk in found], [(start, start + len(chunk)) for start, chunk in found])


def recursive_json_splitter(text: str, tokenizer: Tokenizer, budget: int) -> Cut:
    """LangChain's splitter for JSON. It counts characters, so the budget is put into those by this text's average."""
    from langchain_text_splitters import RecursiveJsonSplitter

    characters = round(budget * len(text) / tokenizer.count(text))
    chunks = RecursiveJsonSplitter(characters).split_text(json.loads(text), convert_lists=True, ensure_ascii=False)
    places = [text.find(chunk) for chunk in chunks]
    return Cut(chunks, [(at, at + len(c)) if at >= 0 else None for at, c in zip(places, chunks, strict=True)])


RIVALS: dict[str, Callable[[str, Tokenizer, int], Cut]] = {
    "semchunk": semchunk,
    "semantic-text-splitter": semantic_text_splitter,
    "langchain-text-splitters": recursive_json_splitter,
}
"""By the names of their packages."""


@dataclass(frozen=True)
class Losses:
    """`characters`: non-blank ones of the text that stand in no chunk; `over`: chunks above the budget; `cut`: records
    that fit the budget and stand whole in no chunk."""

    chunks: int
    characters: int
    over: int
    cut: int


def losses(cut: Cut, tree: Tree, records: Sequence[int], tokenizer: Tokenizer, budget: int) -> Losses:
    """What `cut` lost of the text of `tree`; `records` are its nodes that should stand whole."""
    text = tree.text
    spans = sorted(span for span in cut.spans if span is not None)
    missing, reached = 0, 0
    for start, end in [*spans, (len(text), len(text))]:
        missing += len("".join(text[reached:start].split())) if start > reached else 0
        reached = max(reached, end)
    whole = _whole_in_spans(tree, records, spans) if spans else _whole_in_values(tree, records, cut.chunks)
    over = sum(tokenizer.count(chunk) > budget for chunk in cut.chunks)
    return Losses(len(cut.chunks), missing, over, len(records) - whole)


def _whole_in_spans(tree: Tree, records: Sequence[int], spans: Sequence[Span]) -> int:
    return sum(any(s <= tree.starts[node] and tree.ends[node] <= e for s, e in spans) for node in records)


def _whole_in_values(tree: Tree, records: Sequence[int], chunks: Sequence[str]) -> int:
    """Records that a chunk holds as a value, at their place, lists having become objects with numbers for keys."""
    values = [json.loads(chunk) for chunk in chunks]
    whole = 0
    for node in records:
        steps = [str(tree.identifiers[step]) for step in [node, *tree.ancestors(node)][-2::-1]]
        record = _without_lists(json.loads(tree.value_source(node)))
        whole += any(_at(value, steps) == record for value in values)
    return whole


def _at(value: Any, steps: Sequence[str]) -> Any:
    for step in steps:
        if not isinstance(value, dict) or step not in value:
            return None
        value = value[step]
    return value


def _without_lists(value: Any) -> Any:
    if isinstance(value, list):
        return {str(index): _without_lists(item) for index, item in enumerate(value)}
    if isinstance(value, dict):
        return {key: _without_lists(item) for key, item in value.items()}
    return value


def missing() -> list[str]:
    """The rivals that are not installed."""
    return [name for name in RIVALS if find_spec(name.replace("-", "_")) is None]
