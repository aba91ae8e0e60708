"""Run: agents answer the examples of a dataset version, each under each observation method."""

from prefect import flow, get_run_logger

from flows import artifacts, newest
from flows.failures import log_in_one_sentence
from flows.names import named
from flows.parameters import RunParameters
from tasks.home import home
from tasks.memory_agents.steps import plan_run, run_shard, unanswered
from tasks.running.counting import prompt_counter
from tasks.serving.models import model_spec
from tasks.serving.opening import open_endpoint
from tasks.warehouse.steps import sync_warehouse

log_in_one_sentence()


@flow(flow_run_name=named("run {agents} under {methods} with {model}"))
def run(parameters: RunParameters) -> list[str]:
    """Answer every example that is not answered yet and return the run ids.

    A finished model call is never made again: the same parameters go on where an interrupted run stopped.

    Args:
        parameters: which dataset version, agents, methods, model and decoding
    """
    build_id = newest.build(parameters.build)
    decoding = {
        "temperature": parameters.temperature,
        "top_p": parameters.top_p,
        "seed": parameters.inference_seed,
        "memory_tokens": parameters.memory_tokens,
        "answer_tokens": parameters.answer_tokens,
    }
    plans = [
        (build_id, agent, method, parameters.model, parameters.base_budget, decoding)
        for agent in parameters.agents
        for method in parameters.methods
    ]
    known = [unanswered(*plan, list(parameters.retry)) for plan in plans]
    if not any(open_count for _, open_count in known):
        get_run_logger().info("All examples of all runs are answered already: no model is needed")
        sync_warehouse()  # a killed run leaves answers in its journal that the snapshot does not show yet
        return [run_id for run_id, _ in known]
    spec = model_spec(parameters.model)
    counter = prompt_counter(spec, home())
    with open_endpoint(spec, parameters.endpoint, count=counter, deadline=parameters.deadline) as endpoint:
        planned = [plan_run(*plan, endpoint.url, dict(endpoint.facts or {})) for plan in plans]
        sync_warehouse()
        rows = []
        try:
            for (run_id, shards), plan in zip(planned, plans, strict=True):
                for number, example_ids in enumerate(shards):
                    name = f"{plan[1]} under {plan[2]}: shard {number + 1} of {len(shards)}"
                    counts = run_shard.with_options(task_run_name=name)(
                        run_id,
                        number,
                        example_ids,
                        endpoint.url,
                        parameters.concurrency,
                        parameters.deadline,
                        parameters.on_error,
                        list(parameters.retry),
                    )
                    rows.append({"run": run_id, "agent": plan[1], "method": plan[2], "shard": number + 1, **counts})
        finally:
            sync_warehouse()
    artifacts.table("run", rows, "Examples by outcome")
    return [run_id for run_id, _ in planned]
