"""Does a predicted value match the expected one? Text ignores case and formatting, numbers have a tolerance.

Appendix C.4 of the TreeAgent paper: "Text matching is insensitive to case and surrounding formatting. Numerical
matching allows a tolerance equal to the larger of 0.01 and 0.1% of the reference magnitude."
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_SPELT = {ord("“"): '"', ord("”"): '"', ord("„"): '"', ord("‘"): "'", ord("’"): "'", ord("`"): "'"}
_AROUND = " \t\"'*_`.,;:!?()[]{}<>$"
_NUMBER = r"[-+]?(?:[0-9]{1,3}(?:[ ,][0-9]{3})+|[0-9]+)?(?:\.[0-9]+|(?<=[0-9])\.?)(?:[eE][-+]?[0-9]{1,3})?"
_ALONE = re.compile(
    rf"(?:about|approximately|approx\.?|around|roughly|exactly|~|≈|=)?\s*[$€£]?\s*({_NUMBER})\s*[$€£%°]?"
    r"\s*(?:[a-z%°²³µ][\w%°²³/.-]*(?:\s+[a-z(][\w()/.-]*){0,5})?",
    re.IGNORECASE,
)
_INSIDE = re.compile(rf"(?<![\w.#/-])[$€£]?(-?{_NUMBER})(?=[%°]?(?:[\s,;:!?)]|\.(?![0-9])|$))")
_WORDS = {
    "zero": 0, "no": 0, "none": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
}  # fmt: skip
_LABEL = re.compile(r":\s+|\s*=\s*|\s+(?:is|are|was|were)\s+", re.IGNORECASE)


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


def number(text: str) -> Decimal | None:
    """The one number that `text` states; None where there is none, or more than one to choose from."""
    plain = unicodedata.normalize("NFKC", text).translate(_DASHES).replace("\u00a0", " ").strip(" \t\"'*_`,;:!()[]{}")
    for reading in [plain, *reversed(_LABEL.split(plain)[1:])]:
        reading = reading.strip().rstrip(".")
        alone = _ALONE.fullmatch(reading)
        if alone:
            return _decimal(alone.group(1))
        if reading.casefold() in _WORDS:
            return Decimal(_WORDS[reading.casefold()])
    for reading in [plain, _LABEL.split(plain)[-1]]:
        inside = {value for found in _INSIDE.findall(reading) if (value := _decimal(found)) is not None}
        if len(inside) == 1:
            return inside.pop()
        if not inside:
            words = {_WORDS[word] for word in re.findall(r"[a-z]+", reading.casefold()) if word in _WORDS}
            if len(words) == 1:
                return Decimal(words.pop())
    return None


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(re.sub(r"[ ,]", "", text))
    except InvalidOperation:
        return None


def _readings(text: str) -> list[str]:
    """The text itself, what follows a label or verb in it, and each without a remark in brackets behind it."""
    readings = [text, *(text[match.end() :] for match in _LABEL.finditer(text))]
    return readings + [re.sub(r"\s*\([^()]*\)\s*\.?$", "", reading) for reading in readings]


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).translate(_DASHES).translate(_SPELT).replace("\\", "")
    text = re.sub(r"\s+", " ", text).strip(_AROUND)
    return text.casefold()
