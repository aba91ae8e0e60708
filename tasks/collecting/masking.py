r"""Personal e-mail addresses and phone numbers, masked by rule; what was masked is recorded.

Rules:
* `e-mail`: an address anywhere, also with the at sign written as an entity or a JSON escape. Addresses of the names
  reserved for examples (example.org, .invalid, ...) stay, as do file names such as `logo@2x.png` and percent codes in
  links, which are message numbers and names of mailing lists.
* `phone`: digits behind a label (`"phone":`, `Tel.`, `tel:`, `faxNumber:` ...), and numbers in international form with
  a leading plus.

Masks are plain ASCII without quotes, so a text stays valid in its format. In formats with backslash escapes an escape
is read as one: of `\nme@there.net` only what follows `\n` is the address.
"""

import re
from dataclasses import dataclass
from typing import Any

VERSION = 1
"""Raise it when the rules change."""

EMAIL_MASK = "redacted@example.org"
PHONE_MASK = "000 0000 0000"

_ESCAPE = r"\\(?:u(?!0040)[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^ux])"
_AT = r"(?:@|&#0*64;|&#[xX]0*40;|&commat;|\\u0040)"
_EMAIL = (
    rf"(?P<email>[A-Za-z0-9_][A-Za-z0-9._+%'-]{{0,63}}{_AT}"
    r"(?P<domain>(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?\.)+(?P<top>[A-Za-z]{2,18}))(?![\w-]))"
)
_LABEL = r"(?i:(?:tele)?(?:phone|fax)(?:[_ -]?(?:number|no|num))?|tel(?:efon|efax|éfono)?|mobile)"
_CAMEL = r"(?<=[a-z])(?:Phone|Fax|Telephone)(?:Number|No)?"
_BETWEEN = r"""(?:\\?["'])?\s{0,3}(?:[.:=]|&#58;){1,2}\s{0,3}(?:\\?["'])?\s?(?:</?\w+>\s?){0,2}"""
_NUMBER = r"(?P<number>(?:\+|\(|00)?\d(?:[\s().\u2010-\u2013/-]{0,3}\d){6,16}(?!\w|\.\d))"
_INTERNATIONAL = (
    r"(?P<international>\+[1-9]\d{0,2}(?:[\s.-]{1,2}\(?0?\)?|\s?\(\d{1,4}\)\s?)\d(?:[\s().-]{0,2}\d){6,12}(?!\w|\.\d))"
)


def _pattern(escapes: bool) -> re.Pattern[str]:
    """Every rule, where something begins: at its boundary or, with escapes, directly behind one."""

    def at(boundary: str) -> str:
        return rf"(?:(?:{_ESCAPE})+|{boundary})" if escapes else boundary

    rules = [
        at(r"(?<![\w.+%-])") + _EMAIL,
        rf"(?:{at(chr(92) + 'b')}{_LABEL}|{_CAMEL}){_BETWEEN}{_NUMBER}",
        at(r"(?<![\w.+/=%-])") + _INTERNATIONAL,
        *([_ESCAPE] if escapes else []),
    ]
    return re.compile("|".join(rules))


_PLAIN, _ESCAPED = _pattern(escapes=False), _pattern(escapes=True)

_CANDIDATE = re.compile(r"@|&#|&commat|\d[\d\s().-]{4,}\d")
"""What every match has: cheap to look for."""

_EXAMPLES = re.compile(
    r"(?:^|\.)(?:example\.(?:com|org|net|edu)|(?:[\w-]+\.)?(?:example|test|invalid|localhost|local))$", re.IGNORECASE
)
_SUFFIXES = frozenset("png jpg jpeg gif svg webp avif ico css js mjs cjs ts json html htm php xml yaml yml md".split())


@dataclass(frozen=True)
class Mask:
    """One mask: `start` in the masked text, and how many characters it replaced."""

    rule: str
    start: int
    characters: int
    replacement: str

    def row(self) -> dict[str, Any]:
        """As it stands in column `masks`."""
        return {
            "rule": self.rule,
            "start": self.start,
            "characters": self.characters,
            "replacement": self.replacement,
        }


def mask(text: str, format: str) -> tuple[str, list[Mask]]:
    """The text with personal data masked, and the masks in order."""
    pieces, masks, position, length = [], [], 0, 0
    for start, end, rule, replacement in _found(text, format):
        pieces += [text[position:start], replacement]
        length += start - position
        masks.append(Mask(rule, length, end - start, replacement))
        length += len(replacement)
        position = end
    if not masks:
        return text, []
    return "".join(pieces) + text[position:], masks


def is_personal(text: str) -> bool:
    """Whether a string holds an e-mail address or phone number that would be masked."""
    return bool(_CANDIDATE.search(text)) and bool(_found(text, "plain"))


def _found(text: str, format: str) -> list[tuple[int, int, str, str]]:
    pattern = _PLAIN if format in ("html", "plain") else _ESCAPED
    found = []
    for match in pattern.finditer(text):
        if match.lastgroup is None:
            continue  # an escape
        if match["email"]:
            if match["top"].lower() not in _SUFFIXES and not _EXAMPLES.search(match["domain"]):
                found.append((*match.span("email"), "e-mail", EMAIL_MASK))
        elif match["number"] or match["international"]:
            span = match.span("number" if match["number"] else "international")
            if text[span[0] : span[1]] != PHONE_MASK:
                found.append((*span, "phone", PHONE_MASK))
    return found
