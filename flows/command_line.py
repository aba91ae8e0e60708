"""The command line over the flows: `treebench COMMAND`.

Exit status: 0 done, 2 the request cannot be carried out as made, 1 something broke; a failure is one sentence on
standard error.
"""

import io
import os
import sys
from importlib.metadata import version

from cyclopts import App, CycloptsError, Parameter

from flows.commands import keeping, looking, stages
from tasks.errors import TreebenchError

app = App(
    name="treebench",
    help="The whole life of a memory-agent benchmark: collect, build, validate, section, run, score, report.",
    version=version("treebench"),
    default_parameter=Parameter(negative=(), consume_multiple=True),
    suppress_keyboard_interrupt=False,
)
models = App(name="models", help="The embedded default model and the tokenizer vocabularies.")
prompts = App(name="prompts", help="The wording of the memory agents' requests.")
for group in (models, prompts):
    app.command(group)
for command in (
    stages.rebuild, stages.collect, stages.build, stages.validate, stages.section, stages.run, stages.solve,
    stages.score, stages.report,
    looking.tokenizers, looking.compare, looking.sql, looking.show, looking.status, looking.doctor,
    keeping.recover,
):  # fmt: skip
    app.command(command)
models.command(keeping.fetch)
prompts.command(keeping.import_, name="import")
prompts.command(keeping.list_, name="list")


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
