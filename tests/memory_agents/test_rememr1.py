"""The loop of ReMemR1, step by step (agents.md, section 6)."""

import asyncio

import pytest

from tasks.memory_agents.prompts import PromptPack
from tasks.memory_agents.rememr1 import answer, recall_query
from tests.memory_agents.scripted import Asked, Reading, Script

TEXTS = {
    "no_memory": "none", "no_recall": "nothing recalled",
    "update": "READ {problem} | {recalled} | {memory} | {section}", "final": "ANSWER {problem} | {recalled} | {memory}",
}  # fmt: skip
PACK = PromptPack("rememr1", "test", "own", TEXTS)


def run(texts: list[str], replies: list[str]) -> tuple[str, Script, Reading]:
    script, reading = Script(replies), Reading(texts)
    raw = asyncio.run(answer("P", reading.observations, script, PACK))
    assert len(script.asked) == len(replies)
    return raw, script, reading


def test_worked_example() -> None:
    first = "<thinking>t</thinking><update>red fox</update>"
    second = "<update>blue owl sits</update>\n<recall>a fox</recall>"
    third = "<update>grey cat</update><recall>owl</recall>"
    raw, script, reading = run(["s1", "s2", "s3"], [first, second, third, "A"])
    assert script.asked == [
        Asked("memory", 1, "READ P | nothing recalled | none | s1"),
        Asked("memory", 2, f"READ P | nothing recalled | {first} | s2"),
        # the recall is answered with the next section, from memories that hold the newest one
        Asked("memory", 3, f"READ P | {first} | <update>blue owl sits</update> | s3"),
        Asked("answer", 4, "ANSWER P | <update>blue owl sits</update> | <update>grey cat</update>"),
    ]
    assert [row[1] for row in reading.saved] == [first, "<update>blue owl sits</update>", "<update>grey cat</update>"]
    assert raw == "A"


def test_the_newest_memory_competes() -> None:
    _, script, _ = run(["s"], ["fox <recall>fox</recall>", "A"])
    assert script.asked[1].prompt == "ANSWER P | fox | fox"


def test_without_a_query_nothing_is_recalled() -> None:
    _, script, _ = run(["s1", "s2"], ["fox <recall>fox</recall>", "owl", "A"])
    assert script.asked[2].prompt == "ANSWER P | nothing recalled | owl"


def test_every_recall_leaves_the_memory_even_over_lines() -> None:
    _, script, _ = run(["s"], [" a <recall>x</recall> b <recall>\ny\n</recall> ", "A"])
    assert script.asked[1].prompt.endswith("| a  b")


def test_nothing_to_recall_from_is_said_as_released() -> None:
    _, script, _ = run(["s"], ["<recall>fox</recall>", "A"])
    assert script.asked[1].prompt == "ANSWER P | None | "


@pytest.mark.parametrize(("reply", "query"), [
    ("", None), ("<recall></recall>", None), ("<recall>a</recall>", "a"), ("<recall>a\nb</recall>", None),
    ("<recall>a</recall> <recall>b</recall>", "a</recall> <recall>b"), ("<recall>\n<recall>b</recall>", "b"),
])  # fmt: skip
def test_recall_queries(reply: str, query: str | None) -> None:
    assert recall_query(reply) == query
