"""The whole chain in one flow: collect, build, validate, section, run, score, report."""

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
    RebuildParameters,
    ReportParameters,
    RunParameters,
    ScoreParameters,
    SectionParameters,
    ValidateParameters,
)
from flows.report import report
from flows.run import run
from flows.score import score
from flows.section import section
from flows.validate import validate
from tasks.serving.models import model_spec

log_in_one_sentence()


@flow(flow_run_name=named("rebuild {dataset} over {transport} with {model}"))
def rebuild(parameters: RebuildParameters) -> dict:
    """Rebuild the benchmark and its report; every stage skips what is already done.

    Args:
        parameters: everything that can be chosen; the defaults are the demo
    """
    model_spec(parameters.model)  # an unknown model is named before hours of collecting, not after
    progress = artifacts.Progress("rebuild", steps=7)
    collect(narrowed(parameters, CollectParameters))
    progress.step("collected")
    build_id = build(narrowed(parameters, BuildParameters))
    progress.step("built")
    validate(ValidateParameters(build=build_id))
    progress.step("validated")
    section(narrowed(parameters, SectionParameters, build=build_id))
    progress.step("sectioned")
    runs = run(narrowed(parameters, RunParameters, build=build_id))
    progress.step("run")
    scored = score(ScoreParameters(runs=runs))
    progress.step("scored")
    made = report(ReportParameters(builds=[build_id]))
    progress.step("reported")
    artifacts.table("rebuilt", scored, made["headline"])
    artifacts.link("report", made["html"], f"Report: {made['headline']}")
    return made
