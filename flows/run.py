"""Run: agents answer the examples of a dataset version, each under each observation method."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import asdict
from typing import Any

from prefect import flow, get_run_logger

from flows import artifacts, newest
from flows.failures import log_in_one_sentence
from flows.names import named
from flows.parameters import RunParameters
from tasks.home import home
from tasks.memory_agents.agents import agent
from tasks.memory_agents.decoding import decoding
from tasks.memory_agents.planning import Run
from tasks.memory_agents.steps import plan_run, run_shard, unanswered
from tasks.running.budget import Budget
from tasks.running.counting import prompt_counter
from tasks.running.limits import Held
from tasks.serving.models import model_spec
from tasks.serving.opening import open_endpoint
from tasks.warehouse.steps import sync_warehouse

SYNC_SECONDS = 900.0
"""How often finished answers are published while a run goes on."""

log_in_one_sentence()


@flow(flow_run_name=named("run {agents} under {methods} with {model}"))
def run(parameters: RunParameters) -> list[str]:
    """Answer every example that is not answered yet and return the run ids.

    A finished model call is never made again: the same parameters go on where an interrupted run stopped.

    Args:
        parameters: which dataset version, agents, methods, model and decoding
    """
    runs = planned(parameters, newest.build(parameters.build))
    known = unanswered(runs, list(parameters.retry))
    if not any(known.values()):
        get_run_logger().info("All examples of all runs are answered already: no model is needed")
        sync_warehouse()  # a killed run leaves answers in its journal that the snapshot does not show yet
        return list(known)
    spec = model_spec(parameters.model)
    counter = prompt_counter(spec, home())
    told = get_run_logger().warning
    with open_endpoint(spec, parameters.endpoint, count=counter, deadline=parameters.deadline, told=told) as endpoint:
        plans = [plan_run(asdict(one), endpoint.server, dict(endpoint.facts or {})) for one in runs]
        sync_warehouse()
        budget = Budget(parameters.limit_tokens, parameters.limit_time)
        try:
            rows = _shards(parameters, runs, plans, endpoint.url, endpoint.patience, budget)
        finally:
            sync_warehouse()
    if ended := budget.exceeded():
        get_run_logger().warning("%s: run the same command again to go on", ended)
    artifacts.table("run", rows, "Examples by outcome")
    return [run_id for run_id, _ in plans]


def planned(parameters: RunParameters, build_id: str) -> list[Run]:
    """One run for each agent under each method."""
    window = model_spec(parameters.model).window
    return [
        Run(
            build_id, name, method, parameters.model, parameters.base_budget,
            decoding(agent(name), parameters.decoding, window, parameters.chosen()), parameters.prompts,
        )
        for name in parameters.agents
        for method in parameters.methods
    ]  # fmt: skip


def _shards(
    parameters: RunParameters, runs: list[Run], plans: list[Any], url: str, patience: Any, budget: Budget
) -> list[dict[str, Any]]:
    """Work through the shards of all runs, `shards_at_once` at a time; the first failure starts no further one."""
    work = [
        (one, run_id, number, len(shards), example_ids)
        for one, (run_id, shards) in zip(runs, plans, strict=True)
        for number, example_ids in enumerate(shards)
    ]
    rows: list[dict[str, Any]] = []
    failures: list[BaseException] = []
    synced = time.monotonic()
    held = Held()

    def answered(one: Run, run_id: str, number: int, count: int, example_ids: list[str]) -> dict[str, Any] | None:
        if failures or budget.exceeded():
            return None
        name = f"{one.agent} under {one.method}: shard {number + 1} of {count}"
        try:
            counts = run_shard.with_options(task_run_name=name)(
                run_id, number, example_ids, url, parameters.concurrency, parameters.deadline, parameters.on_error,
                list(parameters.retry), patience, budget, held,
            )  # fmt: skip
        except BaseException as failure:
            failures.append(failure)
            raise
        return {"run": run_id, "agent": one.agent, "method": one.method, "shard": number + 1, **counts}

    with ThreadPoolExecutor(parameters.shards_at_once) as pool:
        futures = [pool.submit(copy_context().run, answered, *one) for one in work]
        for future in futures:
            row = future.result()
            if row:
                rows.append(row)
            if time.monotonic() - synced > SYNC_SECONDS:
                sync_warehouse()
                synced = time.monotonic()
    return rows
