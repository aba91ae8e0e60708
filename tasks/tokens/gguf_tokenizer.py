"""The tokenizer inside a GGUF file, as the text of a `tokenizer.json` that the `tokenizers` library reads."""

import json
from pathlib import Path
from typing import Any

from tasks.errors import UserError
from tasks.tokens.rules import LLAMA3_PATTERN, QWEN_PATTERN

_CONTROL, _USER_DEFINED = 3, 4  # llama.cpp's token types that are matched as a whole before anything else

_BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
_GPT2_REGEX = {**_BYTES, "use_regex": True}


def _split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


# llama.cpp's names of pre-tokenizers, for byte-level BPE.
_PRE_TOKENIZERS: dict[str, list[dict[str, Any]]] = {
    "smollm": [{"type": "Digits", "individual_digits": True}, _GPT2_REGEX],
    "gpt-2": [_GPT2_REGEX],
    "default": [_GPT2_REGEX],
    "qwen2": [_split(QWEN_PATTERN), _BYTES],
    "llama-bpe": [_split(LLAMA3_PATTERN), _BYTES],
}
_NORMALIZERS = {"qwen2": {"type": "NFC"}}


def tokenizer_json(metadata: dict[str, Any], path: Path) -> str:
    """The `tokenizer.json` text for the metadata of the GGUF file at `path`; `UserError` for an unknown kind."""
    model = metadata.get("tokenizer.ggml.model")
    pre = metadata.get("tokenizer.ggml.pre", "default")
    if model != "gpt2" or pre not in _PRE_TOKENIZERS:
        raise UserError(
            f"{path} carries a tokenizer of kind {model} with pre-tokenizer {pre}, which cannot be built exactly: "
            "give the model's tokenizer.json instead."
        )
    tokens: list[str] = metadata["tokenizer.ggml.tokens"]
    types: list[int] = metadata["tokenizer.ggml.token_type"]
    added = [
        {
            "id": number,
            "content": tokens[number],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": kind == _CONTROL,
        }
        for number, kind in enumerate(types)
        if kind in (_CONTROL, _USER_DEFINED)
    ]
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": added,
            "normalizer": _NORMALIZERS.get(pre),
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": _PRE_TOKENIZERS[pre]},
            "post_processor": None,
            "decoder": _GPT2_REGEX,
            "model": {
                "type": "BPE",
                "dropout": None,
                "unk_token": None,
                "continuing_subword_prefix": None,
                "end_of_word_suffix": None,
                "fuse_unk": False,
                "byte_fallback": False,
                "ignore_merges": False,
                "vocab": {token: number for number, token in enumerate(tokens)},
                "merges": metadata["tokenizer.ggml.merges"],
            },
        }
    )
