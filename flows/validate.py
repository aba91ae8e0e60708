"""Validate: an independent second opinion on every example, and Great Expectations over the tables."""

from prefect import flow

from flows import artifacts, newest
from flows.failures import log_in_one_sentence
from flows.names import named
from flows.parameters import ValidateParameters
from tasks.validating.steps import require_valid, validate_build
from tasks.warehouse.steps import sync_warehouse

log_in_one_sentence()


@flow(flow_run_name=named("validate {build}"))
def validate(parameters: ValidateParameters) -> dict:
    """Check a dataset version; one rejected example fails the flow, so nothing is run on it.

    Args:
        parameters: which dataset version
    """
    build_id = newest.build(parameters.build)
    found = validate_build(build_id, parameters.workers)
    sync_warehouse()
    artifacts.table("validated", [found], "What the checks found")
    require_valid(build_id)
    return found
