"""Prefect tasks of the warehouse."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from prefect import get_run_logger, task

from tasks.errors import TreebenchError
from tasks.home import home
from tasks.warehouse.ingest import sync


@task(name="ingest and publish", task_run_name="ingest and publish")
def sync_warehouse() -> dict[str, int]:
    """Load what was journalled into the database and publish the snapshot; returns rows loaded by table."""
    done = sync(home())
    what = ", ".join(f"{count} {table}" for table, count in done.rows.items()) or "nothing new"
    get_run_logger().info("Ingested %s", what)
    return done.rows


@contextmanager
def synced_afterwards() -> Iterator[None]:
    """Ingest and publish after the block; also where it fails, so that what it rejected and why can be queried.

    Of two failures the block's own is the one to report.
    """
    try:
        yield
    except TreebenchError:
        with suppress(TreebenchError):
            sync_warehouse()
        raise
    sync_warehouse()
