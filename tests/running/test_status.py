"""Status of cells from rows, some of them not ingested yet."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tasks.errors import UserError
from tasks.home import Home
from tasks.running.status import cells, print_status
from tasks.warehouse.ingest import sync
from tasks.warehouse.journal import Journal, write

NOW = datetime(2026, 6, 1, 12)


def run_row(run_id: str = "r", method: str = "flat") -> dict[str, Any]:
    return {
        "run_id": run_id,
        "build_id": "b",
        "dataset": "json",
        "agent": "memagent",
        "method": method,
        "model": "embedded",
        "endpoint": "",
        "server": {},
        "prompts": "default",
        "prompts_sha256": "0",
        "tokenizer": "smollm2",
        "tokenizer_sha256": "0",
        "template_sha256": None,
        "base_budget": 512,
        "decoding": {},
        "code_version": "1",
        "flow_run_id": None,
        "sample": True,
        "recorded_at": NOW,
    }


def example_row(number: int, task: str) -> dict[str, Any]:
    return {
        "example_id": f"e{number}",
        "dataset": "json",
        "task": task,
        "length": 1024,
        "split": "test",
        "number": number,
        "question_id": "q",
        "context_sha256": "0",
        "characters": 1,
        "supporting": [0],
        "sample": True,
    }


def budget_row(number: int) -> dict[str, Any]:
    return {
        "example_id": f"e{number}",
        "tokenizer": "smollm2",
        "method": "flat",
        "base_budget": 512,
        "budget": 512,
        "tokens": 1500,
        "flat_sections": 3,
        "sections": 3,
        "tried": [],
    }


def call_row(number: int, position: int, outcome: str = "stop", ago: float = 60.0, attempt: int = 1) -> dict[str, Any]:
    return {
        "call_id": f"e{number}-{position}-{attempt}",
        "request_id": f"e{number}-{position}",
        "run_id": "r",
        "example_id": f"e{number}",
        "role": "memory",
        "position": position,
        "attempt": attempt,
        "prompt_sha256": "0",
        "prompt_tokens": 600,
        "server_prompt_tokens": 600,
        "completion_tokens": 40,
        "cached_tokens": 0,
        "latency_s": 2.0,
        "finish_reason": "stop",
        "outcome": outcome,
        "error": None,
        "response": "x",
        "started_at": NOW - timedelta(seconds=ago),
    }


def prediction_row(number: int, outcome: str) -> dict[str, Any]:
    return {
        "run_id": "r",
        "example_id": f"e{number}",
        "outcome": outcome,
        "raw_answer": None,
        "model_calls": 4,
        "error": None,
        "recorded_at": NOW,
    }


def test_cells_from_snapshot_and_journal(fresh_home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    write(fresh_home, "runs", [run_row()])
    write(fresh_home, "examples", [example_row(n, "count" if n < 3 else "extremum") for n in range(4)])
    write(fresh_home, "run_examples", [{"run_id": "r", "example_id": f"e{n}"} for n in range(4)])
    write(fresh_home, "budgets", [budget_row(n) for n in range(4)])
    write(fresh_home, "model_calls", [call_row(0, position, ago=110 - 10 * position) for position in range(1, 5)])
    write(fresh_home, "predictions", [prediction_row(0, "stop")])
    sync(fresh_home)
    with Journal(fresh_home, "live") as journal:
        journal.append("model_calls", call_row(1, 1, "timeout", ago=20))
        journal.append("predictions", prediction_row(1, "timeout"))
        journal.append("model_calls", call_row(2, 1, ago=12))
        journal.append("model_calls", call_row(2, 2, "server_error", ago=5))
        count, extremum = cells(fresh_home, NOW)
        assert (count.task, count.planned, count.done, count.failed) == ("count", 3, 1, {"timeout": 1})
        assert (count.calls, count.tokens, count.remaining) == (5, 5 * 640, 3)
        assert (extremum.planned, extremum.done, extremum.failed, extremum.remaining) == (1, 0, {}, 4)
        # five calls from 100 s ago to 10 s ago, when the last one ended
        assert count.tokens_per_second == pytest.approx(5 * 640 / 90)
        assert count.seconds_left == pytest.approx(3 / (5 / 90))
        assert extremum.seconds_left == pytest.approx(4 / (5 / 90))
        print_status(fresh_home)
    text = capsys.readouterr().out
    assert "run r: memagent under flat on json with embedded" in text
    assert "timeout 1" in text
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["task", "count", "extremum", "all"]


def test_an_idle_run_has_no_speed_and_a_finished_one_no_time_left(fresh_home: Home) -> None:
    write(fresh_home, "runs", [run_row()])
    write(fresh_home, "examples", [example_row(0, "count")])
    write(fresh_home, "run_examples", [{"run_id": "r", "example_id": "e0"}])
    write(fresh_home, "budgets", [budget_row(0)])
    write(fresh_home, "model_calls", [call_row(0, 1, ago=3600)])
    sync(fresh_home)
    (cell,) = cells(fresh_home, NOW)
    assert (cell.tokens_per_second, cell.seconds_left, cell.remaining) == (None, None, 3)
    write(fresh_home, "predictions", [prediction_row(0, "overflow")])
    (cell,) = cells(fresh_home, NOW)
    assert (cell.seconds_left, cell.remaining, cell.failed) == (0.0, 0, {"overflow": 1})


def test_runs_without_a_snapshot_or_their_examples(fresh_home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    write(fresh_home, "runs", [run_row()])
    write(fresh_home, "run_examples", [{"run_id": "r", "example_id": "e0"}])
    with pytest.raises(UserError, match=r"There is no snapshot .*: run `treebench recover`"):
        print_status(fresh_home)
    sync(fresh_home)  # as after a damaged file of the examples was moved away
    print_status(fresh_home)
    assert "memagent under flat on json" in capsys.readouterr().out


def test_open_examples_without_a_foreseen_call_are_not_done(
    fresh_home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    write(fresh_home, "runs", [run_row()])
    write(fresh_home, "examples", [example_row(0, "count"), example_row(1, "count")])
    write(fresh_home, "run_examples", [{"run_id": "r", "example_id": f"e{n}"} for n in range(2)])
    write(fresh_home, "budgets", [budget_row(0), budget_row(1)])
    write(fresh_home, "model_calls", [call_row(n, position, ago=3600) for n in range(2) for position in range(1, 5)])
    write(fresh_home, "predictions", [prediction_row(0, "stop")])
    sync(fresh_home)
    (cell,) = cells(fresh_home, NOW)
    assert (cell.planned, cell.done, cell.remaining, cell.seconds_left) == (2, 1, 0, None)
    print_status(fresh_home)
    assert "done" not in capsys.readouterr().out.splitlines()[-1]
    write(fresh_home, "predictions", [prediction_row(1, "timeout")])
    (cell,) = cells(fresh_home, NOW)
    assert cell.seconds_left == 0.0
    print_status(fresh_home)
    assert capsys.readouterr().out.splitlines()[-1].endswith("done")


def test_nothing_yet(fresh_home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    print_status(fresh_home)
    assert capsys.readouterr().out == "There is no run yet: `treebench run` or `treebench rebuild` makes one.\n"


def test_tasks_of_long_horizon_agents_are_listed_by_level(fresh_home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    write(fresh_home, "runs", [run_row() | {"dataset": "gaia", "agent": "hymem", "method": "full"}])
    task = {"benchmark": "gaia", "name": "n", "files": [], "question_sha256": "0", "gated": True, "sample": False}
    write(fresh_home, "agent_tasks", [task | {"task_id": f"t{n}", "level": str(n)} for n in (1, 2)])
    write(fresh_home, "run_examples", [{"run_id": "r", "example_id": f"t{n}"} for n in (1, 2)])
    write(fresh_home, "predictions", [prediction_row(0, "stop") | {"example_id": "t1"}])
    sync(fresh_home)
    print_status(fresh_home)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "run r: hymem under full on gaia with embedded"
    assert [line.split()[:5] for line in lines[2:4]] == [["level", "1", "-", "1", "1"], ["level", "2", "-", "1", "0"]]
