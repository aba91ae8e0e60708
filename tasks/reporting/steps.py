"""Prefect tasks of reporting."""

from prefect import get_run_logger, task

from tasks.home import home
from tasks.reporting.render import render


@task(name="render report", task_run_name="render report")
def render_report(
    build_ids: list[str] | None = None, run_ids: list[str] | None = None, name: str | None = None
) -> dict[str, str]:
    """Render the report of dataset versions (or of just some runs) from the published snapshot.

    Args:
        build_ids: dataset versions, one for each dataset; none for the newest
        run_ids: show just these runs
        name: folder of the report below `reports/`

    Returns:
        `html`, `markdown` and `figures` (paths) and `headline` (one line)
    """
    made = render(home(), build_ids or (), run_ids or (), name)
    get_run_logger().info("%s: %s", made["headline"], made["html"])
    return made
