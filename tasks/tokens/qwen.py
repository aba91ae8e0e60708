"""Qwen2.5 and Qwen3 through `tiktoken`, about ten times faster than `tokenizers` with equal ids.

The vocabulary file holds the merges of plain text; the special tokens are added here. Text is NFC-normalised first, as
the models' own `tokenizer.json` does.
"""

import base64
from functools import cached_property
from pathlib import Path
from unicodedata import is_normalized, normalize

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
            ranks = {
                base64.b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines())
            }
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

    def ends(self, text: str) -> numpy.ndarray:
        """For each token, the position behind the last character of `text` that it covers, even in part. Ascending."""
        places = self._positions(text)
        normal_ends = self._byte_ends(text if is_normalized("NFC", text) else self._joined(text, places))
        offsets = self._byte_offsets(text, places)
        if len(offsets) == len(text) + 1:
            return numpy.searchsorted(offsets, normal_ends)
        return places[numpy.searchsorted(offsets, normal_ends)]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """For each token, the half-open range of characters that it covers, even in part."""
        ends = self.ends(text)
        bytes_ends = self._byte_ends(_normal(text))
        starts = numpy.concatenate(([0], ends[:-1]))
        if is_normalized("NFC", text):
            offsets = self._byte_offsets(text, self._positions(text))
            before = numpy.concatenate(([0], bytes_ends[:-1]))
            starts = numpy.searchsorted(offsets, before, side="right") - 1
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def cuts(self, text: str) -> boundaries.Cuts:
        """Where `text` may be cut so that token counts add up, by one encoding of the whole."""
        positions = boundaries.positions(text, "qwen")
        ends = self._byte_ends(_normal(text))
        if text.isascii():
            places = positions
        elif is_normalized("NFC", text):
            places = _utf8_offsets(text)[positions]
        else:
            places = _normal_offsets(text, positions)
        return boundaries.Cuts(positions, numpy.searchsorted(ends, places, side="right"))

    def _byte_ends(self, normal: str) -> numpy.ndarray:
        """Byte position behind each token of a normalised text."""
        return numpy.cumsum(self._lengths[self._engine.encode_to_numpy(normal, disallowed_special=(), allowed_special=set())])

    @cached_property
    def _lengths(self) -> numpy.ndarray:
        lengths = numpy.zeros(len(self._ranks) + len(_SPECIAL), numpy.int64)
        for token, rank in self._ranks.items():
            lengths[rank] = len(token)
        return lengths

    @staticmethod
    def _positions(text: str) -> numpy.ndarray:
        """Positions whose place in the normalised text is known: all, or those that nothing combines across."""
        if is_normalized("NFC", text):
            return numpy.arange(len(text) + 1)
        starters = [0]
        starters += [at for at in range(1, len(text)) if _stable(text[at - 1], text[at])]
        return numpy.array([*starters, len(text)])

    @staticmethod
    def _joined(text: str, places: numpy.ndarray) -> str:
        return _normal(text)

    @staticmethod
    def _byte_offsets(text: str, places: numpy.ndarray) -> numpy.ndarray:
        return _utf8_offsets(text) if len(places) == len(text) + 1 else _normal_offsets(text, places)


def _normal(text: str) -> str:
    return text if text.isascii() else normalize("NFC", text)
