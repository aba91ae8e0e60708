"""Invented packages of UK Contracts Finder (OCDS 1.1), for trying the pipeline without a network.

Public bodies, companies and notices are invented. Shape and odd values follow recorded responses: keys are absent and
never null, amounts are integers or floats, offsets `+01:00` and `Z` are mixed, CPV numbers are strings that may begin
with zero, a notice is released again under its ocid, parties vary from two to many, one release stands in two packages.
"""

import base64
import json
import random
import uuid
from collections.abc import Iterator
from typing import Any

from .words import words

SERVICE = "https://www.contractsfinder.service.gov.uk/Published/Notices/OCDS/Search"
STANDARD = "https://standard.open-contracting.org/profiles/eu/master/en/extension.json"
PAGES = [60, 60, 100, 40, 70, 80, 30, 0]
W = words("contracts_finder")


def responses(source: str) -> Iterator[tuple[str, str, str]]:
    """Name, address and text of each request."""
    rng = random.Random("treebench sample contracts_finder")
    releases = [_release(rng, number) for number in range(sum(PAGES))]
    start = 0
    for number, count in enumerate(PAGES):
        chosen = releases[start : start + count]
        start += count
        if number == 4:
            chosen[5] = _again(releases[11])
        query = f"publishedFrom=2024-0{number + 1}-01T00:00:00&publishedTo=2024-0{number + 1}-08T00:00:00&limit=100"
        address = f"{SERVICE}?{query}"
        document: dict[str, Any] = {
            "uri": address,
            "version": "1.1",
            "extensions": [STANDARD],
            "publishedDate": f"2024-0{number + 1}-08T22:10:19Z",
            "publisher": {
                "name": "Cabinet Office",
                "scheme": "GB-GOR",
                "uid": "D2",
                "uri": "https://www.gov.uk/government/organisations/cabinet-office",
            },
            "license": "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
            "publicationPolicy": "https://www.gov.uk/government/publications/open-contracting",
            "releases": chosen,
        }
        if number < 3:
            cursor = base64.b64encode(f"sample|nextCursor={rng.randrange(10**6)}".encode()).decode()
            document["links"] = {"next": f"{address}&cursor={cursor}"}
        indent = 4 if number in (0, 3) else None
        yield f"week_{number}", address, json.dumps(document, ensure_ascii=False, indent=indent)


def _release(rng: random.Random, number: int) -> dict[str, Any]:
    buyer = rng.choice(W["buyers"])
    title, cpv, classified, category = rng.choice(W["purchases"])
    title = title.format(rng.choice(W["lots"]))
    identifier = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    ocid = f"ocds-b5fd17-{uuid.UUID(int=rng.getrandbits(128), version=4)}"
    month, day = rng.randrange(1, 9), rng.randrange(1, 28)
    date = f"2024-{month:02d}-{day:02d}T{rng.randrange(7, 22):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}Z"
    tag = rng.choice(["award", "award", "award", "tender", "tender", "tenderAmendment"])
    method, detail = rng.choice(W["methods"])
    amount = _amount(rng)
    period = {
        "startDate": _moment(rng, 2024, "00:00:00"),
        "endDate": _moment(rng, rng.randrange(2025, 2029), "23:59:59"),
    }
    page = f"https://www.contractsfinder.service.gov.uk/Notice/{identifier}"
    tender: dict[str, Any] = {
        "id": f"{buyer[0][:4].upper()}{rng.randrange(100, 999)}-DN{rng.randrange(10**5, 10**6)}",
        "title": title,
        "description": _text(rng, buyer[0], title),
    }
    if tag != "award":
        tender["datePublished"] = date
    tender |= {
        "status": "complete" if tag == "award" else "active",
        "classification": {"scheme": "CPV", "id": cpv, "description": classified},
    }
    if rng.random() < 0.25:
        tender["additionalClassifications"] = [
            {"scheme": "CPV", "id": other[1], "description": other[2]} for other in rng.sample(W["purchases"], 2)
        ]
    places = [{"region": rng.choice(W["regions"]), "countryName": "United Kingdom"}]
    if rng.random() < 0.3:
        places = [{"postalCode": buyer[3]}]
    tender["items"] = [{"id": "1", "deliveryAddresses": places}]
    if rng.random() < 0.15:
        tender["minValue"] = {"amount": amount // 2 if isinstance(amount, int) else amount / 2, "currency": "GBP"}
    if rng.random() < 0.8:
        tender["value"] = {"amount": amount, "currency": "GBP"}
    if rng.random() < 0.8:
        tender["procurementMethod"] = method
    tender |= {
        "procurementMethodDetails": detail,
        "tenderPeriod": {"endDate": _moment(rng, 2024, "12:00:00")},
        "contractPeriod": period,
        "suitability": {"sme": rng.random() < 0.75, "vcse": rng.random() < 0.3},
    }
    if rng.random() < 0.95:
        tender["mainProcurementCategory"] = category
    if tag != "award":
        tender["documents"] = [_document(page, date, "tenderNotice", "Opportunity notice on Contracts Finder")]
    winners = rng.sample(W["suppliers"], 1 + int(rng.random() ** 4 * 9)) if tag == "award" else []
    release: dict[str, Any] = {
        "ocid": ocid,
        "id": f"{identifier}-{800_000 + number}",
        "language": "en",
        "date": date,
        "tag": [tag],
        "initiationType": "tender",
        "tender": tender,
        "parties": [_buyer(rng, buyer), *(_supplier(rng, name) for name in winners)],
        "buyer": {"id": _id(buyer[0]), "name": buyer[0]},
    }
    if winners:
        release["awards"] = [
            {
                "id": f"{ocid}-1",
                "status": "active",
                "date": f"2024-{month:02d}-{max(1, day - 3):02d}T00:00:00Z",
                "datePublished": date,
                "value": {"amount": amount if rng.random() < 0.9 else 0, "currency": "GBP"},
                "suppliers": [{"id": _id(name), "name": name} for name in winners],
                "contractPeriod": period,
                "documents": [_document(page, date, "awardNotice", "Awarded contract notice on Contracts Finder")],
            }
        ]
    return release


def _again(release: dict[str, Any]) -> dict[str, Any]:
    """The same notice as a later release: amended."""
    tender = release["tender"] | {"title": release["tender"]["title"] + " (amended)"}
    return release | {"id": release["id"] + "1", "date": "2024-08-20T09:00:00Z", "tender": tender}


def _amount(rng: random.Random) -> int | float:
    dice = rng.random()
    if dice < 0.25:
        return rng.choice([75000, 100000, 3000000, 250000])
    value = 5000 + rng.random() ** 4 * 4_000_000
    return int(value) if dice < 0.8 else round(value, 2)


def _moment(rng: random.Random, year: int, clock: str) -> str:
    month = rng.randrange(1, 13)
    return f"{year}-{month:02d}-{rng.choice([1, 15, 28]):02d}T{clock}{'+01:00' if 4 <= month <= 10 else 'Z'}"


def _text(rng: random.Random, buyer: str, title: str) -> str:
    chosen = rng.sample(W["sentences"][1:], rng.randrange(0, 5))
    return " ".join([W["sentences"][0], *chosen]).format(buyer=buyer, title=title)


def _id(name: str) -> str:
    """A stable number for a name."""
    return f"GB-CFS-{200_000 + sum(ord(letter) * 31 * (place + 1) for place, letter in enumerate(name)) % 99_991}"


def _buyer(rng: random.Random, buyer: list[str]) -> dict[str, Any]:
    name, street, town, postcode, web = buyer
    party: dict[str, Any] = {
        "id": _id(name),
        "name": name,
        "identifier": {"legalName": name},
        "address": {"streetAddress": street, "locality": town, "postalCode": postcode, "countryName": "England"},
        "contactPoint": {"name": "Procurement Team", "email": "redacted@example.org"},
    }
    if rng.random() < 0.6:
        party["contactPoint"]["telephone"] = "000 0000 0000"
    if web:
        party["details"] = {"url": web}
    return party | {"roles": ["buyer"]}


def _supplier(rng: random.Random, name: str) -> dict[str, Any]:
    identifier = {"legalName": name}
    if rng.random() < 0.5:
        identifier |= {"scheme": "GB-COH", "id": f"0{rng.randrange(10**6, 10**7)}"}
    return {
        "id": _id(name),
        "name": name,
        "identifier": identifier,
        "address": {"streetAddress": f"{rng.randrange(1, 180)} {rng.choice(W['roads'])}"},
        "details": {"scale": rng.choice(["sme", "large", "sme"]), "vcse": rng.random() < 0.06},
        "roles": ["supplier"],
    }


def _document(page: str, date: str, sort: str, words: str) -> dict[str, str]:
    return {
        "id": "1",
        "documentType": sort,
        "description": words,
        "url": page,
        "datePublished": date,
        "format": "text/html",
        "language": "en",
    }
