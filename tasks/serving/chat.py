"""What goes to a chat endpoint and what comes back, independent of the software that serves it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How a call, or a whole prediction, ended. The same words as the type `outcome` of the database."""

    STOP = "stop"
    LENGTH = "length"
    OVERFLOW = "overflow"
    SERVER_ERROR = "server_error"
    TIMEOUT = "timeout"
    ABORTED = "aborted"
    PARSE_ERROR = "parse_error"
    TOOL_ERROR = "tool_error"
    BUDGET = "budget"
    SKIPPED = "skipped"


FINISHED = frozenset({Outcome.STOP, Outcome.LENGTH})
"""The model has answered: such a call is never sent again."""

BROKEN = frozenset({Outcome.SERVER_ERROR, Outcome.TIMEOUT, Outcome.ABORTED})
"""The serving failed, not the model: worth another try, and a reason to stop when asked to stop on errors."""


@dataclass(frozen=True)
class Message:
    """One chat message."""

    role: str
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """One request for one reply.

    `max_tokens` limits what is generated; prompt and `max_tokens` together must fit the window of the model. A last
    message of the assistant is the start of the reply, which goes on behind it.
    `arguments` are chat template arguments, such as `{"enable_thinking": False}`.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def start(self) -> str | None:
        """The start of the reply that is given; None where there is none."""
        last = self.messages[-1] if self.messages else None
        return last.content if last and last.role == "assistant" else None

    def body(self, model: str) -> dict[str, Any]:
        """The request as the OpenAI chat interface wants it, for the served name `model`."""
        body: dict[str, Any] = {
            "model": model,
            "messages": [{"role": message.role, "content": message.content} for message in self.messages],
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "stream": False,
        }
        if self.start is not None:
            # SGLang heeds the first, vLLM and llama.cpp both; without them a server may begin a new message.
            body["continue_final_message"] = True
            body["add_generation_prompt"] = False
        if self.seed is not None:
            body["seed"] = self.seed
        if self.arguments:
            body["chat_template_kwargs"] = dict(self.arguments)
        return body


@dataclass(frozen=True)
class Usage:
    """Token counts as the server reports them; None where it does not."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True)
class ChatReply:
    """How one attempt at a request ended.

    `text` is what was generated, without a given start and otherwise unchanged (a lone surrogate, which cannot be
    written, becomes U+FFFD); reasoning that the server split off stands
    before it between thinking tags, as the model wrote it. It is empty unless `outcome` is stop or length.
    """

    outcome: Outcome
    started_at: datetime
    """When it was sent: naive UTC."""
    text: str = ""
    finish_reason: str | None = None
    usage: Usage = Usage()
    prompt_tokens: int | None = None
    """Prompt tokens as counted here, chat template included; None without a counter."""
    latency_s: float | None = None
    """Seconds from sending to the last byte; None if nothing was sent."""
    error: str | None = None
    attempt: int = 1
    unusable: bool = False
    """No further request to this endpoint makes sense: it is gone, or it is something else."""

    @property
    def finished(self) -> bool:
        """Whether the model has answered."""
        return self.outcome in FINISHED
