"""From a model specification to a chat endpoint that has proved to generate."""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator, Sequence

from tasks import downloads
from tasks.errors import UserError
from tasks.home import Home, home
from tasks.serving import embedded, sglang
from tasks.serving.endpoint import CountPrompt, Endpoint
from tasks.serving.models import ModelSpec
from tasks.serving.probe import probe
from tasks.serving.retrying import Patience

WEIGHTS = {"smollm2": downloads.SMOLLM2}
"""Packaged weights of embedded models, by the name of their tokenizer."""


@contextlib.contextmanager
def open_endpoint(
    spec: ModelSpec,
    url: str | None = None,
    *,
    count: CountPrompt | None = None,
    deadline: float = 600.0,
    at: Home | None = None,
    told: Callable[[str], None] = lambda sentence: None,
) -> Iterator[Endpoint]:
    """An endpoint that serves `spec`: at `url`, at the specification's own address, or a server started here.

    It has generated a token when this yields, and `facts` hold what its server said of itself. A server started here
    is restarted when it dies or hangs, of which `told` hears, and ends on leaving; it has another port each time, so
    `server` says of it what it is and where. `count` counts prompt tokens;
    `deadline` is in seconds for one attempt. Enter the endpoint with `async with` inside the event loop that uses it.
    Raises `UserError` or `Fault` as `tasks.serving.probe` does.
    """
    at = at or home()
    with contextlib.ExitStack() as stack:
        address, patience = url or spec.url, Patience()
        server = "" if address else f"{spec.kind} {spec.model} on {socket.gethostname()}"
        if address:
            wait = min(deadline, 120.0)
            facts = asyncio.run(probe(address, spec.model, deadline=wait, window=spec.window))
            _refuse_another(spec, address, facts["models"])
        elif spec.kind == "embedded":
            weights = downloads.require(_weights(spec), at)
            started = stack.enter_context(
                embedded.serve(
                    weights, spec.model, window=spec.window, slots=spec.slots, threads=spec.threads,
                    log=at.root / "servers" / f"{spec.name}.log", told=told,
                )
            )  # fmt: skip
            address, facts, patience = started.url, started.facts, started.supervisor.patience
        elif spec.kind == "sglang":
            running = stack.enter_context(sglang.serve(spec, at, told))
            address, facts, patience = running.url, running.facts, running.patience
        else:
            raise UserError(
                f"Model {spec.name} needs a running server: start one that serves {spec.model} and give its address "
                "with --endpoint."
            )
        yield Endpoint(
            address, spec.model, window=spec.window, count=count, deadline=deadline, facts=facts, patience=patience,
            server=server,
        )  # fmt: skip


def _refuse_another(spec: ModelSpec, address: str, served: Sequence[str]) -> None:
    """Servers answer whatever name is asked for: what they list decides. Those that list nothing are believed."""
    own = {spec.model, *([spec.hub, spec.hub.rpartition("/")[2]] if spec.hub else [])}
    if served and not own & {*served, *(name.rstrip("/").rpartition("/")[2] for name in served)}:
        raise UserError(
            f"The server at {address} serves {', '.join(served)}, where model specification {spec.name} names "
            f"{spec.model}: name with --model a specification of what it serves (a YAML file with "
            f"`model: {served[0]}`), or another server with --endpoint."
        )


def _weights(spec: ModelSpec) -> downloads.PackagedFile:
    if spec.tokenizer not in WEIGHTS:
        raise UserError(f"Model specification {spec.name}: kind embedded needs tokenizer {' or '.join(WEIGHTS)}.")
    return WEIGHTS[spec.tokenizer]
