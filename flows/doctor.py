"""Examine the set-up: each check is one line, and a failed one says what to do."""

import os
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import metadata

from flows.failures import disk_fault
from flows.local_server import answers
from tasks.errors import TreebenchError, UserError
from tasks.home import Home

FREE_BYTES = 2 * 2**30
"""Below this a demo may fill the disk; the embedded model alone takes 0.1 GB."""


def examine(at: Home, model: str, endpoint: str | None) -> int:
    """Print one line a check and return how many failed.

    `model` is a model specification; with `endpoint` the server there is asked, otherwise the model's own is started.
    """
    checks: list[tuple[str, Callable[[], str]]] = [
        ("python", _python),
        ("disk", lambda: _disk(at)),
        ("prefect", lambda: _prefect(at)),
        ("tokenizer", lambda: _tokenizers(at, model)),
        ("model", lambda: _model(at, model, endpoint)),
        ("database", lambda: _database(at)),
    ]
    failed = 0
    for name, check in checks:
        try:
            print(f"ok     {name:10} {check()}", flush=True)
        except TreebenchError as error:
            failed += 1
            print(f"FAILED {name:10} {error}", flush=True)
        except OSError as error:  # a full disk, or a file system that became read-only
            failed += 1
            print(f"FAILED {name:10} {disk_fault(error) or error}", flush=True)
    return failed


def _python() -> str:
    version = ".".join(map(str, sys.version_info[:3]))
    oldest = metadata("treebench")["Requires-Python"].removeprefix(">=")
    if sys.version_info < tuple(map(int, oldest.split("."))):
        raise UserError(f"Python {version} is too old: make the virtual environment with Python {oldest} or newer.")
    return f"{version} in {sys.prefix}"


def _disk(at: Home) -> str:
    free = shutil.disk_usage(at.root).free
    if not os.access(at.root, os.W_OK):
        raise UserError(f"{at.root} is not writable: set TREEBENCH_HOME to a folder that is.")
    if free < FREE_BYTES:
        raise UserError(f"{free / 2**30:.1f} GiB are free at {at.root}: free some, or set TREEBENCH_HOME elsewhere.")
    return f"{free / 2**30:.1f} GiB free at {at.root}"


def _prefect(at: Home) -> str:
    url = os.environ.get("PREFECT_API_URL")
    if not url:
        return f"PREFECT_API_URL is not set: commands share a server of their own, kept in {at.prefect}"
    if not answers(url):
        raise UserError(f"PREFECT_API_URL={url} does not answer: start it with `prefect server start`, or unset it.")
    return f"the API at {url} answers"


def _tokenizers(at: Home, model: str) -> str:
    from tasks.serving.models import model_spec
    from tasks.tokens.tokenizer import load

    names = dict.fromkeys(["qwen", model_spec(model).tokenizer])
    return ", ".join(f"{name}: {load(name, at).count('treebench counts tokens')} tokens in a test" for name in names)


def _model(at: Home, model: str, endpoint: str | None) -> str:
    from tasks.serving.models import model_spec
    from tasks.serving.opening import open_endpoint

    with open_endpoint(model_spec(model), endpoint, deadline=60, at=at) as opened:
        return f"{model} at {opened.url} generated a token in {(opened.facts or {})['first_token_s']:.1f} s"


def _database(at: Home) -> str:
    from tasks.warehouse import snapshot

    if not at.snapshot.exists():
        return f"none yet at {at.snapshot}: `treebench rebuild` makes it"
    tables = snapshot.rows(at, "SELECT count(*) AS n FROM duckdb_tables() WHERE NOT internal")[0]["n"]
    return f"{at.snapshot} opens: {tables} tables, {at.snapshot.stat().st_size / 2**20:.1f} MiB"
