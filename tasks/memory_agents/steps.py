"""Prefect tasks of the memory agents."""

import time
from typing import Any, cast
from uuid import UUID

from prefect import get_run_logger, task
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.runtime import flow_run

from tasks.home import home
from tasks.memory_agents.evaluating import evaluate
from tasks.memory_agents.planning import Run, open_examples, record, shards
from tasks.running.budget import Budget
from tasks.serving.retrying import Patience

UPDATE_SECONDS = 2.0
"""How often the progress artifact is renewed at most."""


@task(name="plan run", task_run_name="plan {run[agent]} under {run[method]}")
def plan_run(run: dict[str, Any], endpoint: str, server: dict[str, Any]) -> tuple[str, list[list[str]]]:
    """Record what is going to be run (fields of `Run`); returns the run_id and the example ids of each shard."""
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
) -> dict[str, int]:
    """Answer the examples of one shard; counts by outcome. Shows its progress as an artifact."""
    logger = get_run_logger()
    key = f"run-{run_id[:8]}-shard-{shard}"
    artifact = cast(UUID, create_progress_artifact(0.0, key=key, description="starting"))
    shown = 0.0

    def progress(done: int, planned: int) -> None:
        nonlocal shown
        if done == planned or time.monotonic() - shown > UPDATE_SECONDS:
            shown = time.monotonic()
            description = f"{done} of {planned} examples"
            update_progress_artifact(artifact, 100.0 * done / max(1, planned), description=description)

    def waiting(holder: str) -> None:
        logger.info("Process %s works on this shard already: waiting for it", holder)

    counts = evaluate(
        home(), run_id, shard, example_ids, url, concurrency=concurrency, deadline=deadline, on_error=on_error,
        retry=retry, patience=patience, budget=budget, progress=progress, waiting=waiting,
    )  # fmt: skip
    logger.info("Shard %d: %s", shard, ", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return counts
