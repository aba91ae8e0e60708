"""The baseline: Qwen's vocabulary in the `tokenizers` library, as its tokenizer.json has it."""

import base64
from collections.abc import Mapping
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from tasks.tokens.rules import QWEN_PATTERN


def tokenizer(vocabulary: Path) -> Tokenizer:
    """Built from the same file that the project counts with; merges follow from the ranks."""
    pairs = (line.split() for line in vocabulary.read_bytes().splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    shown = _shown()

    def written(token: bytes) -> str:
        return "".join(shown[byte] for byte in token)

    merges = [
        (written(one), written(two))
        for token in sorted(ranks, key=ranks.__getitem__)
        if len(token) > 1
        for one, two in [_halves(token, ranks)]
    ]
    built = Tokenizer(models.BPE(vocab={written(token): rank for token, rank in ranks.items()}, merges=merges))
    built.normalizer = normalizers.NFC()
    built.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN_PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return built


def _halves(token: bytes, ranks: Mapping[bytes, int]) -> tuple[bytes, bytes]:
    """The two tokens that the last merge joins, found by merging what ranks before the token."""
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        rank, at = min((ranks.get(parts[at] + parts[at + 1], len(ranks)), at) for at in range(len(parts) - 1))
        if rank >= ranks[token]:
            raise ValueError(f"token {ranks[token]} cannot be merged from those before it")
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts[0], parts[1]


def _shown() -> dict[int, str]:
    """How byte-level vocabularies write a byte: itself where it is printable, else a letter from U+0100 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (byte for byte in range(256) if byte not in plain)
    return {byte: chr(byte) for byte in plain} | {byte: chr(0x100 + at) for at, byte in enumerate(others)}
