"""NVD vulnerability service (CVE API 2.0): date windows of at most 120 days, pages by start index."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from tasks.collecting.client import Client
from tasks.collecting.received import Received
from tasks.collecting.sources import Source


def made_at(document: Any) -> datetime | None:
    """When the service made this response, as it says in the response; None where it does not."""
    timestamp = document.get("timestamp") if isinstance(document, dict) else None
    try:
        return datetime.fromisoformat(timestamp).replace(tzinfo=None) if isinstance(timestamp, str) else None
    except ValueError:
        return None


def ask(client: Client, source: Source, now: datetime) -> Iterator[Received]:
    """Responses about the latest vulnerabilities, the newest window of publication first."""
    live = source.live
    end = now.replace(hour=0, minute=0, second=0, microsecond=0)
    while end.year > 1998:
        begin = end - timedelta(days=live.days or 120)
        window = {"pubStartDate": f"{begin.isoformat()}.000", "pubEndDate": f"{end.isoformat()}.000"}
        end = begin
        start, total = 0, 1
        while start < total:
            page = {"startIndex": start, "resultsPerPage": live.page}
            received, document = client.get_json(live.url, window | page, ["vulnerabilities", "totalResults"])
            yield received
            if not document["vulnerabilities"]:
                break
            start, total = start + live.page, int(document["totalResults"])
