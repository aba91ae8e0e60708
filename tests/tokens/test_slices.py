"""Slices are counted as texts are, whatever the tokenizer and the text."""

import json
import logging
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.tokens.boundaries import Unproven
from tasks.tokens.library import LibraryTokenizer
from tasks.tokens.runs import Runs
from tasks.tokens.slices import SliceCounter
from tests.sectioning.plain_tokenizers import Characters
from tests.tokens.families import MODELS, family, texts, trained

Count = Callable[[str], int]

NAMES = ["qwen", "smollm2", *MODELS]


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=60)
@given(text=texts(), data=st.data())
def test_slices_are_counted_as_texts(name: str, text: str, data: st.DataObject) -> None:
    tokenizer = family(name)
    counter = SliceCounter(text, tokenizer)
    places = sorted([0, *data.draw(st.lists(st.integers(0, len(text)), max_size=12)), len(text)])
    spans = [(start, end) for start in places for end in places if start <= end]
    expected = [tokenizer.count(text[start:end]) for start, end in spans]
    assert [counter.count(start, end) for start, end in spans] == expected


@pytest.mark.parametrize("name", ["qwen", "smollm2", "sentencepiece unigram", "bert"])
def test_long_texts_are_cut_often(name: str) -> None:
    """What the speed rests on: nowhere does a count need more than a few characters."""
    text = json.dumps([{"id": number, "name": f"entry {number}", "more": "größe, don't"} for number in range(300)])
    counter = SliceCounter(text, family(name))
    assert len(counter.cuts) > len(text) / 10
    assert max(np.diff(counter.cuts)) < 20
    assert counter.count(0, len(text)) == family(name).count(text)


@pytest.mark.parametrize("name", ["qwen", "smollm2", "roberta", "bert"])
@settings(deadline=None, max_examples=60)
@given(text=texts() | st.text(st.sampled_from("[ -="), max_size=300), data=st.data())
def test_no_slice_has_less_than_the_least(name: str, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert SliceCounter(text, family(name)).at_least(start, end) <= family(name).count(text[start:end])


def test_the_least_is_known_of_whole_byte_vocabularies() -> None:
    assert {name: bool(family(name).rule("").longest) for name in ("qwen", "smollm2", "bert", "t5")} == {
        "qwen": True, "smollm2": True, "bert": False, "t5": False,
    }  # fmt: skip
    assert SliceCounter("[" * 1000, family("qwen")).at_least(0, 1000) >= 1000 // 128


def naive_reach(text: str, spans: list[tuple[int, int]], first: int, stop: int, budget: int, count: Count) -> int:
    start = spans[first][0]
    return next((at for at in range(first + 1, stop) if count(text[start : spans[at][1]]) > budget), stop)


@pytest.mark.parametrize("name", ["qwen", "bert", "sentencepiece bpe", "unsplit"])
@settings(deadline=None, max_examples=60)
@given(text=texts(), filling=st.sampled_from(["", "[],", "語" * 150, "[" * 400]), data=st.data())
def test_runs_reach_as_far_as_one_by_one(name: str, text: str, filling: str, data: st.DataObject) -> None:
    """`filling` makes stretches without a safe cut, some longer than what is counted beforehand."""
    tokenizer = family(name)
    text = text[:200] + filling * 3 + text[200:]
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=30)))
    spans = list(zip(places[::2], places[1::2], strict=False))
    counter = SliceCounter(text, tokenizer)
    runs = Runs(counter, np.array([s for s, _ in spans]), np.array([e for _, e in spans]))
    sizes = [tokenizer.count(text[start:end]) for start, end in spans]
    first = data.draw(st.integers(0, len(spans) - 1))
    stop = data.draw(st.integers(first + 1, len(spans)))
    budget = data.draw(st.integers(0, 60))
    assert runs.reach(first, stop, budget) == naive_reach(text, spans, first, stop, budget, tokenizer.count)
    assert runs.tokens(first, stop - 1) == tokenizer.count(text[spans[first][0] : spans[stop - 1][1]])
    for limit in (budget, budget // 2, 2 * budget):
        assert runs.exceeding(limit) == [at for at, size in enumerate(sizes) if size > limit]


class Dumb(Characters):
    """A tokenizer that says nothing about itself, by a name that no other test has made known."""

    name = "dumb"


def test_what_is_not_proven_is_encoded_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    unsplit = LibraryTokenizer("unsplit, said", trained("unsplit"))
    with caplog.at_level(logging.WARNING):
        for tokenizer in (unsplit, Dumb()):
            for _ in range(2):
                counter = SliceCounter("one two", tokenizer)
                assert counter.count(0, 5) == tokenizer.count("one t")
                assert len(counter.cuts) == 0
    assert [record.args[0] for record in caplog.records if record.args] == ["unsplit, said", "dumb"]


def added(name: str, *tokens: dict) -> LibraryTokenizer:
    """A trained tokenizer with further tokens."""
    parsed = json.loads(trained(name))
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    parsed["added_tokens"] += [plain | {"id": 900 + at} | token for at, token in enumerate(tokens)]
    return LibraryTokenizer(f"{name} and {[token['content'] for token in tokens]}", json.dumps(parsed))


@settings(deadline=None, max_examples=60)
@given(text=st.text(st.sampled_from("ab <>1\n"), max_size=30), data=st.data())
def test_added_tokens_are_counted_where_a_slice_holds_them(text: str, data: st.DataObject) -> None:
    tokenizer = added("llama 3", {"content": "<a>"}, {"content": "a><b"}, {"content": "1 <"}, {"content": "b\n"})
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    counter = SliceCounter(text, tokenizer)
    assert counter.count(start, end) == tokenizer.count(text[start:end])


def test_added_tokens_that_go_by_their_surroundings_prove_nothing() -> None:
    tokenizer = added("bert", {"content": "<m>", "lstrip": True}, {"content": "ÉT", "normalized": True})
    for text in ("a <m> b", "a \u00e9t b", "a et b"):
        with pytest.raises(Unproven):
            tokenizer.rule(text)
    assert tokenizer.rule("a m b").added == ()
    over_nfc = added("bert over nfc", {"content": "<n>", "normalized": True})
    assert over_nfc.rule("a é <n>").added == ("<n>",)
    with pytest.raises(Unproven):
        over_nfc.rule("a e\u0301 <n>")
