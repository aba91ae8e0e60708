"""TF-IDF recall against the library that the released agent uses."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from tasks.memory_agents.recall import History, terms
from tests.memory_agents.scripted import words


def pieces(text: str) -> list[str]:
    ends = [0, *words(text)]
    return [text[start:end] for start, end in pairwise(ends)]


TEXTS = st.lists(st.text("abAB é\n", min_size=1, max_size=12), min_size=1, max_size=8)


@given(TEXTS, st.text("abAB é\n", min_size=1, max_size=8))
def test_the_best_is_that_of_scikit_learn(memories: list[str], query: str) -> None:
    kept = list(dict.fromkeys(memories))
    vectorizer = TfidfVectorizer(tokenizer=lambda text: terms(text, pieces), token_pattern=None)
    similar = cosine_similarity(vectorizer.transform([query]) if vectorizer.fit(kept) else None,
                                vectorizer.transform(kept)).flatten()  # fmt: skip
    history = History(pieces)
    for memory in memories:
        history.add(memory)
    best = history.best(query)
    assert np.isclose(similar[kept.index(best)], similar.max())
    assert not np.isclose(similar[: kept.index(best)], similar.max()).any()


def test_equal_memories_are_kept_once_and_the_earliest_wins_a_tie() -> None:
    history = History(pieces)
    for memory in ("owl", "fox", "owl", "fox "):
        history.add(memory)
    assert history.best("fox") == "fox"
    assert history.best("cat") == "owl"


def test_nothing_to_recall() -> None:
    history = History(pieces)
    assert history.best("fox") is None
    history.add("")
    assert history.best("fox") is None
    history.add("owl")
    assert history.best("fox") == ""


def test_a_blank_is_a_term_of_its_own() -> None:
    assert terms("A  b", pieces) == ["a", "", "b"]
