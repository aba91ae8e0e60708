"""Invented studies of ClinicalTrials.gov (API v2), for trying the pipeline without a network.

Sponsors, people and studies are invented; their numbers lie beyond those assigned so far. Shape and odd values follow
recorded responses: keys are absent and never null, dates may be partial, ages are strings, texts hold line breaks and
escaped markdown, locations vary from none to dozens, one study stands in two pages and one alone.
"""

import json
import random
from collections.abc import Iterator
from typing import Any

from .words import words

SERVICE = "https://clinicaltrials.gov/api/v2/studies"
PAGES = [40, 60, 50, 100, 50, 60, 49]
PHASES = [["NA"], ["PHASE1"], ["PHASE2"], ["PHASE2", "PHASE3"], ["PHASE3"], ["PHASE4"]]
W = words("clinicaltrials")


def responses(source: str) -> Iterator[tuple[str, str, str]]:
    """Name, address and text of each request."""
    rng = random.Random("treebench sample clinicaltrials")
    studies = [_study(rng, number) for number in range(sum(PAGES))]
    start, token = 0, ""
    for number, count in enumerate(PAGES):
        chosen = studies[start : start + count]
        start += count
        if number == 3:
            chosen[6] = _updated(studies[9])
        document: dict[str, Any] = {"totalCount": len(studies)} if number == 0 else {}
        document["studies"] = chosen
        address = f"{SERVICE}?format=json&pageSize={count}" + (f"&pageToken={token}" if token else "")
        token = f"sample{rng.randrange(16**12):012x}"
        if number < len(PAGES) - 1:
            document["nextPageToken"] = token
        yield f"page_{number}", address, json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    alone = _study(rng, 999)
    yield "study", f"{SERVICE}/{_number(alone)}", json.dumps(alone, ensure_ascii=False, indent=2)


def _number(study: dict[str, Any]) -> str:
    return study["protocolSection"]["identificationModule"]["nctId"]


def _updated(study: dict[str, Any]) -> dict[str, Any]:
    """The same study as a later page gives it: completed."""
    protocol = study["protocolSection"]
    status = protocol["statusModule"] | {"overallStatus": "COMPLETED", "statusVerifiedDate": "2025-06"}
    return study | {"protocolSection": protocol | {"statusModule": status}}


def _study(rng: random.Random, number: int) -> dict[str, Any]:
    sponsor, sort = rng.choice(W["sponsors"])
    condition, heading, heading_number, ancestors = rng.choice(W["conditions"])
    observed = rng.random() < 0.2
    treatments = rng.sample(W["interventions"], 2)
    names = {"a": treatments[0][1], "b": treatments[1][1].lower(), "c": condition.lower()}
    forms = ["{a} Versus {b} in {c}", "Effect of {a} on {c}", "{a} for People With {c}: a Pilot", "{c} Registry {n}"]
    title = rng.choice(forms[3:] if observed else forms[:3]).format(
        a=treatments[0][1].title(), b=treatments[1][1].title(), c=condition, n=rng.randrange(1, 90)
    )
    year = rng.randrange(2008, 2025)
    sort_of_study = "Cohort" if observed else "Randomized"
    design = _observational(rng) if observed else _interventional(rng)
    protocol: dict[str, Any] = {
        "identificationModule": {
            "nctId": f"NCT9{number:04d}{rng.randrange(1000):03d}",
            "orgStudyIdInfo": {"id": f"{sponsor[:3].upper()}-{year}-{rng.randrange(1000):03d}"},
            "organization": {"fullName": sponsor, "class": sort},
            "briefTitle": title,
            "officialTitle": f"A {sort_of_study} Study of {names['a']} in Adults With {condition}",
        },
        "statusModule": _status(rng, year),
        "sponsorCollaboratorsModule": _sponsors(rng, sponsor, sort),
    }
    if rng.random() < 0.95:
        protocol["oversightModule"] = {"oversightHasDmc": rng.random() < 0.3}
    sentences = rng.sample(W["sentences"], 1 + int(rng.random() ** 2 * 7))
    protocol["descriptionModule"] = {"briefSummary": W["sentences"][0].format(**names)}
    if len(sentences) > 2:
        protocol["descriptionModule"]["detailedDescription"] = "\n\n".join(sentences).format(**names)
    protocol["conditionsModule"] = {"conditions": [condition]}
    if rng.random() < 0.6:
        protocol["conditionsModule"]["keywords"] = rng.sample(W["keywords"], rng.randrange(1, 5))
    protocol["designModule"] = design
    protocol["armsInterventionsModule"] = _arms(treatments[: 1 if observed else 2], observed)
    protocol["outcomesModule"] = _outcomes(rng)
    protocol["eligibilityModule"] = _eligibility(rng, names, observed)
    if rng.random() < 0.9:
        protocol["contactsLocationsModule"] = _locations(rng, sponsor)
    leaves = [{"id": f"M{heading_number[1:]}", "name": heading, "asFound": condition, "relevance": "HIGH"}]
    return {
        "protocolSection": protocol,
        "derivedSection": {
            "miscInfoModule": {"versionHolder": "2025-12-09"},
            "conditionBrowseModule": {
                "meshes": [{"id": heading_number, "term": heading}],
                "ancestors": [{"id": identifier, "term": term} for identifier, term in ancestors],
                "browseLeaves": leaves,
                "browseBranches": [{"abbrev": "All", "name": "All Conditions"}],
            },
        },
        "hasResults": False,
    }


def _date(rng: random.Random, year: int) -> str:
    month = f"{year}-{rng.randrange(1, 13):02d}"
    return month if rng.random() < 0.2 else f"{month}-{rng.randrange(1, 29):02d}"


def _day(rng: random.Random, year: int) -> str:
    return f"{year}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"


def _status(rng: random.Random, year: int) -> dict[str, Any]:
    end = year + rng.randrange(1, 6)
    sort = "ACTUAL" if end < 2025 else "ESTIMATED"
    ended = ["COMPLETED", "COMPLETED", "UNKNOWN", "TERMINATED"]
    posted = _day(rng, year)
    return {
        "statusVerifiedDate": f"{min(end, 2025)}-{rng.randrange(1, 13):02d}",
        "overallStatus": rng.choice(ended if end < 2025 else ["RECRUITING", "NOT_YET_RECRUITING"]),
        "expandedAccessInfo": {"hasExpandedAccess": False},
        "startDateStruct": {"date": _date(rng, year)} | ({"type": "ACTUAL"} if rng.random() < 0.8 else {}),
        "primaryCompletionDateStruct": {"date": _date(rng, end), "type": sort},
        "completionDateStruct": {"date": _date(rng, end), "type": sort},
        "studyFirstSubmitDate": posted,
        "studyFirstSubmitQcDate": posted,
        "studyFirstPostDateStruct": {"date": posted, "type": rng.choice(["ACTUAL", "ACTUAL", "ESTIMATED"])},
        "lastUpdateSubmitDate": _day(rng, min(end, 2025)),
        "lastUpdatePostDateStruct": {"date": _day(rng, min(end, 2025)), "type": "ACTUAL"},
    }


def _sponsors(rng: random.Random, sponsor: str, sort: str) -> dict[str, Any]:
    party: dict[str, Any] = {"type": "SPONSOR"}
    if rng.random() < 0.5:
        party = {
            "type": "PRINCIPAL_INVESTIGATOR",
            "investigatorFullName": rng.choice(W["people"]),
            "investigatorTitle": rng.choice(W["titles"]),
            "investigatorAffiliation": sponsor,
        }
    found = {"responsibleParty": party, "leadSponsor": {"name": sponsor, "class": sort}}
    if rng.random() < 0.25:
        name, other = rng.choice(W["sponsors"])
        found["collaborators"] = [{"name": name, "class": other}]
    return found


def _interventional(rng: random.Random) -> dict[str, Any]:
    masking = rng.choice(["NONE", "NONE", "SINGLE", "DOUBLE"])
    masked: dict[str, Any] = {"masking": masking}
    if masking != "NONE":
        masked["whoMasked"] = ["PARTICIPANT", "OUTCOMES_ASSESSOR"][: 1 if masking == "SINGLE" else 2]
    return {
        "studyType": "INTERVENTIONAL",
        "phases": rng.choice(PHASES),
        "designInfo": {
            "allocation": rng.choice(["RANDOMIZED", "RANDOMIZED", "NON_RANDOMIZED"]),
            "interventionModel": rng.choice(["PARALLEL", "SINGLE_GROUP", "SEQUENTIAL"]),
            "primaryPurpose": rng.choice(["TREATMENT", "TREATMENT", "DIAGNOSTIC", "HEALTH_SERVICES_RESEARCH"]),
            "maskingInfo": masked,
        },
        "enrollmentInfo": _enrolment(rng),
    }


def _observational(rng: random.Random) -> dict[str, Any]:
    return {
        "studyType": "OBSERVATIONAL",
        "patientRegistry": rng.random() < 0.2,
        "designInfo": {
            "observationalModel": rng.choice(["COHORT", "CASE_CONTROL", "CASE_ONLY"]),
            "timePerspective": rng.choice(["PROSPECTIVE", "RETROSPECTIVE"]),
        },
        "enrollmentInfo": _enrolment(rng),
    }


def _enrolment(rng: random.Random) -> dict[str, Any]:
    return {"count": 8 + int(rng.random() ** 4 * 4000), "type": rng.choice(["ACTUAL", "ESTIMATED"])}


def _arms(treatments: list[Any], observed: bool) -> dict[str, Any]:
    groups, found = [], []
    for index, (sort, name, text, others) in enumerate(treatments):
        label = "Observed" if observed else ["Experimental", "Control"][index]
        group = {"label": label, "description": text, "interventionNames": [f"{sort.title()}: {name}"]}
        if not observed:
            group = {"label": label, "type": ["EXPERIMENTAL", "ACTIVE_COMPARATOR"][index]} | group
        groups.append(group)
        found.append(
            {"type": sort, "name": name, "description": text, "armGroupLabels": [label]}
            | ({"otherNames": others} if others else {})
        )
    return {"armGroups": groups, "interventions": found}


def _outcomes(rng: random.Random) -> dict[str, Any]:
    chosen = rng.sample(W["outcomes"], 1 + int(rng.random() ** 2 * 8))
    rows = [{"measure": measure, "description": text, "timeFrame": frame} for measure, text, frame in chosen]
    return {"primaryOutcomes": rows[:1]} | ({"secondaryOutcomes": rows[1:]} if rows[1:] else {})


def _eligibility(rng: random.Random, names: dict[str, str], observed: bool) -> dict[str, Any]:
    wanted = rng.sample(W["criteria"], rng.randrange(2, 6))
    unwanted = rng.sample(W["exclusions"], rng.randrange(1, 5))
    text = "Inclusion Criteria:\n\n" + "\n".join(f"* {line}" for line in wanted).format(**names)
    text += "\n\nExclusion Criteria:\n\n" + "\n".join(f"* {line}" for line in unwanted)
    lowest = rng.choice([18, 18, 18, 20, 40])
    found: dict[str, Any] = {
        "eligibilityCriteria": text,
        "healthyVolunteers": rng.random() < 0.1,
        "sex": rng.choice(["ALL", "ALL", "ALL", "FEMALE", "MALE"]),
        "minimumAge": f"{lowest} Years",
    }
    if rng.random() < 0.6:
        found["maximumAge"] = f"{rng.choice([65, 70, 75, 80])} Years"
    found["stdAges"] = ["ADULT", "OLDER_ADULT"]
    if observed:
        found["studyPopulation"] = f"Patients with {names['c']} seen in one of the clinics."
        found["samplingMethod"] = rng.choice(["PROBABILITY_SAMPLE", "NON_PROBABILITY_SAMPLE"])
    return found


def _locations(rng: random.Random, sponsor: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if rng.random() < 0.6:
        official = {"name": f"{rng.choice(W['people'])}, MD", "affiliation": sponsor, "role": "PRINCIPAL_INVESTIGATOR"}
        found["overallOfficials"] = [official]
    places = []
    for _ in range(1 + int(rng.random() ** 5 * 24)):
        city, state, country, code, latitude, longitude = rng.choice(W["cities"])
        place = {"facility": rng.choice([sponsor, "Research Site", f"{city} General Hospital"]), "city": city}
        place |= {"state": state} if state else {}
        point = {"lat": latitude, "lon": longitude}
        places.append(place | {"zip": code, "country": country, "geoPoint": point})
    return found | {"locations": places}
