"""Invented answers of USAspending (search/spending_by_award), for trying the pipeline without a network.

Recipients and awards are invented. Shape and odd values follow recorded responses: keys are display names with blanks,
amounts are floats and may be negative, most funding agencies are null, descriptions in capitals are of any length,
recipients and descriptions repeat, the last page names no last record, one award stands in two responses.
"""

import json
import random
from collections.abc import Iterator
from typing import Any

from .words import words

SERVICE = "https://api.usaspending.gov/api/v2/search/spending_by_award/"
PAGES = [50, 50, 100, 40, 60, 50, 100, 70, 30, 50, 100, 21]
NOTICE = "For searches, time period start and end dates are currently limited to an earliest date of 2007-10-01."
FIELDS = [
    "Award ID", "Recipient Name", "Description", "Start Date", "End Date", "Award Amount", "Awarding Agency",
    "Awarding Sub Agency", "Funding Agency", "Funding Sub Agency",
]  # fmt: skip
W = words("usaspending")


def responses(source: str) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Name, address, text and body of each request."""
    rng = random.Random("treebench sample usaspending")
    awards = sorted((_award(rng, number) for number in range(sum(PAGES))), key=lambda award: award["Award ID"])
    start = 0
    for number, count in enumerate(PAGES, start=1):
        results = awards[start : start + count]
        if number == 9:
            results[4] = awards[12] | {"Award Amount": awards[12]["Award Amount"] + 2500.0}
        start += count
        last = number == len(PAGES)
        document = {
            "limit": count if not last else 50,
            "results": results,
            "page_metadata": {
                "page": number,
                "hasNext": not last,
                "last_record_unique_id": None if last else results[-1]["internal_id"],
                "last_record_sort_value": "None" if last else results[-1]["Award ID"],
            },
            "messages": [NOTICE],
        }
        body = {
            "filters": {"award_type_codes": ["02", "03", "04", "05"]},
            "fields": FIELDS,
            "page": number,
            "limit": count,
            "sort": "Award ID",
            "order": "asc",
            "subawards": False,
        }
        yield f"page_{number:02d}", SERVICE, json.dumps(document, separators=(",", ":")), body


def _award(rng: random.Random, number: int) -> dict[str, Any]:
    agency, identifier, parts = rng.choice(W["agencies"])
    part, code = rng.choice(parts)
    award = f"{''.join(rng.choice('ABCDEFGHKLMNPRSTVWXZ') for _ in range(3))}{rng.randrange(10**9):09d}"
    year = rng.randrange(2009, 2021)
    start = f"{year}-{rng.randrange(1, 13):02d}-{rng.choice([1, 1, 15, rng.randrange(1, 29)]):02d}"
    end = f"{year + rng.randrange(1, 6)}-{rng.choice(['09-30', '12-31', '08-31', '06-30'])}"
    dice = rng.random()
    amount = float(rng.choice([15000, 50000, 90000])) if dice < 0.1 else round(1000 + rng.random() ** 4 * 9_000_000, 2)
    if dice > 0.97:
        amount = -round(rng.random() * 60_000, 2)
    funded = rng.random() < 0.25
    text = rng.choice(W["purposes"]).format(rng.randrange(2, 40))
    text = " ".join([text + ".", *(rng.choice(W["more"]) + "." for _ in range(int(rng.random() ** 3 * 12)))])
    return {
        "internal_id": 60_000_000 + number * 1_733 + rng.randrange(1_700),
        "Award ID": award,
        "Recipient Name": rng.choice(W["recipients"]),
        "Description": text.removesuffix(".") if rng.random() < 0.8 else text,
        "Start Date": start,
        "End Date": end if rng.random() < 0.95 else None,
        "Award Amount": amount,
        "Awarding Agency": agency,
        "Awarding Sub Agency": part,
        "Funding Agency": agency if funded else None,
        "Funding Sub Agency": part if funded else None,
        "awarding_agency_id": identifier,
        "agency_slug": agency.lower().replace(" ", "-"),
        "generated_internal_id": f"ASST_NON_{award}_{code}",
    }
