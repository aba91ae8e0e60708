"""Invented answers of the NVD vulnerability service (CVE API 2.0), for trying the pipeline without a network.

Vendors, products and vulnerabilities are invented; CVE numbers are seven digits long, beyond those assigned so far.
Shape and odd values follow recorded responses: keys are absent and never null, scores sit in one array for each
version of CVSS with primary and secondary entries, descriptions stand in English and Spanish, version numbers are
strings, weaknesses may be `NVD-CWE-Other`, bulk updates share their times, one vulnerability stands in two pages.
Scores follow from their vectors by the formulas of CVSS 2.0 and 3.1; version 4.0 uses published examples.
"""

import json
import random
import uuid
from collections.abc import Iterator
from typing import Any

from .cvss import NVD, downgraded, version_2, version_3, version_4
from .words import words

SERVICE = "https://services.nvd.nist.gov/rest/json/cves/2.0"
TOTAL = 402
PAGES = [(0, 64), (64, 64), (128, 64), (192, 64), (256, 64), (320, 64), (384, 18)]


WORDS = words("nvd")


def responses(source: str) -> Iterator[tuple[str, str, str]]:
    """Name, request URL and text of each response."""
    rng = random.Random("treebench sample nvd")
    used: set[str] = set()
    records = [_record(rng, number, used) for number in range(TOTAL)]
    for page, (start, count) in enumerate(PAGES):
        vulnerabilities = records[start : start + count]
        if page == 3:
            vulnerabilities = [_revised(records[60]), *vulnerabilities[1:]]
        document = {
            "resultsPerPage": len(vulnerabilities),
            "startIndex": start,
            "totalResults": TOTAL,
            "format": "NVD_CVE",
            "version": "2.0",
            "timestamp": f"2024-07-19T08:{10 + page}:{rng.randrange(60):02d}.{rng.randrange(1000):03d}",
            "vulnerabilities": vulnerabilities,
        }
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        if page == 5:
            text = text.replace("/", "\\/")
        if page == 6:
            text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        yield f"page_{start:04d}", f"{SERVICE}?startIndex={start}&resultsPerPage=64", text
    empty = {
        "resultsPerPage": 0,
        "startIndex": 448,
        "totalResults": TOTAL,
        "format": "NVD_CVE",
        "version": "2.0",
        "timestamp": "2024-07-19T08:18:02.117",
        "vulnerabilities": [],
    }
    yield "page_0448", f"{SERVICE}?startIndex=448&resultsPerPage=64", json.dumps(empty, separators=(",", ":"))


def _record(rng: random.Random, number: int, used: set[str]) -> dict[str, Any]:
    age = rng.random()
    if age < 0.3:
        cve = _old(rng, used)
    elif age < 0.8:
        cve = _analysed(rng, used)
    elif age < 0.97:
        cve = _received(rng, used)
    else:
        cve = _rejected(rng, used)
    return {"cve": cve}


def _revised(record: dict[str, Any]) -> dict[str, Any]:
    """The same vulnerability as a later page gives it: modified since."""
    cve = json.loads(json.dumps(record["cve"]))
    return {"cve": cve | {"lastModified": "2024-07-18T21:15:04.407", "vulnStatus": "Modified"}}


def _old(rng: random.Random, used: set[str]) -> dict[str, Any]:
    year = rng.randrange(1999, 2004)
    vendor, vendor_name, product, part, _ = rng.choice(WORDS["products"])
    version = _version(rng)
    flaw = rng.choice(WORDS["old_flaws"])
    text = flaw["sentence"].format(v=vendor_name, p=product, n=version, c=rng.choice(WORDS["old_components"]))
    number = _number(rng, year, used)
    links = [
        f"http://marc.example.org/?l=bugtraq&m={rng.randrange(10**13, 10**14)}&w=2" for _ in range(rng.randrange(1, 3))
    ]
    if rng.random() < 0.5:
        links.append(f"http://www.securityfocus.example.org/bid/{rng.randrange(200, 9000)}")
    twice = [{"url": link, "source": NVD} for link in links]
    twice += [{"url": link, "source": "af854a3a-2127-422b-91ae-364da2661108"} for link in links]
    return {
        "id": number,
        "sourceIdentifier": NVD,
        "published": f"{_date(rng, year)}T0{rng.choice([4, 5])}:00:00.000",
        "lastModified": "2025-04-03T01:03:51.193",
        "vulnStatus": "Deferred",
        "cveTags": [],
        "descriptions": [{"lang": "en", "value": text}],
        "metrics": {"cvssMetricV2": [version_2(rng.choice(flaw["vectors"]), "Primary")]},
        "weaknesses": [{"source": NVD, "type": "Primary", "description": [{"lang": "en", "value": "NVD-CWE-Other"}]}],
        "configurations": [{"nodes": [_node(rng, vendor, product, part, [(version, {})])]}],
        "references": twice,
    }


def _analysed(rng: random.Random, used: set[str]) -> dict[str, Any]:
    year = rng.randrange(2017, 2025)
    vendor, vendor_name, product, part, sort = rng.choice(WORDS["products"])
    flaw = rng.choice(WORDS["flaws"])
    weakness, vector = flaw["weakness"], rng.choice(flaw["vectors"])
    first, last = sorted((_version(rng), _version(rng)), key=lambda text: [int(part) for part in text.split(".")])
    number = _number(rng, year, used)
    published = f"{_date(rng, year)}T{_clock(rng)}"
    metrics: dict[str, Any] = {}
    if year >= 2024 and rng.random() < 0.5:
        metrics["cvssMetricV40"] = [version_4(*rng.choice(WORDS["version_4"]))]
    key, version = ("cvssMetricV30", "3.0") if year < 2019 and rng.random() < 0.6 else ("cvssMetricV31", "3.1")
    metrics[key] = [version_3(vector, version, "Primary")]
    if rng.random() < 0.35:
        metrics[key].append(version_3(rng.choice(flaw["vectors"]), version, "Secondary"))
    if year < 2022:
        metrics["cvssMetricV2"] = [version_2(downgraded(vector), "Primary")]
    bounds: dict[str, str] = {"versionEndExcluding": last}
    if rng.random() < 0.5:
        bounds = {"versionStartIncluding": first} | bounds
    matches = [("*", bounds)] + [(_version(rng), {}) for _ in range(int(rng.random() ** 4 * 30))]
    nodes: list[dict[str, Any]] = [_node(rng, vendor, product, part, matches)]
    configuration: dict[str, Any] = {"nodes": nodes}
    if part == "o" and rng.random() < 0.7:
        hardware = _node(rng, vendor, product.removesuffix(" Firmware"), "h", [("-", {})])
        hardware["cpeMatch"][0]["vulnerable"] = False
        configuration = {"operator": "AND", "nodes": [*nodes, hardware]}
    slug = f"{vendor}/{product.lower().replace(' ', '-')}"
    references = [
        {"url": f"https://git.example.org/{slug}/commit/{rng.randrange(16**12):012x}", "source": NVD, "tags": ["Patch"]}
    ]
    if rng.random() < 0.6:
        link = f"https://advisories.example.org/{year}/{rng.randrange(10**4):04d}"
        references.append({"url": link, "source": NVD, "tags": ["Third Party Advisory"]})
    if rng.random() < 0.2:
        link = f"https://{vendor.replace('_', '-')}.example.org/security?q=%5C{rng.randrange(100)}"
        references.append({"url": link, "source": NVD, "tags": ["Exploit", "Vendor Advisory"]})
    weaknesses = [{"source": NVD, "type": "Primary", "description": [{"lang": "en", "value": weakness}]}]
    if rng.random() < 0.15:
        other = {"source": "security@sample.example.org", "type": "Secondary"}
        weaknesses.append(other | {"description": [{"lang": "en", "value": "CWE-20"}]})
    cve: dict[str, Any] = {
        "id": number,
        "sourceIdentifier": "security@sample.example.org",
        "published": published,
        "lastModified": f"{_date(rng, 2024, year < 2024)}T{_clock(rng)}"
        if rng.random() < 0.6
        else "2024-11-21T06:41:09.250",
        "vulnStatus": rng.choice(["Analyzed", "Analyzed", "Modified", "Undergoing Analysis"]),
    }
    if year >= 2024:
        cve["cveTags"] = []
    if rng.random() < 0.05:
        cve |= {
            "cisaExploitAdd": "2024-05-02",
            "cisaActionDue": "2024-05-23",
            "cisaRequiredAction": "Apply mitigations per vendor instructions or stop using the product.",
            "cisaVulnerabilityName": f"{vendor_name} {product} {flaw['english'].title()} Vulnerability",
        }
    return cve | {
        "descriptions": _descriptions(rng, vendor_name, product, sort, flaw, last),
        "metrics": metrics,
        "weaknesses": weaknesses,
        "configurations": [configuration],
        "references": references,
    }


def _received(rng: random.Random, used: set[str]) -> dict[str, Any]:
    _, vendor_name, product, _, sort = rng.choice(WORDS["products"])
    flaw = rng.choice(WORDS["flaws"])
    number = _number(rng, 2024, used)
    moment = f"{_date(rng, 2024)}T{_clock(rng)}"
    scored = rng.random()
    metrics: dict[str, Any] = {}
    if scored < 0.3:
        metrics["cvssMetricV31"] = [version_3(rng.choice(flaw["vectors"]), "3.1", "Secondary")]
    link = f"https://advisories.example.org/2024/{rng.randrange(10**4):04d}"
    cve = {
        "id": number,
        "sourceIdentifier": "cna@sample.example.org",
        "published": moment,
        "lastModified": moment,
        "vulnStatus": rng.choice(["Received", "Awaiting Analysis"]),
        "descriptions": _descriptions(rng, vendor_name, product, sort, flaw, _version(rng))[: rng.choice([1, 1, 2])],
        "metrics": metrics,
    }
    if rng.random() < 0.3:
        description = [{"lang": "en", "value": flaw["weakness"]}]
        cve["weaknesses"] = [{"source": "cna@sample.example.org", "type": "Secondary", "description": description}]
    return cve | {"references": [{"url": link, "source": "cna@sample.example.org"}]}


def _rejected(rng: random.Random, used: set[str]) -> dict[str, Any]:
    moment = f"{_date(rng, 2023)}T{_clock(rng)}"
    reason = "Rejected reason: This CVE ID has been rejected or withdrawn by its CVE Numbering Authority."
    return {
        "id": _number(rng, 2023, used),
        "sourceIdentifier": "cna@sample.example.org",
        "published": moment,
        "lastModified": moment,
        "vulnStatus": "Rejected",
        "descriptions": [{"lang": "en", "value": reason}],
        "metrics": {},
        "references": [],
    }


def _descriptions(
    rng: random.Random, vendor: str, product: str, sort: str, flaw: dict[str, Any], version: str
) -> list[dict[str, str]]:
    english, remote = flaw["english"], flaw["vectors"][0].startswith("AV:N")
    parts = {name: flaw[name] for name in ("english", "spanish", "effect", "effect_spanish")} | {
        "vendor": vendor,
        "product": product,
        "sort": sort,
        "version": version,
        "component": rng.choice(flaw["components"]),
        "beginning": english[0].upper() + english[1:],
        "remote": "remote" if remote else "local",
        "remote_spanish": "remoto" if remote else "local",
    }
    text = WORDS["descriptions"][rng.randrange(4)].format(**parts)
    translated = WORDS["translation"].format(**parts)
    return [{"lang": "en", "value": text}, {"lang": "es", "value": translated}]


def _node(
    rng: random.Random, vendor: str, product: str, part: str, matches: list[tuple[str, dict[str, str]]]
) -> dict[str, Any]:
    name = product.lower().replace(" ", "_")
    if part == "a" and rng.random() < 0.1:
        name = name.replace("_", "\\:") + "\\:server"
    found = []
    for version, bounds in matches:
        criteria = f"cpe:2.3:{part}:{vendor}:{name}:{version}:*:*:*:*:*:*:*"
        identifier = str(uuid.UUID(int=rng.getrandbits(128), version=4)).upper()
        found.append({"vulnerable": True, "criteria": criteria} | bounds | {"matchCriteriaId": identifier})
    return {"operator": "OR", "negate": False, "cpeMatch": found}


def _number(rng: random.Random, year: int, used: set[str]) -> str:
    while True:
        number = f"CVE-{year}-{rng.randrange(7_000_000, 8_000_000)}"
        if number not in used:
            used.add(number)
            return number


def _version(rng: random.Random) -> str:
    parts = [rng.randrange(1, 9), rng.randrange(0, 20)] + ([rng.randrange(0, 30)] if rng.random() < 0.6 else [])
    return ".".join(map(str, parts))


def _date(rng: random.Random, year: int, late: bool = True) -> str:
    month = rng.randrange(1, 13) if year < 2024 else rng.randrange(1, 7)
    return f"{year}-{month:02d}-{rng.randrange(1, 29):02d}" if late else f"{year}-07-{rng.randrange(1, 19):02d}"


def _clock(rng: random.Random) -> str:
    return f"{rng.randrange(24):02d}:15:{rng.randrange(60):02d}.{rng.randrange(1000):03d}"
