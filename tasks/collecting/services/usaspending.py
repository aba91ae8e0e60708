"""USAspending awards: POST requests by group of award types and week, pages by number, then by the last record."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from tasks.collecting.client import Client
from tasks.collecting.received import Received
from tasks.collecting.sources import Source

EARLIEST = datetime(2007, 10, 1)
COMMON = [
    "Award ID", "Recipient Name", "Description", "Start Date", "End Date", "Award Amount", "Awarding Agency",
    "Awarding Sub Agency", "Funding Agency", "Funding Sub Agency",
]  # fmt: skip
GROUPS = {
    "contracts": (["A", "B", "C", "D"], ["Contract Award Type", "NAICS", "PSC"]),
    "grants": (["02", "03", "04", "05"], ["Award Type", "CFDA Number"]),
}
"""Types of one group and the fields that only this group has; a request may not mix groups."""


def made_at(document: Any) -> datetime | None:
    """The service does not say when it made a response."""
    return None


def ask(client: Client, source: Source, now: datetime) -> Iterator[Received]:
    """Responses about awards, the latest week first, the groups in turn."""
    end = now.replace(hour=0, minute=0, second=0, microsecond=0)
    while end > EARLIEST:
        begin = max(end - timedelta(days=source.live.days or 7), EARLIEST)
        for types, fields in GROUPS.values():
            filters = {
                "award_type_codes": types,
                "time_period": [{"start_date": f"{begin.date()}", "end_date": f"{end.date()}"}],
            }
            yield from _pages(client, source, {"filters": filters, "fields": COMMON + fields})
        end = begin


def _pages(client: Client, source: Source, query: dict[str, Any]) -> Iterator[Received]:
    """All pages of a query. Beyond 10,000 records `hasNext` is false though more exist: the last record leads on."""
    body = query | {"limit": source.live.page, "sort": "Award ID", "order": "asc", "subawards": False}
    page, given, position = 1, 0, {}
    while True:
        received, document = client.post_json(
            source.live.url, body | {"page": page} | position, ["results", "page_metadata"]
        )
        yield received
        metadata = document["page_metadata"]
        given += len(document["results"])
        if not document["results"]:
            return
        if metadata.get("hasNext"):
            page += 1
            continue
        last = metadata.get("last_record_unique_id")
        if (
            last is None
            or given < (source.live.most_matches or 10_000)
            or position.get("last_record_unique_id") == last
        ):
            return
        position = {"last_record_unique_id": last, "last_record_sort_value": metadata.get("last_record_sort_value")}
        page, given = 1, 0
