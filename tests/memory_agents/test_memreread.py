"""The loop of MemReread, step by step (agents.md, section 5.2)."""

import asyncio

import pytest

from tasks.memory_agents.agents import Options
from tasks.memory_agents.memreread import answer, open_question
from tasks.memory_agents.prompts import PromptPack
from tests.memory_agents.scripted import Asked, Reading, Script

TEXTS = {
    "no_memory": "none", "update": "READ {problem} | {memory} | {section}", "answer": "ANSWER {problem} | {memory}",
    "decompose": "ASK {problem} | {memory} | {history}", "no_history": "nothing asked",
    "history_line": "{query}={result}",
    "integrate": "JOIN {problem} | {memory} | {subproblem} | {subanswer}",
}  # fmt: skip
PACK = PromptPack("memreread", "test", "own", TEXTS)


def run(texts: list[str], replies: list[str], rereads: int = 3, **more: object) -> tuple[str, Script, Reading]:
    script, reading = Script(replies), Reading(texts, **more)
    raw = asyncio.run(answer("P", reading.observations, script, PACK, Options(rereads=rereads)))
    assert len(script.asked) == len(replies)
    return raw, script, reading


def test_worked_example_with_one_reread() -> None:
    replies = ["m1", "m2", "<query>where is it</query>", "n1", "n2", "<think>t</think>here", "j", "", "A"]
    raw, script, reading = run(["s1", "s2"], replies)
    assert script.asked == [
        Asked("memory", 1, "READ P | none | s1"),
        Asked("memory", 2, "READ P | m1 | s2"),
        Asked("controller", 2, "ASK P | m2 | nothing asked"),
        Asked("memory", 3, "READ where is it | none | s1"),
        Asked("memory", 4, "READ where is it | n1 | s2"),
        Asked("answer", 4, "ANSWER where is it | n2"),
        Asked("integrate", 4, "JOIN P | m2 | where is it | <think>t</think>here"),
        Asked("controller", 4, "ASK P | j | where is it=<think>t</think>here"),
        Asked("answer", 5, "ANSWER P | j"),
    ]
    assert reading.saved == [(1, "m1", None), (2, "m2", None), (3, "n1", None), (4, "n2", None)]
    assert raw == "A"


def test_three_rereads_at_most_and_no_question_after_the_last() -> None:
    reread = ["<query>question {}</query>", "n", "a", "j"]
    replies = ["m", *(part.format(number) for number in range(3) for part in reread), "A"]
    _, script, _ = run(["s"], replies)
    roles = [call.role for call in script.asked]
    assert roles == ["memory", *["controller", "memory", "answer", "integrate"] * 3, "answer"]
    assert [call.position for call in script.asked if call.role == "answer"] == [2, 3, 4, 5]
    assert script.asked[9].prompt == "ASK P | j | question 0=a\nquestion 1=a"


def test_no_reread_is_memagent() -> None:
    _, script, _ = run(["s"], ["<think>t</think> m", "A"], rereads=0)
    assert [call.prompt for call in script.asked] == ["READ P | none | s", "ANSWER P |  m"]


def test_each_reread_keeps_memories_of_its_own_and_retrieves_for_its_question() -> None:
    replies = ["m1", "m2", "<query>where is it</query>", "n1", "n2", "a", "j", "", "A"]
    _, script, reading = run(["s1", "s2"], replies, method="treeagent", links={2: (1,)})
    assert reading.sought == [("P", [(1, "m1")]), ("where is it", [(1, "n1")])]
    assert script.asked[4].prompt.endswith("Notes from earlier sections:\nn1")


@pytest.mark.parametrize(("reply", "query"), [
    ("", None), ("enough", None), ("<query></query>", None), ("<query>short</query>", None),
    ("<query>longer</query>", "longer"), ("<query>{longer}</query>", "longer"),
    ("<query> {{a b c d}} </query>", "{{a b c d}}"),
    ("<query>one\ntwo</query>", "one\ntwo"), ("<query>a b c</query> or <query>d</query>", "a b c</query> or <query>d"),
    ("<query>never closed", None),
])  # fmt: skip
def test_open_questions(reply: str, query: str | None) -> None:
    assert open_question(reply) == query
