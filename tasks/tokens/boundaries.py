"""Where a text may be cut so that its token counts add up: the proof behind `tasks.tokens.slices`.

A tokenizer of the usual kind normalises a text, cuts it into pieces by rules that look at kinds of characters, and merges
only inside a piece. So there are pairs of neighbouring characters between which every text falls apart: whatever
stands around them, a piece ends there, and neither side would be cut otherwise if the other were missing. A *safe cut*
is a position between such a pair, and for safe cuts `s <= a <= b <= e`

    tokens(text[s:e]) = tokens(text[s:a]) + tokens(text[a:b]) + tokens(text[b:e])        exactly.

A `Rule` says for which pairs of character classes this is proven. Rules are derived from the parts of a `tokenizer.json`;
a part that is not listed here gives no rule, and then every slice is encoded as it is. What the derivations rest on:

* Regular expressions are matched from left to right, each match going by what follows it alone. A pair is safe if no match
  spans it and if the match before it would end there too were it the end of the text. (So no pair behind a blank is
  safe: `\\s+(?!\\S)` gives its last blank to the next word, and not at the end of the text.)
* Splitting by classes of single characters (digits, punctuation, blanks, Metaspace) goes by the pair alone.
* Normal forms do not reach across the start of a character that never combines with the one before it.
  `_CLASSES` classifies only such characters, and only those that are their own NFC form.
* An added token is matched before anything else; positions inside one are left out (`AddedTokens`).

Characters whose class could depend on the Unicode version of a library belong to no class, and are in no safe pair.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

OTHER, LETTER, FOREIGN, DIGIT, NUMBER, SPACE, TAB, NEWLINE, APOSTROPHE, UNDERSCORE, PUNCTUATION, SYMBOL = range(12)
"""FOREIGN, NUMBER, SYMBOL: letters, numerals, and punctuation or symbols beyond ASCII. OTHER: in no safe pair."""

_COUNT = 12
_LETTERS = (LETTER, FOREIGN)
_NUMERALS = (DIGIT, NUMBER)
_SIGNS = (APOSTROPHE, UNDERSCORE, PUNCTUATION, SYMBOL)
_ASCII_SIGNS = (APOSTROPHE, UNDERSCORE, PUNCTUATION)
_BLANKS = (SPACE, TAB, NEWLINE)
_KNOWN = tuple(range(1, _COUNT))
_ASCII = (LETTER, DIGIT, *_BLANKS, *_ASCII_SIGNS)

_BLOCK = 1 << 20  # characters classified at a time, so that long texts need little memory

# Blocks whose characters neither combine with what stands before them, nor decompose into something that does.
_STEADY = (
    (0x00A1, 0x00A7), (0x00A9, 0x00AC), (0x00AE, 0x00AE), (0x00B0, 0x00B3), (0x00B5, 0x00B7), (0x00B9, 0x02AF),
    (0x0386, 0x0386), (0x0388, 0x03FF), (0x0400, 0x0482), (0x048A, 0x052F), (0x2010, 0x2016), (0x2018, 0x2027),
    (0x2030, 0x203B), (0x20A0, 0x20BF), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x2500, 0x26FF), (0x3001, 0x3029),
    (0x3041, 0x3096), (0x30A1, 0x30FE), (0x3400, 0x4DB5), (0x4E00, 0x9FEF), (0xAC00, 0xD7A3), (0xFF01, 0xFF9D),
    (0x1F300, 0x1F5FF), (0x1F600, 0x1F64F),
)  # fmt: skip


class Rule(NamedTuple):
    """Safe pairs as a table over classes: `safe[class before the cut, class behind it]`."""

    safe: np.ndarray


class AddedTokens(NamedTuple):
    """Tokens that are matched before all others. Safe cuts inside an occurrence are none."""

    contents: tuple[str, ...] = ()


def pairs(*sides: tuple[tuple[int, ...], tuple[int, ...]]) -> np.ndarray:
    """A table that holds for the given products of classes."""
    table = np.zeros((_COUNT, _COUNT), dtype=bool)
    for before, behind in sides:
        table[np.ix_(before, behind)] = True
    return table


def beside(classes: tuple[int, ...], known: tuple[int, ...] = _KNOWN) -> np.ndarray:
    """The pairs with one side in `classes` and the other in `known`."""
    return pairs((classes, known), (known, classes))


def none() -> np.ndarray:
    """No pair."""
    return pairs()


def every() -> np.ndarray:
    """All pairs of known classes."""
    return pairs((_KNOWN, _KNOWN))


def qwen(digits_at_once: int = 1) -> np.ndarray:
    """The pattern of Qwen (`\\p{N}`), and with three digits at once that of Llama 3 and cl100k (`\\p{N}{1,3}`)."""
    others = tuple(c for c in _KNOWN if c not in _LETTERS)
    unlike = tuple(c for c in _KNOWN if c not in _NUMERALS)
    table = pairs(
        (_LETTERS, others),
        (_NUMERALS, unlike),
        (_SIGNS, (*_NUMERALS, SPACE, TAB)),
        ((NEWLINE,), (*_LETTERS, *_NUMERALS, *_SIGNS)),
    )
    return table | pairs((_NUMERALS, _NUMERALS)) if digits_at_once == 1 else table


def gpt2() -> np.ndarray:
    """GPT-2's pattern, ByteLevel's own. A blank of any kind goes before its word; an apostrophe may begin a contraction."""
    steady = tuple(c for c in _SIGNS if c != APOSTROPHE)
    return pairs(
        (_LETTERS, tuple(c for c in _KNOWN if c not in _LETTERS)),
        (_NUMERALS, tuple(c for c in _KNOWN if c not in _NUMERALS)),
        (steady, (*_LETTERS, *_NUMERALS, *_BLANKS)),
        ((APOSTROPHE,), (*_NUMERALS, *_BLANKS)),
    )


PATTERNS = {
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+": qwen(),
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+": qwen(digits_at_once=3),
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": gpt2(),
}
"""Regular expressions whose safe pairs are known."""


def positions(text: str, rule: Rule, added: AddedTokens) -> Iterator[np.ndarray]:
    """The safe cuts of `text`, ascending, in arrays of one block of characters each."""
    flat = rule.safe.ravel()
    found = _occurrences(text, added)
    for begin in range(0, len(text), _BLOCK):
        classes = classify(text[max(begin - 1, 0) : begin + _BLOCK])
        cuts = np.flatnonzero(flat[classes[:-1] * np.uint8(_COUNT) + classes[1:]]) + max(begin, 1)
        for start, end in found:
            if start < begin + _BLOCK and end > begin:
                cuts = cuts[(cuts <= start) | (cuts >= end)]
        yield cuts


def _occurrences(text: str, added: AddedTokens) -> list[tuple[int, int]]:
    """Where added tokens stand in `text`, overlapping ones included."""
    found = []
    for content in added.contents:
        at = text.find(content)
        while at >= 0:
            found.append((at, at + len(content)))
            at = text.find(content, at + 1)
    return found


def classify(text: str) -> np.ndarray:
    """The class of every character, as bytes."""
    if text.isascii():
        return _CLASSES[np.frombuffer(text.encode("ascii"), dtype=np.uint8)]
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    table = np.zeros(int(points.max()) + 1, dtype=np.uint8)
    table[:128] = _CLASSES[: len(table)][:128]
    beyond = np.flatnonzero(np.bincount(points, minlength=len(table))[128:]) + 128
    for point in beyond.tolist():
        table[point] = _class_beyond_ascii(point)
    return table[points]


def _class_beyond_ascii(point: int) -> int:
    if not any(first <= point <= last for first, last in _STEADY):
        return OTHER
    character = chr(point)
    if unicodedata.normalize("NFC", character) != character:
        return OTHER
    category = unicodedata.category(character)
    return {"L": FOREIGN, "N": NUMBER, "P": SYMBOL, "S": SYMBOL}.get(category[0], OTHER)


def _class_of_ascii(point: int) -> int:
    character = chr(point)
    if re.fullmatch(r"[A-Za-z]", character):
        return LETTER
    if character.isdigit():
        return DIGIT
    named = {" ": SPACE, "\t": TAB, "\n": NEWLINE, "\r": NEWLINE, "'": APOSTROPHE, "_": UNDERSCORE}
    return named.get(character, PUNCTUATION if 0x20 < point < 0x7F else OTHER)


_CLASSES = np.array([_class_of_ascii(point) for point in range(128)], dtype=np.uint8)


# ---------------------------------------------------------------------------------------------------------------------
# From a tokenizer.json to a rule


class Unproven(Exception):
    """Why no rule can be derived, in a few words."""


def derive(content: dict, normalized: "dict[str, str]") -> Rule:
    """The rule of a parsed `tokenizer.json`; `Unproven` where none is known.

    `normalized` holds what its normalizer makes of each printable ASCII character on its own.
    """
    model = content["model"]
    kind = model.get("type") or (
        "BPE" if "merges" in model else "WordPiece" if "max_input_chars_per_word" in model else ""
    )
    if kind not in ("BPE", "WordPiece", "Unigram", "WordLevel"):
        raise Unproven(f"model {kind or 'without a type'}")
    if model.get("dropout"):
        raise Unproven("BPE with dropout")
    pre = content.get("pre_tokenizer")
    if pre is None:
        raise Unproven("no pre-tokenizer")
    safe = _pre_tokenizer(pre) & _normalizer(content.get("normalizer"), pre, normalized)
    if not safe.any():
        raise Unproven("no two characters between which every text falls apart")
    return Rule(safe)


def _pre_tokenizer(part: dict) -> np.ndarray:
    """Safe pairs of a pre-tokenizer.

    In a sequence a later part only sees the pieces of the earlier ones. Its safe pairs count if the earlier ones go by single
    pairs of characters (`_goes_by_pairs`): cutting changes nothing elsewhere then.
    """
    kind = part["type"]
    if kind == "Sequence":
        safe = none()
        for inner in part["pretokenizers"]:
            safe = safe | _pre_tokenizer(inner)
            if not _goes_by_pairs(inner):
                break
        return safe
    if kind == "ByteLevel":
        safe = gpt2() if part.get("use_regex", True) else none()
        # With a space put before every text, the part behind a cut must begin with one by itself.
        return safe & pairs((_KNOWN, (SPACE,))) if part.get("add_prefix_space") else safe
    if kind == "Digits":
        if part.get("individual_digits"):
            return beside(_NUMERALS)
        return beside(_NUMERALS) & ~pairs((_NUMERALS, _NUMERALS))
    if kind == "Split" and not part.get("invert"):
        pattern = part["pattern"]
        if pattern.get("Regex") in PATTERNS and part["behavior"] == "Isolated":
            return PATTERNS[pattern["Regex"]]
        if pattern.get("String") == " " and part["behavior"] in ("Isolated", "Removed", "MergedWithNext"):
            return pairs((_KNOWN, (SPACE,)))
    if kind == "Metaspace" and part.get("split", True):
        return pairs((tuple(c for c in _KNOWN if c not in _BLANKS), (SPACE,)))
    if kind == "BertPreTokenizer":
        return beside((*_BLANKS, *_ASCII_SIGNS))
    if kind == "Whitespace":
        words = (*_LETTERS, DIGIT, UNDERSCORE)
        signs = (APOSTROPHE, PUNCTUATION)
        return beside(_BLANKS) | pairs((words, signs), (signs, words))
    if kind == "WhitespaceSplit":
        return beside(_BLANKS)
    if kind == "Punctuation" and part.get("behavior", "Isolated") in ("Isolated", "Removed"):
        return beside(_ASCII_SIGNS)
    return none()


def _goes_by_pairs(part: dict) -> bool:
    """Whether every boundary of a pre-tokenizer depends on the two characters beside it alone."""
    kind = part["type"]
    if kind in ("Digits", "WhitespaceSplit", "BertPreTokenizer", "Whitespace", "Punctuation"):
        return True
    return kind == "ByteLevel" and not part.get("use_regex", True) and not part.get("add_prefix_space")


def _normalizer(part: dict | None, pre: dict, normalized: dict[str, str]) -> np.ndarray:
    """The pairs at which normalising both sides apart gives the same text, and keeps the classes of both characters."""
    if part is None or part["type"] == "NFC":
        return every()
    kind = part["type"]
    if kind == "Sequence":
        safe = every()
        for inner in part["normalizers"]:
            safe = safe & _normalizer(inner, pre, normalized)
        return safe
    plain = pairs((_ASCII, _ASCII))
    if kind in ("NFD", "NFKC", "NFKD", "Lowercase", "StripAccents"):
        return plain
    if kind == "BertNormalizer":
        # Accents may go or stand apart, which nothing but letters beyond ASCII can tell; the ASCII side decides the cut.
        return beside(_ASCII) if pre["type"] == "BertPreTokenizer" else plain
    if kind in ("Nmt", "Precompiled"):
        printable = (LETTER, DIGIT, *_ASCII_SIGNS)
        if all(normalized[c].lower() == c.lower() for c in normalized):
            return pairs((printable, (*printable, SPACE)))
    if kind == "Strip" and not part.get("strip_left"):
        return pairs((tuple(c for c in _ASCII if c not in _BLANKS), _ASCII))
    if kind == "Replace":
        runs = part["pattern"].get("Regex") == " {2,}" and part["content"] in (" ", "▁")
        if runs:
            return pairs((tuple(c for c in _ASCII if c != SPACE), _ASCII))
    return none()
