"""Which number does a text state? Notations of several countries, units, currencies and a sentence around it."""

import re
import unicodedata
from decimal import Decimal, InvalidOperation

DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")

_PLAIN = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?"
_GROUPED = r"[0-9]{1,3}(?:(?:,[0-9]{3})+|(?: [0-9]{3})+|(?:'[0-9]{3})+)(?:\.[0-9]+)?"
_INDIAN = r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?"
_COMMA = r"[0-9]{1,3}(?:(?:\.[0-9]{3})+|(?: [0-9]{3})+),[0-9]+|[0-9]+,[0-9]{1,2}"
"""Decimal commas: 1.234,56, 1 234,56 and 12,5. One before three digits, as in 1,234, marks thousands."""

_ENGLISH = rf"[-+]?(?:{_INDIAN}|{_GROUPED}|{_PLAIN})"
_ANY = rf"[-+]?(?:{_COMMA}|{_INDIAN}|{_GROUPED}|{_PLAIN})"
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_ALONE = re.compile(
    rf"(?:about|approximately|approx\.?|around|roughly|exactly|~|≈|=)?\s*({_ANY})\s*"
    rf"(?:({'|'.join(_SCALES)})s?\b)?\s*[%°]?\s*(?:[a-z%°²³µμ][\w%°²³/.-]*(?:\s+[a-z(][\w()/.-]*){{0,5}})?",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    rf"(?<![\w.'#/+-])({_ENGLISH})(?:\s+({'|'.join(_SCALES)})s?\b)?(?=[%°]?(?:[\s,;:!?)]|\.(?![0-9])|$))",
    re.IGNORECASE,
)
_POWER = re.compile(
    r"\s*(?:[×x*·]|\\times|\\cdot)\s*10\s*(?:(?:\^|\*\*)\s*\{?\s*([-+−]?[0-9]{1,3})\s*\}?|([⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))"
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_WORDS = {
    "zero": 0, "no": 0, "none": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
}  # fmt: skip
LABEL = re.compile(r":\s+|\s*=\s*|\s+(?:is|are|was|were)\s+", re.IGNORECASE)
"""What sets a value apart from what is said of it."""


def number(text: str) -> Decimal | None:
    """The one number that `text` states; None where there is none, or more than one to choose from."""
    plain = _plain(text)
    for reading in [plain, *reversed(LABEL.split(plain)[1:])]:
        reading = reading.strip().rstrip(".")
        alone = _ALONE.fullmatch(reading)
        if alone:
            return _value(*alone.groups())
        if reading.casefold() in _WORDS:
            return Decimal(_WORDS[reading.casefold()])
    for reading in [plain, LABEL.split(plain)[-1]]:
        inside = {value for found in _INSIDE.findall(reading) if (value := _value(*found)) is not None}
        if len(inside) == 1:
            return inside.pop()
        if not inside:
            words = {_WORDS[word] for word in re.findall(r"[a-z]+", reading.casefold()) if word in _WORDS}
            if len(words) == 1:
                return Decimal(words.pop())
    return None


def _plain(text: str) -> str:
    """The text with digits, signs, blanks and separators of other scripts as ASCII has them; no currency signs."""
    text = _POWER.sub(lambda found: "e" + (found[1] or found[2].translate(_RAISED)).replace("−", "-"), text)
    text = "".join(_digit(sign) for sign in unicodedata.normalize("NFKC", text).translate(DASHES))
    text = text.replace("\u066b", ".").replace("\u066c", ",").replace("’", "'")
    text = "".join(
        (" " if place and text[place - 1].isalnum() else "") if unicodedata.category(sign) == "Sc" else sign
        for place, sign in enumerate(text)
    )
    return text.strip(" \t\"'*_`,;:!()[]{}")


def _digit(sign: str) -> str:
    value = unicodedata.decimal(sign, None)
    return sign if value is None else str(value)


def _value(written: str, scale: str | None = None) -> Decimal | None:
    plain = written
    if re.fullmatch(rf"[-+]?(?:{_COMMA})", written):
        plain = written.replace(".", "").replace(",", ".")
    try:
        found = Decimal(re.sub(r"[ ,']", "", plain))
    except InvalidOperation:
        return None
    return found.scaleb(_SCALES[scale.lower()]) if scale else found
