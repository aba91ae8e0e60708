"""Section: cut every context by its own hierarchy, and by fixed length."""

from typing import Literal

from prefect import flow

from flows import artifacts, newest
from flows.failures import log_in_one_sentence
from flows.names import named
from flows.parameters import SectionParameters
from tasks.sectioning.steps import section_examples
from tasks.serving.models import model_spec
from tasks.warehouse.steps import sync_warehouse

log_in_one_sentence()


@flow(flow_run_name=named("section {build} at {base_budget} tokens for {model}"))
def section(parameters: SectionParameters) -> dict:
    """Cut the contexts of a dataset version into sections under the tokenizer of a model.

    Args:
        parameters: which dataset version, methods, base budget and model
    """
    build_id = newest.build(parameters.build)
    tokenizer = model_spec(parameters.model).tokenizer
    methods: list[Literal["tree", "flat"]] = ["flat"] if "flat" in parameters.methods else []
    if set(parameters.methods) - {"flat"}:
        methods.append("tree")
    counts = section_examples(build_id, tokenizer, parameters.base_budget, methods)
    sync_warehouse()
    artifacts.table("sectioned", [counts], "Sections by method")
    return counts
