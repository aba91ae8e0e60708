"""Equation 17, each condition at its boundary; then that each folds a running planner."""

import asyncio
import json

import pytest

from tasks.home import Home
from tasks.long_horizon.folding import Counters
from tasks.long_horizon.hymem.planner import Planner, solve
from tests.long_horizon.scripted import Script, call, rows, session, tools
from tests.long_horizon.test_trace import EPISODE, TOOLS, WORKING, results

MEMORY = [json.dumps(EPISODE), json.dumps(WORKING), json.dumps(TOOLS)]
ANSWER = "<answer>42</answer> <confidence>0.5</confidence>"


@pytest.mark.parametrize(("counters", "utilisation", "expected"), [
    (Counters(), 0.99, []),
    (Counters(), 0.9901, ["context"]),
    (Counters(executions=4), 0, []),
    (Counters(executions=5), 0, ["executions"]),
    (Counters(failures=2), 0, []),
    (Counters(failures=3), 0, ["failures"]),
    (Counters(turns=7), 0, []),
    (Counters(turns=8), 0, ["turns"]),
    (Counters(tool_calls=9), 0, []),
    (Counters(tool_calls=10), 0, ["tool_calls"]),
    (Counters(5, 3, 8, 10), 1, ["context", "executions", "failures", "turns", "tool_calls"]),
])  # fmt: skip
def test_each_trigger_at_its_boundary(counters: Counters, utilisation: float, expected: list[str]) -> None:
    assert counters.triggers(utilisation) == expected


def test_failures_count_in_a_row_only() -> None:
    counters = Counters()
    for ok in (False, False, True, False, False):
        counters.executed(ok=ok, tool_calls=1)
    assert (counters.failures, counters.executions, counters.tool_calls) == (2, 5, 5)


def folds(home: Home, planner: list[str], executor: list[str], times: int = 1, **more) -> list[dict]:
    script = Script({"planner": planner, "executor": executor, "distill": ["kept"] * 30, "memory": MEMORY * times})
    one = session(home, script, "hymem", tools({"q": "found"}), **more)
    assert asyncio.run(solve(one)) == "42"
    return rows(home, "memory_folds", "fold")


def triggers(found: list[dict]) -> list[list[str]]:
    return [json.loads(fold["triggers"]) for fold in found]


TASK = "<task>do it</task>"


def test_the_fifth_execution_folds_and_the_fourth_does_not(fresh_home: Home) -> None:
    assert folds(fresh_home, [TASK] * 4 + [ANSWER], [results("x")] * 4, 0) == []
    (fold,) = folds(fresh_home, [TASK] * 5 + [ANSWER], [results("x")] * 5)
    assert (triggers([fold]), fold["executions"], fold["turns"]) == ([["executions"]], 5, 5)


def test_three_failures_in_a_row_fold(fresh_home: Home) -> None:
    bad = results("nothing", status="failure")
    assert folds(fresh_home, [TASK] * 4 + [ANSWER], [bad, bad, results("x"), bad], 0) == []
    assert triggers(folds(fresh_home, [TASK] * 3 + [ANSWER], [bad] * 3)) == [["failures"]]


def test_ten_tool_calls_fold(fresh_home: Home) -> None:
    nine = [call("web_search", keywords="q")] * 9 + [results("x")]
    assert folds(fresh_home, [TASK, ANSWER], nine, 0) == []
    (fold,) = folds(fresh_home, [TASK] * 2 + [ANSWER], [*nine, call("web_search", keywords="q"), results("x")])
    assert (triggers([fold]), fold["tool_calls"], fold["executions"]) == ([["tool_calls"]], 10, 2)


def test_eight_planner_turns_fold(fresh_home: Home) -> None:
    unread = ["<think>hm</think> no action", "still none"]
    usable = [TASK, *unread, TASK, *unread, TASK, *unread, TASK, *unread]  # eight turns, four executions
    assert triggers(folds(fresh_home, [*usable, ANSWER], [results("x")] * 4)) == [["turns"]]


def test_a_full_planner_context_folds(fresh_home: Home) -> None:
    long = results("word " * 300)
    found = folds(fresh_home, [TASK] * 3 + [ANSWER], [long] * 3, window=1460, reply=500)
    assert triggers(found)[0] == ["context"]
    assert found[0]["utilisation"] > 0.99
    assert found[0]["tokens_after"] < found[0]["tokens_before"]


def test_the_planner_may_ask_for_a_fold_in_its_reasoning_or_outside(fresh_home: Home) -> None:
    asked = ["<think>too long <to_memory></think>", "<think>x</think><to_memory/>"]
    assert triggers(folds(fresh_home, [TASK, *asked, ANSWER], [results("x")], 2)) == [["asked"], ["asked"]]


def test_a_memory_that_cannot_be_read_is_asked_again_then_kept(fresh_home: Home) -> None:
    replies = {"planner": ["<to_memory/>", "<to_memory/>", ANSWER],
               "memory": [*MEMORY, "no json", MEMORY[0], '{"immediate_goal": 1}', "again none", MEMORY[2]]}  # fmt: skip
    script = Script(replies)
    assert asyncio.run(solve(session(fresh_home, script, "hymem", tools({})))) == "42"
    found = rows(fresh_home, "memory_folds", "fold")
    assert [json.loads(fold["kept"]) for fold in found] == [[], ["working"]]
    assert json.loads(found[1]["working"]) == WORKING
    statuses = [e["status"] for e in rows(fresh_home, "agent_events", "event") if e["space"] == "memory"]
    assert statuses == ["ok", "ok", "ok", "unparsed", "repaired", "unparsed", "unparsed", "ok"]


def test_counters_start_anew_after_a_fold(fresh_home: Home) -> None:
    found = folds(fresh_home, [TASK] * 10 + [ANSWER], [results("x")] * 10, 2)
    assert [(fold["executions"], fold["turns"]) for fold in found] == [(5, 5), (5, 5)]


def test_without_memory_nothing_is_folded_and_old_returns_go(fresh_home: Home) -> None:
    long = [results(f"number{n} " + "word " * 300) for n in range(6)]
    script = Script({"planner": [TASK] * 6 + [ANSWER], "executor": long})
    one = session(fresh_home, script, "hymem", tools({}), memory=False, window=1760, reply=500)
    assert asyncio.run(solve(one)) == "42"
    assert rows(fresh_home, "memory_folds", "fold") == []
    last = script.prompts("planner")[-1]
    assert "number5" in last
    assert "number0" not in last


def test_the_planner_stays_small_while_observations_grow_a_hundredfold(fresh_home: Home) -> None:
    """Pages of 10 kB, then of 1 MB: the planner context stays within 1.5 times its size after the first fold."""
    sizes = {}
    for size in (10_000, 1_000_000):
        page = ("menu imprint cookie banner " * 40000)[:size]
        home = Home(fresh_home.root / str(size))
        script = Script({
            "planner": [TASK] * 7 + [ANSWER], "distill": ["a fact"] * 7, "memory": MEMORY,
            "executor": [call("web_search", keywords="q"), results("x")] * 7,
        })  # fmt: skip
        planner = Planner(session(home, script, "hymem", tools({"q": page})))
        assert asyncio.run(planner.solve()) == "42"
        events = rows(home, "agent_events", "event")
        first = rows(home, "memory_folds", "fold")[0]
        later = [e["context_tokens"] for e in events if e["space"] == "planner" and e["event"] > first["event"]]
        raw = sum(e["raw_characters"] or 0 for e in events)
        sizes[size] = (raw, max(later))
        assert max(later) <= 1.5 * first["tokens_after"]
    assert sizes[1_000_000][0] == 100 * sizes[10_000][0]
    assert sizes[1_000_000][1] == sizes[10_000][1]
