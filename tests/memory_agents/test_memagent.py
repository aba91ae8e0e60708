"""The loop of MemAgent, step by step (agents.md, section 3.1; equation 1 of the TreeAgent paper)."""

import asyncio

from tasks.memory_agents.memagent import MEMAGENT, answer
from tasks.memory_agents.observations import METHODS, Observations, Section
from tasks.memory_agents.prompts import PromptPack

TEXTS = {
    "no_memory": "No memory yet",
    "update": "U <{problem}> <{memory}> <{section}>",
    "final": "F <{problem}> <{memory}>",
}
PACK = PromptPack("memagent", "test", "own", TEXTS)


def run(sections: list[str], replies: list[str]) -> tuple[str, list[tuple], list[tuple]]:
    calls: list[tuple] = []
    saved: list[tuple] = []

    async def chat(role: str, position: int, prompt: str, **more: object) -> str:
        calls.append((role, position, prompt))
        return replies[len(calls) - 1]

    shown = [Section(text) for text in sections]
    observations = Observations(METHODS["flat"], "How deep?", shown, lambda *_: None, lambda *row: saved.append(row))
    return asyncio.run(answer("How deep?", observations, chat, PACK)), calls, saved


def test_worked_example() -> None:
    raw, calls, saved = run(["s1", "s2"], ["m1", "m2", "7 km"])
    assert calls == [
        ("memory", 1, "U <How deep?> <No memory yet> <s1>"),
        ("memory", 2, "U <How deep?> <m1> <s2>"),
        ("answer", 3, "F <How deep?> <m2>"),
    ]
    assert saved == [(1, "m1", None), (2, "m2", None)]
    assert raw == "7 km"


def test_the_whole_reply_is_the_memory_but_for_thinking() -> None:
    _, calls, _ = run(["s1", "s2"], ["<think>so\nmany</think>\n\n m1 \n", "<memory>m2</memory>", "x"])
    assert calls[1][2] == "U <How deep?> <m1> <s2>"
    assert calls[2][2] == "F <How deep?> <<memory>m2</memory>>"


def test_braces_in_the_data_are_data() -> None:
    _, calls, _ = run(['{"a": {}}'], ["{memory} {section} {0}", "x"])
    assert calls[0][2] == 'U <How deep?> <No memory yet> <{"a": {}}>'
    assert calls[1][2] == "F <How deep?> <{memory} {section} {0}>"


def test_the_raw_answer_is_unchanged() -> None:
    assert run(["s"], ["m", "<think>hm</think> 7 km "])[0] == "<think>hm</think> 7 km "


def test_no_section_at_all_still_gets_an_answer() -> None:
    assert run([], ["nothing"])[1] == [("answer", 1, "F <How deep?> <No memory yet>")]


def test_roles_and_slots_are_those_of_the_released_agent() -> None:
    assert MEMAGENT.roles == {"memory": "memory", "answer": "answer"}
    assert MEMAGENT.slots == {
        "no_memory": (), "update": ("problem", "memory", "section"), "final": ("problem", "memory"),
    }  # fmt: skip
