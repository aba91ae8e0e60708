r"""Where a text may be cut so that token counts of the parts add up to those of the whole, proven for known rules.

A tokenizer of this family first cuts the text into pieces by a regular expression and merges only inside a piece. A
position is *safe* when every text that holds the same two characters around it has a piece boundary there, and the
pieces on either side stay the same when the other side is taken away. Then, for any slice, the tokens before the
first safe position, between two safe positions, and behind the last one add up, whatever surrounds the slice.

Only pairs of ASCII characters are used. These mean the same in every Unicode version, never combine with a neighbour
under NFC, and stand at the ends of nearly all nodes. Why the pairs below are safe, for the Qwen pattern

    (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+

* behind a digit: no alternative goes on after one (`\p{N}` stands alone);
* a letter, then anything else: no alternative holds a letter that is followed by a non-letter;
* a mark, then a digit or a blank: no alternative goes on; the run of marks ends there as it would at the text's end;
* a letter, then a digit: as above. A blank, then a digit is not safe: `\s+(?!\S)` looks ahead;
* the last line break of a run of white space: `\s*[\r\n]+` and `[\r\n]*` both end there, and nothing looks back.

The GPT-2 pattern has no prefix for words but a blank, so a mark other than `'` may also be followed by a letter, and
no alternative for line breaks. With digits split off beforehand, blanks before a digit end like a text.
"""

import re
from dataclasses import dataclass
from functools import cache

import numpy

QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3_PATTERN = QWEN_PATTERN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")

_OTHER = 128  # any character that is not ASCII
_ODD = [*range(9), 11, 12, *range(14, 32), 127]  # controls that engines may class differently


@dataclass(frozen=True)
class Cuts:
    """Safe positions of a text, ascending, the first 0 and the last its length; tokens before each of them."""

    positions: numpy.ndarray
    tokens: numpy.ndarray


def _classes() -> dict[str, numpy.ndarray]:
    def mask(pattern: str) -> numpy.ndarray:
        found = numpy.zeros(129, bool)
        found[[code for code in range(128) if re.match(pattern, chr(code)) and code not in _ODD]] = True
        return found

    return {
        "digit": mask("[0-9]"),
        "letter": mask("[A-Za-z]"),
        "blank": mask("[ \t]"),
        "line": mask("[\r\n]"),
        "mark": mask(r"[^A-Za-z0-9\s]"),
    }


@cache
def _pairs(rules: str) -> numpy.ndarray:
    """Table of safe pairs: left character by right character, 128 for all that are not ASCII."""
    by = _classes()
    digit, letter, blank, line, mark = by["digit"], by["letter"], by["blank"], by["line"], by["mark"]
    table = numpy.zeros((129, 129), bool)

    def allow(left: numpy.ndarray, right: numpy.ndarray) -> None:
        table[numpy.ix_(left, right)] = True

    known = digit | letter | blank | line | mark
    if rules == "words":  # WordPiece: white space and marks separate words
        allow(blank | line | mark, known)
        allow(known, blank | line | mark)
        return table
    if rules == "metaspace":  # a word begins with each space, never elsewhere
        allow(known, numpy.arange(129) == 32)
        return table
    allow(letter, blank | line | mark | digit)
    allow(mark, blank | digit)
    if rules == "qwen":
        allow(digit, known)
        allow(line, letter | digit | mark)
    elif rules == "llama3":
        allow(digit, known & ~digit)
        allow(line, letter | digit | mark)
    else:
        apostrophe = numpy.arange(129) == ord("'")
        allow(digit, known if rules == "gpt2 digits" else known & ~digit)
        allow(mark & ~apostrophe, letter)
        allow(mark, line)
        if rules == "gpt2 digits":
            allow(known, digit)
    return table


def positions(text: str, rules: str) -> numpy.ndarray:
    """Safe positions of `text` under `rules` (`qwen`, `llama3`, `gpt2`, `gpt2 digits`, `words`, `metaspace`)."""
    if not text:
        return numpy.zeros(1, numpy.int64)
    codes = _codes(text)
    safe = _pairs(rules)[codes[:-1], codes[1:]]
    if rules in ("qwen", "llama3"):
        safe |= _last_line_breaks(codes)
    inner = numpy.flatnonzero(safe) + 1
    return numpy.concatenate(([0], inner, [len(text)]))


def _codes(text: str) -> numpy.ndarray:
    if text.isascii():
        return numpy.frombuffer(text.encode("ascii"), numpy.uint8)
    wide = numpy.frombuffer(text.encode("utf-32-le", "surrogatepass"), numpy.uint32)
    return numpy.minimum(wide, _OTHER).astype(numpy.uint8)


def _last_line_breaks(codes: numpy.ndarray) -> numpy.ndarray:
    """True at i where character i is a line break, and from i + 1 on only blanks come before an ASCII non-blank."""
    by = _classes()
    found = numpy.zeros(len(codes) - 1, bool)
    breaks = numpy.flatnonzero(by["line"][codes[:-1]] & by["blank"][codes[1:]])
    solid = numpy.flatnonzero(~by["blank"][codes])
    following = numpy.searchsorted(solid, breaks + 1)
    inside = following < len(solid)
    breaks, following = breaks[inside], following[inside]
    ends = by["letter"] | by["digit"] | by["mark"]
    found[breaks[ends[codes[solid[following]]]]] = True
    return found
