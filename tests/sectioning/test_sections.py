"""Sections: Algorithm 1 against an independent reading of it, the paper's propositions, and the contract."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import UserError
from tasks.home import home
from tasks.sectioning.budget import search
from tasks.sectioning.retrieval import retrieve, score, terms
from tasks.sectioning.section import section
from tasks.tokens.tokenizer import load
from tests.sectioning.plain_tokenizers import Characters

VALUES = st.recursive(
    st.one_of(
        st.integers(),
        st.booleans(),
        st.none(),
        st.text(max_size=40),
        st.floats(allow_nan=False, allow_infinity=False, width=32),
    ),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner, max_size=6),
    max_leaves=40,
)


def naive(text: str, budget: int, count) -> list[tuple[int, int]]:
    """Algorithm 1 read off the paper, over Python's own JSON decoder: spans of subtrees and sibling groups."""
    decoder = json.JSONDecoder()
    blank = " \t\r\n"

    def skip(at: int) -> int:
        while text[at] in blank + ",:":
            at += 1
        return at

    def children(start: int, end: int) -> list[tuple[int, int, int]]:
        found, at = [], skip(start + 1)
        while at < end - 1:
            value = at
            if text[start] == "{":
                _, value = decoder.raw_decode(text, at)
                value = skip(value)
            _, stop = decoder.raw_decode(text, value)
            found.append((at, value, stop))
            at = skip(stop)
        return found

    def part(start: int, value: int, end: int) -> list[tuple[int, int]]:
        if count(text[start:end]) <= budget or text[value] not in "{[" or not children(value, end):
            return [(start, end)]
        sections, pending = [], []
        for child in children(value, end):
            if count(text[child[0] : child[2]]) > budget:
                sections += [(pending[0][0], pending[-1][2])] if pending else []
                pending = []
                sections += part(*child)
            else:
                if pending and count(text[pending[0][0] : child[2]]) > budget:
                    sections.append((pending[0][0], pending[-1][2]))
                    pending = []
                pending.append(child)
        return sections + ([(pending[0][0], pending[-1][2])] if pending else [])

    at = skip(0)
    return part(at, at, decoder.raw_decode(text, at)[1])


@settings(deadline=None, max_examples=200)
@given(value=VALUES, budget=st.integers(60, 200))
def test_algorithm_1_against_an_independent_reading(value: object, budget: int) -> None:
    text = json.dumps(value, ensure_ascii=False)
    made = section(text, "json", Characters(), 60, budget=budget)
    spans = [(s.start, s.end) for s in made.sections if s.type != "span"]
    assert spans == [span for span in naive(text, budget, len) if span in spans or span[1] - span[0] <= budget]
    for part in made.sections:
        assert part.tokens == part.end - part.start
        assert part.tokens <= budget or part.atomic


@settings(deadline=None, max_examples=100)
@given(value=VALUES)
def test_qwen_tokens_and_order(value: object) -> None:
    text = json.dumps(value, indent=1)
    qwen = load("qwen", home())
    made = section(text, "json", qwen, 40)
    for part in made.sections:
        assert part.tokens == qwen.count(text[part.start : part.end])
    for one, two in pairwise(made.sections):
        assert one.end <= two.start
    assert all(source < part.position for part in made.sections for source in part.links)


@settings(deadline=None, max_examples=200)
@given(
    c=st.integers(2, 20), data=st.data(), length=st.integers(1, 30)
)  # fmt: skip
def test_proposition_3_1(c: int, data: st.DataObject, length: int) -> None:
    weights = data.draw(st.lists(st.integers(1, 2 * c - 1), min_size=length, max_size=length))
    assert packed(weights, 2 * c - 1) <= -(-sum(weights) // c)


def packed(weights: list[int], budget: int) -> int:
    count, room = 0, 0
    for weight in weights:
        if weight > room:
            count, room = count + 1, budget
        room -= weight
    return count


@pytest.mark.parametrize("c", [2, 3, 5, 9])
def test_tightness_of_2c_minus_1(c: int) -> None:
    weights = [c - 1, c] * c
    for budget in range(c, 2 * c - 1):
        assert packed(weights, budget) == 2 * c > -(-sum(weights) // c)
    assert packed(weights, 2 * c - 1) <= -(-sum(weights) // c)


def test_budget_search_follows_the_contract() -> None:
    counts = {budget: 12 if budget < 13 else 9 if budget < 17 else 7 for budget in range(10, 20)}
    found = search(counts.__getitem__, 10, 8)
    assert found.tried == [(10, 12), (19, 7), (14, 9), (17, 7), (16, 9)]
    assert found.budget == 16
    assert search(lambda budget: 8, 10, 8).tried == [(10, 8)]


def test_paths_ranges_and_links() -> None:
    text = '{"records": [{"id": "aa", "v": 1}, {"id": "bb", "v": 2}, {"id": "cc", "v": 3}], "end": true}'
    made = section(text, "json", Characters(), 40, budget=45)
    shown = [(s.type, s.path, s.range, text[s.start : s.end]) for s in made.sections]
    assert shown == [
        ("siblings", "$.records", (0, 1), '{"id": "aa", "v": 1}, {"id": "bb", "v": 2}'),
        ("subtree", "$.records[2]", None, '{"id": "cc", "v": 3}'),
        ("subtree", "$.end", None, '"end": true'),
    ]
    assert [s.links for s in made.sections] == [[], [1], [2]]


def test_a_long_string_is_split_between_escapes() -> None:
    text = json.dumps({"a": "one two three. " * 6 + "\n" + "ü\\" * 30 + "😀" * 9})
    made = section(text, "json", Characters(), 20, budget=30)
    spans = [s for s in made.sections if s.type == "span"]
    assert "".join(text[s.start : s.end] for s in spans) == text[7:-2]
    for part in spans:
        assert part.tokens + 2 <= 30
        json.loads('"' + text[part.start : part.end] + '"').encode()


def test_flat_is_the_text_in_runs() -> None:
    qwen = load("qwen", home())
    text = "größe 😀😀 {}" * 40
    made = section(text, "json", qwen, 7, method="flat")
    assert "".join(text[s.start : s.end] for s in made.sections) == text
    assert len(made.sections) == made.flat_sections == -(-qwen.count(text) // 7)


def test_deep_nesting_and_bad_input() -> None:
    deep = "[" * 10_000 + "1" + "]" * 10_000
    assert (section(deep, "json", Characters(), 64, budget=64).sections[0].path or "").startswith("$[0][0]")
    with pytest.raises(UserError):
        section("[1,", "json", Characters(), 64)
    with pytest.raises(UserError):
        section("[1]", "json", Characters(), 0)


def test_recorded_responses_keep_every_character(recordings: Path) -> None:
    qwen = load("qwen", home())
    for path in sorted((recordings / "usgs").glob("*.json"))[6:10]:
        text = path.read_text("utf-8")
        made = section(text, "json", qwen, 500)
        between = [text[: made.sections[0].start]]
        between += [text[one.end : two.start] for one, two in pairwise(made.sections)]
        between.append(text[made.sections[-1].end :])
        slices = [text[s.start : s.end] for s in made.sections]
        assert "".join(a + b for a, b in zip(between, [*slices, ""], strict=True)) == text
        assert all(len(gap) < 60 for gap in between)


def test_retrieval_worked_example() -> None:
    """Equation A.3: shared counts plus a quarter for each shared term; ties by source, then order."""
    question = terms("What is the magnitude of the magnitudeType event ci37?")
    assert question == {"magnitude": 2, "type": 1, "event": 1, "ci37": 1}
    assert score(terms("Event ci37: magnitude 4.5, magnitude type ml"), question) == 5 + 4 * 0.25
    memories = [(2, "The magnitude is 4.5. Nothing else.\nevent ci37 seen"), (1, "event ci37 here")]
    found = retrieve("magnitude of event ci37", memories, load("qwen", home()))
    assert found == "event ci37 here\nevent ci37 seen\nThe magnitude is 4.5."
    assert retrieve("depth", memories, load("qwen", home())) is None
