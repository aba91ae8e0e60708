"""Views of long-horizon agents, over rows whose results are computed by hand."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import duckdb
import pytest

from tasks.warehouse import migrations
from tasks.warehouse.schema import SQL

NOW = datetime(2026, 3, 1)


class Made:
    """A database with rows of our own making."""

    def __init__(self, con: duckdb.DuckDBPyConnection):
        self.con = con
        for number, level in enumerate(("1", "1", "2", "3")):
            self.add("agent_tasks", task_id=f"t{number}", benchmark="gaia", name=f"n{number}", level=level, files="[]",
                     question_sha256="0", gated=True, sample=False)  # fmt: skip

    def add(self, table: str, **row: Any) -> None:
        marks = ", ".join("?" * len(row))
        self.con.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))

    def run(self, run_id: str, framework: str, trial: int, scores: list[float | None], variant: str = "full") -> None:
        decoding = {"trial": trial, "seed": 41 + trial, "temperature": 0.5, "subset": "text_only",
                    "search": {"engine": "searxng", "get_document": False}}  # fmt: skip
        self.add("runs", run_id=run_id, build_id="b", dataset="gaia", agent=framework, method=variant, model="m",
                 endpoint="", server="{}", prompts="default", prompts_sha256=framework, tokenizer="t",
                 tokenizer_sha256="t", base_budget=0, decoding=json.dumps(decoding), code_version="1", sample=False,
                 recorded_at=NOW)  # fmt: skip
        for number, score in enumerate(scores):
            self.add("run_examples", run_id=run_id, example_id=f"t{number}")
            if score is None:
                continue
            self.add("predictions", run_id=run_id, example_id=f"t{number}", outcome="stop", raw_answer="a",
                     model_calls=1, recorded_at=NOW)  # fmt: skip
            self.add("scores", run_id=run_id, example_id=f"t{number}", scorer="gaia", scorer_version="1", score=score,
                     recorded_at=NOW + timedelta(1))  # fmt: skip

    def event(self, run_id: str, event: int, space: str, session: int, turn: int, action: str, context: int | None,
              planning: int = 0, **more: Any) -> None:  # fmt: skip
        position = None if action == "tool" else event
        self.add("agent_events", run_id=run_id, task_id="t0", event=event, space=space, session=session, turn=turn,
                 action=action, status=more.pop("status", "ok"), position=position, context_tokens=context,
                 planning_tokens=planning, recorded_at=NOW, **more)  # fmt: skip

    def rows(self, sql: str) -> list[tuple]:
        return self.con.execute(sql).fetchall()


@pytest.fixture
def made() -> Iterator[Made]:
    with duckdb.connect() as con:
        migrations.apply(con, SQL)
        yield Made(con)


def test_mean_and_spread_over_trials_by_level(made: Made) -> None:
    made.run("r1", "hymem", 1, [1, 1, 0, 0])
    made.run("r2", "hymem", 2, [1, 0, 1, None])
    made.run("r3", "react", 1, [0, 0, 0, 0])
    found = made.rows("SELECT level, tasks, trials, score, round(spread, 4), lowest, highest FROM agent_levels "
                      "WHERE framework = 'hymem' ORDER BY level")  # fmt: skip
    assert found == [
        ("1", 2, 2, 0.75, 0.3536, 0.5, 1.0), ("2", 1, 2, 0.5, 0.7071, 0.0, 1.0), ("3", 1, 2, 0.0, 0.0, 0.0, 0.0),
        ("all", 4, 2, 0.5, 0.0, 0.5, 0.5),
    ]  # fmt: skip
    assert made.rows("SELECT count(DISTINCT setup) FROM agent_runs WHERE framework = 'hymem'") == [(1,)]
    assert made.rows(
        "SELECT outcome::VARCHAR, score FROM agent_task_scores WHERE run_id = 'r2' AND task_id = 't3'"
    ) == [("skipped", 0.0)]


def test_scorers_stand_side_by_side(made: Made) -> None:
    made.run("r1", "hymem", 1, [1, 0, 0, 0])
    made.add("scores", run_id="r1", example_id="t1", scorer="judge gaia by m", scorer_version="v", score=1,
             recorded_at=NOW)  # fmt: skip
    assert made.rows("SELECT scorer, score FROM agent_levels WHERE level = 'all' ORDER BY scorer") == [
        ("gaia", 0.25), ("judge gaia by m", 0.25)]  # fmt: skip


def test_recall_is_that_of_tasks_with_evidence(made: Made) -> None:
    made.con.execute("""UPDATE agent_tasks SET evidence = '["d1", "d2"]' WHERE task_id = 't1'""")
    made.con.execute("UPDATE agent_tasks SET evidence = '[]' WHERE task_id = 't2'")
    made.run("r1", "hymem", 1, [1, 0, 0, 0])
    recall = {"run_id": "r1", "example_id": "t1", "scorer": "evidence recall", "scorer_version": "v", "score": 1}
    made.add("scores", **recall, recorded_at=NOW)
    levels = "SELECT scorer, tasks, score FROM agent_levels WHERE level = 'all' ORDER BY scorer"
    assert made.rows(levels) == [("evidence recall", 1, 1.0), ("gaia", 4, 0.25)]
    made.con.execute("DELETE FROM scores WHERE scorer = 'gaia'")
    assert made.rows(levels) == [("evidence recall", 1, 1.0)]
    assert made.rows("SELECT count(*) FROM agent_task_scores WHERE scorer IS NULL") == [(4,)]


def test_costs_of_a_task(made: Made) -> None:
    made.run("r1", "hymem", 1, [1])
    made.event("r1", 1, "planner", 1, 1, "task", 100, 40)
    made.event("r1", 2, "executor", 1, 1, "tool_call", 80)
    made.event("r1", 3, "executor", 1, 1, "tool", None, raw_characters=5000)
    made.event("r1", 4, "executor", 1, 2, "tool", None, raw_characters=10, status="error")
    made.event("r1", 5, "planner", 1, 2, "unparsed", 130, status="unparsed")
    made.event("r1", 6, "planner", 1, 2, "answer", 140, status="repaired", content='{"confidence": 0.8}')
    made.add("memory_folds", run_id="r1", task_id="t0", fold=1, event=4, triggers="[]", turns=1, executions=1,
             failures=0, tool_calls=2, utilisation=0.5, tokens_before=9, tokens_after=5, kept="[]",
             recorded_at=NOW)  # fmt: skip
    for number, (prompt, reply) in enumerate(((100, 10), (80, 5))):
        made.add("model_calls", call_id=str(number), request_id=str(number), run_id="r1", example_id="t0",
                 role="planner", position=number, attempt=1, prompt_sha256="0", prompt_tokens=prompt,
                 completion_tokens=reply, outcome="stop", started_at=NOW)  # fmt: skip
    (row,) = made.rows("SELECT * EXCLUDE (run_id, task_id) FROM agent_task_costs")
    assert row == (4, 2, 2, 1, 1, 1, 1, 5010, 140, 0.8, 195)


def test_context_growth_and_dilution(made: Made) -> None:
    """The planner stays, sessions come and go: the total is the planner and the largest of each session so far."""
    made.run("r1", "hymem", 1, [1])
    made.event("r1", 1, "planner", 1, 1, "task", 100, 40)
    made.event("r1", 2, "executor", 1, 1, "tool_call", 80)
    made.event("r1", 3, "executor", 1, 1, "tool", None)
    made.event("r1", 4, "executor", 1, 2, "results", 200)
    made.event("r1", 5, "planner", 1, 2, "task", 120, 60)
    made.event("r1", 6, "executor", 2, 1, "results", 90)
    made.event("r1", 7, "planner", 1, 3, "answer", 60, 45)
    found = made.rows("SELECT step, space, density, lasting_tokens, total_tokens FROM agent_contexts ORDER BY event")
    assert found == [
        (1, "planner", 0.4, 100, 100), (2, "executor", 0.0, 100, 180), (3, "executor", 0.0, 100, 300),
        (4, "planner", 0.5, 120, 320), (5, "executor", 0.0, 120, 410), (6, "planner", 0.75, 60, 350),
    ]  # fmt: skip


def test_judging_is_no_run_of_an_agent(made: Made) -> None:
    made.run("r1", "hymem", 1, [1])
    made.con.execute("UPDATE runs SET agent = 'judge', decoding = '{\"judges\": \"r0\"}' WHERE run_id = 'r1'")
    assert made.rows("FROM agent_runs") == []
