"""Replies that no honest model writes: each is read in one pass, and leaves rows that can be loaded."""

import asyncio
import json
import re
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.home import Home
from tasks.long_horizon import actions
from tasks.long_horizon.arguments import recordable, whole
from tasks.long_horizon.flat.thread_code import MOST, run
from tasks.long_horizon.frameworks import framework
from tasks.long_horizon.messages import Results, Unreadable
from tasks.long_horizon.tools.sandbox import sandbox
from tests.long_horizon.scripted import Script, call, rows, session, tools

MANY = 100_000
"""So many that a reading in quadratic time meets the time limit of a test."""

READERS = (
    actions.planner_action, actions.isolated_action, partial(actions.executor_action, style="json"),
    partial(actions.executor_action, style="code"), partial(actions.flat_action, style="json"), actions.thinking,
    actions.without_thinking,
)  # fmt: skip


@pytest.mark.parametrize("reply", [
    "<think>" * MANY, "</think>" * MANY, "<think></think>" * MANY, "<task>" * MANY, "<tool_call>" * MANY,
    "<isoReason>" + "<description>" * MANY + "</isoReason>", "<isoReason>" + "<prompt>" * MANY + "</isoReason>",
    "<answer>x</answer>" + "<confidence>" * MANY, "<results>\nFINDINGS: x\n" + "-" * MANY + "\n</results>",
    "<results>" + "- * " * MANY + "</results>", "<return>\n" + "** __ ## " * MANY + "</return>", " " * MANY,
    "<results>" + "FINDINGS:\n" * MANY + "</results>", "<code>" + "`" * MANY + "</code>",
    "<tool_call>" + "[" * MANY + "</tool_call>",
], ids=lambda reply: repr(reply[:30]))  # fmt: skip
def test_tags_and_marks_in_their_thousands(reply: str) -> None:
    for read in READERS:
        try:
            read(reply)
        except Unreadable:
            continue


def test_a_line_of_dashes_is_no_riddle() -> None:
    """A ruler, as models like to draw them; to tell it from a label took twice as long for each dash."""
    found = Results.read("FINDINGS: x\n----------------------------------------------------------------\nmore")
    assert found.findings.endswith("more")
    assert Results.read("- **FINDINGS:** a\n### STATUS: partial\n* __GAPS__: b").gaps == ("b",)


def reference(reply: str) -> str:
    """By regular expressions: pairs go, then all up to a closing tag that is left, then all from an opening one."""
    reply = re.sub(r"<think>.*?</think>", "", reply, flags=re.DOTALL)
    return reply.rpartition("</think>")[2].partition("<think>")[0].strip()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["<think>", "</think>", "a", "b ", "<task>"]), max_size=9).map("".join))
def test_reasoning_is_cut_as_by_a_reader_tag_by_tag(reply: str) -> None:
    assert actions.without_thinking(reply) == reference(reply)


ODD = {
    "a surrogate": "\ud800", "not a number": float("nan"), "infinity": float("inf"), "a huge number": 10**5000,
    "a set": {1}, "bytes": b"x", "complex": 1j, "keys": {(1, 2): 3}, "an object": object(), "long": "x" * 200_000,
}  # fmt: skip


def test_arguments_that_no_table_can_hold() -> None:
    deep: object = "x"
    for _ in range(200):
        deep = [deep]
    for name, value in {**ODD, "deep": deep}.items():
        found = recordable({"keywords": value})
        assert (found == {"keywords": "\ufffd"}) if name == "a surrogate" else (found is None), name
    assert recordable({"a": ["x", 1, None, {"b": 2.5}]}) == {"a": ["x", 1, None, {"b": 2.5}]}
    assert whole("a\U0001f600b") == "a\U0001f600b"


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999", "9" * 5000, '"\\ud800"', "[" * 500 + "]" * 500,
                                   '"\\u0000"', f'"{"x" * 200_000}"'])  # fmt: skip
@pytest.mark.parametrize("name", ["react", "hymem"])
def test_odd_json_calls_are_answered_and_recorded(fresh_home: Home, name: str, value: str) -> None:
    odd = f'<tool_call>{{"name": "web_search\\ud800", "arguments": {{"keywords": {value}}}}}</tool_call>'
    role = "agent" if name == "react" else "executor"
    replies = {role: [odd, odd, "<results>x</results>" if name == "hymem" else "<answer>42</answer>"],
               "planner": ["<task>t</task>", "<answer>42</answer>"]}  # fmt: skip
    one = session(fresh_home, Script(replies), name, tools({}))
    assert asyncio.run(framework(name).solve(one)) == "42"
    for row in rows(fresh_home, "agent_events", "event"):
        json.dumps(row, allow_nan=False).encode()


CODE = ["web_search(b'x')", "web_search({1, 2})", "web_search({(1, 2): 3})", "web_search(float('nan'))",
        "web_search(10**5000)", "web_search(1j)", "web_search(...)", "web_search(open)", "web_search(web_search)",
        "web_search('a', 'b', 'c')", "web_search('a', keywords='b')", "web_search(x='y')", "web_search()",
        "web_search(**{'a b': 1})", "web_search(ValueError('x'))"]  # fmt: skip


@pytest.mark.parametrize("source", CODE)
def test_odd_calls_of_code_are_answered_and_recorded(fresh_home: Home, source: str) -> None:
    async def work() -> str:
        async with sandbox({"web_search": ["keywords"]}, processes=1) as made:
            block = f"<code>\nprint(await {source})\n</code>"
            replies = {"agent": [block, "<answer>42</answer>"]}
            script = Script(replies)
            one = session(fresh_home, script, "react", tools({}), sandbox=made, calls="code")
            assert await framework("react").solve(one) == "42"
            return script.prompts("agent")[1]

    said = asyncio.run(work())
    assert "error" in said.rpartition("<tool_response>")[2].lower()
    for row in rows(fresh_home, "agent_events", "event"):
        json.dumps(row, allow_nan=False).encode()


def test_replies_with_lone_surrogates(fresh_home: Home) -> None:
    script = Script({"agent": ["\ud800 " + call("web_search", keywords="q"), "<answer>4\udfff2</answer>"]})
    one = session(fresh_home, script, "react", tools({"q": "found \ud801"}))
    assert asyncio.run(framework("react").solve(one)) == "4\ufffd2"
    for row in rows(fresh_home, "agent_events", "event"):
        json.dumps(row, ensure_ascii=False).encode()


def test_variables_of_threads_do_not_multiply() -> None:
    variables: dict = {}
    run("\n".join(["x = '" + "a" * 1000 + "'", *["x = '" + "{x}" * 1000 + "'"] * 20]), variables)
    assert len(variables["x"]) <= MOST
