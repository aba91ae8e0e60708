r"""From the text of a final answer to the list of values it gives (appendix C.4 of the TreeAgent paper).

The prompt asks for the values alone, one a line. Models add thinking, a marker such as "the answer is" or
`\boxed{}`, bullets, JSON, quotes, labels or a sentence, so the text is narrowed down in that order. How many values
the question asks for, which it says in words, decides between readings such as "A, B and C" being one value or three;
the expected values themselves are never looked at here.
"""

import re

from tasks.scoring.lines import bare, read
from tasks.scoring.structures import structured

THINKING = r"(?:think|thinking|thought|reasoning)"
_OPEN = re.compile(rf"<{THINKING}>", re.IGNORECASE)
_CLOSE = re.compile(rf"</{THINKING}>", re.IGNORECASE)

LONGEST = 50_000
"""Characters of a final answer: a longer one holds more than the requested values, which makes it malformed."""
_BLANKS = re.compile(r"([ \t\u00a0])\1{7,}")
"""Runs of a blank: two say as much, and patterns are quick over them."""

_TAG = r"(?:answer|final_answer|final|result|output)"
_TAGGED = re.compile(rf"<{_TAG}>(.*?)(?:</{_TAG}>|\Z)", re.IGNORECASE | re.DOTALL)
_STRAY = re.compile(rf"</{_TAG}>|<\|[^|<>\n]*\|>|</?s>|[\0\u200b\u2060\ufeff]", re.IGNORECASE)
"""A closing tag whose opening one stood in the prompt, a chat template's own marks, signs of no width."""
_BREAK = re.compile(r"<br\s*/?>|</(?:li|p|tr|div)>", re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:ul|ol|li|p|table|tbody|tr|div)>", re.IGNORECASE)
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_MARKER = re.compile(
    r"\b(?:the\s+)?(?:(?:final|correct|requested)\s+)?answers?\s*(?:(?:is|are|would\s+be)\b\s*:?|[:：])[ \t]*"
    r"|\bthe\s+(?:(?:final|correct|requested)\s+)?values?\s+(?:is|are)\b\s*:?[ \t]*"
    r"|答案(?:[是为]\s*[:：]?|[:：])[ \t]*",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_AFTERTHOUGHT = re.compile(r"(?<=[.!])\s+(?=(?:This|These|It|Because|Since|Note|Explanation|I|Therefore|Let)\b.*\s)")


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
    if not answer or len(answer) > LONGEST:
        return None
    answer = _unfenced(_marked(_BLANKS.sub(r"\1\1", answer), wanted))
    answer = _BLOCK.sub("", _BREAK.sub("\n", _STRAY.sub("", answer))).strip()
    found = structured(answer, wanted) if answer else []
    if found is None:
        found = read(answer, wanted)
    kept = [value for value in map(bare, found) if value]
    if wanted == 1 and len(set(map(str.casefold, kept))) == 1:
        kept = kept[:1]
    return kept or None


def _marked(text: str, wanted: int) -> str:
    r"""The part of the text that a marker points at: `\boxed{}`, `<answer>`, or "the answer is"; else all of it.

    The last one counts, as a model corrects itself, unless each of several wanted values has a marker of its own.
    """
    boxes = _boxes(text)
    if boxes:
        last = [content for line, content in boxes if line == boxes[-1][0]]
        return "\n".join(content for _, content in boxes) if len(boxes) == wanted else "\n".join(last)
    tagged = _TAGGED.findall(text)
    if tagged:
        return "\n".join(tagged) if len(tagged) == wanted else tagged[-1].strip()
    text = _EMPHASIS.sub(r"\2", text)
    marked = [match for match in _MARKER.finditer(text) if text[match.end() :].strip()]
    if len(marked) == wanted > 1:
        ends = [*(match.start() for match in marked[1:]), len(text)]
        each = [_block(text[match.end() : end]) for match, end in zip(marked, ends, strict=True)]
        if not any("\n" in value for value in each):
            return "\n".join(each)
    return _block(text[marked[-1].end() :]) if marked else text


def _block(text: str) -> str:
    """What follows a marker, without an afterthought on the same line."""
    first, *rest = text.strip().split("\n")
    return "\n".join([_AFTERTHOUGHT.split(first, maxsplit=1)[0], *rest])


def _boxes(text: str) -> list[tuple[int, str]]:
    r"""Contents of the balanced `\boxed{...}` and `\fbox{...}`, each with the number of its line."""
    found: list[tuple[int, str]] = []
    closing = _closing(text)
    for match in re.finditer(r"\\(?:boxed|fbox)\s*(\{)?", text):
        if match.group(1):
            end = closing.get(match.end() - 1)
            content = None if end is None else text[match.end() : end]
        else:
            content = re.split(r"[$\n]", text[match.end() :], maxsplit=1)[0].strip()
        if content is not None:
            found.append((text.count("\n", 0, match.start()), _without_latex(content)))
    return found


def _closing(text: str) -> dict[int, int]:
    """Places of opening braces, each with that of the one that closes it."""
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for match in re.finditer(r"[{}]", text):
        if match[0] == "{":
            opened.append(match.start())
        elif opened:
            pairs[opened.pop()] = match.start()
    return pairs


def _without_latex(text: str) -> str:
    text = re.sub(r"\\(?:text|mathrm|textbf|mathbf|mbox)\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\\\\", "\n", text)
    text = re.sub(r"\\([%$#&_{}])", r"\1", text)
    return re.sub(r"\\(?:quad|qquad|,|;|:|!|\s)", " ", text).strip(" $")


def _unfenced(text: str) -> str:
    fences = _FENCE.findall(text)
    return fences[-1].strip() if fences else text.strip()
