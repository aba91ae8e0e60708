"""Responses as servers send them: what each means."""

import json
from datetime import datetime

import httpx
import pytest

from tasks.serving.chat import ChatReply, Outcome
from tasks.serving.replies import classify
from tasks.serving.retrying import Again

SENT = ChatReply(Outcome.STOP, datetime(2026, 12, 1))

LLAMA = {
    "choices": [{"finish_reason": "length", "message": {"role": "assistant", "content": "I'm glad you're"}}],
    "object": "chat.completion",
    "usage": {"completion_tokens": 5, "prompt_tokens": 32, "prompt_tokens_details": {"cached_tokens": 0}},
}


def completion(reason: str | None = "stop", **message: object) -> dict:
    return {"choices": [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", **message}}]}


def read(status: int, body: object, headers: dict | None = None) -> tuple[ChatReply, Again, float | None]:
    if isinstance(body, str):
        return classify(httpx.Response(status, text=body, headers=headers), SENT)
    return classify(httpx.Response(status, content=json.dumps(body).encode(), headers=headers), SENT)


def test_a_reply_of_llama_cpp() -> None:
    reply, again, _ = read(200, LLAMA)
    assert (reply.outcome, reply.text, again) == (Outcome.LENGTH, "I'm glad you're", Again.NO)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.cached_tokens) == (32, 5, 0)


@pytest.mark.parametrize(("body", "outcome", "text"), [
    (completion(content="x"), Outcome.STOP, "x"),
    (completion(content=""), Outcome.STOP, ""),
    (completion(content=None), Outcome.STOP, ""),
    (completion("eos", content="x"), Outcome.STOP, "x"),
    (completion("length", content="x"), Outcome.LENGTH, "x"),
    (completion(content="x", reasoning_content=None), Outcome.STOP, "x"),
    (completion(content="x", reasoning_content="why"), Outcome.STOP, "<think>\nwhy\n</think>\n\nx"),
    (completion(content=None, reasoning_content="x"), Outcome.STOP, "x"),
    (completion(content=None, reasoning="x"), Outcome.STOP, "x"),
    (completion(content="x", reasoning="why", reasoning_content="why"), Outcome.STOP, "<think>\nwhy\n</think>\n\nx"),
    (completion(content="\ud83d"), Outcome.STOP, "\ufffd"),
    (completion(content="\U0001f600"), Outcome.STOP, "\U0001f600"),
    (completion("length", content="", reasoning_content="why"), Outcome.LENGTH, "<think>\nwhy"),
])  # fmt: skip
def test_text_is_what_the_model_wrote(body: dict, outcome: Outcome, text: str) -> None:
    reply, _, _ = read(200, body)
    assert (reply.outcome, reply.text) == (outcome, text)
    assert reply.finished


@pytest.mark.parametrize("body", [
    completion("abort", content="half"), completion("content_filter", content=""),
])  # fmt: skip
def test_a_generation_that_the_server_ends_is_aborted(body: dict) -> None:
    reply, again, _ = read(200, body)
    assert (reply.outcome, reply.text, again) == (Outcome.ABORTED, "", Again.NO)


@pytest.mark.parametrize(("status", "message"), [
    (400, {"error": {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9031, "n_ctx": 8192,
           "message": "request (9031 tokens) exceeds the available context size (8192 tokens), try increasing it"}}),
    (400, {"object": "error", "type": "BadRequestError", "code": 400,
           "message": "The input (40000 tokens) is longer than the model's context length (32768 tokens)."}),
    (400, {"object": "error", "type": "BadRequestError", "code": 400,
           "message": "Requested token count exceeds the model's maximum context length of 32768 tokens."}),
    (400, {"error": {"code": "context_length_exceeded",
                     "message": "This model's maximum context length is 8192 tokens."}}),
    (400, {"object": "error", "type": "BadRequestError", "code": 400,
           "message": "max_completion_tokens is too large: 9000.This model supports at most 8192 completion tokens."}),
    (413, {"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
])  # fmt: skip
def test_overflow_as_servers_say_it(status: int, message: dict) -> None:
    reply, again, _ = read(status, message)
    assert (reply.outcome, again, reply.unusable) == (Outcome.OVERFLOW, Again.NO, False)


@pytest.mark.parametrize(("status", "again", "unusable"), [
    (429, Again.BUSY, False), (503, Again.BUSY, False), (500, Again.FAILED, False), (502, Again.FAILED, False),
    (504, Again.FAILED, False), (408, Again.FAILED, False), (400, Again.NO, False), (422, Again.NO, False),
    (401, Again.NO, True), (404, Again.NO, True), (405, Again.NO, True), (301, Again.NO, True),
])  # fmt: skip
def test_failing_statuses(status: int, again: Again, unusable: bool) -> None:
    reply, found, _ = read(status, {"error": {"message": "why not"}})
    assert (reply.outcome, found, reply.unusable) == (Outcome.SERVER_ERROR, again, unusable)
    assert reply.error == f"status {status}: why not"


@pytest.mark.parametrize(("body", "unusable"), [
    ("<!doctype html><title>Welcome</title>", True),
    ("<html>", True),
    ('{"choices": [{"mess', False),
    ("", False),
    ({"object": "error", "message": "no choices"}, False),
    ({"choices": []}, False),
    ({"choices": [{"message": {"content": ["x"]}, "finish_reason": "stop"}]}, False),
    ([1, 2], False),
    (completion("invented", content="x"), False),
    (completion(None, content="x"), False),
])  # fmt: skip
def test_what_is_no_chat_completion(body: object, unusable: bool) -> None:
    reply, again, _ = read(200, body)
    assert (reply.outcome, again, reply.unusable) == (Outcome.SERVER_ERROR, Again.NO, unusable)
    assert reply.error
    assert len(reply.error) < 250


@pytest.mark.parametrize(("value", "seconds"), [("3", 3.0), ("0.5", 0.5), ("-1", 0.0),
                                                ("Wed, 21 Oct 2026 07:28:00 GMT", None)])  # fmt: skip
def test_retry_after(value: str, seconds: float | None) -> None:
    assert read(429, {}, {"Retry-After": value})[2] == seconds
