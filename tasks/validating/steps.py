"""Prefect tasks of the stage."""

from collections.abc import Sequence
from typing import Any

from prefect import task

from tasks.home import home
from tasks.validating import collected, validate


@task(name="validate", task_run_name="validate {build_id}")
def validate_build(build_id: str) -> dict[str, Any]:
    """Check a dataset version and return counts; see `tasks.validating.validate.validate`."""
    return validate.validate(home(), build_id)


@task(name="require valid", task_run_name="require that {build_id} is valid")
def require_valid(build_id: str) -> None:
    """Fail, naming the first rejected example, unless the dataset version is valid."""
    validate.require_valid(home(), build_id)


@task
def validate_collected(dataset: str, sources: Sequence[str], transport: str) -> dict[str, Any]:
    """Check what was collected; fail, naming the first finding. See `tasks.validating.collected`."""
    return collected.validate_collected(home(), dataset, sources, transport)
