"""Prefect tasks of the stage."""

from collections.abc import Sequence
from typing import Any

from prefect import task

from tasks.home import home
from tasks.validating import collected, validate


@task(name="validate", task_run_name="validate {build_id}")
def validate_build(build_id: str, workers: int | None = None) -> dict[str, Any]:
    """Check the records of a dataset version, then its examples, and return counts; see `tasks.validating.validate`."""
    collected.validate_records(home(), build_id)
    return validate.validate(home(), build_id, workers)


@task(name="require valid", task_run_name="require that {build_id} is valid")
def require_valid(build_id: str) -> None:
    """Fail, naming the first rejected example, unless the dataset version is valid."""
    validate.require_valid(home(), build_id)


@task(name="validate collected", task_run_name="validate what was collected of {dataset}")
def validate_collected(dataset: str, sources: Sequence[str], transport: str) -> dict[str, Any]:
    """Check what was collected; fail, naming the first finding. See `tasks.validating.collected`."""
    return collected.validate_collected(home(), dataset, sources, transport)
