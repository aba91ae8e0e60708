"""ClinicalTrials.gov studies: pages by token, all other parameters unchanged."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tasks.collecting.client import Client
from tasks.collecting.received import Received
from tasks.collecting.sources import Source
from tasks.errors import Fault


def made_at(document: Any) -> datetime | None:
    """The service does not say when it made a response."""
    return None


def ask(client: Client, source: Source, now: datetime) -> Iterator[Received]:
    """Responses about the studies updated last, until a page without a token.

    Raises `Fault` where a token comes twice: the pages would go round for ever.
    """
    query = {"format": "json", "pageSize": source.live.page, "sort": "LastUpdatePostDate:desc", "countTotal": "true"}
    token, known = "", set()
    while True:
        received, document = client.get_json(
            source.live.url, query | ({"pageToken": token} if token else {}), ["studies"]
        )
        yield received
        token = document.get("nextPageToken")
        if not token:
            return
        if token in known:
            raise Fault(f"{source.title} gives the page token {token} twice: run the same command again later.")
        known.add(token)
