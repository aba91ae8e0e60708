"""Sums over payloads against plain encoding of whole contexts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.building.counting import Counter
from tasks.home import home
from tasks.tokens.tokenizer import load
from tasks.warehouse.contexts import render
from tests.building.conftest import material_of

FORMATS = ["json", "html", "yaml", "javascript"]
EDGES = st.sampled_from(["}", "]]", "'", '"', "é", "e\u0301", "…", "\n", "\r\n", " \n", "\t", "7", "</p>", "-", ""])
STARTS = st.sampled_from(["{", "[", "<html>", "a", "7", "é", "\u0301", " ", "\n", "---\n", "# c\n---\n", '"'])
texts = st.lists(
    st.builds(lambda start, body, end: start + body + end, STARTS, st.text(max_size=12), EDGES), min_size=1, max_size=6
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FORMATS), texts)
def test_sums_are_the_tokens_of_any_context(format, pieces):
    tokenizer = load("qwen", home())
    counter = Counter(format, tokenizer)
    expected = tokenizer.count(render(format, pieces))
    assert counter.context(pieces, [counter.cost(piece) for piece in pieces]) == expected


@pytest.mark.parametrize("format", FORMATS)
def test_sums_are_the_tokens_of_sample_contexts_without_encoding_them(format, monkeypatch):
    material = material_of(format)
    counter = Counter(format, material.tokenizer)
    chosen = [row["text"] for row in material.rows[:40]]
    costs = [counter.cost(text) for text in chosen]
    expected = material.tokenizer.count(render(format, chosen))
    monkeypatch.setattr("tasks.building.counting.render", None)
    assert counter.context(chosen, costs) == expected
