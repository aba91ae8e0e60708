"""What a memory agent is: it sees observations and a chat function, never a method, tokenizer, endpoint or store."""

from collections.abc import Awaitable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from tasks.errors import UserError
from tasks.memory_agents.observations import Observations
from tasks.memory_agents.prompts import PromptPack, Slots


class Chat(Protocol):
    """Sends one user message and gives the reply.

    `role` says what the call is for and so how many tokens may be generated; `position` is the section it belongs to,
    from 1, or sections + 1 for the answer. No two calls of an example may share role and position.
    """

    def __call__(self, role: str, position: int, prompt: str) -> Awaitable[str]:
        """The text generated, unchanged."""
        ...


class Answer(Protocol):
    """Reads the observations and answers the problem."""

    def __call__(self, problem: str, observations: Observations, chat: Chat, prompts: PromptPack) -> Awaitable[str]:
        """The raw final answer. The same replies must lead to the same calls: a run is resumed by replaying them."""
        ...


@dataclass(frozen=True)
class Agent:
    """One memory agent."""

    name: str
    version: int
    """Raise it when the same replies lead to other calls: runs of the old version are not resumed by the new one."""
    roles: tuple[str, ...]
    """Roles of its calls; each has its own token limit."""
    slots: Slots
    """Texts and slots of its prompt packs."""
    answer: Answer


NAMES = ("memagent",)
"""Each is a module of this package that defines an `Agent` of that name in capitals."""


def agent(name: str) -> Agent:
    """The agent called `name`; `UserError` where there is none."""
    if name not in NAMES:
        raise UserError(f"There is no memory agent {name!r}: choose {', '.join(NAMES)}.")
    return getattr(import_module(f"tasks.memory_agents.{name}"), name.upper())
