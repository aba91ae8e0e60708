"""Tokenizers by name: what every agent's token counts are made with."""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tasks.downloads import QWEN_VOCABULARY, SMOLLM2, require
from tasks.errors import UserError
from tasks.home import Home


class Tokenizer(Protocol):
    """One agent's tokenizer. Counts never include tokens that a library puts around a text."""

    name: str
    """As asked for; the key of table rows."""
    sha256: str
    """Hash of the vocabulary (or of the whole `tokenizer.json`)."""

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`."""
        ...

    def encode_prompt(self, text: str) -> list[int]:
        """Token ids of a rendered chat prompt: special tokens that are written out in it count as themselves."""
        ...

    def count(self, text: str) -> int:
        """Number of tokens of `text`, by encoding it."""
        ...

    def ends(self, text: str) -> list[int]:
        """For each token, the position behind the last character of `text` that it covers, even in part. Ascending."""
        ...


@dataclass(frozen=True)
class KnownTokenizer:
    """A tokenizer that has a name of its own."""

    name: str
    description: str


KNOWN = (
    KnownTokenizer("qwen", "Qwen2.5 and Qwen3, from Qwen's own vocabulary file (151,643 tokens), through tiktoken"),
    KnownTokenizer("qwen3", "the same for texts; in prompts the thinking and tool tags of Qwen3 are one token each"),
    KnownTokenizer("smollm2", "SmolLM2, the embedded default model's own, built from its GGUF metadata"),
)


def names() -> list[KnownTokenizer]:
    """The tokenizers that `load` knows by name; files and cached hub names come on top."""
    return list(KNOWN)


def load(name_or_path: str, home: Home) -> Tokenizer:
    """The tokenizer of a known name, of a `tokenizer.json` or GGUF file, or of a hub name that is cached.

    Raises `UserError` where there is none, or where its file must be fetched first.
    """
    if name_or_path in ("qwen", "qwen3"):
        from tasks.tokens.qwen import QwenTokenizer

        return QwenTokenizer(require(QWEN_VOCABULARY, home), name_or_path)
    if name_or_path == "smollm2":
        return _from_gguf(name_or_path, require(SMOLLM2, home))
    path = Path(name_or_path).expanduser()
    if path.is_dir():
        path = path / "tokenizer.json"
    if path.is_file():
        return _from_gguf(name_or_path, path) if path.suffix == ".gguf" else _from_json(name_or_path, path)
    cached = _from_hub_cache(name_or_path)
    if cached is not None:
        return _from_json(name_or_path, cached)
    raise UserError(
        f"{name_or_path} is no tokenizer: it is neither a file, nor a hub name that is cached, nor one of "
        f"{', '.join(known.name for known in KNOWN)}; `treebench tokenizers` lists them."
    )


@functools.lru_cache(maxsize=8)
def _from_json(name: str, path: Path) -> Tokenizer:
    from tasks.tokens.library import LibraryTokenizer

    try:
        return LibraryTokenizer(name, path.read_text("utf-8"))
    except ValueError as error:
        raise UserError(f"{path} is not a tokenizer.json: {error}.") from None


@functools.lru_cache(maxsize=8)
def _from_gguf(name: str, path: Path) -> Tokenizer:
    from tasks.tokens.gguf_metadata import read
    from tasks.tokens.gguf_tokenizer import tokenizer_json
    from tasks.tokens.library import LibraryTokenizer

    return LibraryTokenizer(name, tokenizer_json(read(path), path))


def _from_hub_cache(name: str) -> Path | None:
    """`tokenizer.json` of a hub repository that an earlier download left in the cache; asks no network."""
    organisation, slash, model = name.partition("/")
    if not (organisation and slash and model) or "/" in model:
        return None
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(name, "tokenizer.json")
    return Path(found) if isinstance(found, str) else None
