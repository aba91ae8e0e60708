"""Limits, unusable replies and ablations of HyMem."""

import asyncio

import pytest

from tasks.home import Home
from tasks.long_horizon.allowance import Limits
from tasks.long_horizon.hymem.planner import solve
from tasks.running.shard import CallFailed
from tasks.serving.chat import Outcome
from tests.long_horizon.scripted import Script, call, rows, session, tools
from tests.long_horizon.test_folding import ANSWER, MEMORY, TASK
from tests.long_horizon.test_trace import results

ISOLATE = "<isoReason><description>a b c</description><prompt>think</prompt></isoReason>"
RETURN = "<return>\nCONCLUSION: so\nCONFIDENCE: 80%\n</return>"


def run(home: Home, replies: dict[str, list[str]], **more) -> tuple[str, Script]:
    script = Script(replies)
    return asyncio.run(solve(session(home, script, "hymem", tools({"q": "found"}), **more))), script


def test_at_the_twelfth_turn_an_answer_is_forced(fresh_home: Home) -> None:
    answer, script = run(fresh_home, {"planner": [TASK] * 11 + [ANSWER], "executor": [results("x")] * 11,
                                      "memory": MEMORY * 2})  # fmt: skip
    assert answer == "42"
    prompts = script.prompts("planner")
    assert len(prompts) == 12
    assert ["last turn" in prompt for prompt in prompts] == [False] * 11 + [True]
    events = [e for e in rows(fresh_home, "agent_events", "event") if e["space"] == "planner"]
    assert events[-1]["status"] == "forced"


def test_a_task_at_the_last_turn_is_no_answer(fresh_home: Home) -> None:
    with pytest.raises(CallFailed) as failed:
        run(fresh_home, {"planner": [TASK, TASK], "executor": []}, planner_turns=1)
    assert failed.value.outcome is Outcome.PARSE_ERROR


def test_the_limit_may_be_a_failure(fresh_home: Home) -> None:
    with pytest.raises(CallFailed) as failed:
        run(fresh_home, {"planner": [TASK], "executor": [results("x")]}, planner_turns=2, at_limit="fail")
    assert failed.value.outcome is Outcome.BUDGET


def test_an_executor_has_ten_turns_and_must_report_in_the_last(fresh_home: Home) -> None:
    calls = [call("web_search", keywords="q")] * 11
    _, script = run(fresh_home, {"planner": [TASK, ANSWER], "executor": calls, "distill": ["d"] * 9})
    assert len(script.prompts("executor")) == 11  # ten turns, and the second request of the last
    assert "STATUS: failure" in script.prompts("planner")[1]


def test_code_of_an_executor_is_forgotten_with_it(fresh_home: Home) -> None:
    """Each executor has variables of its own, and nothing of those before it stays in memory."""

    class Room:
        async def run(self, source, call):
            return "seen"

    block = "<code>\nx = 1\n</code>"
    replies = {"planner": [TASK] * 3 + [ANSWER], "executor": [block, block, results("x")] * 3, "distill": ["d"] * 6}
    one = session(fresh_home, Script(replies), "hymem", tools({}), calls="code", sandbox=Room)
    assert asyncio.run(solve(one)) == "42"
    assert list(one._runners) == [("executor", 3)]


def test_five_isolated_sessions_a_task(fresh_home: Home) -> None:
    _, script = run(fresh_home, {"planner": [ISOLATE] * 6 + [ANSWER], "isolated": [RETURN] * 5})
    assert len(script.prompts("isolated")) == 5
    last = script.prompts("planner")[-1]
    assert "all 5 isolated sessions of this task are used" in last
    assert last.count("CONCLUSION: so") == 5


def test_three_turns_in_an_isolated_session(fresh_home: Home) -> None:
    delegate = "<task>look it up</task>"
    _, script = run(fresh_home, {"planner": [ISOLATE, ANSWER], "isolated": [delegate, delegate, delegate, "hm"],
                                 "executor": [results("x")] * 2})  # fmt: skip
    prompts = script.prompts("isolated")
    assert ["last turn" in prompt for prompt in prompts] == [False, False, True, True]
    assert "came to no conclusion" in script.prompts("planner")[1]


def test_isolated_reasoning_sees_the_recent_returns_only(fresh_home: Home) -> None:
    _, script = run(fresh_home, {"planner": [TASK, TASK, TASK, ISOLATE, ANSWER], "isolated": [RETURN],
                                 "executor": [results(f"number{n}") for n in range(3)]}, recent_returns=2)  # fmt: skip
    prompt = script.prompts("isolated")[0]
    assert ["number0" in prompt, "number1" in prompt, "number2" in prompt] == [False, True, True]


@pytest.mark.parametrize("shown", [False, True])
def test_isolated_reasoning_sees_its_directive_and_the_question_only_if_told(fresh_home: Home, shown: bool) -> None:
    """Equation 10: prompt, directive, memories and a slice of the history; tau may be empty too."""
    replies = {"planner": [TASK, ISOLATE, ANSWER], "isolated": [RETURN], "executor": [results("number0")]}
    _, script = run(fresh_home, replies, question="WHOLE-QUESTION", isolated_question=shown, recent_returns=0)
    prompt = script.prompts("isolated")[0]
    assert "<prompt>\nthink\n</prompt>" in prompt
    assert ("WHOLE-QUESTION" in prompt, "number0" in prompt) == (shown, False)


def test_one_repair_then_a_counted_failure_then_forced(fresh_home: Home) -> None:
    answer, script = run(fresh_home, {"planner": ["a", "b", "c", "d", "e", "f", "g", ANSWER]})
    assert answer == "42"
    events = [(e["action"], e["status"], e["turn"]) for e in rows(fresh_home, "agent_events", "event")]
    assert events == [("unparsed", "unparsed", n) for n in (1, 1, 2, 2, 3, 3, 4)] + [("answer", "repaired", 4)]
    assert "there is no <task>, <to_memory>, <answer> or <isoReason> in the reply" in script.prompts("planner")[1]


def test_a_failed_turn_does_not_count_on(fresh_home: Home) -> None:
    unread = ["x", "y"]
    _, script = run(fresh_home, {"planner": [*unread, *unread, TASK, *unread, *unread, ANSWER],
                                 "executor": [results("x")]})  # fmt: skip
    assert all("last turn" not in prompt for prompt in script.prompts("planner"))


def test_several_actions_first_or_refused(fresh_home: Home) -> None:
    both = f"{TASK}\n{ANSWER}"
    _, script = run(fresh_home, {"planner": [both, ANSWER], "executor": [results("x")]})
    assert len(script.prompts("planner")) == 2
    _, script = run(Home(fresh_home.root / "other"), {"planner": [both, ANSWER]}, several="refuse")
    assert "there are 2 actions" in script.prompts("planner")[1]


def test_without_isolated_reasoning_it_is_no_action_and_thoughts_are_kept(fresh_home: Home) -> None:
    replies = {"planner": [ISOLATE, f"<think>LONG-THOUGHT</think>{TASK}", ANSWER], "executor": [results("x")]}
    _, script = run(fresh_home, replies, isolated=False)
    prompts = script.prompts("planner")
    assert "isoReason" not in prompts[0]
    assert "there is no <task>, <to_memory> or <answer> in the reply" in prompts[1]
    assert "LONG-THOUGHT" in prompts[2]


def test_without_memory_there_is_no_fold_to_ask_for(fresh_home: Home) -> None:
    asked = ["<to_memory/>", f"<think>too long <to_memory></think>{TASK}"]
    answer, script = run(fresh_home, {"planner": [*asked, ANSWER], "executor": [results("x")]}, memory=False)
    assert answer == "42"
    prompts = script.prompts("planner")
    assert "memor" not in prompts[0]
    assert "there is no <task>, <answer> or <isoReason> in the reply" in prompts[1]
    assert rows(fresh_home, "memory_folds", "fold") == []


def test_with_memory_the_planner_is_told_of_memories_and_folds(fresh_home: Home) -> None:
    _, script = run(fresh_home, {"planner": [ANSWER]})
    assert "Your memories of earlier work stand before it.\n" in script.prompts("planner")[0]
    assert "\n<to_memory/> if what is returned so far has become too long to keep in view\n<answer>" in (
        script.prompts("planner")[0])  # fmt: skip


@pytest.mark.parametrize(("limits", "what"), [
    (Limits(model_calls=3), "3 model calls"), (Limits(tool_calls=1), "1 tool calls"),
    (Limits(tokens=200), "200 tokens"), (Limits(seconds=-1), "-1 seconds"),
])  # fmt: skip
def test_a_task_that_takes_too_much_ends_with_outcome_budget(fresh_home: Home, limits: Limits, what: str) -> None:
    replies = {"planner": [TASK] * 3, "executor": [call("web_search", keywords="q")] * 9, "distill": ["d"] * 9}
    with pytest.raises(CallFailed, match=what) as failed:
        run(fresh_home, replies, limits=limits)
    assert failed.value.outcome is Outcome.BUDGET


def test_an_executor_that_fills_its_window_reports_with_what_still_fits(fresh_home: Home) -> None:
    long = "word " * 500
    replies = {"planner": [TASK, ANSWER], "distill": [long] * 4,
               "executor": [call("web_search", keywords="q")] * 2 + [results("x")]}  # fmt: skip
    answer, script = run(fresh_home, replies, window=1500, reply=400)
    assert answer == "42"
    last = script.prompts("executor")[-1]
    assert "last turn" in last
    assert len(last.split()) < 1100
