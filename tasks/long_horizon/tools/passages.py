"""Cuts a long observation to the passages that fit a question best, in the order in which they stand."""

import math
import re
from collections import Counter
from collections.abc import Callable

PASSAGE = 600
"""Characters of a passage, about: it ends at the next end of a line, sentence or word."""

GAP = "[...]"

_COMMON = frozenset(
    "the and for are was were with that this from have has had which who whom what when where how many much does did "
    "its his her their there than then into about after before between during under over not all any one two find "
    "search identify give list name".split()
)


def words(text: str) -> list[str]:
    """Content words of a text, in lower case."""
    return [word for word in re.findall(r"\w+", text.lower()) if len(word) > 1 and word not in _COMMON]


def passages(text: str, query: str, limit: int, count: Callable[[str], int]) -> str:
    """All of `text` if it has at most `limit` tokens (as `count` counts), or its best passages and a note on the rest.

    A passage counts by the words of `query` in it, rare words more. Where none occurs, the beginning is shown.
    """
    if len(text) <= limit or (len(text) <= 12 * limit and count(text) <= limit):
        return text
    cut = _cut(text)
    found = [Counter(words(passage)) for passage in cut]
    wanted = set(words(query))
    seen = {word: sum(word in one for one in found) for word in wanted}
    weight = {word: math.log(1 + len(cut) / n) for word, n in seen.items() if n}
    scores = [sum(weight[word] * min(one[word], 3) ** 0.5 for word in weight if word in one) for one in found]
    chosen: set[int] = set()
    left = limit - count(_note(len(text), len(text)))
    for number in sorted(range(len(cut)), key=lambda n: (-scores[n], n)):
        if chosen and not scores[number]:
            break
        tokens = count(cut[number]) + count(GAP) + 2
        if tokens > left:
            if chosen:
                break
            cut[number] = cut[number][: max(1, left)]
            tokens = count(cut[number]) + count(GAP) + 2
        chosen.add(number)
        left -= tokens
    if not any(scores):
        chosen = _beginning(cut, limit - count(_note(len(text), len(text))), count)
    parts: list[str] = []
    for number in sorted(chosen):
        if number and number - 1 not in chosen:
            parts.append(GAP)
        parts.append(cut[number].strip())
    if len(cut) - 1 not in chosen:
        parts.append(GAP)
    return "\n".join([*parts, _note(sum(len(cut[number]) for number in chosen), len(text))])


def _note(shown: int, all_of_it: int) -> str:
    return f"({shown:,} of {all_of_it:,} characters are shown: the passages that fit best)"


def _beginning(cut: list[str], limit: int, count: Callable[[str], int]) -> set[int]:
    chosen: set[int] = set()
    for number, passage in enumerate(cut):
        limit -= count(passage) + 1
        if limit < 0:
            break
        chosen.add(number)
    return chosen


def _cut(text: str) -> list[str]:
    """Passages that joined give the text."""
    found = []
    start = 0
    while start < len(text):
        end = start + PASSAGE
        if end < len(text):
            for pattern in (r"\n", r"(?<=[.!?])\s", r"\s"):
                match = re.compile(pattern).search(text, end, end + PASSAGE // 2)
                if match:
                    end = match.end()
                    break
        found.append(text[start:end])
        start = end
    return found
