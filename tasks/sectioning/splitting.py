"""SplitText of Algorithm 1: an oversized leaf in spans within the budget, cut where its format permits (A.1)."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

from tasks.tokens.slices import SliceCounter
from tasks.trees.tree import Tree

_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPES = rf"{_PAIR}|\\u\{{[0-9a-fA-F]+\}}|\\u[0-9a-fA-F]{{4}}|\\x[0-9a-fA-F]{{2}}|\\\r\n|\\."
_PLAIN = r"\r\n|[\ud800-\udbff][\udc00-\udfff]|."
_UNITS = {
    "html": re.compile(rf"&[#\w]+;|{_PLAIN}", re.DOTALL),
    "escaped": re.compile(rf"{_ESCAPES}|{_PLAIN}", re.DOTALL),
    "plain": re.compile(_PLAIN, re.DOTALL),
}
_LINE_END = re.compile(r"(?:\n|\\n)\Z")
_SENTENCE_END = re.compile(r"[.!?。！？][\"')\]]*\s+\Z")
_BLANK = re.compile(r"\s\Z")


def split(tree: Tree, node: int, counter: SliceCounter, budget: int) -> Iterator[tuple[int, int, bool]]:
    """Spans `(start, end, exceeds)` of the leaf `node`, in order, without gaps inside its value.

    A quoted value loses its marks and every fragment gets both back, which its tokens must leave room for. `exceeds`
    marks a single character (or escape sequence) that is larger than the budget by itself.
    """
    text = tree.text
    start, end = tree.value_starts[node], tree.ends[node]
    quote = text[start] if start < end and text[start] in "\"'`" and text[end - 1] == text[start] else ""
    if quote and end - start >= 2:
        start, end = start + 1, end - 1
    kind = "html" if tree.format == "html" else "escaped" if quote and not _plain_quotes(tree, quote) else "plain"
    cuts = [match.end() + start for match in _UNITS[kind].finditer(text[start:end])]

    def tokens(a: int, b: int) -> int:
        return counter.count_text(quote + text[a:b] + quote) if quote else counter.count(a, b)

    while start < end:
        stop = _farthest(cuts, start, budget, tokens)
        if stop < end:
            stop = _natural(text, cuts, start, stop, budget, tokens)
        yield start, stop, tokens(start, stop) > budget
        start = stop


def _plain_quotes(tree: Tree, quote: str) -> bool:
    return tree.format == "yaml" and quote == "'"


def _farthest(cuts: list[int], start: int, budget: int, tokens: Callable[[int, int], int]) -> int:
    """The last cut at which the span from `start` still fits; the first cut if none does."""
    first = bisect_right(cuts, start)
    low, high = first, min(len(cuts) - 1, first + 16 * budget)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(start, cuts[middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    while low > first and tokens(start, cuts[low]) > budget:  # counts need not grow with every character
        low -= 1
    return cuts[low]


def _natural(text: str, cuts: list[int], start: int, stop: int, budget: int, tokens: Callable[[int, int], int]) -> int:
    """The last line end, else sentence end, else blank before `stop` that leaves the span at least half full."""
    allowed = cuts[bisect_right(cuts, start) : bisect_right(cuts, stop)]
    for pattern in (_LINE_END, _SENTENCE_END, _BLANK):
        for cut in reversed(allowed):
            if cut - start < (stop - start) / 4:
                break
            if pattern.search(text, max(start, cut - 8), cut):
                if 2 * tokens(start, cut) >= budget and tokens(start, cut) <= budget:
                    return cut
                break
    return stop
