"""Build: payloads -> records -> questions -> examples of the wanted lengths."""

from prefect import flow

from flows import artifacts
from flows.failures import log_in_one_sentence
from flows.names import named
from flows.parameters import BuildParameters
from tasks.building.steps import build_examples
from tasks.warehouse.steps import synced_afterwards

log_in_one_sentence()


@flow(flow_run_name=named("build {dataset} {split} of {lengths} tokens"))
def build(parameters: BuildParameters) -> str:
    """Build a dataset version from the collected payloads and return its build_id.

    Args:
        parameters: sources, tasks, lengths, examples a cell, seed
    """
    with synced_afterwards():
        made = build_examples(
            parameters.dataset,
            list(parameters.sources),
            parameters.transport,
            list(parameters.tasks),
            parameters.lengths,
            parameters.examples,
            parameters.seed,
            parameters.split,
            parameters.workers,
        )
    artifacts.table("built", [made], "The dataset version")
    return made["build_id"]
