"""Tokenizers count what the model's server counts, and map tokens back to characters."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import UserError
from tasks.home import Home, home
from tasks.serving.chat import Message
from tasks.tokens import chat_template
from tasks.tokens.slices import SliceCounter
from tasks.tokens.tokenizer import Tokenizer, load

NAMES = ("qwen", "smollm2")
ASSIGNED = st.characters(codec="utf-8", max_codepoint=0x2FFF, exclude_categories=("Cc", "Cn", "Co", "Cs"))
"""SmolLM2's vocabulary has no token for some control characters, which its tokenizer then leaves out."""
TEXTS = st.text(st.one_of(ASSIGNED, st.sampled_from('{}[]",: 0123\\\r\n<|é\u0301가😀')), max_size=60)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=150)
@given(text=TEXTS)
def test_ends_cover_the_text_in_order(name: str, text: str) -> None:
    tokenizer = load(name, home())
    ends = tokenizer.ends(text)
    assert len(ends) == tokenizer.count(text) == len(tokenizer.encode(text))
    assert ends == sorted(ends)
    assert (ends[-1] if ends else 0) == len(text)


def test_qwen_knows_its_vocabulary() -> None:
    qwen = load("qwen", home())
    assert qwen.encode("Hello, world") == [9707, 11, 1879]
    assert qwen.count("<|im_end|>") > 1
    assert len(qwen.encode_prompt("<|im_end|>")) == 1
    assert qwen.encode(unicodedata.normalize("NFD", "é")) == qwen.encode("é")


def test_prompts_are_counted_as_the_server_counts() -> None:
    smollm2 = load("smollm2", home())
    template = chat_template.load("smollm2", smollm2, home())
    assert template.render([("user", "hi")]).endswith("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n")
    assert template.count([("user", "hi")]) == 31
    assert Message("user", "hi").content == "hi"


@settings(deadline=None, max_examples=100)
@given(text=TEXTS, data=st.data())
def test_slices_are_counted_as_texts(text: str, data: st.DataObject) -> None:
    qwen: Tokenizer = load("qwen", home())
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    counter = SliceCounter(text, qwen)
    assert counter.count(start, end) == counter.count(start, end) == qwen.count(text[start:end])


def test_an_unknown_name_is_told(fresh_home: Home, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="treebench tokenizers"):
        load("nobody/nothing", fresh_home)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(UserError, match=r"is not a tokenizer\.json"):
        load(str(tmp_path / "tokenizer.json"), fresh_home)


def test_a_missing_vocabulary_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="treebench models fetch"):
        load("qwen", Home(tmp_path))
