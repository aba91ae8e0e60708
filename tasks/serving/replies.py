"""What an HTTP response of a chat endpoint means: a reply, or which kind of failure."""

import re
from dataclasses import replace
from typing import Any

import httpx

from tasks.serving.chat import ChatReply, Outcome, Usage
from tasks.serving.retrying import Again

FINISH_REASONS = {
    "stop": Outcome.STOP,
    "eos": Outcome.STOP,
    "eos_token": Outcome.STOP,
    "stop_sequence": Outcome.STOP,
    "tool_calls": Outcome.STOP,
    "length": Outcome.LENGTH,
    "max_tokens": Outcome.LENGTH,
    "abort": Outcome.ABORTED,
    "content_filter": Outcome.ABORTED,
}
"""Finish reasons of OpenAI, SGLang, llama.cpp and vLLM."""

OVERFLOW = re.compile(
    r"exceed_context_size|exceeds the available context|context[ _]length|context window"
    r"|requested token count exceeds|longer than the model|(prompt|input) is too long"
    r"|max_completion_tokens is too large",
    re.IGNORECASE,
)
"""How servers say that a prompt does not fit: llama.cpp; SGLang, vLLM and OpenAI; others."""


_LONE = re.compile("[\ud800-\udfff]")
"""Half a character, which JSON can say and no encoding can write: it could be neither kept nor sent on."""


def classify(response: httpx.Response, reply: ChatReply) -> tuple[ChatReply, Again, float | None]:
    """`reply` completed by what `response` says, whether to try again, and the pause that the server names."""
    status = response.status_code
    if status == 200:
        return _answered(response, reply), Again.NO, None
    error = f"status {status}: {_message(response)}"
    if status in (400, 413, 422) and OVERFLOW.search(response.text):
        return replace(reply, outcome=Outcome.OVERFLOW, error=error), Again.NO, None
    failed = replace(reply, outcome=Outcome.SERVER_ERROR, error=error)
    if status == 429 or status == 503:
        return failed, Again.BUSY, _retry_after(response)
    if status >= 500 or status == 408:
        return failed, Again.FAILED, _retry_after(response)
    if status in (400, 413, 422):
        return failed, Again.NO, None
    return replace(failed, unusable=True), Again.NO, None


def _answered(response: httpx.Response, reply: ChatReply) -> ChatReply:
    try:
        body = response.json()
    except (ValueError, RecursionError):
        if response.text.lstrip().startswith("<") or "html" in response.headers.get("content-type", ""):
            error = f"a web page came instead of JSON ({_excerpt(response.text)})"
            return replace(reply, outcome=Outcome.SERVER_ERROR, error=error, unusable=True)
        error = f"the reply is not JSON ({_excerpt(response.text)})"
        return replace(reply, outcome=Outcome.SERVER_ERROR, error=error)
    try:
        choice = body["choices"][0]
        message = choice["message"]
        reason = choice["finish_reason"]
        content, reasoning = _text(message.get("content")), _text(_reasoning(message))
    except (KeyError, IndexError, TypeError, AttributeError):
        error = f"the reply is no chat completion ({_excerpt(response.text)})"
        return replace(reply, outcome=Outcome.SERVER_ERROR, error=error)
    outcome = FINISH_REASONS.get(str(reason))
    usage = _usage(body.get("usage"))
    if outcome is None:
        error = f"unknown finish reason {reason!r}"
        return replace(reply, outcome=Outcome.SERVER_ERROR, error=error, finish_reason=str(reason), usage=usage)
    if outcome is Outcome.ABORTED:
        error = f"the server ended it (finish reason {reason})"
        return replace(reply, outcome=outcome, error=error, finish_reason=reason, usage=usage)
    text = _joined(content, reasoning, outcome)
    return replace(reply, outcome=outcome, text=text, finish_reason=str(reason), usage=usage)


def _joined(content: str, reasoning: str, outcome: Outcome) -> str:
    """One text of content and split-off reasoning, as the model wrote it.

    A reasoning parser that sees no closing tag files everything under reasoning. If the model ended by itself that
    was its answer; if the limit cut it off, it was still thinking.
    """
    if not reasoning:
        return content
    if content:
        return f"<think>\n{reasoning}\n</think>\n\n{content}"
    return reasoning if outcome is Outcome.STOP else f"<think>\n{reasoning}"


def _reasoning(message: dict[str, Any]) -> Any:
    """Reasoning that a server split off: SGLang, llama.cpp and older vLLM name it otherwise than newer vLLM."""
    return message.get("reasoning_content") or message.get("reasoning")


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError("content is no text")
    return _LONE.sub("\ufffd", value)


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(cached))


def _count(value: Any) -> int | None:
    """A number of tokens; None where it can be none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def _message(response: httpx.Response) -> str:
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return _excerpt(response.text)
    error = body.get("error", body) if isinstance(body, dict) else body
    text = error.get("message") if isinstance(error, dict) else error
    return _excerpt(str(text or body))


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:157] + "..."


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds of a Retry-After header; a date or nonsense counts as none."""
    try:
        return max(0.0, float(response.headers["retry-after"]))
    except (KeyError, ValueError):
        return None
