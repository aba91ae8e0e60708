"""Which number does a text state? Notations of several countries, units, currencies and a sentence around it."""

import re
import unicodedata
from decimal import Decimal, InvalidOperation

DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")

_PLAIN = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?"
_GROUPED = (
    r"[0-9]{1,3}(?:(?:,[0-9]{3})+|(?: [0-9]{3})+|(?:'[0-9]{3})+|(?:_[0-9]{3})+)(?:\.[0-9]+)?"
    r"|[0-9]{1,3}(?:\.[0-9]{3}){2,}"
)
_INDIAN = r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?"
_COMMA = r"[0-9]{1,3}(?:(?:\.[0-9]{3})+|(?: [0-9]{3})+),[0-9]+|[0-9]+,[0-9]{1,2}"
"""Decimal commas: 1.234,56, 1 234,56 and 12,5. One before three digits, as in 1,234, marks thousands."""

_ENGLISH = rf"[-+]?(?:{_INDIAN}|{_GROUPED}|{_PLAIN})"
_ANY = rf"[-+]?(?:{_COMMA}|{_INDIAN}|{_GROUPED}|{_PLAIN})"
_SCALES = {
    "thousand": 3, "million": 6, "billion": 9, "trillion": 12, "mln": 6, "mn": 6, "bn": 9, "k": 3, "M": 6, "B": 9,
}  # fmt: skip
_WRITTEN_OUT = [name for name in _SCALES if len(name) > 1]
_ATTACHED = "(?-i:[kKMB])(?![A-Za-z0-9/])"
"""1.2M and 35k; with a blank between, M and K may be units."""
_LETTER = r"(?:[a-z%°²³µμ]|[^\W\d_\x00-\x7f])"
"""The first letter of a unit."""
_ALONE = re.compile(
    rf"(?:about|approximately|approx\.?|around|roughly|exactly|~|≈|=|m[wlbs]?(?=\s*[0-9])|(?-i:[A-Z]{{3}}(?=\s)))?"
    rf"\s*({_ANY})"
    rf"(?!(?:st|nd|rd|th)\b)(?:({_ATTACHED})|\s*({'|'.join(_WRITTEN_OUT)})s?\b)?"
    rf"\s*[%°]?\s*(?:{_LETTER}[\w%°²³/.-]*(?:\s+[a-z(][\w()/.-]*){{0,5}})?",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    rf"(?<![\w.'#/+-])({_ENGLISH})(?:({_ATTACHED})|\s+({'|'.join(_WRITTEN_OUT)})s?\b)?"
    r"(?=[%°]?(?:[\s,;:!?)]|\.(?![0-9])|$))",
    re.IGNORECASE,
)
_POWER = re.compile(
    r"\s*(?:[×x*·]|\\times|\\cdot)\s*10\s*(?:(?:\^|\*\*)\s*\{?\s*([-+−]?[0-9]{1,3})\s*\}?|([⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))"
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = {
    name: 10 * tens for tens, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_WORDS = (
    {f"{name}-{unit}": tens + value for name, tens in _TENS.items() for value, unit in enumerate(_UNITS[1:10], 1)}
    | _TENS
    | {name: value for value, name in enumerate(_UNITS)}
    | {"no": 0, "none": 0}
)
"""Number words below a hundred, compounds first."""
LABEL = re.compile(
    r":\s+|：\s*|\s*=\s*|\s*(?:→|[-=]>)\s*|\s+(?:is|are|was|were)\s+|\b(?:it|that)['’]s\s+", re.IGNORECASE
)
"""What sets a value apart from what is said of it."""
REMARK = re.compile(
    r"\s*\((?!\s*(?:or|to|and)\b)[^()]*\)\s*\.?$|\s+\[[^\[\]]*\]\s*\.?$"
    r"|,?\s+(?:because|since|according\s+to|based\s+on|as\s+(?:stated|given|shown|listed|found|reported|of)|which)\s.*$",
    re.IGNORECASE,
)
"""A remark behind a value: in brackets, or why it is so."""
_SPREAD = re.compile(r"(?<=[\w%])\s*(?:±|\+/-).*$", re.DOTALL)
_DENIED = re.compile(
    r"\b(?:not|isn['’]t|wasn['’]t|neither|never|cannot|can['’]t|unable|unknown)\b|(?<![-=])[<>≤≥≠±]"
    r"|[0-9]\s*(?:[十百万萬亿億兆백천만억조]|千(?![米克瓦])|тыс|млн|млрд|हज़ार|लाख|करोड़|ألف|مليون|مليار)"
    r"|\bno\s+(?:\w+\s+){0,2}(?:information|data|answers?|idea|mention|evidence|details?|values?|way)\b",
    re.IGNORECASE,
)
"""What makes a number one that the text does not state: a denial, a bound, a refusal, a foreign multiple."""
TAGS = re.compile(r"</?(?:b|strong|i|em|u|code|p|span|mark|sub|sup)>", re.IGNORECASE)
"""Formatting in HTML, which says nothing of a value."""
WIDTHLESS = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\ufe0e\ufe0f\u20e3"))
"""Blanks of no width, and what makes a digit a picture."""
_SIGNED = re.compile(r"\b(?:minus|negative)\s+(?=[0-9.])", re.IGNORECASE)


def number(text: str) -> Decimal | None:
    """The one number that `text` states; None where there is none, or more than one to choose from."""
    plain = _plain(text)
    for whole in dict.fromkeys([plain, _plain(REMARK.sub("", _SPREAD.sub("", text.strip())))]):
        found = _stated(whole)
        if found is not None:
            return found
    return None


def _stated(plain: str) -> Decimal | None:
    if _DENIED.search(plain):
        return None
    for reading in [plain, *reversed(LABEL.split(plain)[1:])]:
        reading = reading.strip().rstrip(".")
        alone = _ALONE.fullmatch(reading)
        if alone:
            return _value(alone[1], alone[2] or alone[3])
        word = re.sub(r"[\s-]+", "-", reading.casefold())
        if word in _WORDS:
            return Decimal(_WORDS[word])
    for reading in [plain, LABEL.split(plain)[-1]]:
        inside = {_value(one, short or long) for one, short, long in _INSIDE.findall(reading)} - {None}
        if len(inside) == 1:
            return inside.pop()
        if not inside:
            said = re.findall(rf"\b(?:{'|'.join(_WORDS)})\b", re.sub(r"(?<=ty)[\s-]+", "-", reading.casefold()))
            if len(words := {_WORDS[word] for word in said}) == 1:
                return Decimal(words.pop())
    return None


def _plain(text: str) -> str:
    """The text with digits, signs, blanks and separators of other scripts as ASCII has them; no currency signs."""
    text = TAGS.sub("", text).translate(WIDTHLESS).replace("{,}", ",").replace("`", "").replace("**", "")
    text = _POWER.sub(lambda found: "e" + (found[1] or found[2].translate(_RAISED)).replace("−", "-"), text)
    text = "".join(_digit(sign) for sign in unicodedata.normalize("NFKC", text).translate(DASHES))
    text = text.replace("\u066b", ".").replace("\u066c", ",").replace("’", "'")
    text = "".join(
        (" " if place and text[place - 1].isalnum() else "") if unicodedata.category(sign) == "Sc" else sign
        for place, sign in enumerate(text)
    )
    text = _SIGNED.sub("-", re.sub(r"\\[()\[\]]", "", text))
    return text.strip(" \t\"'*_`,;:!()[]{}")


def _digit(sign: str) -> str:
    value = unicodedata.decimal(sign, None)
    return sign if value is None else str(value)


def _value(written: str, scale: str | None = None) -> Decimal | None:
    plain = written
    if re.fullmatch(rf"[-+]?(?:{_COMMA})", written):
        plain = written.replace(".", "").replace(",", ".")
    elif written.count(".") > 1:
        plain = written.replace(".", "")
    try:
        found = Decimal(re.sub(r"[ ,'_]", "", plain))
    except InvalidOperation:
        return None
    return found.scaleb(_SCALES.get(scale) or _SCALES[scale.lower()]) if scale else found
