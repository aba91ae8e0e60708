"""Prefect tasks of the stage."""

from typing import Any

from prefect import task

from tasks.collecting.collect import collect
from tasks.home import home


@task
def collect_source(
    source: str, transport: str, mirror: str | None = None, contact: str | None = None, responses: int = 20
) -> dict[str, Any]:
    """Read one source and return counts; see `tasks.collecting.collect.collect`."""
    return collect(home(), source, transport, mirror, contact, responses)
