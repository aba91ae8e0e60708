"""Transport `live`: the public services themselves."""

import importlib
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from types import ModuleType

from tasks.collecting.client import Client
from tasks.collecting.received import Received
from tasks.collecting.sources import Source
from tasks.errors import Fault, UserError


def service(name: str) -> ModuleType:
    """The module that knows the requests, paging and envelope of a source: `ask` and `made_at`."""
    try:
        return importlib.import_module(f"tasks.collecting.{name}")
    except ModuleNotFoundError:
        raise Fault(f"Source {name} has no module tasks/collecting/{name}.py, which knows how to ask it.") from None


def receive(source: Source, contact: str | None, most: int) -> Iterator[Received]:
    """At most `most` responses of the service, as they come. Raises `UserError` without a contact address."""
    if not contact:
        raise UserError("Asking public services needs an e-mail address for them: set contact.")
    now = datetime.now(UTC).replace(tzinfo=None)
    with Client(source, contact) as client:
        yield from islice(service(source.source).ask(client, source, now), most)
