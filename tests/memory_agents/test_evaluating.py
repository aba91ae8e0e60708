"""Runs over a small database: planned, answered by a stand-in server and by the real model, resumed, scored."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from tasks.errors import Fault, UserError
from tasks.home import Home
from tasks.memory_agents.agents import NAMES, agent
from tasks.memory_agents.decoding import decoding
from tasks.memory_agents.evaluating import evaluate
from tasks.memory_agents.planning import Run, open_examples, record, shards
from tasks.running.counting import prompt_counter
from tasks.running.limits import Held
from tasks.scoring.score import score_run_examples
from tasks.serving.chat import Message
from tasks.serving.models import model_spec
from tasks.serving.opening import open_endpoint
from tasks.warehouse import snapshot
from tasks.warehouse.ingest import sync
from tests.memory_agents.conftest import BUDGET, BUILD
from tests.stand_in import stand_in

LIMITS = {"memory_tokens": 48, "answer_tokens": 16, "controller_tokens": 24}
DECODING = decoding(agent("memagent"), "demo", 8192, LIMITS)
FLAT = Run(BUILD, "memagent", "flat", "embedded", BUDGET, DECODING)
COUNTED = ("--count-as", "embedded")


def plan(at: Home, run: Run) -> tuple[str, list[str]]:
    run_id = record(at, run, "http://h", {"slots": 4}, None)
    (only,) = shards(at, run)
    return run_id, only


def fresh(at: Home, sql: str, *parameters: object) -> list[dict]:
    with snapshot.fresh(at, ("runs", "run_examples", "predictions", "model_calls", "memories")) as con:
        return snapshot.fetch(con, sql, list(parameters))


METHODS = ["flat", "tree", "tree_path", "treeagent"]


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_under_every_method_from_tables_to_scores(tmp_path: Path, built: Home, name: str) -> None:
    chosen = agent(name)
    run_ids = {}
    with stand_in(tmp_path, *COUNTED) as server:
        for method in METHODS:
            run = Run(BUILD, name, method, "embedded", BUDGET, decoding(chosen, "demo", 8192, LIMITS))
            run_ids[method], example_ids = plan(built, run)
            assert evaluate(built, run_ids[method], 0, example_ids, server.url) == {"stop": 3}
        asked = len(server.rows())
        assert evaluate(built, run_ids[method], 0, example_ids, server.url) == {"stop": 3}
        assert len(server.rows()) == asked
    calls = fresh(built, "FROM model_calls")
    assert asked == len(calls)
    assert all(call["prompt_tokens"] == call["server_prompt_tokens"] for call in calls)
    assert {"memory", "answer"} <= {call["role"] for call in calls} <= set(chosen.roles)
    saved = fresh(built, "SELECT run_id, count(*) AS n, count(retrieved) AS retrieved FROM memories GROUP BY run_id")
    updates = Counter(call["run_id"] for call in calls if call["role"] == "memory")
    assert {row["run_id"]: row["n"] for row in saved} == updates
    assert {row["run_id"] for row in saved if row["retrieved"]} == {run_ids["treeagent"]}
    planned = fresh(built, "SELECT sum(calls)::INT AS n FROM run_examples")[0]["n"]
    assert asked == planned if name in ("memagent", "rememr1") else asked >= planned / 2
    sync(built)
    counts = score_run_examples(built, run_ids["flat"])
    assert (counts["planned"], counts["answered"], counts["scored"]) == (3, 3, 3)


def test_what_a_server_holds_is_left_for_the_next_shard(tmp_path: Path, built: Home) -> None:
    run_id, example_ids = plan(built, FLAT)
    held = Held()
    with stand_in(tmp_path, *COUNTED) as server:
        evaluate(built, run_id, 0, example_ids, server.url, concurrency=2, held=held)
        assert held.limit(server.url, most=1024, otherwise=8).value == 2


def test_what_defines_a_run(built: Home) -> None:
    again = Run(BUILD, "memagent", "flat", "embedded", BUDGET, dict(reversed(DECODING.items())))
    assert again.run_id(built) == FLAT.run_id(built)
    others = [
        replace(FLAT, method="treeagent"), replace(FLAT, base_budget=BUDGET + 1), replace(FLAT, build_id="x"),
        replace(FLAT, decoding=DECODING | {"answer_tokens": 17}), replace(FLAT, decoding=DECODING | {"seed": 1}),
    ]  # fmt: skip
    assert len({run.run_id(built) for run in [FLAT, *others]}) == 6


def test_rows_of_a_run(built: Home) -> None:
    run_id, example_ids = plan(built, FLAT)
    (row,) = fresh(built, "FROM runs")
    assert (row["run_id"], row["build_id"], row["dataset"], row["sample"]) == (run_id, BUILD, "json", True)
    assert (row["prompts"], row["tokenizer"], row["base_budget"]) == ("default", "smollm2", BUDGET)
    assert row["template_sha256"]
    assert {found["example_id"] for found in fresh(built, "FROM run_examples")} == set(example_ids)
    assert open_examples(built, [FLAT], ["timeout"]) == {run_id: 3}


def test_an_answered_run_needs_no_server(tmp_path: Path, built: Home) -> None:
    run_id, example_ids = plan(built, FLAT)
    with stand_in(tmp_path, *COUNTED) as server:
        evaluate(built, run_id, 0, example_ids, server.url)
    assert open_examples(built, [FLAT], ["timeout"]) == {run_id: 0}
    assert evaluate(built, run_id, 0, example_ids, "http://127.0.0.1:9") == {"stop": 3}


def test_a_broken_run_goes_on_in_the_middle(tmp_path: Path, built: Home) -> None:
    run_id, example_ids = plan(built, replace(FLAT, method="treeagent"))
    with stand_in(tmp_path, *COUNTED, "--fault", "400:at=9") as server:
        with pytest.raises(Fault, match="ended with server_error"):
            evaluate(built, run_id, 0, example_ids, server.url, concurrency=2)
        assert evaluate(built, run_id, 0, example_ids, server.url) == {"stop": 3}
        calls = fresh(built, "SELECT count(DISTINCT request_id) AS n FROM model_calls")[0]["n"]
        assert len(server.rows()) == calls + 1
        assert server.repeated() == {}
    memories = fresh(built, "SELECT example_id, position FROM memories")
    assert len(memories) == calls - 3


def test_a_window_that_is_too_small_is_an_overflow_and_no_request(tmp_path: Path, built: Home) -> None:
    path = tmp_path / "narrow.yaml"
    path.write_text("title: x\nkind: openai\nmodel: m\ntokenizer: smollm2\nchat_template: smollm2\nwindow: 200\n")
    narrow = decoding(agent("memagent"), "demo", 200, LIMITS)
    run_id, example_ids = plan(built, replace(FLAT, model=str(path), decoding=narrow))
    with stand_in(tmp_path, *COUNTED) as server:
        assert evaluate(built, run_id, 0, example_ids, server.url) == {"overflow": 3}
        assert server.rows() == []
    errors = fresh(built, "SELECT error FROM predictions")
    assert all("exceed the window 200" in row["error"] for row in errors)


def test_a_server_with_another_template_stops_the_run(tmp_path: Path, built: Home) -> None:
    run_id, example_ids = plan(built, FLAT)
    with (
        stand_in(tmp_path, *COUNTED, "--fault", "miscount:at=5") as server,
        pytest.raises(Fault, match="another model or template is served"),
    ):
        evaluate(built, run_id, 0, example_ids, server.url, on_error="continue")


def test_what_is_missing(built: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"3 examples .* have no flat sections .*treebench section"):
        record(built, replace(FLAT, base_budget=999), "", {}, None)
    with pytest.raises(UserError, match="Dataset version nothing has no examples"):
        record(built, replace(FLAT, build_id="nothing"), "", {}, None)
    with pytest.raises(UserError, match="There is no run nothing"):
        evaluate(built, "nothing", 0, [], "http://h")
    run_id, example_ids = plan(built, FLAT)
    monkeypatch.setattr("tasks.memory_agents.prompts.PromptPack.sha256", "0")
    with pytest.raises(UserError, match="planned with other prompts"):
        evaluate(built, run_id, 0, example_ids, "http://h")


def test_prompt_counts_agree_with_the_real_embedded_server(built: Home) -> None:
    spec = model_spec("embedded").model_copy(update={"window": 2048, "slots": 2})
    count = prompt_counter(spec, built)
    assert count
    few = DECODING | {"memory_tokens": 8, "answer_tokens": 4}
    run_id, example_ids = plan(built, replace(FLAT, method="treeagent", decoding=few))
    with open_endpoint(spec, count=count) as endpoint:
        evaluate(built, run_id, 0, example_ids[:1], endpoint.url)
        asked = [Message("user", 'Émile — "naïve" 日本語 🎉 <|im_end|> \n\n\t end ')]
        local = count(asked, {})
        body = {"messages": [{"role": "user", "content": asked[0].content}], "max_tokens": 1}
        reply = httpx.post(f"{endpoint.url}/chat/completions", json=body, timeout=60).json()
        assert reply["usage"]["prompt_tokens"] == local
    calls = fresh(built, "FROM model_calls")
    assert len(calls) > 3
    assert {call["outcome"] for call in calls} <= {"stop", "length"}
    assert all(call["prompt_tokens"] == call["server_prompt_tokens"] for call in calls)
