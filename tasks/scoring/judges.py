"""What a judge's reply says: whether an answer is correct, and how sure the answer was.

Two forms: the single word of a judge of short answers (as ReSum's evaluation of GAIA reads it), and the labelled lines
of BrowseComp-Plus's evaluation.
"""

import re
from dataclasses import dataclass
from typing import Literal

from tasks.scoring.extract import after_thinking

Form = Literal["gaia", "browsecomp_plus"]
FORMS: tuple[Form, ...] = ("gaia", "browsecomp_plus")


@dataclass(frozen=True)
class Verdict:
    """What a judge said."""

    correct: bool
    readable: bool = True
    """False where no verdict is in the reply: the answer counts as wrong."""
    extracted: str | None = None
    """The final answer as the judge took it out of the response."""
    confidence: float | None = None
    """From 0 to 100, as the response states it."""


def read(reply: str | None, form: Form) -> Verdict:
    """The verdict in a reply, without its thinking."""
    text = after_thinking(reply) if reply is not None else None
    if not text:
        return Verdict(False, readable=False)
    return _word(text) if form == "gaia" else _lines(text)


def _word(text: str) -> Verdict:
    """A first letter A, or the word Correct, means correct."""
    first = re.split(r"[^A-Za-z]+", text.strip("*_` \n"), maxsplit=1)[0].lower()
    if first in ("correct", "a", "incorrect", "b"):
        return Verdict(first in ("correct", "a"))
    return Verdict(False, readable=False)


def _lines(text: str) -> Verdict:
    said = _field(text, "correct", r"(yes|no)\b")
    if said is None:
        return Verdict(False, readable=False)
    confidence = _field(text, "confidence", r"(\d+(?:\.\d+)?)\s*%?")
    return Verdict(
        said.lower() == "yes",
        extracted=_field(text, "extracted_final_answer", r"([^\n]*)"),
        confidence=None if confidence is None else min(100.0, float(confidence)),
    )


def _field(text: str, name: str, value: str) -> str | None:
    """A field in one of its three spellings: `**name:** value`, `**name**: value`, `name: value`."""
    for spelling in (rf"\*\*{name}:\*\*", rf"\*\*{name}\*\*:", rf"(?<![\w*]){name}:"):
        found = re.search(rf"{spelling}[ \t]*{value}", text, re.IGNORECASE)
        if found:
            return found[1].strip()
    return None
