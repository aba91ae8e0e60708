"""The baselines over scripted models: what each shows of the past, and how each ends."""

import asyncio
import json
from collections.abc import Sequence

import pytest

from tasks.home import Home
from tasks.long_horizon.frameworks import NAMES, framework
from tasks.running.shard import CallFailed
from tasks.serving.chat import Message, Outcome
from tests.long_horizon.scripted import Script, call, rows, session, tools

ANSWER = "<think>done</think><answer>42</answer>"
SEARCH = call("web_search", keywords="q")


def run(home: Home, name: str, replies: dict[str, list[str]], found: dict[str, str] | None = None, **more):
    script = Script(replies)
    one = session(home, script, name, tools(found or {"q": "found it"}), **more)
    return asyncio.run(framework(name).solve(one)), script


def actions(home: Home) -> list[tuple]:
    return [(e["space"], e["turn"], e["action"], e["status"]) for e in rows(home, "agent_events", "event")]


def test_base_is_one_call_without_tools(fresh_home: Home) -> None:
    answer, script = run(fresh_home, "base", {"agent": [ANSWER]})
    assert answer == "42"
    assert "web_search" not in script.prompts("agent")[0]
    assert actions(fresh_home) == [("flat", 1, "answer", "ok")]


def test_react_keeps_everything(fresh_home: Home) -> None:
    answer, script = run(fresh_home, "react", {"agent": [SEARCH, SEARCH, ANSWER]})
    assert answer == "42"
    assert script.prompts("agent")[2].count("<tool_response>\nfound it\n</tool_response>") == 2
    assert [m.role for m in script.asked[2][1]] == ["system", "user", "assistant", "user", "assistant", "user"]


def test_react_forces_an_answer_at_its_last_turn(fresh_home: Home) -> None:
    answer, script = run(fresh_home, "react", {"agent": [SEARCH] * 4 + [ANSWER]}, flat_turns=5)
    assert answer == "42"
    assert ["last turn" in prompt for prompt in script.prompts("agent")] == [False] * 4 + [True]
    assert actions(fresh_home)[-1] == ("flat", 5, "answer", "forced")


def test_react_forces_an_answer_when_its_window_is_full(fresh_home: Home) -> None:
    long = {"q": "word " * 300}
    answer, script = run(fresh_home, "react", {"agent": [SEARCH] * 3 + [ANSWER]}, long, window=1300, reply=300)
    assert answer == "42"
    last = script.prompts("agent")[-1]
    assert "last turn" in last
    assert len(last.split()) < 1000


def test_a_tool_call_wins_over_an_answer(fresh_home: Home) -> None:
    _, script = run(fresh_home, "react", {"agent": [f"{ANSWER}\n{SEARCH}", ANSWER]})
    assert len(script.prompts("agent")) == 2


def test_invented_tool_output_in_a_reply_is_cut_off(fresh_home: Home) -> None:
    _, script = run(fresh_home, "react", {"agent": [f"{SEARCH}\n<tool_response>invented</tool_response>", ANSWER]})
    assert "invented" not in script.prompts("agent")[1]


def test_no_answer_in_the_last_turn_is_a_parse_error(fresh_home: Home) -> None:
    with pytest.raises(CallFailed) as failed:
        run(fresh_home, "react", {"agent": [SEARCH, "none", "none"]}, flat_turns=2)
    assert failed.value.outcome is Outcome.PARSE_ERROR


def test_summary_condenses_the_latest_three_turns(fresh_home: Home) -> None:
    found = {f"q{n}": f"number{n} " + "word " * 150 for n in range(6)}
    script = {"agent": [*(call("web_search", keywords=f"q{n}") for n in range(6)), ANSWER],
              "summarise": [f"SUMMARY-{n}" for n in range(6)]}  # fmt: skip
    answer, asked = run(fresh_home, "summary", script, found, window=1500, reply=300)
    assert answer == "42"
    prompts = asked.prompts("agent")
    first = next(n for n, prompt in enumerate(prompts) if "SUMMARY-0" in prompt)
    condensed = asked.prompts("summarise")[0]
    latest = [f"number{n}" in condensed for n in range(first)]
    assert latest == [False] * (first - 3) + [True] * 3
    assert [f"number{n}" in prompts[first] for n in range(first)] == [True] * (first - 3) + [False] * 3
    assert all(len(prompt.split()) < 1200 for prompt in prompts)


def test_resum_starts_anew_from_its_summary(fresh_home: Home) -> None:
    found = {"q": "found " + "word " * 250}
    summaries = ["<think>x</think><summary>SUM-1</summary>", "<summary>SUM-2</summary>", "SUM-3"]
    replies = {"agent": [SEARCH] * 6 + [ANSWER], "summarise": summaries}
    answer, script = run(fresh_home, "resum", replies, found, window=1300, reply=300)
    assert answer == "42"
    prompts = script.prompts("agent")
    reset = next(n for n, prompt in enumerate(prompts) if "SUM-1" in prompt)
    assert "<tool_response>\nfound" not in prompts[reset]
    assert len(script.asked[[i for i, (r, _) in enumerate(script.asked) if r == "agent"][reset]][1]) == 2
    assert "SUM-1" in script.prompts("summarise")[1]
    assert "SUM-1" not in prompts[-1]
    assert "SUM-2" in prompts[-1] or "SUM-3" in prompts[-1]


def test_resum_without_an_answer_within_its_calls_has_none(fresh_home: Home) -> None:
    with pytest.raises(CallFailed) as failed:
        run(fresh_home, "resum", {"agent": [SEARCH] * 3}, resum_calls=3)
    assert failed.value.outcome is Outcome.BUDGET


def test_resum_that_cannot_shrink_answers_with_what_it_says(fresh_home: Home) -> None:
    found = {"q": "word " * 900}
    replies = {"agent": [SEARCH, "the answer may be 42"], "summarise": [""]}
    answer, _ = run(fresh_home, "resum", replies, found, window=1300, reply=300)
    assert answer == "the answer may be 42"
    assert actions(fresh_home)[-1] == ("flat", 2, "answer", "unparsed")


def note(tag: str) -> str:
    return json.dumps({"keywords": [tag], "context": f"about {tag}", "tags": [tag]})


def test_amem_shows_fitting_notes_and_recent_turns(fresh_home: Home) -> None:
    found = {f"kiwi{n}": f"kiwi number{n} is green" for n in range(5)}
    link = json.dumps({
        "should_evolve": True, "actions": ["strengthen", "update_neighbor"], "suggested_connections": [0, 99],
        "tags_to_update": ["linked"], "new_context_neighborhood": ["changed"], "new_tags_neighborhood": [["new"]],
    })  # fmt: skip
    replies = {
        "agent": [*(call("web_search", keywords=f"kiwi{n}") for n in range(5)), ANSWER],
        "note": [note("fruit"), *[note("fruit"), link] * 4],
    }
    answer, script = run(fresh_home, "amem", replies, found, question="Which kiwi is green?", recent_turns=2)
    assert answer == "42"
    last = script.prompts("agent")[-1]
    assert "[note 0]" in last
    assert "[note 4]" not in last  # it is shown as it was
    assert last.count("<tool_response>") == 2 + 1  # two recent turns, and the instructions name the tag
    assert "context: changed" in last
    assert script.left() == {}


def test_amem_keeps_a_note_whose_analysis_cannot_be_read(fresh_home: Home) -> None:
    replies = {"agent": [SEARCH, ANSWER], "note": ["no", "json"]}
    assert run(fresh_home, "amem", replies)[0] == "42"


THREADS = {"agent": [
    "Find the town of the painter",  # spawns
    '> web_search("q")',  # the child acts
    'place = "found it"\nprint(place)\n#END#',  # and ends
    '\ntown = "found it"\nprint(f"{town}!")\n#END#',
]}  # fmt: skip


def test_thread_acts_spawns_and_joins(fresh_home: Home) -> None:
    answer, script = run(fresh_home, "thread", THREADS, question="Where was the painter born?")
    assert answer == "found it!"
    prompts = script.prompts("agent")
    child, last = prompts[2], prompts[3]
    assert "Prompt: Find the town of the painter =>" in child
    assert "Where was the painter born?" not in child
    assert '> web_search("q") =>\nfound it\n<=' in child
    assert "Find the town of the painter =>found it<=" in last
    seen = [(e["space"], e["session"], e["turn"], e["action"]) for e in rows(fresh_home, "agent_events", "event")]
    assert seen == [("thread", 1, 1, "spawn"), ("thread", 2, 1, "action"), ("thread", 2, 1, "tool"),
                    ("thread", 2, 2, "return"), ("thread", 1, 2, "return")]  # fmt: skip


def test_thread_without_end_runs_out_of_completions(fresh_home: Home) -> None:
    def again(role: str, messages: Sequence[Message]) -> str:
        return "and again"

    one = session(fresh_home, Script(again), "thread", tools({}), thread_calls=30, thread_depth=50)
    with pytest.raises(CallFailed) as failed:
        asyncio.run(framework("thread").solve(one))
    assert failed.value.outcome is Outcome.BUDGET


def test_thread_that_prints_nothing_has_no_answer(fresh_home: Home) -> None:
    with pytest.raises(CallFailed) as failed:
        run(fresh_home, "thread", {"agent": ["x = 1\n#END#"]})
    assert failed.value.outcome is Outcome.PARSE_ERROR


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reply", ["", "nonsense", "<think>never ends", "<answer></answer>", "<tool_call>{</tool_call>",
                                   '<tool_call>{"name": "rm", "arguments": {}}</tool_call>', "<task>x</task>",
                                   "<answer>42</answer>", "> web_search(", "print(1)\n#END#", "\n", "{}"])  # fmt: skip
def test_whatever_a_model_says_every_task_ends(fresh_home: Home, name: str, reply: str) -> None:
    one = session(fresh_home, Script(lambda role, messages: reply), name, tools({"q": "x"}), flat_turns=6,
                  thread_calls=10, resum_calls=6, planner_turns=4, executor_turns=2)  # fmt: skip
    ended = None
    try:
        answer = asyncio.run(framework(name).solve(one))
    except CallFailed as failed:
        answer, ended = None, failed.outcome
    assert answer or ended in (Outcome.PARSE_ERROR, Outcome.BUDGET)
