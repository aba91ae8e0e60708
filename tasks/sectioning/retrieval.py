"""Span retrieval over residual links (appendix A.3): which lines of earlier memories share words with the question."""

import re
from collections import Counter
from collections.abc import Sequence

from tasks.tokens.tokenizer import Tokenizer

SPANS = 4
"""Most spans that one section gets."""

SPAN_TOKENS = 96
"""Tokens that a span is cut to."""

FUNCTION_WORDS = frozenset(
    """
    a an and any are as at be been but by can could did do does each for from had has have how i if in into is it
    its many me much my no nor not of on or our shall she should so some such than that the their them then there
    these they this those to was we were what when where which who whom whose why will with would you your
    """.split()
)
"""Words that say nothing of the subject. The paper fixes a set without printing it; this one is the project's own."""

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BOUNDARY = re.compile(r"\n+|(?<=[.!?。！？])\s+")


def terms(text: str) -> Counter[str]:
    """Lower-case terms with their counts: camel case and underscores split, function words left out."""
    words = (part.lower() for word in _WORD.findall(text) for part in _CAMEL.split(word))
    return Counter(word for word in words if word and word not in FUNCTION_WORDS)


def score(span: Counter[str], question: Counter[str]) -> float:
    """Equation A.3: shared term counts, and a quarter for each shared term."""
    shared = span.keys() & question.keys()
    return sum(min(span[word], question[word]) for word in shared) + 0.25 * len(shared)


def spans(memory: str) -> list[str]:
    """`memory` divided at line and sentence boundaries."""
    return [part.strip() for part in _BOUNDARY.split(memory) if part.strip()]


def retrieve(
    question: str,
    memories: Sequence[tuple[int, str]],
    tokenizer: Tokenizer,
    k: int = SPANS,
    limit: int = SPAN_TOKENS,
) -> str | None:
    """The best spans of the linked memories `(section position, text)`, one a line; None if no span shares a word.

    Ranked by score, ties by source position, then by order in the memory; at most `k`, each cut to `limit` tokens.
    """
    wanted = terms(question)
    ranked = sorted(
        (-value, position, order, span)
        for position, memory in dict(memories).items()
        for order, span in enumerate(spans(memory))
        if (value := score(terms(span), wanted)) > 0
    )
    kept = (_cut(span, tokenizer, limit) for *_, span in ranked[:k])
    return "\n".join(filter(None, kept)) or None


def _cut(span: str, tokenizer: Tokenizer, limit: int) -> str:
    """The longest beginning of `span` that ends with one of its tokens and has at most `limit` tokens by itself."""
    ends = tokenizer.ends(span)
    if len(ends) <= limit:
        return span
    # Cut inside a character or a piece, the beginning alone may have more tokens than it had in the span.
    beginnings = (span[:end] for end in reversed(ends[:limit]))
    return next((beginning for beginning in beginnings if tokenizer.count(beginning) <= limit), "")
