"""USGS earthquake catalogue (fdsnws/event): time windows that the service accepts, pages by offset."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from tasks.collecting.client import Client
from tasks.collecting.received import Received
from tasks.collecting.sources import Source

SHORTEST = timedelta(minutes=1)
"""A window that is halved no further."""


def made_at(document: Any) -> datetime | None:
    """When the service made this response, as it says in the response; None where it does not."""
    metadata = document.get("metadata") if isinstance(document, dict) else None
    generated = metadata.get("generated") if isinstance(metadata, dict) else None
    if not isinstance(generated, int):
        return None
    return datetime.fromtimestamp(generated / 1000, UTC).replace(tzinfo=None)


def ask(client: Client, source: Source, now: datetime) -> Iterator[Received]:
    """Responses about the latest events, the newest window first, without end of their own.

    A window whose count is above what the service returns is halved (HTTP 400 otherwise).
    """
    live = source.live
    most, days = live.most_matches or 20_000, live.days or 30
    end = now.replace(hour=0, minute=0, second=0, microsecond=0)
    while end.year > 1900:
        windows = [(end - timedelta(days=days), end)]
        end = windows[0][0]
        while windows:
            first, last = windows.pop()
            query = {"format": "geojson", "starttime": first.isoformat(), "endtime": last.isoformat()}
            counted, document = client.get_json(f"{live.url}/count", query, ["count"])
            yield counted
            matches = int(document["count"])
            if matches > most and last - first > SHORTEST:
                middle = first + (last - first) / 2
                windows += [(first, middle), (middle, last)]
                continue
            for offset in range(1, min(matches, most) + 1, live.page):
                page = {"limit": live.page, "offset": offset, "orderby": "time-asc"}
                received, document = client.get_json(f"{live.url}/query", query | page, ["features"])
                yield received
                if not document["features"]:
                    break  # events were withdrawn since they were counted
