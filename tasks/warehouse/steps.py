"""Prefect tasks of the warehouse."""

from prefect import get_run_logger, task

from tasks.home import home
from tasks.warehouse.ingest import sync


@task(name="ingest and publish", task_run_name="ingest and publish")
def sync_warehouse() -> dict[str, int]:
    """Load what was journalled into the database and publish the snapshot; returns rows loaded by table."""
    done = sync(home())
    what = ", ".join(f"{count} {table}" for table, count in done.rows.items()) or "nothing new"
    get_run_logger().info("Ingested %s", what)
    return done.rows
