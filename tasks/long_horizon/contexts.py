"""Context spaces: what stands in each prompt, part by part, so that every token of it is accounted for."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from tasks.serving.chat import Message


class Space(StrEnum):
    """Kinds of context space. Those of HyMem first; the baselines have one context, notes beside it, or threads."""

    PLANNER = "planner"
    EXECUTOR = "executor"
    ISOLATED = "isolated"
    MEMORY = "memory"
    FLAT = "flat"
    NOTES = "notes"
    THREAD = "thread"


class Kind(StrEnum):
    """What a part of a context is to planning (equations 2 and 3).

    The paper's selectors are conceptual. Here planning-relevant are the task, memories, summaries, typed returns and
    the agent's own reasoning and decisions; execution is what tools were asked and said, with every retry. What the
    instructions say belongs to neither, but to the length of the context.
    """

    INSTRUCTION = "instruction"
    PLANNING = "planning"
    EXECUTION = "execution"


class Where(NamedTuple):
    """A turn: in which space, in which instance of it, and which of its turns (both from 1)."""

    space: Space
    session: int
    turn: int


@dataclass(frozen=True)
class Part:
    """A piece of a message."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Turn:
    """One chat message of a context, made of parts that an empty line sets apart."""

    role: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The message as it is sent."""
        return "\n\n".join(part.text for part in self.parts if part.text)


def turn(role: str, *parts: Part) -> Turn:
    """A message of these parts."""
    return Turn(role, parts)


def instruction(text: str) -> Part:
    """A part that says how to work."""
    return Part(Kind.INSTRUCTION, text)


def planning(text: str) -> Part:
    """A part that is relevant to planning."""
    return Part(Kind.PLANNING, text)


def execution(text: str) -> Part:
    """A trace of execution."""
    return Part(Kind.EXECUTION, text)


def messages(turns: Sequence[Turn]) -> list[Message]:
    """The chat messages of a context."""
    return [Message(turn.role, turn.text) for turn in turns]


@dataclass(frozen=True)
class Counter:
    """Counts tokens as the model does."""

    text: Callable[[str], int]
    """Tokens of a text."""
    prompt: Callable[[Sequence[Message]], int]
    """Tokens of chat messages, all that the chat template adds included."""

    def context(self, turns: Sequence[Turn]) -> int:
        """Tokens of the prompt that a context makes."""
        return self.prompt(messages(turns))

    def planning(self, turns: Iterable[Turn]) -> int:
        """Tokens of the parts that are relevant to planning."""
        return sum(self.text(part.text) for turn in turns for part in turn.parts if part.kind is Kind.PLANNING)
