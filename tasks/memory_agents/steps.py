"""Prefect tasks of the memory agents."""

from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.runtime import flow_run

from tasks.home import home
from tasks.memory_agents.evaluating import evaluate
from tasks.memory_agents.planning import Run, open_examples, record, shards
from tasks.running.budget import Budget
from tasks.running.limits import Held
from tasks.running.steps import ShardProgress
from tasks.serving.retrying import Patience


@task(name="plan run", task_run_name="plan {run[agent]} under {run[method]}")
def plan_run(run: dict[str, Any], endpoint: str, server: dict[str, Any]) -> tuple[str, list[list[str]]]:
    """Record what is run (fields of `Run`) and at which server; the run_id and the example ids of each shard."""
    one = Run(**run)
    return record(home(), one, endpoint, server, flow_run.id), shards(home(), one)


def unanswered(runs: list[Run], retry: list[str]) -> dict[str, int]:
    """The run_id of each configuration and how many of its examples are still to be answered."""
    return open_examples(home(), runs, retry)


@task(name="run shard", cache_policy=NO_CACHE)
def run_shard(
    run_id: str,
    shard: int,
    example_ids: list[str],
    url: str,
    concurrency: int,
    deadline: float,
    on_error: str,
    retry: list[str],
    patience: Patience,
    budget: Budget,
    held: Held,
) -> dict[str, int]:
    """Answer the examples of one shard as `tasks.memory_agents.evaluating.evaluate` does, with a progress artifact."""
    progress = ShardProgress("run", run_id, shard, "examples")
    counts = evaluate(
        home(), run_id, shard, example_ids, url, concurrency=concurrency, deadline=deadline, on_error=on_error,
        retry=retry, patience=patience, budget=budget, held=held, progress=progress, waiting=progress.waiting,
    )  # fmt: skip
    progress.ended(counts)
    return counts
