"""Collect: public sources -> responses -> payloads."""

from prefect import flow

from flows import artifacts
from flows.failures import log_in_one_sentence
from flows.names import named
from flows.parameters import CollectParameters
from tasks.collecting.steps import collect_source, pin, require_pinned
from tasks.validating.steps import validate_collected
from tasks.warehouse.steps import sync_warehouse, synced_afterwards

log_in_one_sentence()


@flow(flow_run_name=named("collect {dataset} over {transport}"))
def collect(parameters: CollectParameters) -> list[dict]:
    """Read every source and keep what it answers; what was read before is not read again.

    Args:
        parameters: which sources, over which transport
    """
    given = (parameters.dataset, parameters.sources, parameters.transport)
    with synced_afterwards():
        counts = [
            collect_source.with_options(task_run_name=f"collect {source}")(
                source,
                parameters.transport,
                parameters.mirror,
                parameters.contact,
                parameters.responses,
                parameters.places.get(source),
                parameters.record,
            )
            for source in parameters.sources
        ]
    artifacts.table("collected", counts, "What each source gave")
    validate_collected.with_options(task_run_name="validate what was collected")(*given)
    sync_warehouse()
    name = parameters.lock_name
    if parameters.locked:
        require_pinned.with_options(task_run_name=f"compare with lock {name}")(name, *given)
    elif parameters.lock:
        pin.with_options(task_run_name=f"write lock {name}")(name, *given)
    return counts
