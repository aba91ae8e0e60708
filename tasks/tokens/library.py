"""Any tokenizer.json, through the `tokenizers` library."""

from tokenizers import Tokenizer as Library

from tasks.hashing import sha256


class LibraryTokenizer:
    """A tokenizer given as the text of a `tokenizer.json`. Raises `ValueError` where that is none."""

    def __init__(self, name: str, content: str):
        self.name = name
        self.sha256 = sha256(content)
        try:
            self._library = Library.from_str(content)
        except Exception as error:  # the library raises plain Exception
            raise ValueError(str(error)) from error
        self._library.no_truncation()
        self._library.no_padding()
        self._plain = Library.from_str(content)
        self._plain.no_truncation()
        self._plain.no_padding()
        self._plain.encode_special_tokens = True

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`; special tokens written out in it are plain text."""
        return self._plain.encode(text, add_special_tokens=False).ids

    def encode_prompt(self, text: str) -> list[int]:
        """Token ids of a rendered chat prompt, special tokens counted as themselves."""
        return self._library.encode(text, add_special_tokens=False).ids

    def count(self, text: str) -> int:
        """Number of tokens of `text`."""
        return len(self.encode(text))

    def ends(self, text: str) -> list[int]:
        """For each token, the position behind the last character of `text` that it covers, even in part."""
        found, reached = [], 0
        for _, end in self._plain.encode(text, add_special_tokens=False).offsets:
            reached = max(reached, end)
            found.append(reached)
        return found
