"""Invented answers of NIH RePORTER (projects/search, v2), for trying the pipeline without a network.

Projects, people and institutions are invented. Shape and odd values follow recorded responses: some fields are always
null, numbers with leading zeros are strings, names are padded, project titles repeat over fiscal years, terms are one
string of tags, abstracts have hard line breaks, addresses lack a slash, one project stands in two responses.
"""

import json
import random
from collections.abc import Iterator
from typing import Any

from .words import words

SERVICE = "https://api.reporter.nih.gov/v2/projects/search"
PROJECTS = 300
PAGES = [50, 50, 50, 80, 40, 60, 30, 60]
W = words("nih_reporter")


def responses(source: str) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Name, address, text and body of each request."""
    rng = random.Random("treebench sample nih_reporter")
    projects = [_project(rng, number) for number in range(PROJECTS)]
    records = [_year(rng, project, number) for number, project in enumerate(_grants(rng, projects))]
    start = 0
    for number, count in enumerate(PAGES):
        results = records[start : start + count]
        if number == 4:
            results[2] = records[7] | {"award_amount": records[7]["award_amount"] + 1250}
        body = {"criteria": {"fiscal_years": [2020 + number % 5]}, "offset": start, "limit": count}
        search = f"Sample{number:02d}-{rng.randrange(16**10):010x}"
        meta = {
            "search_id": search,
            "total": len(records),
            "offset": start,
            "limit": count,
            "sort_field": None,
            "sort_order": "ASC",
            "sorted_by_relevance": False,
            "properties": {"URL": f"https:/reporter.nih.gov/search/{search}/projects"},
        }
        indent, separators = (2, None) if number in (1, 6) else (None, (",", ":"))
        document = {"meta": meta, "results": results}
        yield (
            f"page_{number}",
            SERVICE,
            json.dumps(document, ensure_ascii=False, indent=indent, separators=separators),
            body,
        )
        start += count


def _grants(rng: random.Random, projects: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], int]]:
    """Projects with the years that they are funded in, in random order."""
    found = [(project, year) for project in projects for year in range(rng.choice([1, 1, 2, 2]))]
    rng.shuffle(found)
    yield from found[: sum(PAGES)]


def _project(rng: random.Random, number: int) -> dict[str, Any]:
    """What the years of one project share."""
    code, short, name, activities = rng.choice(W["institutes"])
    place = rng.choice(W["places"])
    title = rng.choice(W["organisations"]).format(place[0])
    subject, where, *categories = rng.choice(W["subjects"])
    form = rng.choice(W["forms"]).format(subject, where)
    return {
        "institute": (code, short, name),
        "activity": rng.choice(activities),
        "serial": f"{rng.randrange(1000, 99999):06d}",
        "first": rng.randrange(2019, 2024),
        "place": place,
        "organisation": title,
        "external": 500_000 + number * 37,
        "department": rng.choice([None, *W["departments"]]),
        "type": rng.choice(W["types"]),
        "people": [_person(rng) for _ in range(1 + int(rng.random() ** 2 * 4))],
        "officer": _person(rng, rng.choice(W["officers"])) if rng.random() < 0.9 else None,
        "title": form[0].upper() + form[1:],
        "subject": (subject, where),
        "categories": categories,
        "amount": 50_000 + int(rng.random() ** 3 * 900_000),
        "duns": f"{rng.randrange(10**7, 10**8):09d}",
        "uei": "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ123456789") for _ in range(12)),
    }


def _person(rng: random.Random, given: str | None = None) -> dict[str, Any]:
    first, middle, last = given or rng.choice(W["given"]), rng.choice(W["middle"]), rng.choice(W["family"])
    return {"first_name": first, "middle_name": middle, "last_name": last, "full_name": f"{first} {middle} {last}"}


def _year(rng: random.Random, grant: tuple[dict[str, Any], int], number: int) -> dict[str, Any]:
    """The record of one project in one fiscal year."""
    project, support = grant
    code, short, name = project["institute"]
    year = project["first"] + support
    sort = "1" if support == 0 else rng.choice(["5", "5", "3"])
    suffix = "S1" if sort == "3" else ""
    core = f"{project['activity']}{code}{project['serial']}"
    full = f"{sort}{core}-{support + 1:02d}{suffix}"
    city, state, zipcode, latitude, longitude, district = project["place"]
    amount = project["amount"] + support * 1000
    indirect = int(amount * rng.choice([0.0, 0.26, 0.31, 0.35]))
    start = f"{project['first']}-{rng.randrange(1, 13):02d}-01T00:00:00"
    end = f"{project['first'] + rng.randrange(2, 6)}-{rng.randrange(1, 13):02d}-28T00:00:00"
    notice = f"{year}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
    people = [
        {"profile_id": rng.randrange(10**6, 10**7)}
        | {key: person[key] for key in ("first_name", "middle_name", "last_name")}
        | {"is_contact_pi": index == 0, "full_name": person["full_name"], "title": rng.choice(W["titles"])}
        for index, person in enumerate(project["people"])
    ]
    lead = project["people"][0]
    contact = f"{lead['last_name'].upper()}, {lead['first_name'].upper()} {lead['middle_name'].upper()}"
    terms = sorted({word for text in project["subject"] for word in text.split()} | {"Address", "Area", "Data"})
    categories = None if rng.random() < 0.2 else [rng.randrange(100, 5000) for _ in project["categories"]]
    application = 11_000_000 + number * 613
    administration = {"code": code, "abbreviation": short, "name": name}
    return {
        "appl_id": application,
        "subproject_id": f"{rng.randrange(1000, 9999)}" if rng.random() < 0.06 else None,
        "fiscal_year": year,
        "project_num": full,
        "project_serial_num": f"{code}{project['serial']}",
        "organization": {
            "org_name": project["organisation"],
            "city": None,
            "country": None,
            "org_city": city,
            "org_country": "UNITED STATES",
            "org_state": state,
            "org_state_name": None,
            "dept_type": project["department"],
            "fips_country_code": None,
            "org_duns": [project["duns"]],
            "org_ueis": [project["uei"]],
            "primary_duns": project["duns"],
            "primary_uei": project["uei"],
            "org_fips": "US",
            "org_ipf_code": str(project["external"]),
            "org_zipcode": zipcode,
            "external_org_id": project["external"],
        },
        "award_type": sort,
        "activity_code": project["activity"],
        "award_amount": amount,
        "is_active": year >= 2023,
        "project_num_split": {
            "appl_type_code": sort,
            "activity_code": project["activity"],
            "ic_code": code,
            "serial_num": project["serial"],
            "support_year": f"{support + 1:02d}",
            "full_support_year": f"{support + 1:02d}{suffix}",
            "suffix_code": suffix,
        },
        "principal_investigators": people,
        "contact_pi_name": contact,
        "program_officers": [project["officer"]] if project["officer"] else [],
        "agency_ic_admin": administration,
        "agency_ic_fundings": [
            {
                "fy": year,
                "code": code,
                "name": name,
                "abbreviation": short,
                "total_cost": amount,
                "direct_cost_ic": amount - indirect,
                "indirect_cost_ic": indirect,
            }
        ],
        "cong_dist": district,
        "spending_categories": categories,
        "project_start_date": start,
        "project_end_date": end,
        "organization_type": dict(zip(("name", "code", "is_other"), project["type"], strict=True)),
        "geo_lat_lon": {"lon": longitude, "lat": latitude},
        "opportunity_number": f"PA-{rng.randrange(18, 24)}-{rng.randrange(100, 400)}",
        "full_study_section": {
            "srg_code": "ZRG1",
            "srg_flex": None,
            "sra_designator_code": rng.choice(["SRC", "BBBT", None]),
            "sra_flex_code": rng.choice([None, "A", "B"]),
            "group_code": f"{rng.randrange(10, 99)}",
            "name": f"Special Emphasis Panel[ZRG1 {rng.choice('ABCDE')} ({rng.randrange(10, 99)})]",
        },
        "award_notice_date": f"{notice}T00:00:00",
        "is_new": False,
        "mechanism_code_dc": rng.choice(["RP", "OR", "OT"]),
        "core_project_num": core,
        "terms": "".join(f"<{term}>" for term in terms) if rng.random() < 0.9 else None,
        "pref_terms": ";".join(terms),
        "abstract_text": _abstract(rng, project["subject"]),
        "project_title": project["title"],
        "phr_text": rng.choice(W["relevance"]).format(*project["subject"]),
        "spending_categories_desc": "; ".join(project["categories"]) if categories else None,
        "agency_code": "NIH",
        "covid_response": None,
        "arra_funded": "N",
        "budget_start": f"{notice[:8]}01T00:00:00",
        "budget_end": f"{year + 1}{notice[4:8]}28T00:00:00",
        "cfda_code": rng.choice(["93.121", "93.310", "93.866", None]),
        "funding_mechanism": rng.choice(["Non-SBIR/STTR", "Other", "Other Research-Related"]),
        "direct_cost_amt": amount - indirect,
        "indirect_cost_amt": indirect if rng.random() < 0.95 else None,
        "project_detail_url": f"https://reporter.nih.gov/project-details/{application}",
        "date_added": f"{notice}T16:16:{rng.randrange(60):02d}",
    }


def _abstract(rng: random.Random, subject: tuple[str, str]) -> str | None:
    if rng.random() < 0.02:
        return None
    chosen = [rng.choice(W["sentences"]).format(*subject) for _ in range(2 + int(rng.random() ** 2 * 14))]
    return rng.choice(["", " ", "Project Summary\n"]) + rng.choice([" ", "\n"]).join(chosen)
