"""The default model server: llama.cpp on the CPU with SmolLM2, in a process of its own on a free loopback port.

    python -m tasks.serving.embedded --model SmolLM2-135M-Instruct.Q4_1.gguf --alias smollm2-135m-instruct

The process ends when its parent does, however that one ends: it watches its standard input, which the kernel closes
with the last process that holds the other end, and its parent's process id. An engine crash takes no caller along: the
server is started again at the same address.
"""

import argparse
import contextlib
import importlib
import importlib.metadata
import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from tasks.errors import UserError
from tasks.home import PROJECT, home
from tasks.serving.guard import parent_ended
from tasks.serving.supervisor import Supervisor, Watch, free_port


class EmbeddedServer(NamedTuple):
    """A running embedded server, restarted at the same address if it dies."""

    url: str
    facts: dict[str, Any]
    supervisor: Supervisor

    @property
    def process(self) -> subprocess.Popen:
        """The process that serves now."""
        assert self.supervisor.process is not None
        return self.supervisor.process


def default_threads() -> int:
    """Threads of the engine: the cores that this process may use, at most eight (a small model gains no more)."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(8, cores))


@contextlib.contextmanager
def serve(
    model: Path,
    alias: str,
    *,
    window: int,
    slots: int,
    threads: int | None = None,
    log: Path | None = None,
    watch: Watch | None = None,
    told: Callable[[str], None] = lambda sentence: None,
) -> Iterator[EmbeddedServer]:
    """Start a server for the weights `model`, served as `alias`, keep it alive, and stop it on leaving.

    `window` tokens for each of `slots` requests at a time; `log` gets what it prints, `told` hears of every restart.
    Yields after a real generation. Raises `UserError` when the engine is not installed, `Fault` when it does not come
    up in time.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise UserError(
            "The engine of the embedded model is missing: install it with `pip install 'treebench[local]'`."
        )
    threads = threads or default_threads()
    port = free_port()
    command = [sys.executable, "-m", "tasks.serving.embedded", "--model", str(model), "--alias", alias]
    command += ["--window", str(window), "--slots", str(slots), "--threads", str(threads), "--port", str(port)]
    command += ["--parent", str(os.getpid())]
    # With spinning threads, a busy neighbour makes generation nine times slower; waiting ones cost a third.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}

    def launch(output: IO[bytes]) -> subprocess.Popen:
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=output, stderr=output, env=environment, cwd=PROJECT
        )

    log = log or home().root / "servers" / "embedded.log"
    url = f"http://127.0.0.1:{port}/v1"
    with Supervisor("The embedded model server", launch, url, alias, log, watch, told) as supervisor:
        engine = f"xllamacpp {importlib.metadata.version('xllamacpp')}"
        facts = {**supervisor.facts, "engine": engine, "slots": slots, "threads": threads}
        yield EmbeddedServer(url, facts, supervisor)


def main() -> None:
    """Serve until the parent process ends."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--model", required=True, help="weights, a GGUF file")
    parser.add_argument("--alias", required=True, help="served model name")
    parser.add_argument("--window", type=int, default=8192, help="context window of one request, in tokens")
    parser.add_argument("--slots", type=int, default=2, help="requests worked on at a time")
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--port", type=int, default=0, help="loopback port; 0 takes a free one")
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
    engine.port, engine.model_alias = given.port, {given.alias}
    engine.endpoint_metrics = engine.endpoint_slots = engine.endpoint_props = True
    engine.ui, engine.warmup = False, True
    engine.cache_ram_mib = 0  # prompts of finished requests are not worth their memory: 1 GiB within minutes
    server = xllamacpp.Server(engine)
    print(json.dumps({"url": f"{server.listening_address}/v1"}), flush=True)
    while not parent_ended(given.parent, 1.0):
        pass
    del server


if __name__ == "__main__":
    main()
