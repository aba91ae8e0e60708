"""Does a predicted value match the expected one? Text ignores case and formatting, numbers have a tolerance.

Appendix C.4 of the TreeAgent paper: "Text matching is insensitive to case and surrounding formatting. Numerical
matching allows a tolerance equal to the larger of 0.01 and 0.1% of the reference magnitude."
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal

from tasks.scoring.numerals import DASHES, LABEL, number

_SPELT = {ord("“"): '"', ord("”"): '"', ord("„"): '"', ord("‘"): "'", ord("’"): "'", ord("`"): "'"}
_AROUND = " \t\"'*_`.,;:!?()[]{}<>$"


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
    """The text itself, what follows a label or verb in it, and each without a remark in brackets behind it."""
    readings = [text, *(text[match.end() :] for match in LABEL.finditer(text))]
    return readings + [re.sub(r"\s*\([^()]*\)\s*\.?$", "", reading) for reading in readings]


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).translate(DASHES).translate(_SPELT).replace("\\", "")
    text = re.sub(r"\s+", " ", text).strip(_AROUND)
    return text.casefold()
