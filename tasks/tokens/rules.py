r"""From the parts of a tokenizer to the pairs of characters at which its counts add up (see `boundaries`).

What the derivations rest on:

* Regular expressions are matched from left to right, and a match goes only by what follows its start. A pair is safe if
  no match spans it, and if the match before it would end there too were it the end of the text. (So no pair behind a
  blank is safe with `\s+(?!\S)`: it leaves its last blank to the next word, but not at the end of the text.)
* Splitting by kinds of single characters (digits, punctuation, blanks, Metaspace) goes by the pair alone.
* Normal forms do not reach across the start of a character that never combines with the one before it.
* Every model listed merges or looks up inside one piece only, without chance.

A part that is not listed gives no pair. The tests try every claim on all short texts over one character a class.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tasks.tokens.boundaries import (
    APOSTROPHE,
    CLASSES,
    DIGIT,
    FOREIGN,
    LETTER,
    NEWLINE,
    NUMBER,
    PUNCTUATION,
    SPACE,
    SYMBOL,
    TAB,
    UNDERSCORE,
    Unproven,
)

Classes = tuple[int, ...]
Part = Mapping[str, Any]
Table = np.ndarray

QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3_PATTERN = QWEN_PATTERN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

_LETTERS = (LETTER, FOREIGN)
_NUMERALS = (DIGIT, NUMBER)
_BLANKS = (SPACE, TAB, NEWLINE)
_ASCII_SIGNS = (APOSTROPHE, UNDERSCORE, PUNCTUATION)
_SIGNS = (*_ASCII_SIGNS, SYMBOL)
_KNOWN = tuple(range(1, CLASSES))
_PRINTABLE = (LETTER, DIGIT, *_ASCII_SIGNS)
_ASCII = (*_PRINTABLE, *_BLANKS)

_BY_PAIRS = ("Digits", "WhitespaceSplit", "Whitespace", "BertPreTokenizer", "Punctuation")


def _without(classes: Classes, known: Classes = _KNOWN) -> Classes:
    return tuple(c for c in known if c not in classes)


def _pairs(*sides: tuple[Classes, Classes]) -> Table:
    """The pairs with a class of the first and a class of the second of any two groups."""
    table = np.zeros((CLASSES, CLASSES), dtype=bool)
    for before, behind in sides:
        table[np.ix_(before, behind)] = True
    return table


def _beside(classes: Classes) -> Table:
    return _pairs((classes, _KNOWN), (_KNOWN, classes))


def qwen(numerals_at_once: int = 1) -> Table:
    r"""Pairs of Qwen's pattern (`\p{N}`), and with three numerals of that of Llama 3 and cl100k (`\p{N}{1,3}`)."""
    table = _pairs(
        (_LETTERS, _without(_LETTERS)),
        (_NUMERALS, _without(_NUMERALS)),
        (_SIGNS, (*_NUMERALS, SPACE, TAB)),
        ((NEWLINE,), _without(_BLANKS)),
    )
    return table | _pairs((_NUMERALS, _NUMERALS)) if numerals_at_once == 1 else table


def gpt2() -> Table:
    """Pairs of GPT-2's pattern, which is ByteLevel's own. An apostrophe may begin a contraction."""
    return _pairs(
        (_LETTERS, _without(_LETTERS)),
        (_NUMERALS, _without(_NUMERALS)),
        (_without((APOSTROPHE,), _SIGNS), _without(_SIGNS)),
        ((APOSTROPHE,), (*_NUMERALS, *_BLANKS)),
    )


_PATTERNS = {QWEN_PATTERN: qwen(), LLAMA3_PATTERN: qwen(3), GPT2_PATTERN: gpt2()}


def derive(content: Part, normalized: Mapping[str, str]) -> Table:
    """The safe pairs of a parsed `tokenizer.json`; `Unproven` where there are none.

    `normalized` says what its normalizer makes of each printable ASCII character, and the space, on its own.
    """
    model = content["model"]
    if model.get("type", "BPE") not in ("BPE", "WordPiece", "Unigram", "WordLevel"):
        raise Unproven(f"its model {model['type']} is not known")
    if model.get("dropout"):
        raise Unproven("its merges are left to chance (dropout)")
    pre = content.get("pre_tokenizer")
    if pre is None:
        raise Unproven("it does not cut a text into pieces before it merges")
    safe = _pre_tokenizer(pre) & _normalizer(content.get("normalizer"), pre, normalized)
    if not safe.any():
        raise Unproven("where it cuts a text into pieces is not known")
    return safe


def longest(content: Part, vocabulary: Iterable[str]) -> int:
    """The most characters of printable ASCII that one token covers; 0 where that is not known.

    Known of byte-level vocabularies, which write such a character as itself (and the space as Ġ), if they have all of
    them: otherwise characters may be left out, or be unknown together.
    """
    pre = content.get("pre_tokenizer") or {}
    parts = pre.get("pretokenizers", [pre])
    normalizer = content.get("normalizer")
    if not any(part.get("type") == "ByteLevel" for part in parts) or (normalizer and normalizer["type"] != "NFC"):
        return 0
    tokens = set(vocabulary)
    return max(map(len, tokens)) if tokens.issuperset([*map(chr, range(0x21, 0x7F)), "Ġ"]) else 0


def _pre_tokenizer(part: Part) -> Table:
    kind = part["type"]
    if kind == "Sequence":
        return _sequence(part["pretokenizers"])
    if kind == "ByteLevel":
        safe = gpt2() if part.get("use_regex", True) else _pairs()
        # A space goes before a text that has none: what stands behind a cut must begin with one by itself.
        return safe & _pairs((_KNOWN, (SPACE,))) if part.get("add_prefix_space") else safe
    if kind == "Digits":
        together = _pairs() if part.get("individual_digits") else _pairs((_NUMERALS, _NUMERALS))
        return _beside(_NUMERALS) & ~together
    if kind == "Split" and not part.get("invert"):
        pattern, behavior = part["pattern"], part["behavior"]
        if pattern.get("Regex") in _PATTERNS and behavior == "Isolated":
            return _PATTERNS[pattern["Regex"]]
        if pattern.get("String") == " " and behavior in ("Isolated", "Removed", "MergedWithNext"):
            return _pairs((_KNOWN, (SPACE,)))
    if kind == "Metaspace" and part.get("split", True):
        # A space becomes the mark that begins a piece; where a mark stands in front, none is put there.
        return _pairs((_KNOWN, (SPACE,)))
    if kind == "BertPreTokenizer":
        return _beside((*_BLANKS, *_ASCII_SIGNS))
    if kind == "Whitespace":
        words, signs = (*_LETTERS, DIGIT, UNDERSCORE), (APOSTROPHE, PUNCTUATION)
        return _beside(_BLANKS) | _pairs((words, signs), (signs, words))
    if kind == "WhitespaceSplit":
        return _beside(_BLANKS)
    if kind == "Punctuation" and part.get("behavior", "Isolated") in ("Isolated", "Removed"):
        return _beside(_ASCII_SIGNS)
    return _pairs()


def _sequence(parts: list[Part]) -> Table:
    """Each part cuts the pieces of those before it.

    Its safe pairs count as long as the parts before it go by single pairs of characters: cutting between two
    characters then changes nothing elsewhere for them.
    """
    safe = _pairs()
    for part in parts:
        if part["type"] == "Sequence" or (part["type"] == "Metaspace" and part.get("prepend_scheme") == "first"):
            return _pairs()  # the second marks the first piece of a text apart, whatever it begins with
    for part in parts:
        safe = safe | _pre_tokenizer(part)
        if part["type"] not in _BY_PAIRS:
            break
    return safe


def _normalizer(part: Part | None, pre: Part, normalized: Mapping[str, str]) -> Table:
    """The pairs at which both sides can be normalised apart, and of which both keep their classes."""
    kind = "NFC" if part is None else part["type"]
    if part is None or kind == "NFC":
        return _pairs((_KNOWN, _KNOWN))
    if kind == "Sequence":
        safe = _pairs((_KNOWN, _KNOWN))
        for inner in part["normalizers"]:
            safe = safe & _normalizer(inner, pre, normalized)
        return safe
    if kind in ("NFD", "NFKC", "NFKD", "Lowercase", "StripAccents"):
        return _pairs((_ASCII, _ASCII))
    if kind == "BertNormalizer":
        # Letters beyond ASCII may change, but here the side that is a blank or sign of ASCII decides by itself.
        return _beside(_ASCII) if pre["type"] == "BertPreTokenizer" else _pairs((_ASCII, _ASCII))
    if kind in ("Nmt", "Precompiled") and all(made.lower() == one.lower() for one, made in normalized.items()):
        return _pairs((_PRINTABLE, (*_PRINTABLE, SPACE)))
    if kind == "Strip":
        # Only a text's ends are stripped: behind a cut must stand what is not, and before it too.
        return _pairs((_PRINTABLE, _PRINTABLE if part.get("strip_left", True) else _ASCII))
    if kind == "Replace" and part["pattern"].get("Regex") == " {2,}":
        # A run of spaces begins behind the cut or stands whole before it; one mark for it must still begin a piece.
        still_cut = part["content"] == " " or (part["content"] == "▁" and pre["type"] == "Metaspace")
        return _pairs((_without((SPACE,), _ASCII), _ASCII)) if still_cut else _pairs()
    return _pairs()
