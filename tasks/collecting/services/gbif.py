"""GBIF: occurrences by month and names of species, pages by offset to `endOfRecords`."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tasks.collecting.client import Client
from tasks.collecting.received import Received
from tasks.collecting.sources import Source

SPECIES_EVERY = 4
"""One page of species names after this many pages of occurrences."""
PAGES_A_MONTH = 5


def made_at(document: Any) -> datetime | None:
    """The service does not say when it made a response."""
    return None


def ask(client: Client, source: Source, now: datetime) -> Iterator[Received]:
    """Responses about occurrences of the latest years, a few pages a month, and of species names between them."""
    species = _pages(client, source, "species/search", {"rank": "SPECIES", "status": "ACCEPTED"}, None)
    pages = 0
    for year in range(now.year - 1, 1900, -1):
        for month in range(1, 13):
            query = {"year": year, "month": month, "occurrenceStatus": "PRESENT"}
            for received in _pages(client, source, "occurrence/search", query, PAGES_A_MONTH):
                yield received
                pages += 1
                if pages % SPECIES_EVERY == 0:
                    name_page = next(species, None)
                    if name_page is not None:
                        yield name_page


def _pages(client: Client, source: Source, path: str, query: dict[str, Any], most: int | None) -> Iterator[Received]:
    """At most `most` pages of a search; never an offset above the bound."""
    offset, count = 0, 0
    while offset + source.live.page <= (source.live.most_matches or 100_000) and (most is None or count < most):
        page = {"limit": source.live.page, "offset": offset}
        received, document = client.get_json(f"{source.live.url}/{path}", query | page, ["results", "endOfRecords"])
        yield received
        if document["endOfRecords"] or not document["results"]:
            return
        offset += source.live.page
        count += 1
