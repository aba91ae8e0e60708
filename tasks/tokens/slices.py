"""Exact token counts of slices of one text."""

from tasks.tokens.tokenizer import Tokenizer


class SliceCounter:
    """Counts slices of `text`, each by encoding it once; asked again, a slice costs nothing."""

    def __init__(self, text: str, tokenizer: Tokenizer):
        self.text = text
        self._tokenizer = tokenizer
        self._known: dict[tuple[int, int], int] = {}

    def count(self, start: int, end: int) -> int:
        """Tokens of `text[start:end]`, without special tokens."""
        key = (start, end)
        if key not in self._known:
            self._known[key] = self._tokenizer.count(self.text[start:end])
        return self._known[key]

    def count_text(self, text: str) -> int:
        """Tokens of a text that is no slice, such as a fragment with the quotation marks it gets back."""
        return self._tokenizer.count(text)
