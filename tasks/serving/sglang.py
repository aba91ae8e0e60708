"""SGLang servers of a model specification, started here and supervised; with several, its router before them.

SGLang pins its own torch and transformers, so it lives in an environment of its own. `TREEBENCH_SGLANG` is the command
that starts a server there, by default `<this Python> -m sglang.launch_server`, and `TREEBENCH_SGLANG_ROUTER` the one
that starts the router, by default `<this Python> -m sglang_router.launch_router`.
"""

import contextlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from tasks.errors import UserError
from tasks.home import PROJECT, Home
from tasks.serving.models import ModelSpec
from tasks.serving.retrying import Patience
from tasks.serving.supervisor import Launch, Supervisor, Watch, free_port

PROBE_EVERY_S = 60.0


@dataclass(frozen=True)
class Running:
    """Servers that answer at one address."""

    url: str
    facts: Mapping[str, Any]
    patience: Patience
    """How clients wait while a server restarts."""
    servers: Sequence[Supervisor]


@contextlib.contextmanager
def serve(
    spec: ModelSpec, at: Home, told: Callable[[str], None] = lambda sentence: None, every_s: float = PROBE_EVERY_S
) -> Iterator[Running]:
    """Start the servers of `spec`, keep them alive, and stop them on leaving.

    Yields once a token was generated at the address that clients use. `told` hears of every restart. Raises
    `UserError` when SGLang is not installed or the specification names no model, `Fault` when a server does not come
    up.
    """
    if not spec.hub:
        raise UserError(f"Model specification {spec.name} names no hub model, so no server can be started for it.")
    program = _program("TREEBENCH_SGLANG", "sglang", "sglang.launch_server")
    options = spec.sglang
    watch = Watch(options.start_s, options.probe_s, every_s, restarts=options.restarts)
    with contextlib.ExitStack() as stack:
        servers = []
        for number in range(options.servers):
            port = free_port()
            launch = _guarded([*program, *arguments(spec, port)], _environment(spec, number))
            log = at.root / "servers" / f"{spec.name}-{number + 1}.log"
            what = f"SGLang server {number + 1} of {spec.name}"
            servers.append(Supervisor(what, launch, f"http://127.0.0.1:{port}/v1", spec.model, log, watch, told))
            # One after the other: each measures the free memory of its GPU when it starts.
            stack.enter_context(servers[-1])
        front = servers[0] if len(servers) == 1 else stack.enter_context(_router(spec, at, servers, watch, told))
        facts = {**servers[0].facts, "command": arguments(spec, 0), "servers": len(servers), **(
            {"router": front.facts} if front is not servers[0] else {}
        )}  # fmt: skip
        yield Running(front.url, facts, front.patience, servers)


def arguments(spec: ModelSpec, port: int) -> list[str]:
    """Arguments of one server."""
    given: dict[str, Any] = {"model-path": spec.hub, "served-model-name": spec.model}
    if spec.revision:
        given["revision"] = spec.revision
    if spec.sglang.gpus > 1:
        given["tp-size"] = spec.sglang.gpus
    given |= {"host": "127.0.0.1", "port": port, **spec.sglang.flags}
    words = []
    for name, value in given.items():
        if value is not False:
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return words


def _router(
    spec: ModelSpec, at: Home, servers: Sequence[Supervisor], watch: Watch, told: Callable[[str], None]
) -> Supervisor:
    program = _program("TREEBENCH_SGLANG_ROUTER", "sglang_router", "sglang_router.launch_router")
    port = free_port()
    workers = [server.url.removesuffix("/v1") for server in servers]
    # Clients try again themselves, and count it. Of its default port for metrics a machine has but one.
    words = ["--host", "127.0.0.1", "--port", str(port), "--policy", "cache_aware", "--disable-retries"]
    words += ["--prometheus-port", str(free_port()), "--worker-urls", *workers]
    log = at.root / "servers" / f"{spec.name}-router.log"
    what = f"SGLang router of {spec.name}"
    return Supervisor(
        what, _guarded([*program, *words], {}), f"http://127.0.0.1:{port}/v1", spec.model, log, watch, told
    )


def _program(variable: str, package: str, module: str) -> list[str]:
    given = shlex.split(os.environ.get(variable, ""))
    if given:
        if shutil.which(given[0]) is None:
            raise UserError(f"{variable} names the program {given[0]}, which is not there: correct it.")
        return given
    if importlib.util.find_spec(package) is None:
        raise UserError(
            f"{package} is not installed here: install it in an environment of its own, set {variable} to its command, "
            f"such as '/envs/sglang/bin/python -m {module}', or name a running server with --endpoint."
        )
    return [sys.executable, "-m", module]


def _environment(spec: ModelSpec, number: int) -> dict[str, str]:
    """Each of several servers gets GPUs of its own."""
    own = dict(spec.sglang.environment)
    if spec.sglang.servers > 1:
        first = number * spec.sglang.gpus
        own.setdefault("CUDA_VISIBLE_DEVICES", ",".join(map(str, range(first, first + spec.sglang.gpus))))
    return own


def _guarded(command: Sequence[str], environment: Mapping[str, str]) -> Launch:
    def launch(log: IO[bytes]) -> subprocess.Popen:
        guard = [sys.executable, "-m", "tasks.serving.guard", "--parent", str(os.getpid()), "--", *command]
        return subprocess.Popen(
            guard, stdin=subprocess.PIPE, stdout=log, stderr=log, env={**os.environ, **environment}, cwd=PROJECT
        )

    return launch
