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
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

SERVICE = "https://services.nvd.nist.gov/rest/json/cves/2.0"
NVD = "nvd@sample.example.org"
TOTAL = 402
PAGES = [(0, 64), (64, 64), (128, 64), (192, 64), (256, 64), (320, 64), (384, 18)]


WORDS_3 = {
    "AV": ("attackVector", {"N": "NETWORK", "A": "ADJACENT_NETWORK", "L": "LOCAL", "P": "PHYSICAL"}),
    "AC": ("attackComplexity", {"L": "LOW", "H": "HIGH"}),
    "PR": ("privilegesRequired", {"N": "NONE", "L": "LOW", "H": "HIGH"}),
    "UI": ("userInteraction", {"N": "NONE", "R": "REQUIRED"}),
    "S": ("scope", {"U": "UNCHANGED", "C": "CHANGED"}),
    "C": ("confidentialityImpact", {"N": "NONE", "L": "LOW", "H": "HIGH"}),
    "I": ("integrityImpact", {"N": "NONE", "L": "LOW", "H": "HIGH"}),
    "A": ("availabilityImpact", {"N": "NONE", "L": "LOW", "H": "HIGH"}),
}
WORDS_2 = {
    "AV": ("accessVector", {"N": "NETWORK", "A": "ADJACENT_NETWORK", "L": "LOCAL"}),
    "AC": ("accessComplexity", {"L": "LOW", "M": "MEDIUM", "H": "HIGH"}),
    "Au": ("authentication", {"N": "NONE", "S": "SINGLE", "M": "MULTIPLE"}),
    "C": ("confidentialityImpact", {"N": "NONE", "P": "PARTIAL", "C": "COMPLETE"}),
    "I": ("integrityImpact", {"N": "NONE", "P": "PARTIAL", "C": "COMPLETE"}),
    "A": ("availabilityImpact", {"N": "NONE", "P": "PARTIAL", "C": "COMPLETE"}),
}
WORDS_4 = [
    ("AV", "attackVector"), ("AC", "attackComplexity"), ("AT", "attackRequirements"), ("PR", "privilegesRequired"),
    ("UI", "userInteraction"), ("VC", "vulnConfidentialityImpact"), ("VI", "vulnIntegrityImpact"),
    ("VA", "vulnAvailabilityImpact"), ("SC", "subConfidentialityImpact"), ("SI", "subIntegrityImpact"),
    ("SA", "subAvailabilityImpact"),
]  # fmt: skip
VALUES_4 = {"N": "NONE", "L": "LOW", "H": "HIGH", "P": "PRESENT"}
UNDEFINED_4 = [
    "exploitMaturity", "confidentialityRequirement", "integrityRequirement", "availabilityRequirement",
    "modifiedAttackVector", "modifiedAttackComplexity", "modifiedAttackRequirements", "modifiedPrivilegesRequired",
    "modifiedUserInteraction", "modifiedVulnConfidentialityImpact", "modifiedVulnIntegrityImpact",
    "modifiedVulnAvailabilityImpact", "modifiedSubConfidentialityImpact", "modifiedSubIntegrityImpact",
    "modifiedSubAvailabilityImpact", "Safety", "Automatable", "Recovery", "valueDensity",
    "vulnerabilityResponseEffort", "providerUrgency",
]  # fmt: skip


def _words() -> dict[str, Any]:
    """Names and phrases that the generator puts together."""
    path = Path(__file__).parent / "words" / "nvd.yaml"
    return YAML(typ="safe", pure=True).load(path.read_text("utf-8"))


WORDS = _words()


def responses() -> Iterator[tuple[str, str, str]]:
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
        "metrics": {"cvssMetricV2": [_version_2(rng.choice(flaw["vectors"]), "Primary")]},
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
        metrics["cvssMetricV40"] = [_version_4(*rng.choice(WORDS["version_4"]))]
    key, version = ("cvssMetricV30", "3.0") if year < 2019 and rng.random() < 0.6 else ("cvssMetricV31", "3.1")
    metrics[key] = [_version_3(vector, version, "Primary")]
    if rng.random() < 0.35:
        metrics[key].append(_version_3(rng.choice(flaw["vectors"]), version, "Secondary"))
    if year < 2022:
        metrics["cvssMetricV2"] = [_version_2(_downgraded(vector), "Primary")]
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
        metrics["cvssMetricV31"] = [_version_3(rng.choice(flaw["vectors"]), "3.1", "Secondary")]
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


def _version_3(vector: str, version: str, sort: str) -> dict[str, Any]:
    chosen = dict(part.split(":") for part in vector.split("/"))
    score, exploitability, impact = score_3(chosen)
    words = {WORDS_3[short][0]: WORDS_3[short][1][value] for short, value in chosen.items()}
    data = {
        "version": version,
        "vectorString": f"CVSS:{version}/{vector}",
        "baseScore": score,
        "baseSeverity": severity(score),
    }
    source = NVD if sort == "Primary" else "security@sample.example.org"
    scores = {"exploitabilityScore": exploitability, "impactScore": impact}
    return {"source": source, "type": sort, "cvssData": data | words} | scores


def _version_2(vector: str, sort: str) -> dict[str, Any]:
    chosen = dict(part.split(":") for part in vector.split("/"))
    score, exploitability, impact = score_2(chosen)
    words = {WORDS_2[short][0]: WORDS_2[short][1][value] for short, value in chosen.items()}
    data = {"version": "2.0", "vectorString": vector, "baseScore": score} | words
    return {
        "source": NVD,
        "type": sort,
        "cvssData": data,
        "baseSeverity": "HIGH" if score >= 7 else "MEDIUM" if score >= 4 else "LOW",
        "exploitabilityScore": exploitability,
        "impactScore": impact,
        "acInsufInfo": False,
        "obtainAllPrivilege": chosen["C"] == "C",
        "obtainUserPrivilege": False,
        "obtainOtherPrivilege": False,
        "userInteractionRequired": chosen["AC"] == "M",
    }


def _version_4(vector: str, score: float, rating: str) -> dict[str, Any]:
    chosen = dict(part.split(":") for part in vector.split("/")[1:])
    data = {"version": "4.0", "vectorString": vector, "baseScore": score, "baseSeverity": rating}
    words = {
        name: VALUES_4[chosen[short]] if short != "AV" else {"N": "NETWORK", "L": "LOCAL"}[chosen[short]]
        for short, name in WORDS_4
    }
    undefined = dict.fromkeys(UNDEFINED_4, "NOT_DEFINED")
    return {"source": "security@sample.example.org", "type": "Secondary", "cvssData": data | words | undefined}


def score_3(chosen: dict[str, str]) -> tuple[float, float, float]:
    """Base, exploitability and impact score of CVSS 3.1 (specification, section 7.1), in exact arithmetic."""
    changed = chosen["S"] == "C"
    impact = {"N": 0.0, "L": 0.22, "H": 0.56}
    base = 1 - (1 - impact[chosen["C"]]) * (1 - impact[chosen["I"]]) * (1 - impact[chosen["A"]])
    if changed:
        power = 1.0
        for _ in range(15):
            power *= base - 0.02
        part = 7.52 * (base - 0.029) - 3.25 * power
    else:
        part = 6.42 * base
    rights = {"N": 0.85, "L": 0.68 if changed else 0.62, "H": 0.5 if changed else 0.27}
    vector = {"N": 0.85, "A": 0.62, "L": 0.55, "P": 0.2}[chosen["AV"]]
    ease = (
        8.22
        * vector
        * {"L": 0.77, "H": 0.44}[chosen["AC"]]
        * rights[chosen["PR"]]
        * {"N": 0.85, "R": 0.62}[chosen["UI"]]
    )
    total = min(1.08 * (part + ease) if changed else part + ease, 10)
    whole = int(total * 100_000 + 0.5)
    score = whole / 100_000 if whole % 10_000 == 0 else (whole // 10_000 + 1) / 10
    return (score if part > 0 else 0.0), round(ease, 1), round(part, 1)


def score_2(chosen: dict[str, str]) -> tuple[float, float, float]:
    """Base, exploitability and impact score of CVSS 2.0 (guide, section 3.2.1)."""
    loss = {"N": 0.0, "P": 0.275, "C": 0.66}
    impact = 10.41 * (1 - (1 - loss[chosen["C"]]) * (1 - loss[chosen["I"]]) * (1 - loss[chosen["A"]]))
    vector, complexity = {"L": 0.395, "A": 0.646, "N": 1.0}, {"H": 0.35, "M": 0.61, "L": 0.71}
    ease = 20 * vector[chosen["AV"]] * complexity[chosen["AC"]] * {"M": 0.45, "S": 0.56, "N": 0.704}[chosen["Au"]]
    score = (0.6 * impact + 0.4 * ease - 1.5) * (1.176 if impact else 0.0)
    return round(score, 1), round(ease, 1), round(impact, 1)


def severity(score: float) -> str:
    """Qualitative rating of CVSS 3 (specification, section 5)."""
    bounds = ((0.1, "NONE"), (4.0, "LOW"), (7.0, "MEDIUM"), (9.0, "HIGH"))
    return next((word for bound, word in bounds if score < bound), "CRITICAL")


def _downgraded(vector: str) -> str:
    """The vector of CVSS 2 that an analyst would give beside one of CVSS 3."""
    chosen = dict(part.split(":") for part in vector.split("/"))
    access = {"N": "N", "A": "A", "L": "L", "P": "L"}[chosen["AV"]]
    effort = "M" if chosen["UI"] == "R" or chosen["AC"] == "H" else "L"
    loss = {"N": "N", "L": "P", "H": "P"}
    login = "N" if chosen["PR"] == "N" else "S"
    return f"AV:{access}/AC:{effort}/Au:{login}/C:{loss[chosen['C']]}/I:{loss[chosen['I']]}/A:{loss[chosen['A']]}"


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
