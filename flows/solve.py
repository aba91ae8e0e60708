"""Solve: long-horizon agents work on the tasks of a benchmark, then their answers are scored and judged."""

import contextlib
import re
import time
from collections.abc import Iterator
from typing import Any

from prefect import flow, get_run_logger

from flows import artifacts
from flows.failures import log_in_one_sentence
from flows.names import named
from flows.run import SYNC_SECONDS
from flows.solving import SolveParameters
from tasks.errors import TreebenchError
from tasks.home import home
from tasks.long_horizon.steps import (
    judge_tasks,
    judged,
    plan_tasks,
    score_tasks,
    solve_shard,
    unsolved,
    write_run_files,
)
from tasks.running.counting import prompt_counter
from tasks.serving.endpoint import Endpoint
from tasks.serving.models import model_spec
from tasks.serving.opening import open_endpoint
from tasks.warehouse.steps import sync_warehouse

log_in_one_sentence()


@flow(flow_run_name=named("solve {benchmark} by {frameworks} with {model}"))
def solve(parameters: SolveParameters) -> list[dict[str, Any]]:
    """Solve every task that is not solved yet, score all answers, and return what each run reached.

    A finished model or tool call is never made again: the same parameters go on where an interrupted run stopped.

    Args:
        parameters: which tasks, frameworks, tools, model and decoding
    """
    plans = parameters.plans()
    for model in (parameters.model, parameters.auxiliary_model, parameters.judge_model):
        if model:
            model_spec(model)  # one that is not there is said before anything starts
    known = [unsolved(plan, list(parameters.retry)) for plan in plans]
    if any(count for _, count in known):
        _work(parameters, plans)
    else:
        get_run_logger().info("All tasks of all runs are solved already: no model is needed")
    sync_warehouse()
    scored = [score_tasks(plan, run_id) for plan, (run_id, _) in zip(plans, known, strict=True)]
    with_ = None
    if parameters.judge != "none":
        with_ = {"prompt": parameters.judge, "model": parameters.judge_model or parameters.model}
        _judge(parameters, with_, plans, [run_id for run_id, _ in known], scored)
    for plan, (run_id, _), counts in zip(plans, known, scored, strict=True):
        recall = write_run_files(plan, run_id, with_)
        if recall is not None:
            counts["evidence_recall"] = recall
    sync_warehouse()
    rows = [
        {"framework": plan["framework"], "variant": plan["variant"], "trial": plan["trial"], **counts}
        for plan, counts in zip(plans, scored, strict=True)
    ]
    artifacts.table("solved", rows, "Tasks by run")
    return rows


def _work(parameters: SolveParameters, plans: list[dict[str, Any]]) -> None:
    with _endpoints(parameters) as (endpoint, auxiliary):
        serving = _serving(parameters, endpoint) | {"auxiliary_url": auxiliary.url if auxiliary else None}
        facts = dict(endpoint.facts or {})
        planned = [plan_tasks(plan, plan["framework"], endpoint.server, facts) for plan in plans]
        sync_warehouse()
        synced = time.monotonic()
        try:
            for (run_id, shards), plan in zip(planned, plans, strict=True):
                for number, task_ids in enumerate(shards):
                    name = f"{plan['framework']} {plan['variant']}, trial {plan['trial']}: shard {number + 1}"
                    shard = solve_shard.with_options(task_run_name=f"{name} of {len(shards)}")
                    shard(plan, run_id, number, task_ids, serving)
                    if time.monotonic() - synced > SYNC_SECONDS:
                        sync_warehouse()
                        synced = time.monotonic()
        finally:
            sync_warehouse()


def _judge(
    parameters: SolveParameters,
    with_: dict[str, Any],
    plans: list[dict[str, Any]],
    run_ids: list[str],
    scored: list[dict[str, Any]],
) -> None:
    model = with_["model"]
    for run_id, counts in zip(run_ids, scored, strict=True):
        counts["judged"] = judged(run_id, with_)
    if all(counts["judged"] is not None for counts in scored):
        return
    own = parameters.judge_endpoint or model != parameters.model
    url = parameters.judge_endpoint if own else parameters.endpoint
    with _endpoint(model, url, parameters.deadline, "judge-" if own else "") as endpoint:
        serving = _serving(parameters, endpoint)
        for plan, run_id, counts in zip(plans, run_ids, scored, strict=True):
            if counts["judged"] is not None:
                continue
            facts = dict(endpoint.facts or {})
            counts["judged"] = judge_tasks(plan, run_id, with_, endpoint.url, facts, serving)["mean_score"]


def _serving(parameters: SolveParameters, endpoint: Endpoint) -> dict[str, Any]:
    facts = endpoint.facts or {}
    slots = facts.get("slots") or (facts.get("props") or {}).get("total_slots")
    return {
        "url": endpoint.url, "concurrency": parameters.concurrency, "deadline": parameters.deadline,
        "on_error": parameters.on_error, "retry": list(parameters.retry),
        "slots": slots if isinstance(slots, int) and slots > 0 else 8,
    }  # fmt: skip


@contextlib.contextmanager
def _endpoints(parameters: SolveParameters) -> Iterator[tuple[Endpoint, Endpoint | None]]:
    """The endpoint of the agents, and that of auxiliary work where it has a model of its own."""
    with contextlib.ExitStack() as stack:
        endpoint = stack.enter_context(_endpoint(parameters.model, parameters.endpoint, parameters.deadline))
        auxiliary = None
        if model := parameters.auxiliary_model:
            opened = _endpoint(model, parameters.auxiliary_endpoint, parameters.deadline, "auxiliary-")
            auxiliary = stack.enter_context(opened)
        yield endpoint, auxiliary


@contextlib.contextmanager
def _endpoint(model: str, url: str | None, deadline: float, role: str = "") -> Iterator[Endpoint]:
    """The endpoint of a model. What is wrong with it names the parameters of its `role`, such as --judge-endpoint."""
    spec = model_spec(model)
    with contextlib.ExitStack() as stack:
        try:
            opened = stack.enter_context(
                open_endpoint(spec, url, count=prompt_counter(spec, home()), deadline=deadline)
            )
        except TreebenchError as error:
            raise type(error)(re.sub(r"--(endpoint|model)\b", rf"--{role}\1", str(error))) from error
        yield opened
