"""Scores of values, and of every planned example of a run in a database."""

import json
from datetime import datetime

import pytest

from tasks.errors import UserError
from tasks.home import Home
from tasks.scoring.score import SCORER, VERSION, score, score_answer, score_run_examples
from tasks.warehouse import snapshot
from tasks.warehouse.ingest import sync
from tasks.warehouse.journal import write

WHEN = datetime(2026, 1, 1, 12)

SCORES = [
    # one value: all or nothing
    (["4.5"], ["4.5"], "number", False, 1.0),
    (["4.6"], ["4.5"], "number", False, 0.0),
    (["4.5", "5.1"], ["4.5"], "number", False, 0.0),
    (None, ["4.5"], "number", False, 0.0),
    ([], ["4.5"], "number", False, 0.0),
    # several: matched / longer list
    (["a", "b"], ["a", "b"], "text", True, 1.0),
    (["b", "a"], ["a", "b"], "text", True, 0.0),
    (["b", "a"], ["a", "b"], "text", False, 1.0),
    (["a"], ["a", "b"], "text", True, 0.5),
    (["a", "x", "c", "d"], ["a", "b", "c", "d"], "text", True, 0.75),
    (["a", "b", "c", "d", "e"], ["a", "b", "c", "d"], "text", True, 0.8),
    (["x", "a", "b"], ["a", "b"], "text", True, 0.0),
    (["x", "a", "b"], ["a", "b"], "text", False, 2 / 3),
    (["a", "a"], ["a", "b"], "text", False, 0.5),
    (["a", "a"], ["a", "a"], "text", False, 1.0),
    (["1.005", "1.012"], ["1", "1.01"], "number", False, 1.0),
    (["1.012", "1.005"], ["1", "1.01"], "number", False, 1.0),
]


@pytest.mark.parametrize(("predicted", "expected", "answer_type", "ordered", "points"), SCORES)
def test_scores(predicted, expected, answer_type, ordered, points) -> None:
    assert score(predicted, expected, answer_type, ordered=ordered) == pytest.approx(points)


def test_from_raw_answer_to_score() -> None:
    raw = "<think>two fields</think>\nMagnitude: 4.5\nDepth: 10.2 km"
    assert score_answer(raw, ["4.5", "10.2"], "number", True) == (["Magnitude: 4.5", "Depth: 10.2 km"], 1.0)
    assert score_answer("<think>cut off", ["4.5"], "number", True) == (None, 0.0)


def example(number: int, answer: list[str], ordered: bool = True) -> dict[str, dict]:
    question = {
        "question_id": f"q{number}", "dataset": "json", "task": "fields_2", "kind": "k", "text": "?", "reference": {},
        "answer": answer, "answer_type": "text", "ordered": ordered, "template": "t", "sample": True,
    }  # fmt: skip
    row = {
        "example_id": f"e{number}", "dataset": "json", "task": "fields_2", "length": 1024, "split": "test",
        "number": number, "question_id": f"q{number}", "context_sha256": "0", "characters": 1,
        "supporting": [0], "sample": True,
    }  # fmt: skip
    return {"questions": question, "examples": row, "run_examples": {"run_id": "r", "example_id": f"e{number}"}}


def prediction(number: int, outcome: str, raw: str | None, hour: int = 12) -> dict:
    return {
        "run_id": "r", "example_id": f"e{number}", "outcome": outcome, "raw_answer": raw, "model_calls": 1,
        "error": None, "recorded_at": WHEN.replace(hour=hour),
    }  # fmt: skip


@pytest.fixture
def run(fresh_home: Home) -> Home:
    examples = [example(0, ["a", "b"]), example(1, ["a", "b"]), example(2, ["c"]), example(3, ["d"])]
    for table in ("questions", "examples", "run_examples"):
        write(fresh_home, table, [rows[table] for rows in examples])
    predictions = [prediction(0, "stop", "a\nb"), prediction(1, "length", "a"), prediction(2, "overflow", None)]
    write(fresh_home, "predictions", predictions)
    sync(fresh_home)
    return fresh_home


def scores(at: Home) -> dict[str, tuple]:
    rows = snapshot.rows(at, "SELECT example_id, score, extracted, scorer, scorer_version FROM scores")
    return {row["example_id"]: (row["score"], json.loads(row["extracted"] or "null")) for row in rows}


def test_every_planned_example_is_scored_and_missing_ones_score_zero(run: Home) -> None:
    counts = score_run_examples(run, "r")
    assert counts == {
        "run_id": "r", "planned": 4, "answered": 2, "failed": 1, "missing": 1, "scored": 4, "mean_score": 0.375,
    }  # fmt: skip
    sync(run)
    assert scores(run) == {"e0": (1.0, ["a", "b"]), "e1": (0.5, ["a"]), "e2": (0.0, None), "e3": (0.0, None)}
    named = snapshot.rows(run, "SELECT DISTINCT scorer, scorer_version FROM scores")
    assert named == [{"scorer": SCORER, "scorer_version": VERSION}]


def test_scoring_again_scores_only_what_is_new(run: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    score_run_examples(run, "r")
    sync(run)
    again = score_run_examples(run, "r")
    assert (again["scored"], again["mean_score"]) == (0, 0.375)
    late = datetime.now().replace(year=datetime.now().year + 1)
    write(run, "predictions", [prediction(3, "stop", "d") | {"recorded_at": late}])
    sync(run)
    more = score_run_examples(run, "r")
    assert (more["scored"], more["mean_score"]) == (1, 0.625)
    monkeypatch.setattr("tasks.scoring.score.VERSION", "next")
    sync(run)
    assert score_run_examples(run, "r")["scored"] == 4


def test_a_run_that_is_none(run: Home) -> None:
    with pytest.raises(UserError, match="Run nothing has no planned examples"):
        score_run_examples(run, "nothing")
