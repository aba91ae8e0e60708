"""MemAgent (arXiv 2507.02259): read section by section, rewrite one memory, answer from it."""

from collections.abc import Awaitable, Callable

from tasks.memory_agents.observations import Observations
from tasks.memory_agents.prompts import PromptPack

Chat = Callable[[str, int, str], Awaitable[str]]
"""Sends one user message for a role and a position and gives the reply."""

ROLES = ("memory", "answer")


async def memagent(problem: str, observations: Observations, chat: Chat, prompts: PromptPack) -> str:
    """The reply to the final question; answer extraction is the scorer's.

    One call a section with the problem, the memory and the observation; the whole reply is the next memory, or what
    follows its last `</think>`. Then one call with the problem and the memory.
    """
    memory = prompts.no_memory
    for position in range(1, len(observations) + 1):
        section = observations.at(position)
        reply = await chat("memory", position, prompts.update.format(problem=problem, memory=memory, section=section))
        memory = after_thinking(reply)
        observations.save(position, memory)
    return await chat("answer", len(observations) + 1, prompts.final.format(problem=problem, memory=memory))


def after_thinking(reply: str) -> str:
    """What follows the last `</think>`, stripped; the whole reply unchanged where there is none."""
    _, closed, rest = reply.rpartition("</think>")
    return rest.strip() if closed else reply
