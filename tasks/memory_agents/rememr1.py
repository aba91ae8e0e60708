"""ReMemR1 (arXiv 2509.23040): MemAgent that may call an earlier memory back into view.

The reply to a section is thinking, an update, and at most one `<recall>` query. The next memory is the whole reply
without its recall queries, tags included. It joins the history before the query is answered, so the newest memory
competes; what is recalled is shown with the next section, and after the last one with the final question.
"""

import re

from tasks.memory_agents.agents import Agent, Chat, Options
from tasks.memory_agents.observations import Observations
from tasks.memory_agents.prompts import PromptPack
from tasks.memory_agents.recall import History

_RECALL = re.compile(r"<recall>.*?</recall>", re.DOTALL)
_QUERY = re.compile(r"<recall>(.+)</recall>")


async def answer(
    problem: str, observations: Observations, chat: Chat, prompts: PromptPack, options: Options | None = None
) -> str:
    """The reply to the final question, unchanged."""
    memory, recalled = prompts.fill("no_memory"), prompts.fill("no_recall")
    history = History(observations.pieces)
    for position in range(1, len(observations) + 1):
        section = observations.at(position)
        prompt = prompts.fill("update", problem=problem, recalled=recalled, memory=memory, section=section)
        reply = await chat("memory", position, prompt)
        memory = _RECALL.sub("", reply).strip()
        observations.save(position, memory)
        history.add(memory)
        query = recall_query(reply)
        recalled = prompts.fill("no_recall") if query is None else str(history.best(query))
    last = prompts.fill("final", problem=problem, recalled=recalled, memory=memory)
    return await chat("answer", len(observations) + 1, last)


def recall_query(reply: str) -> str | None:
    """What stands between the first `<recall>` and the last `</recall>` of the first line that has both."""
    found = _QUERY.search(reply)
    return found.group(1) if found else None


REMEMR1 = Agent(
    name="rememr1",
    version=1,
    roles={"memory": "memory", "answer": "answer"},
    slots={
        "no_memory": (), "no_recall": (), "update": ("problem", "recalled", "memory", "section"),
        "final": ("problem", "recalled", "memory"),
    },
    answer=answer,
)  # fmt: skip
