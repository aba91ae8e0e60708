"""Names of model calls: equal requests have equal ids on every machine, so a finished one is found again.

Prompts are long and there are millions of them: each is written as canonical JSON once, for its hash and for the id.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from tasks.hashing import content_id, sha256
from tasks.serving.chat import ChatRequest, Message


def written(messages: Sequence[Message]) -> bytes:
    """The canonical JSON of messages: keys sorted, no blanks, ASCII."""
    plain = [{"role": message.role, "content": message.content} for message in messages]
    try:
        # Fifty times as fast as json, and the same bytes for ASCII texts without the one control character at its end.
        quick = orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)
        if quick.isascii() and b"\x7f" not in quick:
            return quick
    except TypeError:  # half a character, which only json can write
        pass
    return _canonical(plain)


def prompt_sha256(messages: Sequence[Message] | bytes) -> str:
    """SHA-256 over the canonical JSON of the messages sent; it may be given as `written`."""
    return sha256(messages if isinstance(messages, bytes) else written(messages))


def request_id(
    run_id: str, example_id: str, role: str, position: int, request: ChatRequest, messages: bytes | None = None
) -> str:
    """Id of one request of one example: where in the agent's work it stands, and everything that is asked.

    The served model name is not part of it: the run names the model, and one model goes by several names. `messages`
    are those of the request as `written`. The id is the `content_id` of the first four and the body of the request.
    """
    body = request.body("")
    del body["messages"]
    before = {name: value for name, value in body.items() if name < "messages"}
    after = {name: value for name, value in body.items() if name > "messages"}
    place = _canonical([run_id, example_id, role, position])
    whole = b"".join((
        place[:-1], b",", _canonical(before)[:-1], b',"messages":', messages or written(request.messages), b",",
        _canonical(after)[1:], b"]",
    ))  # fmt: skip
    return sha256(whole)[:32]


def call_id(request: str, attempt: int) -> str:
    """Id of one attempt (from 1) at a request."""
    return content_id(request, attempt)


def _canonical(value: Sequence[Any] | Mapping[str, Any]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str).encode()
