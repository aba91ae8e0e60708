"""Prefect tasks of scoring."""

from typing import Any

from prefect import get_run_logger, task

from tasks.home import home
from tasks.scoring.score import score_run_examples


@task(name="score", task_run_name="score {run_id}")
def score_run(run_id: str) -> dict[str, Any]:
    """Score every planned example of a run; scores that are up to date are kept. Needs no model."""
    counts = score_run_examples(home(), run_id)
    get_run_logger().info(
        "Run %s: %s of %s planned examples answered, %s scored now, mean score %.4f",
        run_id, counts["answered"], counts["planned"], counts["scored"], counts["mean_score"],
    )  # fmt: skip
    return counts
