"""What servers do wrong and what may run out, over whole chains: nothing is lost, doubled or taken for an answer."""

import threading
from collections import Counter
from pathlib import Path

import pytest

from tasks.errors import Fault
from tasks.home import Home
from tasks.running.budget import Budget
from tasks.running.shard import Shard
from tasks.serving.endpoint import Endpoint
from tasks.serving.retrying import Patience
from tasks.warehouse.ingest import sync
from tests.running.chains import run
from tests.running.test_shard import counted, finished_twice, rows
from tests.stand_in import stand_in

QUICK = Patience(first_pause=0.02, longest_pause=0.05)


def quick(url: str) -> Endpoint:
    return Endpoint(url, "m", patience=QUICK)


@pytest.mark.parametrize("fault", ["429:every=4", "500:every=5", "503:every=5", "reset:every=6", "close:every=6",
                                   "half:every=6"])  # fmt: skip
def test_passing_faults_cost_attempts_and_nothing_else(tmp_path: Path, fresh_home: Home, fault: str) -> None:
    with stand_in(tmp_path, "--fault", fault) as server:
        assert run(fresh_home, server.url, 3, 6, endpoint=quick) == {"stop": 3}
    outcomes = counted(fresh_home, "SELECT outcome, count(*) FROM model_calls GROUP BY outcome")
    assert outcomes["stop"] == 3 * 7
    assert outcomes["server_error"] > 0
    assert finished_twice(fresh_home) == []


def test_a_storm_of_500_fails_examples_and_goes_on_later(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--fault", "500") as server:
        assert run(fresh_home, server.url, 4, 3, endpoint=quick, on_error="continue") == {"server_error": 4}
        assert len(server.rows()) == 4 * QUICK.attempts
        errors = rows(fresh_home, "SELECT error FROM predictions")
        assert all("status 500" in row["error"] for row in errors)
        server.faults()
        assert run(fresh_home, server.url, 4, 3, endpoint=quick) == {"stop": 4}
    with stand_in(tmp_path, "--fault", "500", log="second.jsonl") as server:
        assert run(fresh_home, server.url, 4, 3, endpoint=quick) == {"stop": 4}
        assert server.rows() == []


def test_chosen_outcomes_only_are_tried_again(tmp_path: Path, fresh_home: Home) -> None:
    faults = ("--fault", "400:with=e0", "--fault", "overflow:with=e1", "--fault", "abort:with=e2")
    with stand_in(tmp_path, *faults) as server:
        counts = run(fresh_home, server.url, 4, 2, on_error="continue")
        assert counts == {"server_error": 1, "overflow": 1, "aborted": 1, "stop": 1}
        server.faults()
        asked = len(server.rows())
        assert run(fresh_home, server.url, 4, 2, retry=("overflow",)) == {"server_error": 1, "aborted": 1, "stop": 2}
        again = server.rows()[asked:]
        assert len(again) == 3
        assert run(fresh_home, server.url, 4, 2, retry=("aborted", "server_error")) == {"stop": 4}


def test_empty_content_is_an_empty_memory_and_an_empty_answer(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--fault", "empty") as server:
        assert run(fresh_home, server.url, 1, 2) == {"stop": 1}
    assert [row["text"] for row in rows(fresh_home, "FROM memories ORDER BY position")] == ["", ""]
    assert rows(fresh_home, "FROM predictions")[0]["raw_answer"] == ""


def test_content_that_a_parser_filed_under_reasoning_is_the_reply(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path) as server:
        run(fresh_home, server.url, 1, 2)
    plain = rows(fresh_home, "SELECT response FROM model_calls ORDER BY position")
    other = Home(fresh_home.root.parent / "other")
    with stand_in(tmp_path, "--fault", "reasoning", log="second.jsonl") as server:
        assert run(other, server.url, 1, 2) == {"stop": 1}
    assert rows(other, "SELECT response FROM model_calls ORDER BY position") == plain


@pytest.mark.parametrize(("fault", "error", "attempts"), [
    ("giant", "the response has more than 33,554,432 bytes", 1), ("bomb", "the response has more than", 1),
    ("deep", "the reply is not JSON", 1), ("latin1", "the reply is not JSON", 1),
    ("badgzip", "connection lost", 3), ("garbage", "connection lost", 3), ("408", "status 408", 6),
    ("drip", "no reply within 1 s", 1),
])  # fmt: skip
def test_answers_that_are_none_fail_an_example_and_nothing_else(
    tmp_path: Path, fresh_home: Home, fault: str, error: str, attempts: int
) -> None:
    def endpoint(url: str) -> Endpoint:
        return Endpoint(url, "m", patience=QUICK, deadline=1.0 if fault == "drip" else 60.0)

    with stand_in(tmp_path, "--fault", f"{fault}:with=e0") as server:
        counts = run(fresh_home, server.url, 2, 2, endpoint=endpoint, on_error="continue")
        assert counts == {"timeout" if fault == "drip" else "server_error": 1, "stop": 1}
        failed = rows(fresh_home, "SELECT error FROM model_calls WHERE outcome <> 'stop'")
        assert len(failed) == attempts
        assert all(row["error"].startswith(error) and len(row["error"]) < 300 for row in failed)
        server.faults()
        assert run(fresh_home, server.url, 2, 2, endpoint=endpoint) == {"stop": 2}


@pytest.mark.parametrize(("fault", "text"), [
    ("surrogate", "half \ufffd of a smile"), ("nul", "a\0b\x1b[31m\u2028c"), ("plain", None), ("vllm", None),
])  # fmt: skip
def test_odd_texts_are_kept_sent_on_and_replayed_alike(
    tmp_path: Path, fresh_home: Home, fault: str, text: str | None
) -> None:
    with stand_in(tmp_path, "--fault", fault) as server:
        assert run(fresh_home, server.url, 1, 2) == {"stop": 1}
        replies = [row["response"] for row in rows(fresh_home, "FROM model_calls ORDER BY position")]
        assert replies == [text] * 3 if text else all(replies)
        sync(fresh_home)
        fresh_home.snapshot.unlink()
        sync(fresh_home)
        assert [row["response"] for row in rows(fresh_home, "FROM model_calls ORDER BY position")] == replies
        assert [row["text"] for row in rows(fresh_home, "FROM memories ORDER BY position")] == replies[:2]
        asked = len(server.rows())
        again = run(fresh_home, server.url, 1, 2, retry=("stop",))  # the last call again, all others replayed
        assert again == {"stop": 1}
        assert len(server.rows()) == asked + 1


@pytest.mark.parametrize("usage", [
    "null", "[[]]", '{"prompt_tokens": -5, "completion_tokens": -1}', '{"prompt_tokens": 1e300}',
    '{"prompt_tokens": 100000000000000000000, "completion_tokens": 3000000000}', '{"prompt_tokens": true}',
    '{"prompt_tokens": NaN, "completion_tokens": "3", "prompt_tokens_details": [1]}', '{"prompt_tokens_details": null}',
])  # fmt: skip
def test_a_usage_that_cannot_be_true_is_none(tmp_path: Path, fresh_home: Home, usage: str) -> None:
    budget = Budget(tokens=10**6)
    with stand_in(tmp_path, "--fault", f"usage={usage}") as server:
        assert run(fresh_home, server.url, 1, 1, budget=budget) == {"stop": 1}
    counts = "SELECT DISTINCT server_prompt_tokens, completion_tokens, cached_tokens FROM model_calls"
    assert [tuple(row.values()) for row in rows(fresh_home, counts)] == [(None, None, None)]
    assert budget.spent == 0


def test_a_server_that_comes_back_with_another_model_stops_the_run(tmp_path: Path, fresh_home: Home) -> None:
    def endpoint(url: str) -> Endpoint:
        return Endpoint(url, "m", patience=Patience(first_pause=0.3, attempts=9), facts={"models": ["right"]})

    with stand_in(tmp_path, "--model", "right", "--delay", "0.05", "--fault", "die:at=9") as server:
        port = server.url.rsplit(":", 1)[1].removesuffix("/v1")

        def restarted() -> None:
            server.process.wait()
            replacement.__enter__()

        replacement = stand_in(tmp_path, "--model", "wrong", "--port", port, log="wrong.jsonl")
        watcher = threading.Thread(target=restarted)
        watcher.start()
        with pytest.raises(Fault, match=r"came back with another model: models is wrong, and was right"):
            run(fresh_home, server.url, 4, 6, endpoint=endpoint, on_error="continue")
        watcher.join()
        replacement.__exit__(None, None, None)
        assert not (tmp_path / "wrong.jsonl").exists()
    assert rows(fresh_home, "FROM predictions") == []
    with stand_in(tmp_path, "--model", "wrong", log="third.jsonl") as server:
        with pytest.raises(Fault, match="serves another model than this run was started with: models is wrong"):
            run(fresh_home, server.url, 4, 6, endpoint=endpoint)
        assert server.rows() == []


def test_a_chain_of_210_sections_goes_on_in_the_middle(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--fault", "400:at=106") as server:
        with pytest.raises(Fault, match="ended with server_error"):
            run(fresh_home, server.url, 1, 210)
        assert len(rows(fresh_home, "FROM memories")) == 105
        assert run(fresh_home, server.url, 1, 210) == {"stop": 1}
        assert len(server.rows()) == 211 + 1
        assert server.repeated() == {}
    assert len(rows(fresh_home, "FROM memories")) == 210
    assert rows(fresh_home, "FROM predictions")[0]["model_calls"] == 211


def test_a_limit_of_tokens_ends_the_command_and_the_next_one_goes_on(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--prompt-tokens", "100") as server:
        budget = Budget(tokens=1000)
        counts = run(fresh_home, server.url, 4, 5, concurrency=1, budget=budget)
        assert counts.total() < 4
        assert "The limit of 1,000 tokens is reached" in budget.exceeded()
        used = "SELECT sum(server_prompt_tokens + completion_tokens)::INT AS n FROM model_calls"
        assert 1000 <= budget.spent == rows(fresh_home, used)[0]["n"] < 1300
        assert run(fresh_home, server.url, 4, 5) == {"stop": 4}
        assert len(server.rows()) == 4 * 6
        assert server.repeated() == {}


def test_a_limit_of_time_lets_calls_in_flight_end(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--delay", "0.1") as server:
        budget = Budget(seconds=6, clock=lambda: float(len(server.rows("answered"))))
        assert run(fresh_home, server.url, 2, 50, budget=budget) == Counter()
        kept = rows(fresh_home, "SELECT count(*) AS n FROM model_calls WHERE outcome = 'stop'")[0]["n"]
        assert 6 <= kept == len(server.rows()) <= 10
    assert rows(fresh_home, "FROM predictions") == []


def test_a_budget_that_is_spent_already_asks_nothing(tmp_path: Path, fresh_home: Home) -> None:
    budget = Budget(tokens=1)
    budget.spend(1)
    with stand_in(tmp_path) as server:
        assert run(fresh_home, server.url, 2, 2, budget=budget) == Counter()
        assert server.rows() == []


def test_the_clock_of_a_budget() -> None:
    now = 5.0
    budget = Budget(seconds=10, clock=lambda: now)
    assert (budget.exceeded(), budget.seconds_left()) == (None, 10)
    now = 15.0
    assert budget.exceeded() == "The limit of 10 s is reached (10 s passed)"
    assert budget.seconds_left() == 0
    assert Budget().seconds_left() is None
    assert Shard.__dataclass_fields__["budget"].default_factory is Budget
