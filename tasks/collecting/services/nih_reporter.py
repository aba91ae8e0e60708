"""NIH RePORTER projects: POST requests by fiscal year and, where a year holds too many, by institute."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tasks.collecting.client import Client
from tasks.collecting.received import Received
from tasks.collecting.sources import Source

FIRST_YEAR = 1985
INSTITUTES = """
NCI NEI NHLBI NHGRI NIA NIAAA NIAID NIAMS NIBIB NICHD NIDCD NIDCR NIDDK NIDA NIEHS NIGMS NIMH NIMHD NINDS NINR NLM
NCATS NCCIH FIC OD CLC CIT
""".split()


def made_at(document: Any) -> datetime | None:
    """The service does not say when it made a response."""
    return None


def ask(client: Client, source: Source, now: datetime) -> Iterator[Received]:
    """Responses about projects, the newest fiscal year first.

    No offset may reach the bound (14,999), so a year above it is asked for by institute.
    """
    for year in range(now.year, FIRST_YEAR - 1, -1):
        criteria: dict[str, Any] = {"fiscal_years": [year]}
        first, document = _page(client, source, criteria, 0)
        yield first
        if int(document["meta"]["total"]) <= (source.live.most_matches or 15_000):
            yield from _rest(client, source, criteria, document)
            continue
        for institute in INSTITUTES:
            narrowed = criteria | {"agencies": [institute], "is_agency_admin": True}
            received, document = _page(client, source, narrowed, 0)
            yield received
            yield from _rest(client, source, narrowed, document)


def _rest(client: Client, source: Source, criteria: dict[str, Any], document: Any) -> Iterator[Received]:
    offset, page = source.live.page, source.live.page
    while document["results"] and offset < min(int(document["meta"]["total"]), source.live.most_matches or 15_000):
        received, document = _page(client, source, criteria, offset)
        yield received
        offset += page


def _page(client: Client, source: Source, criteria: dict[str, Any], offset: int) -> tuple[Received, Any]:
    body = {
        "criteria": criteria,
        "offset": offset,
        "limit": source.live.page,
        "sort_field": "appl_id",
        "sort_order": "desc",
    }
    return client.post_json(source.live.url, body, ["meta", "results"])
