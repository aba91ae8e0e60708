"""The loop of InfMem, step by step (agents.md, section 4)."""

import asyncio

import pytest

from tasks.memory_agents.agents import Options
from tasks.memory_agents.infmem import INFMEM, Search, answer, planned
from tasks.memory_agents.prompts import PromptPack
from tests.memory_agents.scripted import Asked, Reading, Script

TEXTS = {
    "no_memory": "none", "plan": "PLAN {problem} | {history} | {memory}", "tools": "TOOLS",
    "history": "{step}/{steps}\n",
    "history_line": "{number}:{query},{top_k}", "retrieved": "#{rank} {text}",
    "write": "WRITE {problem} | {retrieved} | {section} | {memory}", "final": "FINAL {problem} | {memory}",
    "time_is_up": "\nENOUGH</think>\n",
}  # fmt: skip
PACK = PromptPack("infmem", "test", "own", TEXTS)


def call(query: str, top_k: int = 8) -> str:
    return f'✿FUNCTION✿: retrievesearch\n✿ARGS✿: {{"query": "{query}", "top_k": {top_k}}}'


def run(texts: list[str], replies: list[str], method: str = "flat", **chosen: object) -> tuple[str, Script, Reading]:
    script, reading = Script(replies), Reading(texts, method=method)
    options = Options(unit_tokens=2, **chosen)
    raw = asyncio.run(answer("P", reading.observations, script, PACK, options))
    assert len(script.asked) == len(replies)
    return raw, script, reading


def test_worked_example() -> None:
    raw, script, reading = run(["red fox hops over", "blue owl naps"], [call("fox"), "m1", call("blue", 3), "m2", "A"])
    assert script.asked == [
        Asked("controller", 1, "PLAN P | 1/2\n | none", "TOOLS"),
        # four units at most, in order of score; the other ones share nothing and follow in document order
        Asked(
            "memory", 1, "WRITE P | #1 red fox \n\n#2 hops over\n\n#3 blue owl \n\n#4 naps | red fox hops over | none"
        ),
        Asked("controller", 2, "PLAN P | 2/2\n1:'fox',8 | m1", "TOOLS"),
        Asked("memory", 2, "WRITE P | #1 blue owl \n\n#2 red fox \n\n#3 hops over\n\n#4 naps | blue owl naps | m1"),
        Asked("answer", 3, "FINAL P | m2"),
    ]
    assert reading.saved == [(1, "m1", None), (2, "m2", None)]
    assert raw == "A"


def test_the_history_names_every_search() -> None:
    _, script, _ = run(["a", "b", "c"], [call("x"), "m", call("it's", 5), "m", "nothing", "m", "A"])
    assert script.asked[4].prompt == "PLAN P | 3/3\n1:'x',8\n2:\"it's\",5 | m"


def test_three_consecutive_stops_end_the_reading_before_the_section_at_hand() -> None:
    _, script, reading = run(["a"] * 9, ["STOP", "m1", "STOP", "m2", "STOP", "A"])
    assert script.roles() == [
        ("controller", 1), ("memory", 1), ("controller", 2), ("memory", 2), ("controller", 3), ("answer", 10),
    ]  # fmt: skip
    assert script.asked[1].prompt == "WRITE P |  | a | none"
    assert script.asked[-1].prompt == "FINAL P | m2"
    assert len(reading.saved) == 2


def test_anything_but_a_stop_starts_the_count_anew() -> None:
    # a reply without a call counts as one itself, so that it never ends the reading unless early_stop is 1
    replies = ["STOP", "m", "STOP", "m", "well", "m", "STOP", "m", "STOP", "A"]
    _, script, _ = run(["a"] * 6, replies)
    assert script.roles()[-2:] == [("controller", 5), ("answer", 7)]
    _, script, _ = run(["a"] * 4, ["well", "m", "well", "m", "well", "m", "well", "m", "A"])
    assert len(script.asked) == 9
    _, script, _ = run(["a"] * 4, ["well", "A"], early_stop=1)
    assert script.roles() == [("controller", 1), ("answer", 5)]


def test_a_call_between_stops_starts_the_count_anew() -> None:
    _, script, _ = run(["a"] * 5, ["STOP", "m", "STOP", "m", call("a"), "m", "STOP", "m", "STOP", "m", "A"])
    assert script.roles()[-1] == ("answer", 6)


def test_only_the_last_call_is_shown_but_all_are_remembered() -> None:
    replies = [call("red") + "\n" + call("owl"), "m", "no", "m", "no", "m", "A"]
    _, script, _ = run(["red fox", "owl naps", "far away"], replies)
    assert script.asked[1].prompt.startswith("WRITE P | #1 owl naps\n\n#2 red fox\n\n#3 far away | ")
    assert script.asked[2].prompt == "PLAN P | 2/3\n1:'red',8\n2:'owl',8 | m"


def test_thinking_takes_two_requests() -> None:
    replies = ["<think>hm", call("a"), "<think>so</think>w", "m1 \n", "<think>x</think>", "A"]
    raw, script, _ = run(["a"], replies, thinking_tokens=16)
    assert script.roles() == [
        ("controller_thinking", 1), ("controller", 1), ("memory_thinking", 1), ("memory", 1), ("answer_thinking", 2),
        ("answer", 2),
    ]  # fmt: skip
    assert script.asked[0] == Asked("controller_thinking", 1, "PLAN P | 1/1\n | none", "TOOLS", None)
    assert script.asked[1] == Asked("controller", 1, "PLAN P | 1/1\n | none", "TOOLS", "<think>hm\nENOUGH</think>\n")
    # an answer within the first request stays, and the second goes on behind it
    assert script.asked[3].start == "<think>so</think>w"
    assert script.asked[4].prompt == "FINAL P | wm1"
    assert raw == "<think>x</think>A"


def test_a_stop_within_the_thinking_counts() -> None:
    _, script, _ = run(["a"], ["<think>I could STOP here</think>", call("a"), "<think>", "m", "<think>", "A"],
                       thinking_tokens=16)  # fmt: skip
    assert "WRITE P |  | a" in script.asked[3].prompt


@pytest.mark.parametrize(("reply", "stop", "called", "searches"), [
    ("", False, False, []),
    ("stop", False, False, []),
    ("NONSTOP", True, False, []),
    (call("q") + " STOP", True, False, []),
    (call("q"), False, True, [Search("q", 8)]),
    ("✿FUNCTION✿: retrievesearch\n✿ARGS✿: {\"query\": \"q\"} // so\n✿RESULT✿: x", False, True, [Search("q", 8)]),
    ("✿FUNCTION✿: other\n✿ARGS✿: {}", False, True, []),
    ("✿FUNCTION✿: retrievesearch\n✿ARGS✿: q", False, True, [Search("P", 8)]),
    ("✿FUNCTION✿: retrievesearch\n✿ARGS✿: [1]", False, True, [Search("P", 8)]),
    ("✿FUNCTION✿: retrievesearch\n✿ARGS✿: {\"top_k\": \"many\"}", False, True, [Search("P", "many")]),
    ("✿FUNCTION✿: retrievesearch\n✿ARGS✿: {\"query\": 7, \"top_k\": 3}", False, True, [Search("P", 3)]),
    ("✿FUNCTION✿: retrievesearch\n✿ARGS✿: {\"query\": \"a\"}\n✿FUNCTION✿: retrievesearch\n✿ARGS✿: {\"query\": \"b\"}",
     False, True, [Search("a", 8), Search("b", 8)]),
    ("✿FUNCTION✿: retrievesearch", False, False, []),
    ("so ✿FUNCTION✿: retrievesearch\n✿ARGS✿: {\"query\": {\"a\": 1}}✿RETURN✿", False, True, [Search("P", 8)]),
])  # fmt: skip
def test_plans(reply: str, stop: bool, called: bool, searches: list[Search]) -> None:
    assert planned(reply, "P") == (stop, called, searches)


def test_units_leave_paths_and_retrieved_spans_out() -> None:
    script = Script([call("b"), "m1", call("b"), "m2", "A"])
    reading = Reading(["a", "b"], method="treeagent", links={2: (1,)})
    asyncio.run(answer("P", reading.observations, script, PACK, Options(unit_tokens=2)))
    assert script.asked[3].prompt == (
        "WRITE P | #1 a\n\n#2 b | Location: $\n\nb\n\nNotes from earlier sections:\nm1 | m1"
    )
    assert reading.saved[1] == (2, "m2", "m1")


def test_expected_calls() -> None:
    assert INFMEM.calls(5, Options()) == 11
    assert INFMEM.calls(5, Options(thinking_tokens=1024)) == 22
