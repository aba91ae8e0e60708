"""UK Contracts Finder: OCDS releases by week of publication, pages by the cursor in `links.next`."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tasks.collecting.client import Client
from tasks.collecting.received import Received
from tasks.collecting.sources import Source
from tasks.errors import Fault

FIRST_YEAR = 2015


def made_at(document: Any) -> datetime | None:
    """When the service published this package, as it says in it; None where it does not."""
    published = document.get("publishedDate") if isinstance(document, dict) else None
    try:
        moment = datetime.fromisoformat(published.replace("Z", "+00:00")) if isinstance(published, str) else None
    except ValueError:
        return None
    if moment is None or moment.utcoffset() is None:
        return moment
    return (moment - moment.utcoffset()).replace(tzinfo=None)  # pyright: ignore


def ask(client: Client, source: Source, now: datetime) -> Iterator[Received]:
    """Responses about notices, the latest week first. Raises `Fault` where a cursor comes twice."""
    end = now.replace(hour=0, minute=0, second=0, microsecond=0)
    while end.year >= FIRST_YEAR:
        begin = end - timedelta(days=source.live.days or 7)
        query = {"publishedFrom": begin.isoformat(), "publishedTo": end.isoformat(), "limit": source.live.page}
        end = begin
        cursor, known = "", set()
        while True:
            received, document = client.get_json(
                source.live.url, query | ({"cursor": cursor} if cursor else {}), ["releases"]
            )
            yield received
            cursor = _cursor(document)
            if not cursor or not document["releases"]:
                break
            if cursor in known:
                raise Fault(f"{source.title} gives the cursor {cursor} twice: run the same command again later.")
            known.add(cursor)


def _cursor(document: Any) -> str:
    """The cursor of the next page; empty on the last one. Only the cursor of the link is used, never its host."""
    links = document.get("links")
    following = links.get("next") if isinstance(links, dict) else None
    return parse_qs(urlsplit(following).query).get("cursor", [""])[0] if isinstance(following, str) else ""
