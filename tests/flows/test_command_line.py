"""Bad input: one sentence on standard error, exit status 2, nothing left behind."""

import subprocess
import sys

import pytest

from tasks.home import Home


def treebench(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    command = [sys.executable, "-m", "flows.command_line", *words]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=120)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rebuild", "--profile", "nope"], "There is no profile 'nope': choose one of demo, paper, smoke."),
        (["rebuild", "--lenghts", "1024"], "Unknown option: --lenghts. Did you mean --lengths?"),
        (["rebuild", "--lengths", "12"], "--lengths 12: must be greater than or equal to 512."),
        (["rebuild", "--lengths", "many"], "--lengths many: must be a valid integer"),
        (["rebuild", "--tasks", "cunt"], "--tasks cunt: must be 'fields_1'"),
        (["rebuild", "--transport", "mirror"], "Transport mirror needs the folder of recorded responses"),
        (["rebuild", "--transport", "live"], "Transport live needs an e-mail address"),
        (["rebuild", "--endpoint"], "--endpoint requires an argument"),
        (["rebild"], 'Did you mean "rebuild"?'),
        (["section", "absent.json"], "--tokenizer is missing"),
        (["sql", "select 1"], "treebench rebuild"),
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


def test_every_command_has_help() -> None:
    from flows.command_line import app

    for name in app:
        if not name.startswith("-"):
            assert app[name].help, f"command {name} has no help"
