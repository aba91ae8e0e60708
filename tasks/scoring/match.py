"""Does a predicted value match the expected one? Text ignores case and formatting, numbers have a tolerance.

Appendix C.4 of the TreeAgent paper: "Text matching is insensitive to case and surrounding formatting. Numerical
matching allows a tolerance equal to the larger of 0.01 and 0.1% of the reference magnitude."
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal

from tasks.scoring.numerals import DASHES, LABEL, REMARK, TAGS, WIDTHLESS, number

_SPELT = {ord("“"): '"', ord("”"): '"', ord("„"): '"', ord("‘"): "'", ord("’"): "'", ord("`"): "'"}
_AROUND = " \t\"'*_`.,;:!?()[]{}<>$«»‹›「」『』。"
_REMARKS = (
    REMARK,
    re.compile(
        r"(?::\s+|\s*=\s*|\s+[–—-]\s+|\s*(?:->|→)\s*)[0-9]+(?:\s+(?:times|occurrences|records|entries))?$",
        re.IGNORECASE,
    ),
    re.compile(r"[\"”»]?\s+(?:appears?|occurs?)\s+[0-9]+\s+times$", re.IGNORECASE),
    re.compile(r"\s+(?:is|was)\s+the\s+\S.*$", re.IGNORECASE),
)
"""What may stand behind a value: a remark, how often it occurs, what it is."""


def same_text(predicted: str, expected: str) -> bool:
    """Equal but for case, blanks, quotes and punctuation around the value, a label before it or a remark behind it."""
    wanted = _plain(expected)
    if not wanted:
        return predicted.strip() == expected.strip()
    return any(_plain(reading) == wanted for reading in _readings(predicted))


def same_number(predicted: str, expected: str) -> bool:
    """Within the larger of 0.01 and 0.1 % of the expected number; units, currency and thousands marks are ignored.

    A text with several numbers is no number, unless a label or "is" sets one of them apart.
    """
    wanted, found = number(expected), number(predicted)
    if wanted is None or found is None:
        return False
    return abs(found - wanted) <= max(Decimal("0.01"), abs(wanted) / 1000)


def matcher(answer_type: str) -> Callable[[str, str], bool]:
    """How values of a question's `answer_type`, text or number, are compared: (predicted, expected) -> bool."""
    return same_number if answer_type == "number" else same_text


def matched(
    predicted: Sequence[str], expected: Sequence[str], same: Callable[[str, str], bool], *, ordered: bool
) -> int:
    """How many expected values are matched, each by a predicted value of its own.

    Where the question demands an order, a value counts at its own place only: the place says what it answers.
    """
    if ordered:
        return sum(same(value, wanted) for value, wanted in zip(predicted, expected, strict=False))
    holder: dict[int, int] = {}

    def place(value: int, tried: set[int]) -> bool:
        for wanted in range(len(expected)):
            if wanted not in tried and same(predicted[value], expected[wanted]):
                tried.add(wanted)
                if wanted not in holder or place(holder[wanted], tried):
                    holder[wanted] = value
                    return True
        return False

    return sum(place(value, set()) for value in range(len(predicted)))


def _readings(text: str) -> list[str]:
    """The text itself, what follows a label or verb in it, and each without a remark behind it."""
    readings = [text, *(text[match.end() :] for match in LABEL.finditer(text))]
    return readings + [remark.sub("", reading) for remark in _REMARKS for reading in readings]


def _plain(text: str) -> str:
    text = TAGS.sub("", text).translate(WIDTHLESS)
    text = unicodedata.normalize("NFKC", text).translate(DASHES).translate(_SPELT).replace("\\", "")
    text = re.sub(r"\s+", " ", text).strip(_AROUND)
    return text.casefold()
