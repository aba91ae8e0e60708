"""Does a predicted value match the expected one? Text ignores case and formatting, numbers have a tolerance.

Appendix C.4 of the TreeAgent paper: "Text matching is insensitive to case and surrounding formatting. Numerical
matching allows a tolerance equal to the larger of 0.01 and 0.1% of the reference magnitude."
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from tasks.scoring.numerals import DASHES, LABEL, REMARK, TAGS, WIDTHLESS, number
from tasks.scoring.structures import unescaped

_SPELT = {ord("“"): '"', ord("”"): '"', ord("„"): '"', ord("‘"): "'", ord("’"): "'", ord("`"): "'"}
_AROUND = " \t\"'*_`.,;:!?()[]{}<>$«»‹›「」『』。"
_REMARKS = (
    REMARK,
    re.compile(
        r"(?::\s+|\s*=\s*|\t\s*|\s+[–—-]\s+|\s*(?:->|→|×)\s*)[0-9]+(?:\s+(?:times|occurrences|records|entries))?$",
        re.IGNORECASE,
    ),
    re.compile(r"[\"”»]?\s+(?:appears?|occurs?)\s+[0-9]+\s+times$", re.IGNORECASE),
    re.compile(r"\s+(?:is|was)\s+the\s+\S.*$", re.IGNORECASE),
)
"""What may stand behind a value: a remark, how often it occurs, what it is."""
MOST_LABELS = 20
"""A value behind more labels than this is not looked for: no answer has so many, and each is a text to compare."""


class Comparer(NamedTuple):
    """How values of one type are compared: each is read once, then held against the others."""

    said: Callable[[str], Any]
    wanted: Callable[[str], Any]
    same: Callable[[Any, Any], bool]


def comparer(answer_type: str) -> Comparer:
    """The comparer of a question's `answer_type`: text or number."""
    return _NUMBERS if answer_type == "number" else _TEXTS


def same_text(predicted: str, expected: str) -> bool:
    """Equal but for case, blanks, quotes and punctuation around the value, a label before it or a remark behind it."""
    return _TEXTS.same(_TEXTS.said(predicted), _TEXTS.wanted(expected))


def same_number(predicted: str, expected: str) -> bool:
    """Within the larger of 0.01 and 0.1 % of the expected number; units, currency and thousands marks are ignored.

    A text with several numbers is no number, unless a label or "is" sets one of them apart.
    """
    return _NUMBERS.same(number(predicted), number(expected))


def matched(
    predicted: Sequence[Any], expected: Sequence[Any], same: Callable[[Any, Any], bool], *, ordered: bool
) -> int:
    """How many expected values are matched, each by a predicted value of its own; no other pairing matches more.

    Where the question demands an order, a value counts at its own place only: the place says what it answers.
    """
    if ordered:
        return sum(same(value, wanted) for value, wanted in zip(predicted, expected, strict=False))
    pairs = [
        (row, column)
        for row, value in enumerate(predicted)
        for column, wanted in enumerate(expected)
        if same(value, wanted)
    ]
    if not pairs:
        return 0
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    rows, columns = zip(*pairs, strict=True)
    graph = coo_array(([True] * len(pairs), (rows, columns)), shape=(len(predicted), len(expected))).tocsr()
    return int((maximum_bipartite_matching(graph) >= 0).sum())


def _near(found: Decimal | None, wanted: Decimal | None) -> bool:
    if wanted is None or found is None:
        return False
    return abs(found - wanted) <= max(Decimal("0.01"), abs(wanted) / 1000)


def _read_text(predicted: str) -> tuple[str, frozenset[str]]:
    """The value as it stands, and all that it may be read as."""
    return predicted.strip(), frozenset(map(_plain, _readings(predicted)))


def _wanted_text(expected: str) -> tuple[str, str]:
    return expected.strip(), _plain(expected)


def _equal(said: tuple[str, frozenset[str]], wanted: tuple[str, str]) -> bool:
    """A value of marks alone, such as "...", is itself and nothing else."""
    return wanted[1] in said[1] if wanted[1] else said[0] == wanted[0]


_TEXTS = Comparer(_read_text, _wanted_text, _equal)
_NUMBERS = Comparer(number, number, _near)


def _readings(text: str) -> list[str]:
    """The text itself, what follows one of its last labels or verbs, and each without a remark behind it."""
    labels = list(LABEL.finditer(text))[-MOST_LABELS:]
    readings = [text, *(text[match.end() :] for match in labels)]
    return readings + [remark.sub("", reading) for remark in _REMARKS for reading in readings]


def _plain(text: str) -> str:
    text = unescaped(TAGS.sub("", text)).translate(WIDTHLESS)
    text = unicodedata.normalize("NFKC", text).translate(DASHES).translate(_SPELT).replace("\\", "")
    text = re.sub(r"\s+", " ", text).strip(_AROUND)
    return text.casefold()
