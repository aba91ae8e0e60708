"""MemAgent (arXiv 2507.02259): read section by section, rewrite one memory, answer from it."""

from tasks.memory_agents.agents import Agent, Chat, Options
from tasks.memory_agents.observations import Observations
from tasks.memory_agents.prompts import PromptPack
from tasks.memory_agents.thinking import after_thinking

NOTHING_CHOSEN = Options()


async def answer(
    problem: str, observations: Observations, chat: Chat, prompts: PromptPack, options: Options = NOTHING_CHOSEN
) -> str:
    """The reply to the final question, unchanged; taking the answer out of it is the scorer's work.

    One call a section with the problem, the memory and the observation; the whole reply is the next memory, or what
    follows its last `</think>`. No tag is parsed, so a malformed reply is simply the next memory, and only the limit
    of generated tokens bounds it. Then one call with the problem and the memory. One user message a call, no history.
    """
    memory = prompts.fill("no_memory")
    for position in range(1, len(observations) + 1):
        section = observations.at(position)
        reply = await chat("memory", position, prompts.fill("update", problem=problem, memory=memory, section=section))
        memory = after_thinking(reply)
        observations.save(position, memory)
    return await chat("answer", len(observations) + 1, prompts.fill("final", problem=problem, memory=memory))


MEMAGENT = Agent(
    name="memagent",
    version=1,
    roles={"memory": "memory", "answer": "answer"},
    slots={"no_memory": (), "update": ("problem", "memory", "section"), "final": ("problem", "memory")},
    answer=answer,
)
