"""Released prompts of the memory agents, out of the user's own copies of their repositories."""

from collections.abc import Sequence
from pathlib import Path

from tasks.memory_agents.agents import agent
from tasks.memory_agents.prompts import wrong
from tasks.upstream import importing


def import_prompts(name: str, places: Sequence[Path]) -> list[Path]:
    """Store every pack of the agent `name` whose files are among `places`; raises as the general import does."""
    chosen = agent(name)
    return importing.import_prompts(name, places, lambda texts: wrong(texts, chosen.slots))
