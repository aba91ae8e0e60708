"""Lets a model judge the answers of a run. Judging is a run of its own: it resumes, and costs nothing twice.

Its calls and verdicts are rows like those of any run (agent `judge`, its prompt as method, its model); the score
goes to the judged run, under a scorer that names prompt and model. So judges stand side by side with the exact scorer
and with each other, and judging again asks no agent anything.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from tasks.errors import UserError
from tasks.hashing import content_id, sha256
from tasks.home import Home
from tasks.long_horizon import prompts, responses
from tasks.long_horizon.benchmarks import source as sources
from tasks.long_horizon.benchmarks.task import Task
from tasks.long_horizon.discretion import kind_of
from tasks.long_horizon.evaluating import Serving
from tasks.running.counting import prompt_counter, template_sha256, tokenizer_of
from tasks.running.limits import AdaptiveLimit
from tasks.running.locks import only_worker
from tasks.running.resume import load as finished
from tasks.running.shard import Caller, Decoding, Job
from tasks.scoring import judges
from tasks.serving.chat import Message
from tasks.serving.endpoint import Endpoint
from tasks.serving.models import model_spec
from tasks.warehouse import journal, snapshot
from tasks.warehouse.journal import Journal

TEXTS = prompts.slots(judge="question response correct_answer")


@dataclass(frozen=True)
class Judge:
    """A judge: its prompt and its model."""

    prompt: judges.Form
    model: str
    tokens: int = 512
    """That its reply may have."""
    temperature: float = 0.0

    @property
    def wording(self) -> Mapping[str, str]:
        """Its texts; `UserError` where there is no such prompt."""
        if self.prompt not in judges.FORMS:
            raise UserError(f"There is no judge {self.prompt!r}: choose {', '.join(judges.FORMS)}.")
        return prompts.read("judge", self.prompt, TEXTS)

    @property
    def scorer(self) -> str:
        """Name of its scores: prompt and model."""
        return f"judge {self.prompt} by {self.model}"

    def version(self, home: Home) -> str:
        """Hash of everything that decides a verdict."""
        spec = model_spec(self.model)
        form = [responses.VERSION] if self.prompt == "browsecomp_plus" else []
        return content_id(dict(self.wording), spec.identity(), self.tokens, self.temperature, *form)[:12]

    def run_id(self, home: Home, judged: str) -> str:
        """Id of the judging of a run."""
        return content_id("judge", judged, self.scorer, self.version(home))


def judge(
    home: Home, run_id: str, tasks: Sequence[Task], with_: Judge, endpoint: str, server: Mapping[str, Any],
    serving: Serving, flow_run_id: str | None,
) -> dict[str, Any]:  # fmt: skip
    """Judge every finished answer of a run, and score all its planned tasks by the verdicts.

    A task without an answer is wrong without a call; one whose expected answer is hidden is left out. Returns counts
    and the mean over planned tasks. Raises as `tasks.running.shard.Shard.run` does.
    """
    answers = _answers(home, run_id)
    known = {task.task_id: task for task in tasks}
    sure = _confidences(home, run_id) if with_.prompt == "browsecomp_plus" else {}
    judged = {name: raw for name, raw in answers.items() if raw is not None and known[name].answer is not None}
    own = with_.run_id(home, run_id)
    _record(home, with_, own, run_id, tasks, list(judged), endpoint, server, flow_run_id)
    spec = model_spec(with_.model)
    with only_worker(home, own, 0), Journal(home, f"run-{own[:8]}-0") as writer:
        shard = kind_of(tasks)(
            own,
            Endpoint(endpoint, spec.model, spec.window, prompt_counter(spec, home), deadline=serving.deadline),
            writer,
            Decoding({"judge": with_.tokens}, with_.temperature, seed=42, arguments=spec.chat_arguments),
            AdaptiveLimit(start=serving.slots, most=serving.concurrency),
            finished(home, own, list(judged), serving.retry),
            serving.on_error,
        )  # fmt: skip
        said = {name: responses.response(raw, sure.get(name)) for name, raw in judged.items()}
        asyncio.run(shard.run([_job(known[name], one, with_) for name, one in said.items()]))
    return _score(home, run_id, own, answers, known, with_)


def judged_already(home: Home, run_id: str, with_: Judge) -> bool:
    """Whether every planned task has a score of this judge that is younger than its answer."""
    with snapshot.fresh(home, ("run_examples", "predictions", "scores")) as con:
        (found,) = snapshot.fetch(
            con,
            "SELECT count(*) AS missing FROM run_examples r LEFT JOIN predictions p "
            "ON p.run_id = r.run_id AND p.example_id = r.example_id LEFT JOIN scores s ON s.run_id = r.run_id "
            "AND s.example_id = r.example_id AND s.scorer = ? AND s.scorer_version = ? "
            "AND s.recorded_at >= coalesce(p.recorded_at, s.recorded_at) WHERE r.run_id = ? AND s.run_id IS NULL",
            [with_.scorer, with_.version(home), run_id],
        )
    return found["missing"] == 0


def mean_score(home: Home, run_id: str, with_: Judge) -> float:
    """Mean of a judge's scores over the planned tasks of a run; what is missing scores zero."""
    with snapshot.fresh(home, ("run_examples", "scores")) as con:
        (found,) = snapshot.fetch(
            con,
            "SELECT coalesce(avg(coalesce(s.score, 0)), 0) AS mean FROM run_examples r LEFT JOIN scores s "
            "ON s.run_id = r.run_id AND s.example_id = r.example_id AND s.scorer = ? WHERE r.run_id = ?",
            [with_.scorer, run_id],
        )
    return round(found["mean"], 6)


def _job(task: Task, response: str, with_: Judge) -> Job:
    async def solve(caller: Caller) -> str:
        text = with_.wording["judge"].format_map(
            {"question": task.question, "response": response, "correct_answer": task.answer}
        )
        return await caller.chat("judge", 1, [Message("user", text)])

    return Job(task.task_id, solve)


def _score(
    home: Home, run_id: str, own: str, answers: Mapping[str, str | None], known: Mapping[str, Task], with_: Judge
) -> dict[str, Any]:
    verdicts = {
        row["example_id"]: judges.read(row["raw_answer"], with_.prompt)
        for row in snapshot.fresh_rows(home, "SELECT example_id, raw_answer FROM predictions WHERE run_id = ?", [own])
    }
    rows = []
    for name in answers:
        if known[name].answer is None:
            continue
        verdict = verdicts.get(name, judges.Verdict(False))
        said = {"readable": verdict.readable, "extracted": verdict.extracted, "confidence": verdict.confidence}
        rows.append({
            "run_id": run_id, "example_id": name, "scorer": with_.scorer, "scorer_version": with_.version(home),
            "extracted": said, "score": float(verdict.correct),
            "recorded_at": datetime.now(UTC).replace(tzinfo=None),
        })  # fmt: skip
    journal.write(home, "scores", rows)
    mean = sum(row["score"] for row in rows) / len(answers) if answers else 0.0
    return {"run_id": run_id, "judged": len(verdicts), "unreadable": sum(not v.readable for v in verdicts.values()),
            "mean_score": round(mean, 6)}  # fmt: skip


def _confidences(home: Home, run_id: str) -> dict[str, float]:
    with snapshot.fresh(home, ("agent_events",)) as con:
        return responses.confidences(con, run_id)


def _answers(home: Home, run_id: str) -> dict[str, str | None]:
    """Raw answers of all planned tasks; None where there is no finished one."""
    rows = snapshot.fresh_rows(
        home,
        "SELECT r.example_id, p.raw_answer FROM run_examples r LEFT JOIN predictions p ON p.run_id = r.run_id "
        "AND p.example_id = r.example_id WHERE r.run_id = ? ORDER BY r.example_id",
        [run_id],
    )
    if not rows:
        raise UserError(f'Run {run_id} has no planned tasks: `treebench sql "FROM runs"` lists the runs.')
    return {row["example_id"]: row["raw_answer"] for row in rows}


def _record(
    home: Home, with_: Judge, own: str, judged: str, tasks: Sequence[Task], task_ids: Sequence[str], endpoint: str,
    server: Mapping[str, Any], flow_run_id: str | None,
) -> None:  # fmt: skip
    spec = model_spec(with_.model)
    row = {
        "run_id": own, "build_id": sources.version(tasks), "dataset": tasks[0].benchmark, "agent": "judge",
        "method": with_.prompt, "model": with_.model, "endpoint": endpoint, "server": dict(server),
        "prompts": with_.prompt, "prompts_sha256": sha256(with_.wording["judge"]), "tokenizer": spec.tokenizer,
        "tokenizer_sha256": tokenizer_of(spec, home).sha256, "template_sha256": template_sha256(spec, home),
        "base_budget": 0,
        "decoding": {"temperature": with_.temperature, "judge_tokens": with_.tokens, "window": spec.window,
                     "judges": judged},
        "code_version": version("treebench"), "flow_run_id": flow_run_id, "sample": any(t.sample for t in tasks),
        "recorded_at": datetime.now(UTC).replace(tzinfo=None),
    }  # fmt: skip
    journal.write(home, "runs", [row])
    journal.write(home, "run_examples", [{"run_id": own, "example_id": name} for name in task_ids])
