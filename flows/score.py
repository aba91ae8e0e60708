"""Score: answers -> scores. Scoring again needs no model."""

from prefect import flow

from flows import artifacts, newest
from flows.failures import log_in_one_sentence
from flows.parameters import ScoreParameters
from tasks.scoring.steps import score_run
from tasks.warehouse.steps import sync_warehouse

log_in_one_sentence()


@flow(flow_run_name="score")
def score(parameters: ScoreParameters) -> list[dict]:
    """Score every planned example of the runs; a missing prediction scores zero.

    Args:
        parameters: which runs
    """
    sync_warehouse()  # a killed run leaves answers in its journal that the snapshot does not show yet
    run_ids = newest.runs(parameters.runs)
    scored = [score_run.with_options(task_run_name=f"score {run_id}")(run_id) for run_id in run_ids]
    sync_warehouse()
    artifacts.table("scored", scored, "Scores by run")
    return scored
