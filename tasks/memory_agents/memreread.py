"""MemReread (arXiv 2605.10268): read as MemAgent does, then reread everything for what is still missing.

After the first reading the model names one open question (controller), or none. The sections are read again for it
with a fresh memory, answered from that memory, and the answer is integrated into the memory of the first reading; up
to `rereads` times. The memories of a reread are links' sources within that reread only: each has a store of its own,
and under treeagent the spans are retrieved for the open question, which is the problem of that reading.
"""

import re

from tasks.memory_agents.agents import Agent, Chat, Options
from tasks.memory_agents.observations import Observations
from tasks.memory_agents.prompts import PromptPack
from tasks.memory_agents.thinking import parts

SHORTEST_QUERY = 6
"""Characters of an open question; anything shorter means that none is left."""

_QUERY = re.compile(r"<query>(.+)</query>", re.DOTALL)


async def answer(
    problem: str, observations: Observations, chat: Chat, prompts: PromptPack, options: Options | None = None
) -> str:
    """The reply to the final question, unchanged."""
    options = options or Options()
    memory = await _read(problem, observations, chat, prompts)
    reading = observations
    history: list[str] = []
    for _ in range(options.rereads):
        last = reading.number(len(reading))
        told = "\n".join(history) or prompts.fill("no_history")
        reply = await chat(
            "controller", last, prompts.fill("decompose", problem=problem, memory=memory, history=told)
        )  # fmt: skip
        query = open_question(reply)
        if query is None:
            break
        reading = reading.again(query)
        found = await _read(query, reading, chat, prompts)
        last = reading.number(len(reading))
        result = await chat("answer", last, prompts.fill("answer", problem=query, memory=found))
        integrate = prompts.fill("integrate", problem=problem, memory=memory, subproblem=query, subanswer=result)
        memory = parts(await chat("integrate", last, integrate)).rest
        history.append(prompts.fill("history_line", query=query, result=result))
    last = reading.number(len(reading))
    return await chat("answer", last + 1, prompts.fill("answer", problem=problem, memory=memory))


async def _read(problem: str, observations: Observations, chat: Chat, prompts: PromptPack) -> str:
    memory = prompts.fill("no_memory")
    for position in range(1, len(observations) + 1):
        section = observations.at(position)
        prompt = prompts.fill("update", problem=problem, memory=memory, section=section)
        memory = parts(await chat("memory", observations.number(position), prompt)).rest
        observations.save(position, memory)
    return memory


def open_question(reply: str) -> str | None:
    """The question between the first `<query>` and the last `</query>`; None where there is none worth asking."""
    found = _QUERY.search(reply)
    query = found.group(1).lstrip("{").rstrip("}").strip() if found else ""
    return query if len(query) >= SHORTEST_QUERY else None


MEMREREAD = Agent(
    name="memreread",
    version=1,
    roles={"memory": "memory", "answer": "answer", "controller": "controller", "integrate": "memory"},
    slots={
        "no_memory": (), "update": ("problem", "memory", "section"), "answer": ("problem", "memory"),
        "decompose": ("problem", "memory", "history"), "no_history": (), "history_line": ("query", "result"),
        "integrate": ("problem", "memory", "subproblem", "subanswer"),
    },
    answer=answer,
    options=("rereads",),
)  # fmt: skip
