"""Invented answers of GBIF (occurrence and species search), for trying the pipeline without a network.

Species and places are real, the observations are not. Shape and odd values follow recorded responses: keys are absent
and never null, some keys are addresses or UUIDs, the same number is an integer in one field and a string in another,
text comes in several scripts, pages hold fewer records than asked for, one occurrence stands in two pages.
"""

import json
import random
import uuid
from collections.abc import Iterator
from typing import Any

from .words import words

SERVICE = "https://api.gbif.org/v1"
BACKBONE = "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c"
MULTIMEDIA = "http://rs.gbif.org/terms/1.0/Multimedia"
RANKS = ["kingdom", "phylum", "class", "order", "family", "genus", "species"]
PAGES = [60, 40, 80, 60, 100, 60]
W = words("gbif")


def responses(source: str) -> Iterator[tuple[str, str, str]]:
    """Name, address and text of each request."""
    rng = random.Random("treebench sample gbif")
    sets = [(row, *(str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(3))) for row in W["datasets"]]
    occurrences = [_occurrence(rng, number, rng.choice(sets)) for number in range(sum(PAGES))]
    start = 0
    for number, count in enumerate(PAGES):
        results = occurrences[start : start + count]
        if number == 4:
            results[8] = occurrences[20] | {"lastInterpreted": "2025-11-09T08:00:00.000+00:00"}
        last = number == len(PAGES) - 1
        document = _page(start, count + (40 if last else 0), last, 31_000 + number, results)
        query = f"year=2024&occurrenceStatus=PRESENT&limit={document['limit']}&offset={start}"
        address = f"{SERVICE}/occurrence/search?{query}"
        yield f"occurrence_{number}", address, json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        start += count
    names = list(_names())
    document = _page(0, 100, False, len(names) + 900, names)
    address = f"{SERVICE}/species/search?rank=SPECIES&status=ACCEPTED&limit=100&offset=0"
    yield "species_0", address, json.dumps(document, ensure_ascii=False, indent=2)
    empty = _page(start, 0, False, 18_272, [])
    yield "occurrence_none", f"{SERVICE}/occurrence/search?taxonKey=0&limit=0&offset=0", json.dumps(empty)


def _page(offset: int, limit: int, last: bool, count: int, results: list[Any]) -> dict[str, Any]:
    page = {"offset": offset, "limit": limit, "endOfRecords": last, "count": count}
    return page | {"results": results, "facets": []}


def _key(name: str) -> int:
    """A stable number for a name."""
    return 1_000_000 + sum(ord(letter) * (place + 7) * 53 for place, letter in enumerate(name)) % 8_000_000


def _keys(row: list[str]) -> dict[str, int]:
    return {f"{rank}Key": _key(name) for rank, name in zip(RANKS, row[:7], strict=True)}


def _occurrence(rng: random.Random, number: int, dataset: tuple[Any, ...]) -> dict[str, Any]:
    (title, institution, collection, basis, licence, home, home_region), key, publisher, installation = dataset
    row = rng.choice(W["species"])
    names = dict(zip(RANKS, row[:7], strict=True))
    authorship, category = row[7:]
    country, code, region, continent, state, localities, latitude, longitude = rng.choice(W["places"])
    specimen = basis == "PRESERVED_SPECIMEN"
    year = rng.randrange(1899, 1990) if specimen else rng.randrange(2016, 2025)
    month, day = rng.randrange(1, 13), rng.randrange(1, 29)
    date = f"{year}-{month:02d}-{day:02d}"
    dated, located = rng.random() < 0.9, rng.random() < 0.75
    identifier = 5_800_000_000 + number * 977
    person = rng.choice(W["people"])
    scientific = f"{names['species']} {authorship}"
    interpreted = f"2025-0{rng.randrange(1, 10)}-11T13:49:18.{rng.randrange(1000):03d}+00:00"
    taxon = _key(names["species"])
    keys = _keys(row)
    folder = "specimens" if specimen else "observations"
    address = f"https://www.{institution.lower()}.example.org/{folder}/{number + 100}"
    media, extension = _media(rng, number, person, licence) if not specimen and rng.random() < 0.35 else ([], [])
    record: dict[str, Any] = {
        "key": identifier,
        "datasetKey": key,
        "publishingOrgKey": publisher,
        "installationKey": installation,
        "hostingOrganizationKey": publisher,
        "publishingCountry": home,
        "protocol": "DWC_ARCHIVE" if number % 3 else "EML",
        "lastCrawled": "2025-09-22T23:56:44.581+00:00",
        "lastParsed": interpreted,
        "crawlId": 480 + number % 90,
        "extensions": {MULTIMEDIA: extension} if extension else {},
        "basisOfRecord": basis,
    }
    if rng.random() < 0.2:
        record["individualCount"] = rng.choice([1, 1, 2, 4, 7, 30])
    record |= {"occurrenceStatus": "PRESENT"}
    if specimen and rng.random() < 0.5:
        record["lifeStage"] = rng.choice(W["stages"])
    record |= {"taxonKey": taxon} | keys | {"acceptedTaxonKey": taxon}
    record |= {"scientificName": scientific, "acceptedScientificName": scientific}
    record |= {rank: names[rank] for rank in RANKS if rank != "class"}
    record |= {
        "genericName": names["genus"],
        "specificEpithet": names["species"].split()[1],
        "taxonRank": "SPECIES",
        "taxonomicStatus": "ACCEPTED",
        "iucnRedListCategory": category,
    }
    if rng.random() < 0.4:
        record["dateIdentified"] = f"{date}T21:35:{rng.randrange(60):02d}"
    if located:
        record["decimalLatitude"] = round(latitude + 0.4 * (rng.random() - 0.5), rng.choice([2, 4, 6]))
        record["decimalLongitude"] = round(longitude + 0.4 * (rng.random() - 0.5), rng.choice([2, 4, 6]))
        if rng.random() < 0.4:
            record["coordinateUncertaintyInMeters"] = float(rng.choice([3, 6, 31, 70, 250, 1000, 28471]))
    record["continent"] = continent
    if rng.random() < 0.8:
        record["stateProvince"] = state
    record["gadm"] = {}
    if dated:
        record |= {"year": year, "month": month, "day": day}
        clock = f"T{rng.randrange(6, 20):02d}:{rng.randrange(60):02d}"
        record["eventDate"] = date if specimen or rng.random() < 0.5 else date + clock
    record["issues"] = sorted(rng.sample(W["issues"], rng.randrange(0, 4)))
    record["lastInterpreted"] = interpreted
    if not specimen:
        record["references"] = address
    record |= {
        "license": licence,
        "isSequenced": False,
        "identifiers": [{"identifier": address}],
        "media": media,
        "facts": [],
        "relations": [],
        "isInCluster": rng.random() < 0.15,
        "datasetName": title,
        "recordedBy": person,
    }
    if rng.random() < 0.6:
        record["identifiedBy"] = rng.choice([person, *W["people"]])
    if located:
        record["geodeticDatum"] = "WGS84"
    record |= {
        "class": names["class"],
        "countryCode": code,
        "recordedByIDs": [],
        "identifiedByIDs": [],
        "gbifRegion": region,
        "country": country,
        "publishedByGbifRegion": home_region,
        "rightsHolder": institution if specimen else person,
        "identifier": address,
    }
    if rng.random() < 0.5:
        record["locality"] = rng.choice(localities)
    record |= {
        "collectionCode": collection,
        "gbifID": str(identifier),
        "occurrenceID": address,
        "catalogNumber": f"{institution}{number + 4000}" if specimen else str(number + 100),
        "institutionCode": institution,
    }
    if rng.random() < 0.3:
        record["occurrenceRemarks"] = rng.choice(W["remarks"])
    if not specimen and rng.random() < 0.3:
        record["http://unknown.org/captive"] = "wild"
    return record


def _media(rng: random.Random, number: int, person: str, licence: str) -> tuple[list[Any], list[Any]]:
    """Pictures, as GBIF reads them and as their publisher wrote them."""
    media, extension = [], []
    for index in range(1 + int(rng.random() ** 3 * 5)):
        picture = f"https://pictures.example.org/{number}/{index}"
        created = f"2024-0{rng.randrange(1, 10)}-02T21:17:47"
        common = {"type": "StillImage", "format": "image/jpeg"}
        media.append(
            common
            | {
                "references": picture,
                "created": f"{created}.000+00:00",
                "creator": person,
                "publisher": "iSample",
                "license": licence,
                "rightsHolder": person,
                "identifier": f"{picture}/original.jpg",
            }
        )
        terms = common | {"identifier": f"{picture}/original.jpg", "creator": person, "created": f"{created}Z"}
        extension.append({f"http://purl.org/dc/terms/{name}": value for name, value in terms.items()})
    return media, extension


def _names() -> Iterator[dict[str, Any]]:
    """The species, as names in a checklist."""
    for row in W["species"]:
        names, keys = dict(zip(RANKS, row[:7], strict=True)), _keys(row)
        key = keys["speciesKey"]
        yield (
            {"key": key, "datasetKey": BACKBONE, "nubKey": key, "parentKey": keys["genusKey"], "parent": names["genus"]}
            | {rank: names[rank] for rank in RANKS if rank != "class"}
            | keys
            | {
                "scientificName": f"{names['species']} {row[7]}",
                "canonicalName": names["species"],
                "authorship": row[7],
                "nameType": "SCIENTIFIC",
                "taxonomicStatus": "ACCEPTED",
                "rank": "SPECIES",
                "origin": "SOURCE",
                "numDescendants": 0,
                "numOccurrences": 0,
                "taxonID": f"gbif:{key}",
                "habitats": [],
                "nomenclaturalStatus": [],
                "threatStatuses": [],
                "descriptions": [],
                "vernacularNames": [],
                "higherClassificationMap": {str(keys[f"{rank}Key"]): names[rank] for rank in RANKS[:-1]},
                "synonym": False,
                "class": names["class"],
            }
        )
