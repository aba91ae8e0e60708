"""Crossref works: deep paging by cursor, one window of publication dates after the other.

The service moves a cursor itself: equal requests with it give one page after the other, so a page whose answer was lost
is gone. A window that ends with fewer works than it has is therefore asked for once more, as is one whose cursor has
expired (after about 5 minutes) before a killed run went on.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from tasks.collecting.client import Client, Refused
from tasks.collecting.received import Received
from tasks.collecting.sources import Source

ROUNDS = 3


def made_at(document: Any) -> datetime | None:
    """The service does not say when it made a response."""
    return None


def ask(client: Client, source: Source, now: datetime) -> Iterator[Received]:
    """Responses about works published in the last whole year, month after month, each to its empty list."""
    for first, last in _months(now.year - 1):
        for number in range(ROUNDS):
            query = {"filter": f"from-pub-date:{first},until-pub-date:{last}", "rows": source.live.page}
            if (yield from _window(client, source, query, number * 1_000_000)):
                break


def _window(client: Client, source: Source, query: dict[str, Any], turn: int) -> Iterator[Received]:
    """One window from its first page; the value says whether it came to its end with all works."""
    cursor, seen, before = "*", 0, ""
    while True:
        turn += 1
        try:
            received, document = client.get_json(source.live.url, query | {"cursor": cursor}, ["message"], turn)
        except Refused:
            if cursor == "*":
                raise
            return False
        yield received
        message = document["message"]
        items = message.get("items") or []
        seen += len(items)
        if not items or received.sha256 == before:
            return seen >= int(message.get("total-results") or 0)
        before = received.sha256
        cursor = message.get("next-cursor")
        if not cursor:
            return True


def _months(year: int) -> Iterator[tuple[date, date]]:
    for month in range(1, 13):
        following = date(year + month // 12, month % 12 + 1, 1)
        yield date(year, month, 1), following - timedelta(days=1)
