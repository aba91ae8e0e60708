"""From a model specification to a chat endpoint that has proved to generate."""

import asyncio
import contextlib
from collections.abc import Iterator

from tasks import downloads
from tasks.errors import UserError
from tasks.home import Home, home
from tasks.serving import embedded
from tasks.serving.endpoint import CountPrompt, Endpoint
from tasks.serving.models import ModelSpec
from tasks.serving.probe import probe

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
) -> Iterator[Endpoint]:
    """An endpoint that serves `spec`: at `url`, at the specification's own address, or a server started here.

    It has generated a token when this yields, and `facts` hold what its server said of itself. A server started here
    ends on leaving. `count` counts prompt tokens; `deadline` is in seconds for one attempt. Enter the endpoint with
    `async with` inside the event loop that uses it. Raises `UserError` or `Fault` as `tasks.serving.probe` does.
    """
    with contextlib.ExitStack() as stack:
        address = url or spec.url
        if address:
            wait = min(deadline, 120.0)
            facts = asyncio.run(probe(address, spec.model, deadline=wait, window=spec.window))
        elif spec.kind == "embedded":
            weights = downloads.require(_weights(spec), at or home())
            server = stack.enter_context(
                embedded.serve(weights, spec.model, window=spec.window, slots=spec.slots, threads=spec.threads)
            )
            address, facts = server.url, server.facts
        else:
            raise UserError(
                f"Model {spec.name} needs a running server: start one that serves {spec.model} and give its address "
                "with --endpoint."
            )
        yield Endpoint(address, spec.model, window=spec.window, count=count, deadline=deadline, facts=facts)


def _weights(spec: ModelSpec) -> downloads.PackagedFile:
    if spec.tokenizer not in WEIGHTS:
        raise UserError(f"Model specification {spec.name}: kind embedded needs tokenizer {' or '.join(WEIGHTS)}.")
    return WEIGHTS[spec.tokenizer]
