"""Prefect tasks of the stage."""

import os
from collections.abc import Sequence
from typing import Any

from prefect import task
from prefect.blocks.system import Secret

from tasks.collecting import lock
from tasks.collecting.collect import collect
from tasks.collecting.sources import source as source_named
from tasks.home import home


@task
def collect_source(
    source: str,
    transport: str,
    mirror: str | None = None,
    contact: str | None = None,
    responses: int = 20,
    place: str | None = None,
    record: str | None = None,
) -> dict[str, Any]:
    """Read one source and return counts; see `tasks.collecting.collect.collect`."""
    key = _key(source) if transport == "live" else None
    return collect(home(), source, transport, mirror, contact, responses, place=place, record=record, key=key)


@task
def pin(name: str, dataset: str, sources: Sequence[str], transport: str) -> str:
    """Write the manifest of what was collected and return its path; see `tasks.collecting.lock.write`."""
    return str(lock.write(home(), name, dataset, sources, transport))


@task
def require_pinned(name: str, dataset: str, sources: Sequence[str], transport: str) -> None:
    """Fail, naming what differs, unless the manifest says the same as what was collected."""
    lock.require(home(), name, dataset, sources, transport)


def _key(name: str) -> str | None:
    """The access key of a service: from the environment, else from the Prefect Secret of the same name, else none."""
    variable = source_named(name).live.key_variable
    if variable is None:
        return None
    if os.environ.get(variable):
        return os.environ[variable]
    try:
        return str(Secret.load(variable.lower().replace("_", "-")).get())  # pyright: ignore
    except ValueError:  # no such block
        return None
