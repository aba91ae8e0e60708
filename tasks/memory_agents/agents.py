"""What a memory agent is: it sees observations and a chat function, never a method, tokenizer, endpoint or store."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from tasks.errors import UserError
from tasks.memory_agents.observations import Observations
from tasks.memory_agents.prompts import PromptPack, Slots


class Chat(Protocol):
    """Sends one user message and gives the reply.

    `role` says what the call is for and so how many tokens may be generated; `position` is the step of reading that
    it belongs to (`Observations.number`), or the last one + 1 for the final answer. No two equal calls of an example
    may share role and position. A `system` message goes before the user's; the reply goes on behind `start`, the
    beginning of an assistant's message, and does not repeat it.
    """

    def __call__(
        self, role: str, position: int, prompt: str, *, system: str | None = None, start: str | None = None
    ) -> Awaitable[str]:
        """The text generated, unchanged."""
        ...


@dataclass(frozen=True)
class Options:
    """What can be chosen about agents beside prompts and token limits; each agent names those that it heeds."""

    thinking_tokens: int = 0
    """InfMem: tokens of thinking before each reply; 0 for no thinking."""
    retrieval: str = "legacy"
    """InfMem: variant of the unit retrieval, see `tasks.memory_agents.units`."""
    unit_tokens: int = 500
    """InfMem: tokens of a retrieval unit."""
    early_stop: int = 3
    """InfMem: consecutive stops after which reading ends."""
    rereads: int = 3
    """MemReread: rereads at most."""


class Answer(Protocol):
    """Reads the observations and answers the problem."""

    def __call__(
        self, problem: str, observations: Observations, chat: Chat, prompts: PromptPack, options: Options = ...
    ) -> Awaitable[str]:
        """The raw final answer. The same replies must lead to the same calls: a run is resumed by replaying them."""
        ...


@dataclass(frozen=True)
class Agent:
    """One memory agent."""

    name: str
    version: int
    """Raise it when the same replies lead to other calls: runs of the old version are not resumed by the new one."""
    roles: Mapping[str, str]
    """Roles of its calls, each with the token limit that it has: memory, answer, controller or thinking."""
    slots: Slots
    """Texts and slots of its prompt packs."""
    answer: Answer
    calls: Callable[[int, Options], int] = lambda sections, options: sections + 1
    """Calls for a context of so many sections, as far as they can be foreseen."""
    options: tuple[str, ...] = ()
    """Fields of `Options` that it heeds."""

    @property
    def limits(self) -> tuple[str, ...]:
        """Token limits that its calls need, in a fixed order."""
        return tuple(dict.fromkeys(self.roles.values()))


NAMES = ("memagent", "infmem", "memreread", "rememr1")
"""Each is a module of this package that defines an `Agent` of that name in capitals."""


def agent(name: str) -> Agent:
    """The agent called `name`; `UserError` where there is none."""
    if name not in NAMES:
        raise UserError(f"There is no memory agent {name!r}: choose {', '.join(NAMES)}.")
    return getattr(import_module(f"tasks.memory_agents.{name}"), name.upper())
