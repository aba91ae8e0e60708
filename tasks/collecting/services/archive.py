"""A published archive at a fixed address, such as a repository at a commit: one request, then its files."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from tasks.collecting.archives import Unreadable, of_archive
from tasks.collecting.client import Client
from tasks.collecting.received import Item
from tasks.collecting.sources import Source
from tasks.errors import Fault


def made_at(document: Any) -> datetime | None:
    """Files do not say when they were made."""
    return None


def ask(client: Client, source: Source, now: datetime) -> Iterator[Item]:
    """The wanted files of the source's archive, at the commit that its file pins."""
    return download(client, source, source.live.url.replace("{commit}", source.live.commit or ""))


def download(client: Client, source: Source, url: str) -> Iterator[Item]:
    """The wanted files of the archive at an address.

    Raises `Fault` where no whole archive came, which is then asked for anew by the next run.
    """
    path = client.download(url)
    try:
        yield from of_archive(source, path, url, "live", datetime.fromtimestamp(path.stat().st_mtime, UTC))
    except Unreadable as error:
        path.unlink()
        raise Fault(f"{url} sent no whole archive ({error.reason}): run the same command again.") from error
