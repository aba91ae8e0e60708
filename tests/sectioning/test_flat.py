"""Flat: runs of token ids, without a character lost."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.downloads import QWEN_VOCABULARY, require
from tasks.home import home
from tasks.sectioning.flat import flat
from tasks.sectioning.section import section
from tasks.tokens.qwen import QwenTokenizer
from tests.tokens.families import MODELS, family, texts


@pytest.mark.parametrize("name", ["qwen", "smollm2", *MODELS])
@settings(deadline=None, max_examples=40)
@given(text=texts(), budget=st.integers(1, 40))
def test_joined_they_are_the_text(name: str, text: str, budget: int) -> None:
    tokenizer = family(name)
    pieces = flat(text, tokenizer, budget)
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    tokens = tokenizer.count(text)
    assert [piece.tokens for piece in pieces[:-1]] == [budget] * (len(pieces) - 1)
    assert sum(piece.tokens for piece in pieces) == tokens
    assert len(pieces) == max(-(-tokens // budget), bool(text))


def test_a_cut_inside_a_character_moves_to_its_end() -> None:
    qwen = family("qwen")
    text = "a🫠b🫠"
    assert len(qwen.encode("🫠")) == 3
    cut = [text[piece.start : piece.end] for piece in flat(text, qwen, 2)]
    assert cut == ["a🫠", "", "b🫠", ""]
    assert flat("e\u0301x", qwen, 1)[0].end == 2  # what NFC makes one is one, too


@settings(deadline=None, max_examples=60)
@given(text=texts().map(lambda text: unicodedata.normalize("NFC", text)))
def test_ends_go_by_the_bytes_of_the_tokens(text: str) -> None:
    """A token ends with the character that holds its last byte."""
    qwen = QwenTokenizer(require(QWEN_VOCABULARY, home()))
    ends, covered = [], 0
    for token in qwen.encode(text):
        covered += len(qwen._encoding.decode_single_token_bytes(token))
        ends.append(next(at for at in range(len(text) + 1) if len(text[:at].encode()) >= covered))
    assert qwen.ends(text) == ends


def test_characters_without_a_token_are_kept() -> None:
    smollm2 = family("smollm2")
    lost = [chr(point) for point in range(32) if not smollm2.encode(chr(point))]
    assert lost
    text = f"one{lost[0]}two{lost[0]}"
    assert smollm2.count(text) == 2
    assert [text[piece.start : piece.end] for piece in flat(text, smollm2, 1)] == ["one", f"{lost[0]}two{lost[0]}"]
    assert [(piece.start, piece.end, piece.tokens) for piece in flat(lost[0] * 3, smollm2, 5)] == [(0, 3, 0)]
    assert flat("", smollm2, 5) == []


def test_sections_of_flat_carry_no_structure() -> None:
    qwen = family("qwen")
    made = section("größe 😀😀 {}" * 40, "json", qwen, 7, method="flat")
    assert len(made.sections) == made.flat_sections == -(-made.tokens // 7)
    assert {(s.type, s.path, s.range, s.atomic, tuple(s.links)) for s in made.sections} == {
        ("flat", None, None, False, ())
    }
    assert made.tried == []
