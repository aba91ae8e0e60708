r"""From the text of a final answer to the list of values it gives (appendix C.4 of the TreeAgent paper).

The prompt asks for the values alone, one a line. Models add thinking, a marker such as "the answer is" or
`\boxed{}`, bullets, JSON, quotes, labels or a sentence, so the text is narrowed down in that order. How many values
the question asks for, which it says in words, decides between readings such as "A, B and C" being one value or three;
the expected values themselves are never looked at here.
"""

import ast
import json
import re
from typing import Any

THINKING = r"(?:think|thinking|thought|reasoning)"
_OPEN = re.compile(rf"<{THINKING}>", re.IGNORECASE)
_CLOSE = re.compile(rf"</{THINKING}>", re.IGNORECASE)

_TAGGED = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.IGNORECASE | re.DOTALL)
_MARKER = re.compile(
    r"\b(?:the\s+)?(?:(?:final|correct|requested)\s+)?answers?\s*(?:(?:is|are|would\s+be)\b\s*:?|[:：])[ \t]*"
    r"|\bthe\s+(?:(?:final|correct|requested)\s+)?values?\s+(?:is|are)\b\s*:?[ \t]*",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*+•–—·▪●]|\(?[0-9]{1,2}[.)]|\(?[a-d]\))\s+(?=\S)")
_NUMBERED = re.compile(r"^\s*\(?([0-9]{1,2})[.)]\s+(?=\S)")
_PROSE = re.compile(
    r"\(.*\)\W*$|\W*(?:explanation|reason(?:ing)?|notes?)\s*:"
    r"|(?:explanation|note|because|since|this|these|i|it|so|therefore|thus|let)\b\S*\s+\S+\s+\S",
    re.IGNORECASE,
)
_AFTERTHOUGHT = re.compile(r"(?<=[.!])\s+(?=(?:This|These|It|Because|Since|Note|Explanation|I|Therefore|Let)\b.*\s)")
_THOUSANDS = re.compile(r"[-+−]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_ANSWER_KEYS = {"answer", "answers", "final_answer", "final answer", "result", "value", "values"}
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`", "«": "»", "„": "“"}


def after_thinking(text: str) -> str | None:
    """What follows the model's thinking, in any of its five shapes; None where the thinking never ended.

    No tags; both tags; a closing tag alone (the chat template opened it); an opening tag alone (cut off while
    thinking); an empty block.
    """
    closed = list(_CLOSE.finditer(text))
    if closed:
        text = text[closed[-1].end() :]
    opened = _OPEN.search(text)
    if opened:
        text = text[: opened.start()]
        return text.strip() or None
    return text.strip()


def values(text: str | None, wanted: int) -> list[str] | None:
    """The values that the final answer `text` gives; None where there is no final answer in it.

    `wanted` is the number of values that the question asks for. The list may be shorter or longer.
    """
    answer = after_thinking(text) if text is not None else None
    if not answer:
        return None
    answer = _unfenced(_marked(answer))
    found = _structured(answer)
    if found is None:
        found = _read(answer, wanted)
    kept = [value for value in map(_bare, found) if value]
    if wanted == 1 and len(set(map(str.casefold, kept))) == 1:
        kept = kept[:1]
    return kept or None


def _marked(text: str) -> str:
    r"""The part of the text that a marker points at: `\boxed{}`, `<answer>`, or "the answer is"; else all of it."""
    boxes = _boxes(text)
    if boxes:
        return "\n".join(boxes)
    tagged = _TAGGED.findall(text)
    if tagged:
        return tagged[-1].strip()
    text = text.replace("**", "").replace("__", "")
    marked = [match for match in _MARKER.finditer(text) if text[match.end() :].strip()]
    return _block(text[marked[-1].end() :]) if marked else text


def _block(text: str) -> str:
    """What follows a marker, without an afterthought on the same line."""
    first, *rest = text.strip().split("\n")
    return "\n".join([_AFTERTHOUGHT.split(first, maxsplit=1)[0], *rest])


def _boxes(text: str) -> list[str]:
    r"""Contents of the balanced `\boxed{...}` or `\fbox{...}` in the last line that has one."""
    found: list[tuple[int, str]] = []
    for match in re.finditer(r"\\(?:boxed|fbox)\s*(\{)?", text):
        if match.group(1):
            content = _balanced(text, match.end())
        else:
            content = re.split(r"[$\n]", text[match.end() :], maxsplit=1)[0].strip()
        if content is not None:
            found.append((text.count("\n", 0, match.start()), content))
    return [_without_latex(content) for line, content in found if line == found[-1][0]]


def _balanced(text: str, start: int) -> str | None:
    depth = 1
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return text[start:position]
    return None


def _without_latex(text: str) -> str:
    text = re.sub(r"\\(?:text|mathrm|textbf|mathbf|mbox)\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\\\\", "\n", text)
    text = re.sub(r"\\([%$#&_{}])", r"\1", text)
    return re.sub(r"\\(?:quad|qquad|,|;|:|!|\s)", " ", text).strip(" $")


def _unfenced(text: str) -> str:
    fences = _FENCE.findall(text)
    return fences[-1].strip() if fences else text.strip()


def _structured(text: str) -> list[str] | None:
    """Values of a JSON or Python list, object or string that is the text, or ends it behind a label."""
    behind = re.search(r"(?:[:=]|\b(?:is|are))\s*([\[{].*[\]}])\s*\.?$", text, re.DOTALL)
    for part in [text.rstrip(". \n"), *([behind.group(1)] if behind else [])]:
        found = _parsed(part) if part[:1] in set('[{("') else None
        if found is not None:
            return _flat(found)
    return None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        pass
    if text[:1] not in "[{(" or len(text) > 100_000:
        return None
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return found if isinstance(found, (list, tuple, dict)) else None


def _flat(found: Any) -> list[str]:
    if isinstance(found, dict):
        named = [value for key, value in found.items() if str(key).casefold() in _ANSWER_KEYS]
        if named:
            return _flat(named[-1])
        return [value for inner in found.values() for value in _flat(inner)]
    if isinstance(found, (list, tuple)):
        return [value for inner in found for value in _flat(inner)]
    if found is None:
        return ["null"]
    if isinstance(found, bool):
        return [str(found).lower()]
    return [str(found)]


def _read(text: str, wanted: int) -> list[str]:
    """The values of plain text: lines, or one line taken apart as far as the number of wanted values suggests."""
    lines = _lines(text, wanted)
    if len(lines) != 1 or wanted == 1:
        return lines
    line = lines[0]
    readings = [_split(line, pattern) for pattern in (r"\s*;\s*", r"\s*\|\s*", r"\s*,\s+", r"\s*,\s*")]
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


def _lines(text: str, wanted: int) -> list[str]:
    """Non-empty lines without bullets, introductions and, once there are enough, explaining prose."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        found = [line.strip() for line in paragraph.split("\n") if line.strip(" \t-*_`")]
        enough = len(lines) >= wanted and all(len(line.split()) <= 8 for line in lines)
        shortest = 5 if any(line.endswith(".") for line in lines) else 3
        if enough and found and not _BULLET.match(found[0]) and _sentence(" ".join(found), shortest):
            continue
        for line in found:
            introduces = line.rstrip("* ").endswith(":") and not _BULLET.match(line)
            if not introduces and not (len(lines) >= wanted and _PROSE.match(line)):
                lines.append(line)
    if not lines:
        return [text.strip()]
    numbers = [int(match.group(1)) if (match := _NUMBERED.match(line)) else None for line in lines]
    if any(numbers) and numbers != list(range(1, len(lines) + 1)):
        return [re.sub(r"^\s*[-*+•–—·▪●]\s+", "", line) for line in lines]
    return [_BULLET.sub("", line, count=1) for line in lines]


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
    return re.sub(r"^(?:and|or|&)\s+", "", part, flags=re.IGNORECASE)


def _last_two(part: str) -> list[str]:
    """`B and C` taken apart."""
    return [piece for piece in re.split(r"\s+(?:and|&)\s+", part, maxsplit=1) if piece]


def _after_label(line: str) -> str:
    return re.split(r":\s+|\s+(?:is|are)\s+", line, maxsplit=1)[-1]


def _bare(value: str) -> str:
    """A value without quotes, emphasis and closing punctuation around it."""
    value = value.strip()
    while True:
        before = value
        value = value.strip(" \t\n,;").strip("*_`").strip()
        if len(value) > 1 and value[0] in _QUOTES and value.endswith(_QUOTES[value[0]]):
            value = value[1:-1]
        if value.endswith(('."', ".”", ".'")) or re.search(r"[^.\s]\.$", value):
            value = value[:-1] if value.endswith(".") else value
        if value == before:
            return value
