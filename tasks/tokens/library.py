"""Any tokenizer.json, through the `tokenizers` library."""

import json
import string
import unicodedata
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from tokenizers import Tokenizer as Library

from tasks.hashing import sha256
from tasks.tokens.boundaries import Rule, Unproven
from tasks.tokens.rules import derive, longest

_PRINTABLE = string.ascii_letters + string.digits + string.punctuation + " "


class LibraryTokenizer:
    """A tokenizer given as the text of a `tokenizer.json`. Raises `ValueError` where that is none."""

    def __init__(self, name: str, content: str):
        self.name = name
        self.sha256 = sha256(content)
        try:
            parsed = json.loads(content)
            # It would only put tokens around a text that are not wanted, and take the blanks off the offsets.
            plain = json.dumps(parsed | {"post_processor": None})
            self._library, self._plain = Library.from_str(plain), Library.from_str(plain)
        except Exception as error:  # the library raises plain Exception
            raise ValueError(str(error)) from error
        for library in (self._library, self._plain):
            library.no_truncation()
            library.no_padding()
        self._plain.encode_special_tokens = True
        self._normalizer: dict[str, Any] | None = parsed.get("normalizer")
        self._added: list[dict[str, Any]] = parsed.get("added_tokens") or []
        try:
            self._safe, self._unproven = derive(parsed, {one: self._normalized(one) for one in _PRINTABLE}), ""
        except Unproven as error:
            self._safe, self._unproven = None, str(error)
        self._longest = longest(parsed, self._plain.get_vocab())

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`; special tokens written out in it are plain text."""
        return self._plain.encode(text, add_special_tokens=False).ids

    def encode_prompt(self, text: str) -> list[int]:
        """Token ids of a rendered chat prompt, special tokens counted as themselves."""
        return self._library.encode(text, add_special_tokens=False).ids

    def count(self, text: str) -> int:
        """Number of tokens of `text`."""
        return self.counts([text])[0]

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, each encoded by itself."""
        return list(map(len, self._plain.encode_batch_fast(texts, add_special_tokens=False)))

    def ends(self, text: str) -> list[int]:
        """For each token, the position behind the last character of `text` that it covers, even in part.

        Characters that the vocabulary has no token for are left out: the last end may be short of the text.
        """
        offsets = self._plain.encode(text, add_special_tokens=False).offsets
        return list(accumulate((end for _, end in offsets), max))

    def rule(self, text: str) -> Rule:
        """Where token counts of parts of `text` add up; `Unproven` with the reason where that is not known."""
        if self._safe is None:
            raise Unproven(self._unproven)
        self._check_normalized_tokens(text)
        found = [token for token in self._added if token["content"] in text]
        for token in found:
            if token.get("single_word") or token.get("lstrip") or token.get("rstrip"):
                raise Unproven(f"{token['content']} stands in the text, which is matched by what stands around it")
        return Rule(self._safe, tuple(token["content"] for token in found if token["content"]), self._longest)

    def _check_normalized_tokens(self, text: str) -> None:
        """Tokens that are looked for in the normalised text, which is another at the ends of a slice."""
        contents = [token["content"] for token in self._added if token.get("normalized")]
        if not contents or self._normalizer is None:
            return
        if self._normalizer["type"] == "NFC" and unicodedata.is_normalized("NFC", text):
            return  # so is every slice of it
        if text.isascii():
            normal = self._normalized(text)
            if not any(content in normal or self._normalized(content) in normal for content in contents):
                return
        raise Unproven("added tokens are looked for in the normalised text")

    def _normalized(self, text: str) -> str:
        normalizer = self._library.normalizer
        return normalizer.normalize_str(text) if normalizer else text
