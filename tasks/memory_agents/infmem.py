"""InfMem (arXiv 2602.02704): before each section plan a retrieval over the whole context, or stop early.

At each step the model first plans (controller): it calls the search tool, or says STOP. Three consecutive stops end
the reading before the section at hand. Otherwise the section is read together with what was found (memory). A reply
with neither a call nor a STOP reads on with an empty block and starts the count anew, at one.

With thinking each reply takes two requests: the first may think for a budget of tokens and is ended where it was cut
off; the second goes on behind it and is the reply. It is made even if the first held an answer already, as released.
"""

import asyncio
import json
import re
from typing import Any, NamedTuple

from tasks.memory_agents.agents import Agent, Chat, Options
from tasks.memory_agents.observations import Observations
from tasks.memory_agents.prompts import PromptPack
from tasks.memory_agents.thinking import after_thinking, closed
from tasks.memory_agents.units import Units

TOOL = "retrievesearch"
STOP = "STOP"
USUAL_TOP_K = 8

_CALL = re.compile(
    r"✿FUNCTION✿:\s*([^\n]+)\s*✿ARGS✿:\s*([^✿]+?)(?=✿RESULT✿|✿RETURN✿|✿FUNCTION✿|\Z)", re.DOTALL
)  # fmt: skip


class Search(NamedTuple):
    """One call of the search tool."""

    query: str
    top_k: Any
    """What the model wrote; it need not be a number."""


class Plan(NamedTuple):
    """What a controller reply asks for."""

    stop: bool
    called: bool
    """Whether it calls any tool, known or not."""
    searches: list[Search]


async def answer(
    problem: str, observations: Observations, chat: Chat, prompts: PromptPack, options: Options | None = None
) -> str:
    """The reply to the final question with its thinking, unchanged."""
    options = options or Options()
    speaker = _Speaker(chat, prompts, thinks=options.thinking_tokens > 0)
    memory = prompts.fill("no_memory")
    units: Units | None = None
    history: list[Search] = []
    stops = 0
    for position in range(1, len(observations) + 1):
        told = _told(prompts, history, position, len(observations))
        prompt = prompts.fill("plan", problem=problem, history=told, memory=memory)
        plan = planned(await speaker.say("controller", position, prompt, prompts.fill("tools")), problem)
        if not plan.stop:
            stops = 0
        if plan.stop or not plan.called:
            stops += 1
            if stops >= options.early_stop:
                break
        block = ""
        for search in plan.searches:
            history.append(search)
            if units is None:
                # Indexing a million tokens takes seconds: the other examples go on meanwhile.
                units = await asyncio.to_thread(Units, observations, options.retrieval, options.unit_tokens)
            found = units.find(search.query, search.top_k, problem, position)
            block = units.block(
                prompts.fill("retrieved", rank=str(rank), text=text) for rank, text in enumerate(found, start=1)
            )
        section = observations.at(position)
        prompt = prompts.fill("write", problem=problem, retrieved=block, section=section, memory=memory)
        memory = after_thinking(await speaker.say("memory", position, prompt))
        observations.save(position, memory)
    return await speaker.say("answer", len(observations) + 1, prompts.fill("final", problem=problem, memory=memory))


def planned(reply: str, problem: str) -> Plan:
    """What a controller reply asks for, its thinking included: a STOP anywhere counts, in this spelling."""
    if STOP in reply:
        return Plan(True, False, [])
    calls = [(name.strip(), _arguments(written)) for name, written in _CALL.findall(reply)]
    return Plan(False, bool(calls), [_search(written, problem) for name, written in calls if name == TOOL])


def _arguments(written: str) -> str:
    """Arguments without what a model adds behind them."""
    written = written.strip()
    if written.startswith("{") and (end := written.rfind("}")) > 0:
        written = written[: end + 1]
    if written.startswith("```") and (end := written.rfind("\n```")) > 0:
        written = written[: end + 4]
    return written


def _search(written: str, problem: str) -> Search:
    try:
        given = json.loads(written)
        query, top_k = given.get("query", problem), given.get("top_k", USUAL_TOP_K)
    except (ValueError, AttributeError, RecursionError):
        return Search(problem, USUAL_TOP_K)
    return Search(query if isinstance(query, str) else problem, top_k)


def _told(prompts: PromptPack, history: list[Search], step: int, steps: int) -> str:
    """The searches made so far, as the controller is told of them."""
    lines = [
        prompts.fill("history_line", number=str(number), query=repr(search.query), top_k=str(search.top_k))
        for number, search in enumerate(history, start=1)
    ]
    return prompts.fill("history", step=str(step), steps=str(steps)) + "\n".join(lines)


class _Speaker:
    """Replies in one request, or in two with thinking."""

    def __init__(self, chat: Chat, prompts: PromptPack, thinks: bool):
        self._chat = chat
        self._prompts = prompts
        self._thinks = thinks

    async def say(self, role: str, position: int, prompt: str, system: str | None = None) -> str:
        if not self._thinks:
            return await self._chat(role, position, prompt, system=system)
        thought = await self._chat(f"{role}_thinking", position, prompt, system=system)
        thought = closed(thought, self._prompts.fill("time_is_up"))
        reply = await self._chat(role, position, prompt, system=system, start=thought)
        return (thought + reply.strip()).strip()


def _calls(sections: int, options: Options) -> int:
    return (2 * sections + 1) * (2 if options.thinking_tokens else 1)


INFMEM = Agent(
    name="infmem",
    version=1,
    roles={
        "memory": "memory", "answer": "answer", "controller": "controller", "memory_thinking": "thinking",
        "answer_thinking": "thinking", "controller_thinking": "thinking",
    },
    slots={
        "no_memory": (), "plan": ("problem", "history", "memory"), "tools": (), "history": ("step", "steps"),
        "history_line": ("number", "query", "top_k"), "retrieved": ("rank", "text"),
        "write": ("problem", "retrieved", "section", "memory"), "final": ("problem", "memory"), "time_is_up": (),
    },
    answer=answer,
    calls=_calls,
    options=("thinking_tokens", "retrieval", "unit_tokens", "early_stop"),
)  # fmt: skip
