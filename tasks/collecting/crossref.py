"""Crossref works: deep paging by cursor."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tasks.collecting.client import Client
from tasks.collecting.received import Received
from tasks.collecting.sources import Source


def made_at(document: Any) -> datetime | None:
    """The service does not say when it made a response."""
    return None


def ask(client: Client, source: Source, now: datetime) -> Iterator[Received]:
    """Responses about works published in the last whole year, until an empty list ends them."""
    live = source.live
    year = now.year - 1
    query = {"filter": f"from-pub-date:{year},until-pub-date:{year}", "rows": live.page}
    cursor = "*"
    while cursor:
        received = client.get(live.url, query | {"cursor": cursor})
        yield received
        cursor = _next(received)


def _next(received: Received) -> str | None:
    """The cursor of the next page; None at the empty list that ends the paging."""
    try:
        message = json.loads(received.body)["message"]
        return message["next-cursor"] if message["items"] else None
    except (ValueError, TypeError, KeyError):
        return None
