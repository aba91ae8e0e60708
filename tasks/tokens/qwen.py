"""The tokenizer of Qwen2.5 and Qwen3 through tiktoken: the same ids as their tokenizer.json, about ten times faster."""

import base64
import functools
from collections.abc import Sequence
from pathlib import Path
from unicodedata import combining, decomposition, is_normalized, normalize

import numpy as np
import tiktoken

from tasks.hashing import sha256
from tasks.tokens.boundaries import Rule, code_points
from tasks.tokens.rules import QWEN_PATTERN, qwen

SPECIAL = {"<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645}
QWEN3 = {
    "<tool_call>": 151657, "</tool_call>": 151658, "<tool_response>": 151665, "</tool_response>": 151666,
    "<think>": 151667, "</think>": 151668,
}  # fmt: skip
"""What Qwen3 adds for prompts (Qwen2.5 has the first two as well): texts in them that are one token."""
QWEN25 = {name: QWEN3[name] for name in ("<tool_call>", "</tool_call>")}


class QwenTokenizer:
    """`qwen` and `qwen3`: text is normalised to NFC first, as Qwen's tokenizer.json does.

    They differ only in what counts as one token in a prompt.
    """

    def __init__(self, vocabulary: Path, name: str = "qwen"):
        self.name = name
        self._encoding, self._lengths, self.sha256 = _encoding(vocabulary, name)
        self._rule = Rule(qwen(), longest=int(self._lengths.max()))

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`; special tokens written out in it are plain text."""
        return self._encoding.encode_ordinary(normalize("NFC", text))

    def encode_prompt(self, text: str) -> list[int]:
        """Token ids of a rendered chat prompt, special tokens counted as themselves."""
        return self._encoding.encode(normalize("NFC", text), allowed_special="all")

    def count(self, text: str) -> int:
        """Number of tokens of `text`."""
        return len(self.encode(text))

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, each encoded by itself."""
        encode = self._encoding.encode_ordinary
        return [len(encode(normalize("NFC", text))) for text in texts]

    def ends(self, text: str) -> list[int]:
        """For each token, the position behind the last character of `text` that it covers, even in part."""
        normal = normalize("NFC", text)
        covered = np.cumsum(self._lengths[self._encoding.encode_ordinary(normal)], dtype=np.int64)
        if not normal.isascii():
            # The character that holds the last byte of a token is the first up to which there are as many bytes.
            points = code_points(normal)
            sizes = 1 + (points >= 0x80) + (points >= 0x800) + (points >= 0x10000)
            covered = np.searchsorted(np.cumsum(sizes), covered) + 1
        if normal != text:
            covered = _sources(text)[covered - 1]
        return covered.tolist()

    def rule(self, text: str) -> Rule:
        """Where token counts of parts of `text` add up: the same rule for every text."""
        return self._rule


@functools.cache
def _encoding(vocabulary: Path, name: str) -> tuple[tiktoken.Encoding, np.ndarray, str]:
    """The encoding, the length of each token in bytes, and the hash of the file."""
    content = vocabulary.read_bytes()
    pairs = (line.split() for line in content.splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    lengths = np.zeros(len(ranks), dtype=np.int64)
    for token, rank in ranks.items():
        lengths[rank] = len(token)
    special = SPECIAL | (QWEN3 if name == "qwen3" else QWEN25)
    encoding = tiktoken.Encoding(name, pat_str=QWEN_PATTERN, mergeable_ranks=ranks, special_tokens=special)
    return encoding, lengths, sha256(content)


def _sources(text: str) -> np.ndarray:
    """For each character of NFC(`text`), the position behind the characters of `text` that it comes from.

    The text falls into runs, each a character and what may combine with it; NFC neither moves nor merges anything from
    one into another. A run that NFC changes is one source for all that comes from it.
    """
    points = code_points(text)
    heads = np.flatnonzero(_stands_alone()[points])
    starts = np.union1d(heads, [0])
    ends = np.append(starts[1:], len(text))
    changing = [point for point in np.unique(points).tolist() if not is_normalized("NFC", chr(point))]
    suspect = (ends - starts > 1) | np.isin(points[starts], changing)
    sources, reached = [], 0
    for start, end in zip(starts[suspect].tolist(), ends[suspect].tolist(), strict=True):
        run = text[start:end]
        normal = normalize("NFC", run)
        if normal != run:
            sources += [np.arange(reached + 1, start + 1), np.full(len(normal), end)]
            reached = end
    return np.concatenate([*sources, np.arange(reached + 1, len(text) + 1)])


@functools.cache
def _stands_alone() -> np.ndarray:
    """Of each code point, whether it never combines with what stands before it (Unicode annex 15, section 9.1)."""
    table = np.array([combining(chr(point)) == 0 for point in range(0x110000)])
    table[0x1161:0x1176] = table[0x11A8:0x11C3] = False  # vowels and final consonants of Hangul
    for point in range(0x110000):
        parts = decomposition(chr(point)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            table[int(parts[1], 16)] = False
    return table
