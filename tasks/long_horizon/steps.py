"""Prefect tasks of the long-horizon agents."""

from typing import Any

from prefect import get_run_logger, task
from prefect.runtime import flow_run

from tasks.home import home
from tasks.long_horizon import planning, run_files
from tasks.long_horizon.benchmarks import source as sources
from tasks.long_horizon.evaluating import Serving, evaluate
from tasks.long_horizon.judging import Judge, judge, judged_already, mean_score
from tasks.long_horizon.planning import Plan
from tasks.long_horizon.scoring import score
from tasks.long_horizon.tools import making
from tasks.running.steps import ShardProgress


@task(name="plan tasks", task_run_name="plan {framework}")
def plan_tasks(
    plan: dict[str, Any], framework: str, endpoint: str, server: dict[str, Any]
) -> tuple[str, list[list[str]]]:
    """Record what is going to be run; returns the run_id and the task ids of each shard."""
    made = Plan.of(plan)
    tasks = sources.tasks(made.source, home())
    planning.check_place(home(), tasks)
    run_id = planning.record(home(), made, tasks, endpoint, server, flow_run.id)
    return run_id, planning.shards(made, tasks)


def unsolved(plan: dict[str, Any], retry: list[str]) -> tuple[str, int]:
    """The run_id of a plan and how many of its tasks are still to be solved."""
    made = Plan.of(plan)
    tasks = sources.tasks(made.source, home())
    planning.check_place(home(), tasks)
    if made.chosen.tools:
        making.check(made.source, made.search)
    run_id = made.run_id(home(), tasks)
    return run_id, planning.open_tasks(home(), run_id, tasks, retry)


@task(name="solve shard")
def solve_shard(
    plan: dict[str, Any], run_id: str, shard: int, task_ids: list[str], serving: dict[str, Any]
) -> dict[str, int]:
    """Solve the tasks of one shard; counts by outcome. Shows its progress as an artifact."""
    progress = ShardProgress("solve", run_id, shard, "tasks")
    counts = evaluate(
        home(), Plan.of(plan), run_id, shard, task_ids, Serving(**serving), progress=progress, waiting=progress.waiting
    )
    progress.ended(counts)
    return counts


def judged(run_id: str, with_: dict[str, Any]) -> float | None:
    """The mean score that a judge gave to a run; None where some of its answers are not judged yet."""
    made = Judge(**with_)
    return mean_score(home(), run_id, made) if judged_already(home(), run_id, made) else None


@task(name="score tasks", task_run_name="score {run_id}")
def score_tasks(plan: dict[str, Any], run_id: str) -> dict[str, Any]:
    """Score every planned task of a run by the exact scorer. Needs no model."""
    made = Plan.of(plan)
    return score(home(), run_id, sources.tasks(made.source, home()))


@task(name="write run files", task_run_name="run files of {run_id}")
def write_run_files(plan: dict[str, Any], run_id: str, judge_: dict[str, Any] | None) -> float | None:
    """Write the run files of a run on a collection, and return its recall of evidence; None for other runs."""
    made = Plan.of(plan)
    tasks = sources.tasks(made.source, home())
    if not any(one.evidence is not None for one in tasks):
        return None
    summary = run_files.write(home(), run_id, tasks, Judge(**judge_).scorer if judge_ else None)
    get_run_logger().info("Run files: %s", home().root / "run_files" / run_id)
    return summary["Recall (%)"]


@task(name="judge tasks", task_run_name="judge {run_id}")
def judge_tasks(
    plan: dict[str, Any], run_id: str, with_: dict[str, Any], endpoint: str, server: dict[str, Any],
    serving: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """Let a model judge every answer of a run; answers that are judged already are not judged again."""
    made = Plan.of(plan)
    tasks = sources.tasks(made.source, home())
    return judge(home(), run_id, tasks, Judge(**with_), endpoint, server, Serving(**serving), flow_run.id)
