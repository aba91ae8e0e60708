r"""Where a text may be cut so that its token counts add up: what `tasks.tokens.slices` rests on.

A tokenizer of the usual kind normalises a text, cuts it into pieces by rules that look at kinds of characters, and
merges only inside a piece. So there are pairs of neighbouring characters between which every text falls apart:
whatever stands around them, a piece ends there, and neither side would be cut otherwise if the other were missing. A
*safe cut* is a position between such a pair, and for safe cuts `s <= a <= b <= e`

    tokens(text[s:e]) = tokens(text[s:a]) + tokens(text[a:b]) + tokens(text[b:e])        exactly.

Safe pairs are pairs of character *classes*; which are proven for a tokenizer says its `Rule` (`tasks.tokens.rules`).
Characters whose kind could depend on the Unicode version of a library, those that may combine with what stands before
them, and control characters belong to no class. They are in no safe pair, and none may stand next to one either: so
neither character of a pair can be changed by its other neighbour when the text is normalised.
"""

import functools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

OTHER, LETTER, FOREIGN, DIGIT, NUMBER, SPACE, TAB, NEWLINE, APOSTROPHE, UNDERSCORE, PUNCTUATION, SYMBOL = range(12)
"""LETTER to PUNCTUATION are ASCII; FOREIGN, NUMBER, SYMBOL: letters, numerals, and punctuation or symbols beyond."""

CLASSES = 12

_BLOCK = 1 << 17  # characters at a time: temporary arrays that stay in the processor's caches

STEADY = (
    (0x00A1, 0x00A7), (0x00A9, 0x00AC), (0x00AE, 0x00AE), (0x00B0, 0x00B3), (0x00B5, 0x00B7), (0x00B9, 0x02AF),
    (0x0386, 0x0386), (0x0388, 0x03FF), (0x0400, 0x0482), (0x048A, 0x052F), (0x2010, 0x2016), (0x2018, 0x2027),
    (0x2030, 0x203B), (0x20A0, 0x20BF), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x2500, 0x26FF), (0x3001, 0x3029),
    (0x3041, 0x3096), (0x30A1, 0x30FE), (0x3400, 0x4DB5), (0x4E00, 0x9FEF), (0xAC00, 0xD7A3), (0xFF01, 0xFF9D),
    (0x1F300, 0x1F5FF), (0x1F600, 0x1F64F),
)  # fmt: skip
"""Blocks whose characters have kept their kind in every version of Unicode that a library may know, and neither
combine with what stands before them nor decompose into something that does."""


class Unproven(Exception):
    """Why nothing is proven of a tokenizer, or of it with one text, in a few words."""


@dataclass(frozen=True, eq=False)
class Rule:
    """What is proven of one tokenizer.

    `safe[before, behind]` over classes says whether a position between two such characters is a safe cut. `added` are
    tokens that are matched before anything else: a position inside an occurrence of one is no safe cut. `longest` is
    the most characters of printable ASCII that one token covers, or 0 where it may cover any number.
    """

    safe: np.ndarray
    added: tuple[str, ...] = ()
    longest: int = 0


def cuts(text: str, rule: Rule) -> np.ndarray:
    """The safe cuts of `text`, ascending: positions in `[1, len(text))`."""
    found = [np.zeros(0, dtype=np.int64)]
    for begin in range(0, len(text), _BLOCK):
        context = max(begin - 2, 0)
        places = _between_safe_pairs(text[context : begin + _BLOCK + 2], rule.safe) + context
        found.append(places[(places >= begin) & (places < begin + _BLOCK)])
    places = np.concatenate(found)
    outside = np.ones(len(places), dtype=bool)
    for token in rule.added:
        for at in _occurrences(text, token):
            first, last = np.searchsorted(places, (at + 1, at + len(token)))
            outside[first:last] = False
    return places if outside.all() else places[outside]


def _between_safe_pairs(text: str, safe: np.ndarray) -> np.ndarray:
    """Positions between two characters of a safe pair, with no unclassified one on either side of the pair."""
    classes = classify(text)
    cut = _looked_up(classes[:-1] * np.uint8(CLASSES) + classes[1:], safe.ravel()).view(bool)
    known = classes != OTHER
    cut[1:] &= known[:-2]
    cut[:-1] &= known[2:]
    return np.flatnonzero(cut) + 1


def _occurrences(text: str, token: str) -> Iterator[int]:
    """Where `token` stands in `text`, overlapping places included."""
    at = text.find(token)
    while at >= 0:
        yield at
        at = text.find(token, at + 1)


def classify(text: str) -> np.ndarray:
    """The class of every character, as bytes."""
    points = code_points(text)
    if text.isascii():
        return _looked_up(points, _ASCII)
    classes = _looked_up(np.minimum(points, 0xFF).astype(np.uint8), _ASCII)
    beyond = np.flatnonzero(points >= 0x80)
    classes[beyond] = _beyond_ascii()[points[beyond]]
    return classes


def _looked_up(values: np.ndarray, table: np.ndarray) -> np.ndarray:
    """`table[values]` for bytes, zero beyond the table; several times faster than indexing."""
    full = np.zeros(256, dtype=np.uint8)
    full[: len(table)] = table
    return np.frombuffer(bytearray(values.tobytes()).translate(full.tobytes()), dtype=np.uint8)


def code_points(text: str) -> np.ndarray:
    """The code point of every character."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


@functools.cache
def _beyond_ascii() -> np.ndarray:
    table = np.zeros(0x110000, dtype=np.uint8)
    kinds = {"L": FOREIGN, "N": NUMBER, "P": SYMBOL, "S": SYMBOL}
    for first, last in STEADY:
        for point in range(first, last + 1):
            character = chr(point)
            if unicodedata.is_normalized("NFC", character):
                table[point] = kinds.get(unicodedata.category(character)[0], OTHER)
    return table


def _class_of_ascii(point: int) -> int:
    character = chr(point)
    if re.fullmatch(r"[A-Za-z]", character):
        return LETTER
    if character.isdigit():
        return DIGIT
    named = {" ": SPACE, "\t": TAB, "\n": NEWLINE, "\r": NEWLINE, "'": APOSTROPHE, "_": UNDERSCORE}
    return named.get(character, PUNCTUATION if 0x20 < point < 0x7F else OTHER)


_ASCII = np.array([_class_of_ascii(point) for point in range(128)], dtype=np.uint8)
