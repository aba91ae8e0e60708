"""A chat whose replies are written down, so that a test shows the whole conversation of an agent."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tasks.memory_agents.observations import METHODS, Observations, Section


class Asked(NamedTuple):
    """One call as the agent made it."""

    role: str
    position: int
    prompt: str
    system: str | None = None
    start: str | None = None


class Script:
    """Gives the replies in order; a function is asked for its reply."""

    def __init__(self, replies: Sequence[str]):
        self.replies = list(replies)
        self.asked: list[Asked] = []

    async def __call__(self, role: str, position: int, prompt: str, *, system=None, start=None) -> str:
        self.asked.append(Asked(role, position, prompt, system, start))
        return self.replies[len(self.asked) - 1]

    def roles(self) -> list[tuple[str, int]]:
        return [(call.role, call.position) for call in self.asked]


class Reading:
    """Observations of `texts` under a method, with what was remembered and retrieved."""

    def __init__(self, texts: Sequence[str], problem: str = "P", method: str = "flat", links: dict | None = None):
        self.saved: list[tuple] = []
        self.sought: list[tuple] = []
        links = links or {}
        sections = [Section(text, "$", None, tuple(links.get(n, ()))) for n, text in enumerate(texts, start=1)]
        ends: Callable = words
        self.observations = Observations(
            METHODS[method], problem, sections, self._retrieve, lambda *row: self.saved.append(row), ends
        )

    def _retrieve(self, question, memories):
        self.sought.append((question, list(memories)))
        return "; ".join(text for _, text in memories) or None


def words(text: str) -> list[int]:
    """A tokenizer for tests: each blank ends a token, and so does the text."""
    ends = [number + 1 for number, character in enumerate(text) if character == " "]
    return ends if not text or text.endswith(" ") else [*ends, len(text)]
