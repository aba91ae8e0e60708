"""Commands that show what is there, and change nothing."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, validators

from tasks.errors import UserError
from tasks.home import home


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


def status() -> None:
    """Show every cell of the runs: planned, done, failed by outcome, tokens, speed, time left."""
    from tasks.running.status import print_status

    print_status(home())


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


def tokenizers() -> None:
    """List the tokenizers that `treebench section` knows by name."""
    from tasks.tokens.tokenizer import names

    for known in names():
        print(f"{known.name:10} {known.description}")
