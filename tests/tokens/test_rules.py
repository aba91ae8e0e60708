"""Every claim of `rules`, tried on all texts of up to three characters over one or two of a class, and many of four."""

from itertools import product

import pytest
from tokenizers import Tokenizer as Library

from tasks.tokens.boundaries import Rule, Unproven, cuts
from tasks.tokens.library import LibraryTokenizer
from tasks.tokens.rules import derive
from tests.tokens.families import BYTES, METASPACE, PARTS, definition, family

ALPHABET = "sſ1² \t\n'_=—\u0338\x85"
"""Mind that ſ is an s to a pattern that takes no notice of case, and that = and U+0338 make one character."""

SHORT = ["".join(text) for length in (1, 2, 3) for text in product(ALPHABET, repeat=length)]
SHORT += ["".join(text) for text in product("s1 \n'_=\u0338\x85", repeat=4)]
PIECES = {"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"}
"""A model that makes one token of each piece, so that tokens show where the pieces lie."""


@pytest.mark.parametrize("name", PARTS)
def test_pieces_of_both_sides_are_those_of_the_whole(name: str) -> None:
    content = definition(name, PIECES)
    rule = LibraryTokenizer(name, content).rule("")
    encoded = Library.from_str(content).encode_batch(SHORT)
    pieces = {text: made.offsets for text, made in zip(SHORT, encoded, strict=True)}
    tried = 0
    for text in SHORT:
        for cut in cuts(text, rule).tolist():
            behind = [(start + cut, end + cut) for start, end in pieces[text[cut:]]]
            assert pieces[text] == pieces[text[:cut]] + behind, (text, cut)
            tried += 1
    assert tried > 100


def test_tokens_of_qwen_add_up() -> None:
    """The same for the regular expressions of the library that counts with this vocabulary."""
    qwen = family("qwen")
    tokens = dict(zip(SHORT, qwen.counts(SHORT), strict=True))
    rule = qwen.rule("")
    for text in SHORT:
        for cut in cuts(text, rule).tolist():
            assert tokens[text] == tokens[text[:cut]] + tokens[text[cut:]], (text, cut)


NOTHING = {"type": "BPE", "vocab": {}, "merges": []}


@pytest.mark.parametrize(
    ("normalizer", "pre_tokenizer", "model", "reason"),
    [
        (None, None, NOTHING, "does not cut"),
        (None, {"type": "UnicodeScripts"}, NOTHING, "not known"),
        (None, {"type": "FixedLength", "length": 3}, NOTHING, "not known"),
        (None, METASPACE | {"split": False}, NOTHING, "not known"),
        (None, BYTES, NOTHING, "not known"),
        (None, BYTES | {"use_regex": True}, NOTHING | {"dropout": 0.1}, "chance"),
        (None, BYTES | {"use_regex": True}, {"type": "Dreamt"}, "Dreamt"),
        ({"type": "Prepend", "prepend": "▁"}, METASPACE, NOTHING, "not known"),
        ({"type": "Replace", "pattern": {"Regex": "a b"}, "content": "c"}, METASPACE, NOTHING, "not known"),
        ({"type": "Precompiled"}, METASPACE, NOTHING, "not known"),
        (
            None,
            {"type": "Sequence", "pretokenizers": [{"type": "Sequence", "pretokenizers": []}]},
            NOTHING,
            "not known",
        ),
    ],
)
def test_what_is_not_known_gives_no_rule(
    normalizer: dict | None, pre_tokenizer: dict | None, model: dict, reason: str
) -> None:
    with pytest.raises(Unproven, match=reason):
        derive({"model": model, "normalizer": normalizer, "pre_tokenizer": pre_tokenizer}, {"a": "b"})


def test_a_rule_is_a_table() -> None:
    assert isinstance(family("smollm2").rule("x"), Rule)
