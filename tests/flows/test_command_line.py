"""Bad input: one sentence on standard error, exit status 2, nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tasks.home import Home


def treebench(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flows.command_line", *words]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=120)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["rebuild", "--profile", "nope"],
            "There is no profile 'nope': choose one of demo, grid, paper, smoke, or name a YAML file.",
        ),
        (["rebuild", "--lenghts", "1024"], "Unknown option: --lenghts. Did you mean --lengths?"),
        (["rebuild", "--lengths", "12"], "--lengths 12: must be greater than or equal to 512."),
        (["rebuild", "--lengths", "1024", "12"], "must be greater than or equal to 512."),
        (["rebuild", "--lengths", "many"], "--lengths many: must be a valid integer"),
        (["rebuild", "--tasks", "cunt"], "--tasks cunt: must be 'fields_1'"),
        (["rebuild", "--transport", "mirror"], "Transport mirror needs the folder of recorded responses"),
        (["rebuild", "--transport", "live"], "Transport live needs an e-mail address"),
        (["report", "--builds", ""], "--builds: "),
        (["rebuild", "--endpoint"], "--endpoint requires an argument"),
        (["compare", "a", "b", "--show", "-1"], "Must be >= 0."),
        (["rebuild", "--endpoint", "ftp://x"], "--endpoint: ftp://x is no address of a server: begin it with http://"),
        (["rebuild", "--mirror", "/nope"], "There is no folder /nope: set mirror to one of recorded responses."),
        (["rebild"], 'Did you mean "rebuild"?'),
        (["section", "absent.json"], "--tokenizer is missing"),
        (["sql", "select 1"], "treebench rebuild"),
        (["section", "--tokenizer", "qwen"], "--tokenizer is for a FILE"),
        (["section", "x.json", "--tokenizer", "qwen", "--build", "b"], "--build is for a dataset version, not a FILE"),
        (["rebuild", "--profile", "absent.yaml"], "There is no profile 'absent.yaml'"),
    ],
)
def test_bad_words(fresh_home: Home, words: list[str], said: str) -> None:
    done = treebench(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("treebench: ")
    assert len(done.stderr.strip().splitlines()) == 1
    assert not fresh_home.snapshot.exists()


def test_a_dead_prefect_api_is_named(fresh_home: Home) -> None:
    done = treebench("report", PREFECT_API_URL="http://127.0.0.1:9/api")
    assert done.returncode == 2
    assert "PREFECT_API_URL=http://127.0.0.1:9/api does not answer" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sources: [usgs", "is no YAML: "),
        ("- usgs", "is no mapping"),
        ("lenghts: [1024]", "sets 'lenghts', which is no field: did you mean lengths?"),
        ("lengths: [1]", "--lengths 1: must be greater than or equal to 512."),
    ],
)
def test_a_profile_of_ones_own_that_is_wrong(fresh_home: Home, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    done = treebench("collect" if "lengths: [1]" not in text else "build", "--profile", str(tmp_path / "mine.yaml"))
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_home_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        done = treebench("status", TREEBENCH_HOME=str(place))
        assert done.returncode == 2
        assert done.stderr.endswith("set TREEBENCH_HOME to a folder.\n")
        assert len(done.stderr.strip().splitlines()) == 1


def test_output_that_nobody_takes(fresh_home: Home) -> None:
    command = f"{sys.executable} -m flows.command_line tokenizers"
    full = subprocess.run(["bash", "-c", f"{command} > /dev/full"], stderr=subprocess.PIPE, text=True, timeout=60)
    assert full.returncode == 1
    assert full.stderr == "treebench: The output cannot be used (No space left on device): nothing else is lost.\n"
    closed = subprocess.run(["bash", "-c", f"{command} >&-"], stderr=subprocess.PIPE, text=True, timeout=60)
    assert "Traceback" not in closed.stderr


def test_an_interrupt_says_that_nothing_is_lost(fresh_home: Home) -> None:
    command = [sys.executable, "-m", "flows.command_line", "collect"]
    environment = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True,
        # Tests that were started in the background may ignore interrupts, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    while not (fresh_home.prefect / "users.lock").exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, printed = process.communicate(timeout=120)
    assert process.returncode == 130
    assert printed.endswith(
        "treebench: Interrupted; everything finished is kept: run the same command again to go on.\n"
    )


def test_every_command_has_help() -> None:
    from flows.command_line import app

    for name in app:
        if not name.startswith("-"):
            assert app[name].help, f"command {name} has no help"


def test_every_parameter_of_every_command_has_help() -> None:
    from flows.command_line import app, models, prompts

    seen = 0
    for group in (app, models, prompts):
        for name in group:
            if not name.startswith("-") and group[name].default_command is not None:
                for argument in group[name].assemble_argument_collection(parse_docstring=True):
                    if argument.name != "*":  # the flags of a parameter model as a whole
                        assert argument.parameter.help, f"{argument.name} of command {name} has no help"
                        seen += 1
    assert seen > 100
