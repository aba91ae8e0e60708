"""Qwen2.5 and Qwen3 through `tiktoken`, about ten times faster than `tokenizers` with equal ids.

The vocabulary file holds the merges of plain text; the special tokens are added here. Text is NFC-normalised first, as
the models' own `tokenizer.json` does.
"""

import base64
import re
from functools import cached_property
from pathlib import Path
from unicodedata import category, is_normalized, normalize

import numpy
import tiktoken

from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.tokens import boundaries

_SPECIAL = (
    "<|endoftext|> <|im_start|> <|im_end|> <|object_ref_start|> <|object_ref_end|> <|box_start|> <|box_end|> "
    "<|quad_start|> <|quad_end|> <|vision_start|> <|vision_end|> <|vision_pad|> <|image_pad|> <|video_pad|> "
    "<tool_call> </tool_call> <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|fim_pad|> <|repo_name|> <|file_sep|> "
    "<tool_response> </tool_response> <think> </think>"
).split()


class QwenTokenizer:
    """Encodes plain text (`encode`: special tokens written out in it are text) and chat prompts (`encode_prompt`)."""

    def __init__(self, path: Path, name: str = "qwen") -> None:
        """Raises `UserError` where the file at `path` is no tiktoken vocabulary."""
        data = path.read_bytes()
        self.name = name
        self.sha256 = sha256(data)
        try:
            ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines())}
        except ValueError:
            raise UserError(f"{path} is no tiktoken vocabulary: run `treebench models fetch`.") from None
        special = {token: len(ranks) + number for number, token in enumerate(_SPECIAL)}
        self._engine = tiktoken.Encoding(
            "qwen", pat_str=boundaries.QWEN_PATTERN, mergeable_ranks=ranks, special_tokens=special
        )
        self._ranks = ranks

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`."""
        return self._engine.encode_ordinary(_normal(text))

    def encode_prompt(self, text: str) -> list[int]:
        """Token ids of a rendered chat prompt: special tokens that are written out in it count as themselves."""
        return self._engine.encode(_normal(text), allowed_special="all")

    def count(self, text: str) -> int:
        """Number of tokens of `text`, by encoding it."""
        return len(self._engine.encode_ordinary(_normal(text)))

    def counts(self, texts: list[str]) -> list[int]:
        """Number of tokens of each text, each encoded on its own."""
        return [self.count(text) for text in texts]

    def ends(self, text: str) -> list[int]:
        """For each token, the position behind the last character of `text` that it covers, even in part. Ascending."""
        places, offsets = _offsets(text)
        return places[numpy.searchsorted(offsets, self._byte_ends(text))].tolist()

    def spans(self, text: str) -> list[tuple[int, int]]:
        """For each token, the half-open range of characters that it covers, even in part."""
        places, offsets = _offsets(text)
        behind = self._byte_ends(text)
        before = numpy.concatenate(([0], behind[:-1]))[: len(behind)]
        starts = places[numpy.searchsorted(offsets, before, side="right") - 1]
        ends = places[numpy.searchsorted(offsets, behind)]
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def cuts(self, text: str) -> boundaries.Cuts:
        """Where `text` may be cut so that token counts add up, by one encoding of the whole."""
        positions = boundaries.positions(text, "qwen")
        ends = self._byte_ends(text)
        if not text.isascii():
            places, offsets = _offsets(text)
            at = offsets[numpy.searchsorted(places, positions)]
        else:
            at = positions
        return boundaries.Cuts(positions, numpy.searchsorted(ends, at, side="right"))

    def _byte_ends(self, text: str) -> numpy.ndarray:
        """Byte position behind each token in the normalised text."""
        ids = self._engine.encode_to_numpy(_normal(text), allowed_special=set(), disallowed_special=())
        return numpy.cumsum(self._lengths[ids])

    @cached_property
    def _lengths(self) -> numpy.ndarray:
        lengths = numpy.zeros(len(self._ranks), numpy.int64)
        for token, rank in self._ranks.items():
            lengths[rank] = len(token)
        return lengths


def _normal(text: str) -> str:
    return text if text.isascii() else normalize("NFC", text)


def _offsets(text: str) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Positions of `text`, 0 and its length among them, and their byte offsets in the normalised text.

    All positions, unless normalisation changes the text: then those that no character can combine across.
    """
    if is_normalized("NFC", text):
        codes = numpy.frombuffer(text.encode("utf-32-le", "surrogatepass"), numpy.uint32)
        lengths = 1 + (codes > 0x7F).astype(numpy.int64) + (codes > 0x7FF) + (codes > 0xFFFF)
        return numpy.arange(len(text) + 1), numpy.concatenate(([0], numpy.cumsum(lengths)))
    places = [0, *(at for at in range(1, len(text)) if _stands_alone(text[at])), len(text)]
    lengths = [
        len(normalize("NFC", text[start:end]).encode("utf-8", "surrogatepass"))
        for start, end in zip(places, places[1:], strict=False)
    ]
    return numpy.array(places), numpy.concatenate(([0], numpy.cumsum(lengths)))


def _stands_alone(character: str) -> bool:
    """Whether a character never combines with what stands before it: ASCII, and letters other than parts of Hangul."""
    if character.isascii():
        return True
    return category(character)[0] == "L" and not re.match("[\u1100-\u11ff\ud7b0-\ud7ff\ua960-\ua97f]", character)
