"""Report: SQL -> tables, plots and one HTML page."""

from prefect import flow

from flows import artifacts, newest
from flows.failures import log_in_one_sentence
from flows.parameters import ReportParameters
from tasks.reporting.steps import render_report

log_in_one_sentence()


@flow(flow_run_name="report")
def report(parameters: ReportParameters) -> dict:
    """Render the report of dataset versions and show where it lies.

    Args:
        parameters: which dataset versions
    """
    builds = [newest.build(build_id) for build_id in parameters.builds]
    made = render_report(builds)
    artifacts.link("report", made["html"], f"Report: {made['headline']}")
    artifacts.document("report-text", made["markdown"])
    artifacts.csv_table("scores", made["tables"], "main_table", "Mean answer scores (%)")
    artifacts.csv_table("differences", made["tables"], "paired_differences", "Paired differences from Flat (points)")
    artifacts.csv_table("long-horizon", made["tables"], "long_horizon_scores", "Pass@1 of long-horizon agents (%)")
    artifacts.images("figure", made["figures"])
    return made
