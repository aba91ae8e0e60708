"""GAIA's official scorer, rule by rule: exact match of a number, a list or a text, decided by the expected answer.

What follows from the rules: an expected "1,000" is a list of two; "$17.70" is a text; order matters; articles are not
dropped; there are no aliases, no tolerance and no units.
"""

import re
import string

NAME = "gaia"
VERSION = "1"


def correct(answer: str | None, expected: str) -> bool:
    """Whether an answer is the expected one. No answer is scored as the text `None`, as in the official scorer.

    1. Where the expected answer is a number for Python's `float`, the answer must be that number once all `$`, `%`
       and `,` are taken out of it.
    2. Where it holds a comma or semicolon, both are split there; the parts must be as many, and match in order, numbers
       by rule 1, texts without blanks and in lower case, punctuation kept.
    3. Otherwise both are compared without blanks and punctuation, in lower case.
    """
    said = "None" if answer is None else answer
    if _number(expected) is not None:
        return _same_number(said, expected)
    if re.search(r"[,;]", expected):
        found, wanted = re.split(r"[,;]", said), re.split(r"[,;]", expected)
        if len(found) != len(wanted):
            return False
        return all(
            _same_number(one, other) if _number(other) is not None else _plain(one, False) == _plain(other, False)
            for one, other in zip(found, wanted, strict=True)
        )
    return _plain(said, True) == _plain(expected, True)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _same_number(said: str, expected: str) -> bool:
    found = _number(re.sub(r"[$%,]", "", said))
    return (float("inf") if found is None else found) == float(expected)


def _plain(text: str, remove_punctuation: bool) -> str:
    text = re.sub(r"\s", "", text).lower()
    return text.translate(str.maketrans("", "", string.punctuation)) if remove_punctuation else text
