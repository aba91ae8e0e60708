"""BM25 against the package that the released agent uses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from tasks.memory_agents.okapi import Okapi

WORDS = st.sampled_from("a b c d e f g".split())
DOCUMENTS = st.lists(st.lists(WORDS, max_size=12), min_size=1, max_size=10).filter(any)


@given(DOCUMENTS, st.lists(WORDS | st.just("nowhere"), max_size=6))
def test_scores_are_those_of_rank_bm25(documents: list[list[str]], query: list[str]) -> None:
    assert Okapi(documents).scores(query) == pytest.approx(BM25Okapi(documents).get_scores(query), abs=1e-9)


@given(DOCUMENTS.map(lambda found: ["".join(document) for document in found]), st.lists(WORDS, max_size=4))
def test_documents_of_characters(documents: list[str], query: list[str]) -> None:
    assert Okapi(documents).scores(query) == pytest.approx(BM25Okapi(documents).get_scores(query), abs=1e-9)


def test_worked_example() -> None:
    # three documents of two terms each; x is in one of them: idf = ln(2.5 / 1.5), tf = 1, mean length
    index = Okapi([["x", "y"], ["y", "z"], ["z", "z"]])
    expected = np.log(2.5 / 1.5) * 2.5 / (1 + 1.5)
    assert index.scores(["x"]) == pytest.approx([expected, 0, 0])
    assert index.scores(["x", "x"])[0] == pytest.approx(2 * expected)
    assert index.ranked(["x"]) == [0, 1, 2]
    assert index.ranked(["nowhere"]) == [0, 1, 2]


def test_nothing_to_search() -> None:
    assert Okapi([]).ranked(["a"]) == []
    assert Okapi([[], []]).ranked(["a"]) == [0, 1]
