"""Names of model calls: equal requests have equal ids on every machine, so a finished one is found again."""

import json
from collections.abc import Sequence

from tasks.hashing import content_id, sha256
from tasks.serving.chat import ChatRequest, Message


def prompt_sha256(messages: Sequence[Message]) -> str:
    """SHA-256 over the canonical JSON of the messages sent."""
    plain = [{"role": message.role, "content": message.content} for message in messages]
    return sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")))


def request_id(run_id: str, example_id: str, role: str, position: int, request: ChatRequest) -> str:
    """Id of one request of one example: where in the agent's work it stands, and everything that is asked.

    The served model name is not part of it: the run names the model, and one model goes by several names.
    """
    return content_id(run_id, example_id, role, position, request.body(""))


def call_id(request: str, attempt: int) -> str:
    """Id of one attempt (from 1) at a request."""
    return content_id(request, attempt)
