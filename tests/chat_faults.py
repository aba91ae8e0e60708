"""How the stand-in chat server misbehaves: which requests a fault strikes, and what it does to them.

Faults (`--fault KIND[:first=N|every=N|at=N|for=SECONDS|with=TEXT]`, repeatable, or POST /control with a list of them):
    hang        never answers                   500, 429, 503, 400   answers with that status (429: Retry-After 0.2)
    half        breaks off in mid-response      close                closes the connection unanswered
    html        a web page with status 200      notjson              broken JSON with status 200
    overflow    400, context exceeded           empty                empty content
    reasoning   content in the reasoning field  length               finish reason length
    abort       finish reason abort             miscount             one prompt token too many in the usage
    slow        answers after two seconds       nochoices            JSON without choices
    die         ends the process at once        reset                resets the connection
    drip        a byte every 50 ms              badgzip              no gzip where the header says so
    plain       JSON as text/html               latin1               JSON that is not UTF-8
    surrogate   half a character in the text    nul                  control characters in the text
    giant       64 MB of text                   bomb                 50 MB of text, compressed to 50 kB
    deep        200,000 brackets                garbage              no HTTP at all
    usage=JSON  this usage                      vllm                 content in vLLM's new reasoning field
"""

import os
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

OVERFLOW = {"error": {"code": 400, "type": "exceed_context_size_error",
                      "message": "request (9031 tokens) exceeds the available context size (8192 tokens)"}}  # fmt: skip


@dataclass
class Fault:
    """`kind` strikes the first `first` requests, every `every`-th, the `at`-th (from 1), those with `text` in their
    last message, or until a time.
    """

    kind: str
    first: int | None = None
    every: int | None = None
    at: int | None = None
    until: float | None = None
    text: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Fault":
        kind, _, when = (text, "", "") if text.startswith("usage=") else text.partition(":")
        name, _, number = when.partition("=")
        if name == "for":
            return cls(kind, until=time.monotonic() + float(number))
        if name == "with":
            return cls(kind, text=number)
        return cls(kind, **{name: int(number)} if name else {})

    def strikes(self, number: int, prompt: str) -> bool:
        if self.text is not None:
            return self.text in prompt
        if self.first is not None:
            return number <= self.first
        if self.every is not None:
            return number % self.every == 0
        if self.at is not None:
            return number == self.at
        return self.until is None or time.monotonic() < self.until


def drop(handler: Any) -> None:
    handler.close_connection = True


def reset(handler: Any) -> None:
    """With no time to linger, closing sends RST instead of FIN."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def garbage(handler: Any) -> None:
    handler.close_connection = True
    handler.wfile.write(b"\x00\x01 nonsense\r\n\r\n")


INSTEAD: dict[str, Callable[[Any], None]] = {
    "hang": lambda handler: time.sleep(3600),
    "die": lambda handler: os._exit(9),
    "429": lambda handler: handler.send(429, {"error": {"message": "too many requests"}}, {"Retry-After": "0.2"}),
    "overflow": lambda handler: handler.send(400, OVERFLOW),
    "html": lambda handler: handler.send(200, "<!doctype html><title>Welcome to nginx!</title>", kind="text/html"),
    "notjson": lambda handler: handler.send(200, '{"choices": [{"mess'),
    "deep": lambda handler: handler.send(200, "[" * 200_000),
    "nochoices": lambda handler: handler.send(200, {"object": "error", "message": "no choices"}),
    "garbage": garbage,
    "close": drop,
    "reset": reset,
}
"""What is sent instead of an answer."""

SPOILT = ("abort", "half", "latin1", "badgzip", "giant", "bomb", "drip")
"""Answers that no client can use: they do not count as answered."""


def instead(kind: str | None) -> Callable[[Any], None] | None:
    """What a fault sends instead of an answer; None where there is an answer."""
    if kind and kind.isdigit() and kind not in INSTEAD:
        return lambda handler: handler.send(int(kind), {"error": {"message": f"status {kind} on demand"}})
    return INSTEAD.get(kind or "")


def text(kind: str | None, reply: str) -> str:
    """What the model says: its reply, or what a fault makes of it."""
    match kind:
        case "surrogate":
            return "half \ud83d of a smile"
        case "nul":
            return "a\0b\x1b[31m\u2028c"
        case "giant":
            return "a" * 2**26
        case "bomb":
            return "a" * 50_000_000
    return reply


def message(kind: str | None, text: str) -> dict[str, Any]:
    """The assistant's message, with the text where the fault puts it."""
    if kind == "vllm":
        return {"role": "assistant", "content": None, "reasoning": text}
    if kind == "reasoning":
        return {"role": "assistant", "content": None, "reasoning_content": text}
    return {"role": "assistant", "content": "" if kind == "empty" else text}
