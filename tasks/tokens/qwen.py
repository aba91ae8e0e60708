"""The tokenizer of Qwen2.5 and Qwen3 through tiktoken: the same ids as their tokenizer.json, about ten times faster."""

import base64
import functools
import unicodedata
from pathlib import Path

import tiktoken

from tasks.hashing import sha256

PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPECIAL = {"<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645}


class QwenTokenizer:
    """`qwen`: text is normalised to NFC first, as Qwen's tokenizer.json does."""

    name = "qwen"

    def __init__(self, vocabulary: Path):
        self._encoding, self.sha256 = _encoding(vocabulary)

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`; special tokens written out in it are plain text."""
        return self._encoding.encode_ordinary(unicodedata.normalize("NFC", text))

    def encode_prompt(self, text: str) -> list[int]:
        """Token ids of a rendered chat prompt, special tokens counted as themselves."""
        return self._encoding.encode(unicodedata.normalize("NFC", text), allowed_special="all")

    def count(self, text: str) -> int:
        """Number of tokens of `text`."""
        return len(self.encode(text))

    def ends(self, text: str) -> list[int]:
        """For each token, the position behind the last character of `text` that it covers, even in part."""
        normal = unicodedata.normalize("NFC", text)
        sources = _sources(text, normal)
        found, covered, byte, character = [], 0, 0, 0
        for token in self._encoding.encode_ordinary(normal):
            covered += len(self._encoding.decode_single_token_bytes(token))
            while byte < covered:
                byte += len(normal[character].encode("utf-8", "surrogatepass"))
                character += 1
            found.append(sources[character - 1])
        return found


@functools.cache
def _encoding(vocabulary: Path) -> tuple[tiktoken.Encoding, str]:
    content = vocabulary.read_bytes()
    pairs = (line.split() for line in content.splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    encoding = tiktoken.Encoding("qwen", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=SPECIAL)
    return encoding, sha256(content)


def _sources(text: str, normal: str) -> range | list[int]:
    """For each character of the normalised text, the position behind the characters of `text` that it comes from.

    A character with what combines with it is one run in both texts, since NFC neither moves nor merges across the
    start of a run: the runs are found by normalising up to each character that does not combine with the one before.
    """
    if text == normal:
        return range(1, len(text) + 1)
    sources: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or _starts_run(text[end - 1], text[end]):
            sources += [end] * len(unicodedata.normalize("NFC", text[start:end]))
            start = end
    if len(sources) != len(normal):
        raise ValueError("the normalised text does not map back to its characters")
    return sources


def _starts_run(before: str, character: str) -> bool:
    if unicodedata.combining(character) or 0x1160 <= ord(character) <= 0x11FF:
        return False
    return len(unicodedata.normalize("NFC", before + character)) == len(unicodedata.normalize("NFC", before)) + len(
        unicodedata.normalize("NFC", character)
    )
