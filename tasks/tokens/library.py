"""Any `tokenizer.json`, through the `tokenizers` library."""

import json
from itertools import accumulate
from typing import Any

import numpy
from tokenizers import Tokenizer as Engine

from tasks.hashing import sha256
from tasks.tokens import boundaries

_REMEMBERED = 500_000
"""Pieces whose counts are remembered, at most."""


class LibraryTokenizer:
    """A tokenizer of the `tokenizers` library, without what its post-processor would put around a text."""

    def __init__(self, name: str, definition: str) -> None:
        """`definition` is the text of the `tokenizer.json`. Raises `ValueError` where it is none."""
        self.name = name
        self.sha256 = sha256(definition)
        try:
            self._engine = Engine.from_str(definition)
        except Exception as error:
            raise ValueError(str(error)) from None
        self._prompts = Engine.from_str(definition)
        self._engine.encode_special_tokens = True
        for engine in (self._engine, self._prompts):
            engine.no_truncation()
            engine.no_padding()
        parsed = json.loads(definition)
        self._rules = rules_of(parsed)
        self._added = [token["content"] for token in parsed.get("added_tokens") or []]
        self._counts: dict[str, int] = {}

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`; special tokens written out in it are plain text."""
        return self._engine.encode(text, add_special_tokens=False).ids

    def encode_prompt(self, text: str) -> list[int]:
        """Token ids of a rendered chat prompt: special tokens that are written out in it count as themselves."""
        return self._prompts.encode(text, add_special_tokens=False).ids

    def count(self, text: str) -> int:
        """Number of tokens of `text`, by encoding it."""
        return len(self._engine.encode_batch_fast([text], add_special_tokens=False)[0])

    def counts(self, texts: list[str]) -> list[int]:
        """Number of tokens of each text, each encoded on its own."""
        return list(map(len, self._engine.encode_batch_fast(texts, add_special_tokens=False)))

    def ends(self, text: str) -> list[int]:
        """For each token, the position behind the last character of `text` that it covers, even in part. Ascending."""
        offsets = self._engine.encode(text, add_special_tokens=False).offsets
        return list(accumulate((end for _, end in offsets), max))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """For each token, the half-open range of characters that it covers, even in part."""
        return self._engine.encode(text, add_special_tokens=False).offsets

    def cuts(self, text: str) -> boundaries.Cuts | None:
        """Where `text` may be cut so that token counts add up; each part that occurs is encoded once.

        None for kinds of tokenizers whose pieces are not known, and for texts in which added tokens are written out.
        """
        if self._rules is None or any(added in text for added in self._added):
            return None
        positions = boundaries.positions(text, self._rules)
        places = positions.tolist()
        parts = [text[start:end] for start, end in zip(places, places[1:], strict=False)]
        known = self._counts
        if len(known) > _REMEMBERED:
            known.clear()
        new = [part for part in dict.fromkeys(parts) if part not in known]
        known.update(zip(new, self.counts(new), strict=True))
        tokens = numpy.zeros(len(positions), numpy.int64)
        numpy.cumsum(numpy.fromiter(map(known.__getitem__, parts), numpy.int64, len(parts)), out=tokens[1:])
        return boundaries.Cuts(positions, tokens)


def rules_of(definition: dict[str, Any]) -> str | None:
    """Which rules of `boundaries` hold for a tokenizer, or None where none is known to.

    Every setting that could change what is merged across pieces must be exactly as the rules' proof takes it.
    """
    model, steps = definition["model"], _steps(definition.get("pre_tokenizer"))
    normalizer = definition.get("normalizer")
    kinds = [step["type"] for step in steps]
    if model.get("type") == "WordPiece":
        return "words" if kinds == ["BertPreTokenizer"] and _per_character(normalizer) else None
    if model.get("type") != "BPE" or model.get("dropout") or not kinds or kinds[-1] != "ByteLevel":
        return None
    if model.get("continuing_subword_prefix") or model.get("end_of_word_suffix") or steps[-1].get("add_prefix_space"):
        return None
    if normalizer not in (None, {"type": "NFC"}):
        return None
    own_pattern = steps[-1].get("use_regex", True)
    if kinds == ["ByteLevel"] and own_pattern:
        return "gpt2"
    if kinds == ["Digits", "ByteLevel"] and steps[0].get("individual_digits") and own_pattern:
        return "gpt2 digits"
    if kinds == ["Split", "ByteLevel"] and not own_pattern:
        split = steps[0]
        if split.get("behavior") == "Isolated" and not split.get("invert"):
            known = {boundaries.QWEN_PATTERN: "qwen", boundaries.LLAMA3_PATTERN: "llama3"}
            return known.get(split["pattern"].get("Regex", ""))
    return None


def _steps(pre_tokenizer: dict[str, Any] | None) -> list[dict[str, Any]]:
    if not pre_tokenizer:
        return []
    return pre_tokenizer["pretokenizers"] if pre_tokenizer["type"] == "Sequence" else [pre_tokenizer]


def _per_character(normalizer: dict[str, Any] | None) -> bool:
    """Whether a normalizer never changes an ASCII character because of its neighbours."""
    return normalizer is None or normalizer["type"] in ("BertNormalizer", "Lowercase", "NFC", "NFD")
