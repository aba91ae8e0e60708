"""Commands that run a flow: the stages one by one, and the whole chain.

Each takes the fields of its parameter model as flags, and `--profile` where they are many.
"""

# The flag models are made at run time from the parameter models, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false

import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from flows.overrides import overrides_of, parameters
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
from flows.solving import SolveParameters
from tasks.errors import TreebenchError, UserError
from tasks.home import home

Flat = Parameter(name="*")
Profile = Annotated[str, Parameter(help="Values to start from: demo, grid, smoke, paper, or a YAML file.")]
RebuildFlags: Any = overrides_of(RebuildParameters)
CollectFlags: Any = overrides_of(CollectParameters)
BuildFlags: Any = overrides_of(BuildParameters)
ValidateFlags: Any = overrides_of(ValidateParameters)
SectionFlags: Any = overrides_of(SectionParameters)
RunFlags: Any = overrides_of(RunParameters)
ScoreFlags: Any = overrides_of(ScoreParameters)
ReportFlags: Any = overrides_of(ReportParameters)
SolveFlags: Any = overrides_of(SolveParameters)


def rebuild(*, profile: Profile = "demo", flags: Annotated[RebuildFlags, Flat] = None) -> None:
    """Run the whole chain and print where the report and the database are."""
    made = _flow("rebuild", parameters(RebuildParameters, profile, flags))
    _print_report(made)


def collect(*, profile: Profile = "demo", flags: Annotated[CollectFlags, Flat] = None) -> None:
    """Read the public sources: responses and payloads."""
    for counts in _flow("collect", parameters(CollectParameters, profile, flags)):
        print(_described(counts))


def build(*, profile: Profile = "demo", flags: Annotated[BuildFlags, Flat] = None) -> None:
    """Build a dataset version from what was collected and print its build_id."""
    print(_flow("build", parameters(BuildParameters, profile, flags)))


def validate(*, flags: Annotated[ValidateFlags, Flat] = None) -> None:
    """Check a dataset version independently."""
    print(_described(_flow("validate", parameters(ValidateParameters, "demo", flags))))


def section(
    file: Path | None = None,
    *,
    format: Literal["json", "yaml", "html", "javascript"] | None = None,
    tokenizer: str | None = None,
    budget: int | None = None,
    method: Literal["tree", "flat"] = "tree",
    text: bool = False,
    profile: Profile = "demo",
    flags: Annotated[SectionFlags, Flat] = None,
) -> None:
    """Cut a file into sections and print them as JSON lines; without FILE, section a dataset version.

    Parameters
    ----------
    file
        File to cut; nothing is stored.
    format
        Format of FILE; by default its suffix says.
    tokenizer
        For FILE: a tokenizer.json, a name from `treebench tokenizers`, or a hub name that is cached.
    budget
        For FILE: token budget of a section; the budget search is skipped.
    method
        For FILE: tree follows the hierarchy, flat cuts by length.
    text
        For FILE: print the text of each section too.
    """
    of_file = {"format": format, "tokenizer": tokenizer, "budget": budget, "method": method != "tree", "text": text}
    of_version = {"profile": profile != "demo", **{n: v for n, v in (flags or {}) if n != "base_budget"}}
    for name, value in (of_file if file is None else of_version).items():
        if value not in (None, False):
            subject = "a FILE" if file is None else "a dataset version, not a FILE"
            raise UserError(f"--{name.replace('_', '-')} is for {subject}: see `treebench section --help`.")
    if file is None:
        print(_described(_flow("section", parameters(SectionParameters, profile, flags))))
        return
    from tasks.sectioning import command

    if tokenizer is None:
        raise UserError("--tokenizer is missing: name a tokenizer.json or one of `treebench tokenizers`.")
    base_budget = (flags and flags.base_budget) or 5000
    command.run(file, format, tokenizer, base_budget=base_budget, budget=budget, method=method, text=text)


def run(*, profile: Profile = "demo", flags: Annotated[RunFlags, Flat] = None) -> None:
    """Let agents answer the examples of a dataset version; finished model calls are never made again."""
    for run_id in _flow("run", parameters(RunParameters, profile, flags)):
        print(run_id)


def solve(*, profile: Profile = "demo", flags: Annotated[SolveFlags, Flat] = None) -> None:
    """Let long-horizon agents solve tasks with tools and score them; finished calls are never made again."""
    for counts in _flow("solve", parameters(SolveParameters, profile, flags)):
        print(_described(counts))


def score(*, flags: Annotated[ScoreFlags, Flat] = None) -> None:
    """Score the answers of runs."""
    for counts in _flow("score", parameters(ScoreParameters, "demo", flags)):
        print(_described(counts))


def report(*, flags: Annotated[ReportFlags, Flat] = None) -> None:
    """Render the report from SQL and print where it lies."""
    _print_report(_flow("report", parameters(ReportParameters, "demo", flags)))


def _flow(name: str, given: Any) -> Any:
    """Run the flow `name` with the local or the configured Prefect API."""
    from flows.local_server import answers, prefect_api

    with prefect_api(home()) as url:
        import importlib

        flow = getattr(importlib.import_module(f"flows.{name}"), name)
        try:
            return flow(given)
        except TreebenchError:
            raise
        except Exception as error:
            from flows.failures import lost_api

            if answers(url):
                raise
            print(f"treebench: {lost_api(error)}", file=sys.stderr, flush=True)
            os._exit(1)  # Prefect would try for minutes to deliver its last events


def _described(counts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in counts.items())


def _print_report(made: dict[str, Any]) -> None:
    print(f"report:   {made['html']}")
    print(f"database: {home().snapshot}")
    print(f"result:   {made['headline']}")
