"""A whole episode of HyMem, event by event: modelled on the case study of the paper (its table 3).

An athlete has to be identified from clues, the clues verified in isolation, an attribute looked up; the direct search
fails, another strategy finds it, the fifth executor invocation folds the memories, and the answer follows from them.
"""

import asyncio
import json

from tasks.home import Home
from tests.long_horizon.scripted import Script, call, rows, session, tools

QUESTION = "Born in the 1970s, three times World Half-Marathon champion, retired in 2021: date of her 10,000 m best?"

RAW = {
    "three-time World Half-Marathon champion born 1970s": "RAW-1 menu login Mira Tesfaye, born 9 May 1973, champion",
    "Mira Tesfaye first marathon win age": "RAW-2 won in 1994 aged 21 cookies accept",
    "Mira Tesfaye UN person of the year": "RAW-3 UN Person of the Year 2016 subscribe",
    "Mira Tesfaye 10,000 metres best": "RAW-4 personal best 30:32.03, no date advertisement",
    "https://athletes.example/30-32-03": "RAW-5 Sevilla 26 August 1999 30:32.03 footer",
}

EPISODE = {
    "task_description": "Find the date of the 10,000 m best",
    "key_events": [{"step": "1-6", "description": "identified and verified", "outcome": "Mira Tesfaye, 26 Aug 1999"}],
    "current_progress": "Date found; needs final verification",
}
WORKING = {
    "immediate_goal": "Verify the date", "current_challenges": "One source", "active_hypotheses": ["26 August 1999"],
    "next_actions": [{"type": "answer", "description": "Give the date"}],
}  # fmt: skip
TOOLS = {
    "tools_used": [{"tool_name": "web_search", "call_count": 4, "effective_queries": ["30:32.03"]}],
    "derived_rules": ["Search the exact time"], "useful_sources": ["https://athletes.example/30-32-03"],
}  # fmt: skip


def results(findings: str, status: str = "success", gaps: str = "none") -> str:
    return (
        f"<think>EXECUTOR-THOUGHT done</think>\n<results>\nFINDINGS: {findings}\nEVIDENCE:\n- seen\nSOURCES:\n"
        f"- athletes.example\nSTATUS: {status}\nGAPS:\n- {gaps}\n</results>"
    )


SCRIPT = {
    "planner": [
        "<think>PLANNER-THOUGHT 1: identify the athlete.</think>\n"
        "<task>Search the three-time World Half-Marathon champion born in the 1970s</task>",
        "<think>PLANNER-THOUGHT 2: verify.</think>\n<isoReason><description>verify the candidate</description>"
        "<prompt>Verify: first win at age 21; UN Person of the Year.</prompt></isoReason>",
        "<think>PLANNER-THOUGHT 3</think>\n<task>Search Mira Tesfaye's 10,000 metres best and its date</task>",
        "<think>PLANNER-THOUGHT 4: strategy shift.</think>\n<task>Find the race of the time 30:32.03</task>",
        "<think>PLANNER-THOUGHT 5: memory confirms.</think>\n<answer>26 August 1999</answer> "
        "<confidence>0.9</confidence>",
    ],
    "executor": [
        call("web_search", keywords="three-time World Half-Marathon champion born 1970s"),
        results("Mira Tesfaye, born 9 May 1973"),
        call("web_search", keywords="Mira Tesfaye first marathon win age"),
        results("First win in 1994 at age 21"),
        call("web_search", keywords="Mira Tesfaye UN person of the year"),
        results("UN Person of the Year 2016"),
        call("web_search", keywords="Mira Tesfaye 10,000 metres best"),
        results("Best is 30:32.03", status="failure", gaps="the date"),
        call("web_parse", link="https://athletes.example/30-32-03", query="date of the race"),
        results("World Championships in Sevilla on 26 August 1999"),
    ],
    "distill": ["Mira Tesfaye, 1973", "1994, aged 21", "UN Person of the Year 2016", "30:32.03, no date",
                "Sevilla, 26 August 1999"],
    "isolated": [
        "<think>ISOLATED-THOUGHT a</think>\n<task>How old was Mira Tesfaye at her first marathon win?</task>",
        "<think>ISOLATED-THOUGHT b</think>\n<task>Was Mira Tesfaye UN Person of the Year?</task>",
        "<think>ISOLATED-THOUGHT c</think>\n<return>\nCONCLUSION: All clues fit Mira Tesfaye.\nKEY EVIDENCE:\n"
        "- first win at 21\n- UN Person of the Year 2016\nCONFIDENCE: 0.95\nNOTES:\n- weight not checked\n</return>",
    ],
    "memory": [json.dumps(EPISODE), json.dumps(WORKING), json.dumps(TOOLS)],
}  # fmt: skip

TRACE = [
    ("planner", 1, 1, "task", "ok", None),
    ("executor", 1, 1, "tool_call", "ok", None),
    ("executor", 1, 1, "tool", "ok", "web_search"),
    ("executor", 1, 1, "distill", "ok", None),
    ("executor", 1, 2, "results", "ok", None),
    ("planner", 1, 2, "iso_reason", "ok", None),
    ("isolated", 1, 1, "task", "ok", None),
    ("executor", 2, 1, "tool_call", "ok", None),
    ("executor", 2, 1, "tool", "ok", "web_search"),
    ("executor", 2, 1, "distill", "ok", None),
    ("executor", 2, 2, "results", "ok", None),
    ("isolated", 1, 2, "task", "ok", None),
    ("executor", 3, 1, "tool_call", "ok", None),
    ("executor", 3, 1, "tool", "ok", "web_search"),
    ("executor", 3, 1, "distill", "ok", None),
    ("executor", 3, 2, "results", "ok", None),
    ("isolated", 1, 3, "return", "forced", None),
    ("planner", 1, 3, "task", "ok", None),
    ("executor", 4, 1, "tool_call", "ok", None),
    ("executor", 4, 1, "tool", "ok", "web_search"),
    ("executor", 4, 1, "distill", "ok", None),
    ("executor", 4, 2, "results", "ok", None),
    ("planner", 1, 4, "task", "ok", None),
    ("executor", 5, 1, "tool_call", "ok", None),
    ("executor", 5, 1, "tool", "ok", "web_parse"),
    ("executor", 5, 1, "distill", "ok", None),
    ("executor", 5, 2, "results", "ok", None),
    ("memory", 1, 1, "memory_episode", "ok", None),
    ("memory", 1, 2, "memory_working", "ok", None),
    ("memory", 1, 3, "memory_tools", "ok", None),
    ("planner", 1, 5, "answer", "ok", None),
]


def episode(home: Home) -> tuple[str, Script]:
    script = Script(SCRIPT)
    one = session(home, script, "hymem", tools(RAW), question=QUESTION)
    from tasks.long_horizon.hymem.planner import solve

    return asyncio.run(solve(one)), script


def test_the_worked_trace_event_by_event(fresh_home: Home) -> None:
    answer, script = episode(fresh_home)
    assert answer == "26 August 1999"
    assert script.left() == {}
    events = rows(fresh_home, "agent_events", "event")
    seen = [tuple(e[k] for k in ("space", "session", "turn", "action", "status", "tool")) for e in events]
    assert seen == TRACE
    assert [e["event"] for e in events] == list(range(1, len(TRACE) + 1))
    assert [e["position"] for e in events if e["position"]] == list(range(1, len(script.asked) + 1))
    contents = {e["event"]: json.loads(e["content"]) for e in events if e["content"]}
    assert contents[1] == {"text": "Search the three-time World Half-Marathon champion born in the 1970s", "name": None}
    assert contents[17]["confidence"] == 0.95
    assert contents[22]["status"] == "failure"
    assert contents[31] == {"text": "26 August 1999", "confidence": 0.9}


def test_the_fold_of_the_worked_trace(fresh_home: Home) -> None:
    _, script = episode(fresh_home)
    (fold,) = rows(fresh_home, "memory_folds", "fold")
    assert json.loads(fold["triggers"]) == ["executions"]
    assert (fold["event"], fold["turns"], fold["executions"], fold["failures"], fold["tool_calls"]) == (30, 4, 5, 0, 5)
    assert [json.loads(fold[name]) for name in ("episode", "working", "tools")] == [EPISODE, WORKING, TOOLS]
    assert json.loads(fold["kept"]) == []
    # Memories are larger than the returns they replace in so small an episode: only the bookkeeping is checked here.
    assert fold["tokens_before"] > 0
    last = script.prompts("planner")[-1]
    assert "26 Aug 1999" in last
    assert "Search the exact time" in last
    assert "<results>" not in last
    assert "CONCLUSION" not in last


def test_only_typed_messages_reach_the_planner(fresh_home: Home) -> None:
    """No raw observation and no reasoning of any space, the planner's own included, stands in a planner context."""
    _, script = episode(fresh_home)
    for prompt in script.prompts("planner"):
        for private in ("RAW-", "EXECUTOR-THOUGHT", "ISOLATED-THOUGHT", "PLANNER-THOUGHT", "cookies", "web_search"):
            assert private not in prompt.replace('"tool_name":"web_search"', "")
    third = script.prompts("planner")[2]
    assert "FINDINGS: Mira Tesfaye, born 9 May 1973" in third
    assert "CONCLUSION: All clues fit Mira Tesfaye." in third
    assert "How old was Mira Tesfaye" not in third


def test_injection_is_asymmetric(fresh_home: Home) -> None:
    """Equation 14: planner and isolated reasoning get all memories, executors the tool memory alone."""
    from tasks.long_horizon.hymem.planner import Planner
    from tasks.long_horizon.messages import Directive, Episode, Memories, Tools, Working

    memories = Memories(episode=Episode(**EPISODE), working=Working(**WORKING), tools=Tools(**TOOLS))
    script = Script({"executor": [results("x")], "isolated": [SCRIPT["isolated"][2]]})
    planner = Planner(session(fresh_home, script, "hymem", tools(RAW), question=QUESTION), memories)
    for directive in (Directive(text="find it"), Directive(text="think of it", name="thinking")):
        asyncio.run(planner._carry_out(directive, ""))
    executor, isolated = script.prompts("executor")[0], script.prompts("isolated")[0]
    own = "\n".join(turn.text for turn in planner.context())
    tags = ("<episode_memory>", "<working_memory>", "<tool_memory>")
    assert [tag in executor for tag in tags] == [False, False, True]
    assert [tag in isolated for tag in tags] == [True, True, True]
    assert [tag in own for tag in tags] == [True, True, True]
    assert QUESTION not in executor
