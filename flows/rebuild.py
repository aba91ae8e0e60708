"""The whole chain in one flow: collect, build, validate, section, run, score, solve, report."""

from typing import Any

from prefect import flow

from flows import artifacts
from flows.build import build
from flows.collect import collect
from flows.failures import log_in_one_sentence
from flows.names import named
from flows.overrides import narrowed
from flows.parameters import (
    BuildParameters,
    CollectParameters,
    ReportParameters,
    RunParameters,
    ScoreParameters,
    SectionParameters,
    ValidateParameters,
)
from flows.rebuilding import RebuildParameters
from flows.report import report
from flows.run import run
from flows.score import score
from flows.section import section
from flows.solve import solve
from flows.solving import SolveParameters
from flows.validate import validate
from tasks.serving.models import model_spec

log_in_one_sentence()

FEW_TURNS: dict[str, Any] = {
    "planner_turns": 3, "executor_turns": 2, "isolated_turns": 2, "flat_turns": 3, "reply_tokens": 64,
    "auxiliary_tokens": 64,
}  # fmt: skip
"""Long-horizon agents on the sample tasks: enough to see each part at work."""
SHARED = {"model", "endpoint", "concurrency", "deadline", "on_error"}
"""Parameters that memory agents and long-horizon agents have in common."""


@flow(flow_run_name=named("rebuild {dataset} over {transport} with {model}"))
def rebuild(parameters: RebuildParameters) -> dict:
    """Rebuild the benchmark and its report; every stage skips what is already done.

    Args:
        parameters: everything that can be chosen; the defaults are the demo
    """
    model_spec(parameters.model)  # an unknown model is named before hours of collecting, not after
    each = parameters.each()
    progress = artifacts.Progress("rebuild", steps=5 * len(each) + 3)
    builds: list[str] = []
    runs: list[str] = []
    for own in each:
        collect(narrowed(own, CollectParameters))
        progress.step(f"collected {own.dataset}")
        build_id = build(narrowed(own, BuildParameters))
        progress.step(f"built {own.dataset}")
        validate(ValidateParameters(build=build_id, workers=own.workers))
        progress.step(f"validated {own.dataset}")
        section(narrowed(own, SectionParameters, build=build_id))
        progress.step(f"sectioned {own.dataset}")
        runs += run(narrowed(own, RunParameters, build=build_id))
        progress.step(f"ran {own.dataset}")
        builds.append(build_id)
    scored = score(ScoreParameters(runs=runs))
    progress.step("scored")
    if parameters.long_horizon_tasks:
        solve(
            SolveParameters(**FEW_TURNS, **parameters.model_dump(include=SHARED), tasks=parameters.long_horizon_tasks)
        )
    progress.step("solved")
    made = report(ReportParameters(builds=builds))
    progress.step("reported")
    artifacts.table("rebuilt", scored, made["headline"])
    artifacts.link("report", made["html"], f"Report: {made['headline']}")
    return made
