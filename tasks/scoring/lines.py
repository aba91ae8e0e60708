"""Values of a final answer in plain text: one a line, or several in one line."""

import re

_BULLET = re.compile(r"^\s*(?:[-*+•–—·▪●]|\(?[0-9]{1,2}[.)]|\(?[a-d]\))\s+(?=\S)")
_NUMBERED = re.compile(r"^\s*\(?([0-9]{1,2})[.)]\s+(?=\S)")
_INLINE = re.compile(r"(?<!\S)\(?([1-9][0-9]?)[.)]\s+(?=\S)")
_HEADING = re.compile(r"^\s*#{1,6}\s+")
_PROSE = re.compile(
    r"\(.*\)\W*$|\W*(?:explanation|reason(?:ing)?|notes?)\s*:"
    r"|(?:explanation|note|because|since|this|these|i|it|so|therefore|thus|let)\b\S*\s+\S+\s+\S",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"[-+−]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_NUMBER = re.compile(r"[-+−$€£]?[0-9]+(?:[.,][0-9]+)?%?")
_SPACED_NUMBER = re.compile(r"[-+−]?[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]+)?")
_QUOTES = {
    '"': '"', "'": "'", "“": "”", "‘": "’", "`": "`", "«": "»", "„": "“", "‹": "›", "「": "」", "『": "』",
}  # fmt: skip
_LAYERS = 20
"""Quotes, tags and marks that are taken off around a value; what is wrapped in more is no value."""
_TAGGED = re.compile(r"<(b|strong|i|em|u|code|p|span|mark|td|li|ul|ol)>(.*)</\1>", re.IGNORECASE | re.DOTALL)


def read(text: str, wanted: int) -> list[str]:
    """The values of plain text: lines, or one line taken apart as far as the number of wanted values suggests."""
    numbered = _numbered(text.strip(), wanted)
    if numbered:
        return numbered
    found = lines(text, wanted)
    if len(found) != 1:
        return found
    if wanted == 1:
        parts = _split(found[0], r"\s*[;,]\s+")
        return parts[:1] if len(parts) > 1 and len(set(map(str.casefold, parts))) == 1 else found
    line = re.sub(r"^both\s+(?=.*\sand\s)|,?\s+respectively\W*$", "", found[0], flags=re.IGNORECASE)
    for part in (line, _after_label(line)):
        numbers = part.split()
        if len(numbers) == wanted and all(map(_NUMBER.fullmatch, numbers)) and not _SPACED_NUMBER.fullmatch(part):
            return numbers
    patterns = (
        r"\t+",
        r"\s*[;；]\s*",
        r"\s*\|\s*",
        r"(?:^|\s+)[•▪●]\s+",
        r"\s*[,，،、](?:\s+|(?<=[，、]))",
        r"\s*,\s*",
    )
    readings = [_split(line, pattern) for pattern in patterns]
    readings = [reading for reading in readings if reading]  # a line of separators alone has no parts
    readings = [[*reading[:-1], _without_and(reading[-1])] for reading in readings]
    with_and = [[*reading[:-1], *_last_two(reading[-1])] for reading in readings]
    readings = [*readings, *with_and, _split(line, r"\s+and\s+"), _split(line, r"\s*/\s*")]
    if not line.startswith(("'", '"', "“")):
        readings.append(_split(_after_label(line), r"\s*,\s*"))
    exact = [reading for reading in readings if len(reading) == wanted]
    if exact:
        return exact[0]
    return next((reading for reading in [*with_and, *readings] if len(reading) > 1), [line])


def _numbered(line: str, wanted: int) -> list[str]:
    """Values of one line that are numbered from 1 to their number, such as `1. a 2. b`; empty where they are not."""
    marks = list(_INLINE.finditer(line)) if wanted > 1 and "\n" not in line else []
    if not marks or marks[0].start() or [int(mark[1]) for mark in marks] != list(range(1, wanted + 1)):
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(line)]
    return [line[mark.end() : end].strip(" ,;") for mark, end in zip(marks, ends, strict=True)]


def lines(text: str, wanted: int) -> list[str]:
    """Non-empty lines without bullets, headings, introductions and, once there are enough, explaining prose."""
    kept: list[str] = []
    bodies = [line for line in text.split("\n") if line.strip() and not _HEADING.match(line)]
    text = "\n".join(line for line in text.split("\n") if not _HEADING.match(line)) if bodies else text
    whole = len(bodies) == wanted and _introduces(bodies[-1])  # the last line introduces nothing, so none does
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        found = [_HEADING.sub("", line).strip() for line in paragraph.split("\n") if line.strip(" \t-*_`")]
        enough = len(kept) >= wanted and all(len(line.split()) <= 8 for line in kept)
        shortest = 5 if any(line.endswith(".") for line in kept) else 3
        if enough and found and _introduces(found[0]) and len(found[0].split()) > 1:
            break  # what follows is the evidence
        if enough and found and not _BULLET.match(found[0]) and _sentence(" ".join(found), shortest):
            continue
        for line in found:
            if (whole or not _introduces(line)) and not (len(kept) >= wanted and _PROSE.match(line)):
                kept.append(line)
    if not kept:
        return [text.strip()]
    numbers = [int(match.group(1)) if (match := _NUMBERED.match(line)) else None for line in kept]
    if any(numbers) and numbers != list(range(1, len(kept) + 1)):
        return [re.sub(r"^\s*[-*+•–—·▪●]\s+", "", line) for line in kept]
    return [_BULLET.sub("", line, count=1) for line in kept]


def bare(value: str) -> str:
    """A value without quotes, emphasis, tags and closing punctuation around it."""
    value = value.strip()
    for _ in range(_LAYERS):
        before = value
        value = value.strip(" \t\n,;").strip("*_`").strip()
        if len(value) > 1 and value[0] in _QUOTES and value.endswith(_QUOTES[value[0]]):
            value = value[1:-1]
        if tagged := _TAGGED.fullmatch(value):
            value = tagged[2]
        if value.endswith(('."', ".”", ".'")) or re.search(r"[^.\s]\.$", value):
            value = value[:-1] if value.endswith(".") else value
        if value == before:
            break
    return value


def _introduces(line: str) -> bool:
    return line.rstrip("* ").endswith((":", "：")) and not _BULLET.match(line)


def _sentence(paragraph: str, shortest: int) -> bool:
    """Whether a paragraph is prose of at least so many words rather than values."""
    ends = paragraph.rstrip().endswith((".", ")", "!", "?"))
    return (len(paragraph.split()) >= shortest and ends) or _PROSE.match(paragraph) is not None


def _split(line: str, pattern: str) -> list[str]:
    """Parts of a line; separators inside quotes, and commas inside numbers such as 1,234, do not count."""
    kept: list[str] = []

    def hide(match: re.Match[str]) -> str:
        kept.append(match.group())
        return f"\0{len(kept) - 1}\0"

    quoted = r'"[^"]*"|“[^”]*”|(?<!\w)\'[^\']*\'(?!\w)'
    hidden = re.sub(rf"{quoted}|(?<![\w.,]){_THOUSANDS.pattern}(?![\w,])", hide, line)
    parts = re.split(pattern, hidden.strip().rstrip("."))
    shown = [re.sub(r"\0(\d+)\0", lambda match: kept[int(match.group(1))], part) for part in parts]
    return [part.strip() for part in shown if part.strip()]


def _without_and(part: str) -> str:
    """The last part of `A, B, and C` without its conjunction."""
    return re.sub(r"^(?:and|or|&|(?:and\s+)?(?:then|followed\s+by))\s+", "", part, flags=re.IGNORECASE)


def _last_two(part: str) -> list[str]:
    """`B and C` taken apart."""
    between = r"\s+and\s+" if re.search(r"\s+and\s+", part) else r"\s+&\s+"
    return [piece for piece in re.split(between, part, maxsplit=1) if piece]


def _after_label(line: str) -> str:
    return re.split(r":\s+|\s+(?:is|are)\s+", line, maxsplit=1)[-1]
