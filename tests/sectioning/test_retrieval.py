"""Span retrieval over linked memories (appendix A.3)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.sectioning.retrieval import SPAN_TOKENS, retrieve, score, spans, terms
from tests.tokens.families import FRAGMENTS, family


def test_terms_split_camel_case_and_underscores() -> None:
    question = terms("What is the magnitude of the magnitudeType event ci37?")
    assert question == {"magnitude": 2, "type": 1, "event": 1, "ci37": 1}
    assert terms("HTTPServer snake_case XMLHttpRequest2 größe") == dict.fromkeys(
        ["http", "server", "snake", "case", "xml", "request2", "größe"], 1
    ) | {"http": 2}
    assert terms("the of is") == {}


def test_worked_example() -> None:
    """Equation A.3: shared counts plus a quarter for each shared term; ties by source, then order."""
    question = terms("What is the magnitude of the magnitudeType event ci37?")
    assert score(terms("Event ci37: magnitude 4.5, magnitude type ml"), question) == 5 + 4 * 0.25
    assert score(terms("depth"), question) == 0
    memories = [(2, "The magnitude is 4.5. Nothing else.\nevent ci37 seen"), (1, "event ci37 here")]
    qwen = family("qwen")
    found = retrieve("magnitude of event ci37", memories, qwen)
    assert found == "event ci37 here\nevent ci37 seen\nThe magnitude is 4.5."
    assert retrieve("depth", memories, qwen) is None
    assert retrieve("magnitude", [], qwen) is None


def test_four_spans_ranked_by_score_then_source_then_order() -> None:
    memories = [(3, "red\nred blue\nred"), (1, "red\nblue red. Red here"), (2, "green")]
    assert retrieve("red blue", memories, family("qwen")) == "blue red.\nred blue\nred\nRed here"


def test_a_memory_is_read_once_for_each_source() -> None:
    assert retrieve("red", [(1, "red"), (1, "red")], family("qwen")) == "red"


def test_spans_end_at_lines_and_sentences() -> None:
    assert spans("One. Two 3.5 mm!\n\n数据。 Four") == ["One.", "Two 3.5 mm!", "数据。", "Four"]


@pytest.mark.parametrize("name", ["qwen", "smollm2", "sentencepiece unigram", "bert"])
@settings(deadline=None, max_examples=60)
@given(rest=st.lists(st.sampled_from([f for f in FRAGMENTS if "\n" not in f]), max_size=80).map("".join))
def test_a_span_has_at_most_96_tokens(name: str, rest: str) -> None:
    tokenizer = family(name)
    memory = "red" + rest.replace("\n", "")
    found = retrieve("red redword redx", [(1, memory)], tokenizer) or ""
    (whole, *_) = [span for span in spans(memory) if span.startswith(found.split("\n")[0])] or [memory]
    for line in found.split("\n"):
        assert tokenizer.count(line) <= SPAN_TOKENS
        assert any(span.startswith(line) for span in spans(memory))
    if tokenizer.count(whole) <= SPAN_TOKENS and found:
        assert whole in found


def test_a_cut_inside_a_character_is_moved_so_that_the_limit_holds() -> None:
    qwen = family("qwen")
    memory = "red" + "🫠" * 40
    found = retrieve("red", [(1, memory)], qwen)
    assert found == "red" + "🫠" * 31
    assert qwen.count(found) == 94
