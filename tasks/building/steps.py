"""Prefect tasks of the stage."""

from typing import Any

from prefect import task

from tasks.building.build import build
from tasks.home import home


@task(name="build examples", task_run_name="build {dataset} {split}")
def build_examples(
    dataset: str,
    sources: list[str],
    transport: str,
    tasks: list[str],
    lengths: list[int],
    examples: int,
    seed: int = 42,
    split: str = "test",
    workers: int | None = None,
) -> dict[str, Any]:
    """Build a dataset version and return its build_id with counts; see `tasks.building.build.build`."""
    return build(home(), dataset, sources, transport, tasks, lengths, examples, seed, split, workers)
