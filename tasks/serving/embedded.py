"""The default model server: llama.cpp on the CPU with SmolLM2, in a process of its own on a free loopback port.

    python -m tasks.serving.embedded --model SmolLM2-135M-Instruct.Q4_1.gguf --alias smollm2-135m-instruct

The process ends when its parent does, however that one ends: it watches its standard input, which the kernel closes
with the last process that holds the other end, and its parent's process id. An engine crash takes no caller along.
"""

import argparse
import asyncio
import contextlib
import importlib
import importlib.metadata
import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tasks.errors import Fault, UserError
from tasks.home import PROJECT


@dataclass(frozen=True)
class EmbeddedServer:
    """A running embedded server."""

    url: str
    process: subprocess.Popen
    facts: dict


def default_threads() -> int:
    """Threads of the engine: the cores that this process may use, at most eight (a small model gains no more)."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(8, cores))


@contextlib.contextmanager
def serve(
    model: Path, alias: str, *, window: int, slots: int, threads: int | None = None, start_s: float = 120.0
) -> Iterator[EmbeddedServer]:
    """Start a server for the weights `model`, served as `alias`, and stop it on leaving.

    `window` tokens for each of `slots` requests at a time. Yields after a real generation. Raises `UserError` when
    the engine is not installed, `Fault` when it does not come up within `start_s` seconds.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise UserError(
            "The engine of the embedded model is missing: install it with `pip install 'treebench[local]'`."
        )
    command = [sys.executable, "-m", "tasks.serving.embedded", "--model", str(model), "--alias", alias]
    threads = threads or default_threads()
    command += ["--window", str(window), "--slots", str(slots), "--threads", str(threads)]
    command += ["--parent", str(os.getpid())]
    # With spinning threads, a busy neighbour makes generation nine times slower; waiting ones cost a third.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment, cwd=PROJECT
        )
        try:
            url = _listening(process, start_s, log)
            facts = _ready(url, alias, process, start_s, log)
            engine = f"xllamacpp {importlib.metadata.version('xllamacpp')}"
            yield EmbeddedServer(url, process, {**facts, "engine": engine, "slots": slots, "threads": threads})
        finally:
            _stop(process)


def _listening(process: subprocess.Popen, seconds: float, log: IO[bytes]) -> str:
    assert process.stdout
    ready, _, _ = select.select([process.stdout], [], [], seconds)
    line = process.stdout.readline() if ready else b""
    if not line:
        raise _failed("did not load its model", process, log)
    return json.loads(line)["url"]


def _ready(url: str, alias: str, process: subprocess.Popen, seconds: float, log: IO[bytes]) -> dict:
    from tasks.serving import probe

    try:
        return asyncio.run(probe.wait(url, alias, seconds=seconds, alive=lambda: process.poll() is None))
    except (Fault, UserError) as error:
        raise _failed("generates nothing", process, log) from error


def _failed(what: str, process: subprocess.Popen, log: IO[bytes]) -> Fault:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=1.0)
    ended = "" if process.poll() is None else f" and ended with status {process.returncode}"
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    said = f" ({lines[-1].strip()[:200]})" if lines else ""
    return Fault(f"The embedded model server {what}{ended}{said}: check memory and disk, then run the command again.")


def _stop(process: subprocess.Popen) -> None:
    """Close the pipe that it watches; end it if that is not enough."""
    for stream in (process.stdin, process.stdout):
        if stream:
            with contextlib.suppress(OSError):
                stream.close()
    for end in (lambda: None, process.terminate, process.kill):
        end()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5.0)
            return


def _until_parent_ends(parent: int) -> None:
    while os.getppid() == parent:
        ready, _, _ = select.select([sys.stdin], [], [], 1.0)
        if ready and not os.read(sys.stdin.fileno(), 4096):
            return


def main() -> None:
    """Serve until the parent process ends."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--model", required=True, help="weights, a GGUF file")
    parser.add_argument("--alias", required=True, help="served model name")
    parser.add_argument("--window", type=int, default=8192, help="context window of one request, in tokens")
    parser.add_argument("--slots", type=int, default=2, help="requests worked on at a time")
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--parent", type=int, default=os.getppid(), help="process that this one ends with")
    given = parser.parse_args()
    # An interrupt at the keyboard reaches the whole group: the parent decides when this server ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    xllamacpp: Any = importlib.import_module("xllamacpp")
    engine = xllamacpp.CommonParams()
    engine.model.path = given.model
    engine.n_ctx, engine.n_parallel = given.window * given.slots, given.slots
    engine.cpuparams.n_threads = engine.cpuparams_batch.n_threads = given.threads
    engine.port, engine.model_alias = 0, {given.alias}
    engine.endpoint_metrics = engine.endpoint_slots = engine.endpoint_props = True
    engine.ui, engine.warmup = False, True
    engine.cache_ram_mib = 0  # prompts of finished requests are not worth their memory: 1 GiB within minutes
    server = xllamacpp.Server(engine)
    print(json.dumps({"url": f"{server.listening_address}/v1"}), flush=True)
    _until_parent_ends(given.parent)
    del server


if __name__ == "__main__":
    main()
