"""Transport `live`: the public services themselves."""

import importlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from types import ModuleType

from tasks.collecting.archives import address
from tasks.collecting.asked import Asked
from tasks.collecting.client import Client, Enough
from tasks.collecting.manners import require_quiet_hours
from tasks.collecting.received import Item
from tasks.collecting.sources import Source, version
from tasks.errors import Fault, UserError
from tasks.hashing import content_id
from tasks.home import Home


def service(source: Source) -> ModuleType:
    """The module that knows the requests, paging and envelope of a source: `ask` and `made_at`."""
    if not has_service(source):
        path = _module(source).replace(".", "/") + ".py"
        raise Fault(f"Source {source.source} has no module {path}, which knows how to ask it.")
    return importlib.import_module(_module(source))


def has_service(source: Source) -> bool:
    """Whether a source can be asked; one without a service is read from a mirror or an archive alone."""
    return find_spec(_module(source)) is not None


def _module(source: Source) -> str:
    return f"tasks.collecting.services.{source.live.service or source.source}"


@contextmanager
def receive(
    home: Home, source: Source, contact: str | None, most: int, place: str | None = None, key: str | None = None
) -> Iterator[Iterable[Item]]:
    """The answers to at most `most` requests, as they come.

    A run that was killed goes on: what was answered is not asked again. Leaving the context without an exception ends
    the run. Raises `UserError` without a contact address, outside the hours of a big job, and while another run asks
    the same source.
    """
    if not contact:
        raise UserError("Asking public services needs an e-mail address for them: set contact.")
    now = datetime.now(UTC)
    require_quiet_hours(source, most, now)
    place = address(source, place) if place else None
    asking = content_id(version(source.source), most, place)
    with (
        Asked(home, source.source, asking, now.replace(tzinfo=None)) as answers,
        Client(source, contact, answers=answers, key=key, most=most) as client,
    ):
        yield _answers(client, source, answers.started, place)
        answers.finish()


def _answers(client: Client, source: Source, now: datetime, place: str | None) -> Iterator[Item]:
    try:
        if place:
            from tasks.collecting.services import archive

            yield from archive.download(client, source, place)
        else:
            yield from service(source).ask(client, source, now)
    except Enough:
        return
