"""The services as their documentation describes them, played by a local server."""

import json
from datetime import datetime, timedelta
from itertools import islice
from types import SimpleNamespace

import pytest

from tasks.collecting import collect, live
from tasks.collecting.client import Client
from tasks.collecting.received import Skipped
from tasks.collecting.services import (
    apis_guru,
    clinicaltrials,
    contracts_finder,
    crossref,
    gbif,
    nih_reporter,
    nvd,
    public_pages,
    usaspending,
    usgs,
)
from tasks.collecting.sources import names, source
from tasks.errors import Fault
from tasks.warehouse.ingest import sync
from tasks.warehouse.snapshot import rows

NOW = datetime(2024, 7, 19, 13, 45)


def answer(body, status=200):
    return SimpleNamespace(body=body, status=status, headers={})


def asked(service, name, module, most, **changes):
    spec = service.as_source(name, **changes)
    with Client(spec, "someone@example.org", lambda seconds: None) as client:
        return list(islice(module.ask(client, spec, NOW), most))


def events(service, moments, most):
    """Answers counts and pages of events at these moments, and refuses what is above `most` as the service does."""

    def respond(request):
        first, last = (datetime.fromisoformat(request.query[name]) for name in ("starttime", "endtime"))
        found = [moment for moment in moments if first <= moment < last]
        if request.path == "/count":
            return answer({"count": len(found), "maxAllowed": most})
        assert request.path == "/query"
        if len(found) > most:
            return answer(b"Bad Request", 400)
        offset, limit = int(request.query["offset"]), int(request.query["limit"])
        assert offset >= 1
        page = found[offset - 1 : offset - 1 + limit]
        return answer({"type": "FeatureCollection", "features": [{"id": moment.isoformat()} for moment in page]})

    service.answer = respond


def test_usgs_halves_windows_until_they_fit_and_pages_by_offset_from_1(service):
    end = datetime(2024, 7, 19)
    moments = [end - timedelta(days=1, minutes=minute) for minute in range(37)]
    moments += [end - timedelta(days=20, minutes=minute) for minute in range(30)]
    events(service, moments, 40)
    received = asked(service, "usgs", usgs, 12, most_matches=40, page=16)
    pages = [json.loads(item.body) for item in received if "/query" in item.url]
    ids = [feature["id"] for page in pages for feature in page["features"]]
    assert len(ids) == len(set(ids)) == 67
    assert max(len(page["features"]) for page in pages) == 16
    assert all(item.status == 200 for item in received)


def test_usgs_goes_on_with_earlier_windows(service):
    events(service, [datetime(2024, 7, 1), datetime(2024, 5, 1)], 40)
    received = asked(service, "usgs", usgs, 5)
    ids = [feature["id"] for item in received for feature in json.loads(item.body).get("features", [])]
    assert ids == ["2024-07-01T00:00:00", "2024-05-01T00:00:00"]


def test_nvd_asks_for_windows_of_120_days_with_both_ends_and_pages_by_index_from_0(service):
    def respond(request):
        start, size = int(request.query["startIndex"]), int(request.query["resultsPerPage"])
        first, last = (datetime.fromisoformat(request.query[name]) for name in ("pubStartDate", "pubEndDate"))
        assert last - first == timedelta(days=120)
        assert start < 7
        entries = [{"cve": {"id": f"{first:%Y%m%d}-{number}"}} for number in range(start, min(start + size, 7))]
        return answer({"totalResults": 7, "startIndex": start, "vulnerabilities": entries, "format": "NVD_CVE"})

    service.answer = respond
    received = asked(service, "nvd", nvd, 6, page=3)
    found = [entry["cve"]["id"] for item in received for entry in json.loads(item.body)["vulnerabilities"]]
    assert len(found) == len(set(found)) == 14
    ends = [request.query["pubEndDate"] for request in service.asked]
    assert ends == ["2024-07-19T00:00:00.000"] * 3 + ["2024-03-21T00:00:00.000"] * 3


def test_nvd_ends_a_window_at_an_empty_page_whatever_the_total_says(service):
    totals = iter([9, 12, 12])

    def respond(request):
        start = int(request.query["startIndex"])
        found = [{"cve": {"id": str(start)}}] if start < 2 else []
        return answer({"totalResults": next(totals, 0), "vulnerabilities": found})

    service.answer = respond
    assert len(asked(service, "nvd", nvd, 3, page=1)) == 3


def works(service, pages):
    """One work a page; the service moves the cursor itself, so every page but the first has the same address."""
    position = {"page": 0}

    def respond(request):
        assert "offset" not in request.query
        assert "sample" not in request.query
        if request.query["cursor"] == "*":
            position["page"] = 0
        number = position["page"]
        position["page"] += 1
        month = request.query["filter"][14:21]
        items = [{"DOI": f"10.1/{month}/{number}"}] if number < pages else []
        message = {"total-results": pages, "items": items, "next-cursor": "AoE/same+cursor=="}
        return answer({"status": "ok", "message-type": "work-list", "message": message})

    service.answer = respond


def dois(received):
    return [item["DOI"] for page in received for item in json.loads(page.body)["message"]["items"]]


def test_crossref_follows_cursors_to_the_empty_list_month_after_month(service):
    works(service, 3)
    received = asked(service, "crossref", crossref, 8)
    assert dois(received) == [f"10.1/2023-{month:02d}/{number}" for month in (1, 2) for number in range(3)]
    cursors = [request.query["cursor"] for request in service.asked]
    assert cursors == ["*", *["AoE/same+cursor=="] * 3] * 2
    assert {request.query["mailto"] for request in service.asked} == {"someone@example.org"}
    filters = {request.query["filter"] for request in service.asked}
    assert filters == {
        "from-pub-date:2023-01-01,until-pub-date:2023-01-31",
        "from-pub-date:2023-02-01,until-pub-date:2023-02-28",
    }


def test_crossref_asks_a_month_again_whose_cursor_has_expired_or_whose_page_was_lost(service):
    works(service, 3)
    respond, count = service.answer, {"asked": 0}

    def forgetful(request):
        count["asked"] += 1
        if count["asked"] == 3:
            return answer(b"cursor expired", 404)
        if count["asked"] == 5:
            respond(request)  # a page that never arrives
        return respond(request)

    service.answer = forgetful
    received = asked(service, "crossref", crossref, 9)
    assert {f"10.1/2023-01/{number}" for number in range(3)} <= set(dois(received))


def reporter(service, years):
    """Answers for fiscal years with that many projects, and by institute a third of them."""

    def respond(request):
        assert request.method == "POST"
        criteria, offset, limit = request.body["criteria"], request.body["offset"], request.body["limit"]
        assert 1 <= limit <= 500
        assert offset <= 14_999
        (year,) = criteria["fiscal_years"]
        total = years.get(year, 0) // (3 if "agencies" in criteria else 1)
        if criteria.get("agencies", ["NCI"])[0] not in ("NCI", "NEI", "NHLBI"):
            total = 0
        found = [{"appl_id": f"{year} {criteria.get('agencies')} {place}"} for place in range(total)]
        return answer({"meta": {"total": total}, "results": found[offset : offset + limit]})

    service.answer = respond


def test_reporter_pages_by_year_and_splits_a_year_that_holds_too_many(service):
    reporter(service, {2024: 7, 2023: 24})
    received = asked(service, "nih_reporter", nih_reporter, 60, page=4, most_matches=12)
    ids = [project["appl_id"] for page in received for project in json.loads(page.body)["results"]]
    assert ids[:7] == [f"2024 None {place}" for place in range(7)]
    assert {f"2023 ['{institute}'] {place}" for institute in ("NCI", "NEI", "NHLBI") for place in range(8)} <= set(ids)
    assert max(request.body["offset"] for request in service.asked) < 12
    assert [item.parameters["offset"] for item in received[:2]] == [0, 4]


def test_clinicaltrials_follows_tokens_with_all_else_unchanged(service):
    def respond(request):
        number = int(request.query.get("pageToken", "t0")[1:])
        page = {"studies": [{"protocolSection": {"n": number}}]}
        return answer(page | ({"nextPageToken": f"t{number + 1}"} if number < 3 else {}))

    service.answer = respond
    assert len(asked(service, "clinicaltrials", clinicaltrials, 99, page=5)) == 4
    rest = [{k: v for k, v in request.query.items() if k != "pageToken"} for request in service.asked]
    assert all(query == rest[0] for query in rest)
    assert rest[0]["pageSize"] == "5"


@pytest.mark.parametrize(
    ("name", "module", "page"),
    [
        ("clinicaltrials", clinicaltrials, {"studies": [1], "nextPageToken": "round"}),
        (
            "contracts_finder",
            contracts_finder,
            {"releases": [1], "links": {"next": "https://elsewhere.example/x?cursor=round"}},
        ),
    ],
)
def test_pages_that_go_round_end(service, name, module, page):
    service.answer = lambda request: answer(page)
    with pytest.raises(Fault, match="round twice"):
        asked(service, name, module, 99)
    assert len(service.asked) == 2


def test_gbif_narrows_by_month_and_ends_at_the_end_of_records(service):
    def respond(request):
        offset, limit = int(request.query["offset"]), int(request.query["limit"])
        assert offset + limit <= 100
        path = request.path.removeprefix("/v1")
        total = 7 if "occurrence" in path else 1000
        results = [{"key": place} for place in range(offset, min(offset + limit, total))]
        return answer({"results": results, "endOfRecords": offset + limit >= total, "offset": offset, "limit": limit})

    service.answer = respond
    received = asked(service, "gbif", gbif, 9, page=4, most_matches=100)
    paths = [item.url.rsplit("/", 2)[1] for item in received]
    assert paths == ["occurrence"] * 4 + ["species"] + ["occurrence"] * 4
    assert [(item.parameters["month"], item.parameters["offset"]) for item in received[:4]] == [
        ("1", "0"), ("1", "4"), ("2", "0"), ("2", "4"),
    ]  # fmt: skip


def test_gbif_never_asks_beyond_the_bound(service):
    service.answer = lambda request: answer({"results": [{"key": 1}], "endOfRecords": False})
    received = asked(service, "gbif", gbif, 30, page=4, most_matches=12)
    assert max(int(item.parameters["offset"]) for item in received) == 8


def test_contracts_finder_takes_the_cursor_of_the_link_and_goes_on_with_earlier_weeks(service):
    def respond(request):
        number = int(request.query.get("cursor", "0"))
        page = {"releases": [{"ocid": f"{request.query['publishedFrom']} {number}"}], "publisher": {}}
        link = {"next": f"https://elsewhere.example/steal?limit=100&cursor={number + 1}"}
        return answer(page | ({"links": link} if number < 2 else {}))

    service.answer = respond
    received = asked(service, "contracts_finder", contracts_finder, 6)
    found = [json.loads(item.body)["releases"][0]["ocid"] for item in received]
    assert found == [f"2024-07-{day:02d}T00:00:00 {number}" for day in (12, 5) for number in range(3)]
    assert {request.query["limit"] for request in service.asked} == {"100"}


def test_contracts_finder_is_silent_for_five_minutes_after_a_403(service):
    answers = [answer(b"<html>Forbidden</html>", 403), answer({"releases": []})]
    service.answer = lambda request: answers.pop(0)
    pauses = []
    spec = service.as_source("contracts_finder")
    with Client(spec, "someone@example.org", pauses.append) as client:
        next(contracts_finder.ask(client, spec, NOW))
    assert pauses == [300.0]


def test_usaspending_asks_groups_apart_and_goes_beyond_the_bound_by_the_last_record(service):
    def respond(request):
        body = request.body
        codes = body["filters"]["award_type_codes"]
        assert codes in (["A", "B", "C", "D"], ["02", "03", "04", "05"])
        assert 1 <= body["limit"] <= 100
        begin = body.get("last_record_unique_id", 0)
        first = begin + (body["page"] - 1) * 2
        results = [{"internal_id": place} for place in range(first + 1, min(first + 2, 9) + 1)]
        more = first + 2 < 9 and body["page"] < 3  # never a third page, though more exist
        last = results[-1]["internal_id"] if results and first + 2 < 9 else None
        metadata = {"page": body["page"], "hasNext": more, "last_record_unique_id": last, "last_record_sort_value": "x"}
        return answer({"limit": 2, "results": results, "page_metadata": metadata, "messages": []})

    service.answer = respond
    received = asked(service, "usaspending", usaspending, 5, page=2, most_matches=6)
    ids = [award["internal_id"] for item in received for award in json.loads(item.body)["results"]]
    assert ids == list(range(1, 10))


def test_apis_guru_reads_the_preferred_version_of_each_api_and_names_those_without(service):
    def respond(request):
        if request.path == "/":
            entry = {"swaggerYamlUrl": f"{service.url}/one.yaml"}
            gone = {"preferred": "2", "versions": {"2": {"swaggerYamlUrl": f"{service.url}/gone.yaml"}}}
            versions = {"1": {}, "2": entry}
            return answer({"a": {"preferred": "2", "versions": versions}, "b": {"preferred": "1"}, "c": gone})
        return answer(b"openapi: 3.0.0\n") if request.path == "/one.yaml" else answer(b"no", 404)

    service.answer = respond
    found = asked(service, "apis_guru", apis_guru, 9)
    assert sorted(item.reason for item in found if isinstance(item, Skipped)) == ["gone", "no document"]
    (document,) = [item for item in found if not isinstance(item, Skipped)]
    assert document.body == b"openapi: 3.0.0\n"
    assert "2024-07-19" in document.version


@pytest.mark.parametrize(
    ("robots", "status", "read"),
    [
        (b"User-agent: *\nDisallow: /private", 200, ["/public"]),
        (b"User-agent: treebench\nDisallow: /", 200, []),
        (b"", 404, ["/public", "/private"]),
        (b"", 503, []),
    ],
)
def test_public_pages_are_read_where_robots_txt_allows(service, robots, status, read):
    service.answer = lambda request: (
        answer(robots, status) if request.path == "/robots.txt" else answer(b"<html><body>page</body></html>")
    )
    pages = tuple(service.url + path for path in ("/public", "/private"))
    found = asked(service, "public_pages", public_pages, 9, pages=pages)
    assert [item.url.removeprefix(service.url) for item in found if not isinstance(item, Skipped)] == read
    assert [item.reason for item in found if isinstance(item, Skipped)] == ["forbidden to programs"] * (2 - len(read))


MODULES = {
    "usgs": usgs, "nvd": nvd, "crossref": crossref, "nih_reporter": nih_reporter, "clinicaltrials": clinicaltrials,
    "gbif": gbif, "contracts_finder": contracts_finder, "usaspending": usaspending, "apis_guru": apis_guru,
}  # fmt: skip


@pytest.mark.parametrize("body", [b"<html>busy</html>", b"[]", b"{", '{"näme":1}'.encode("latin-1")])
@pytest.mark.parametrize("name", MODULES)
def test_an_answer_of_another_sort_ends_the_run_with_what_it_says(service, body, name):
    service.answer = lambda request: answer(body)
    with pytest.raises(Fault, match="no JSON object"):
        asked(service, name, MODULES[name], 3)


@pytest.fixture
def crossref_here(service, monkeypatch):
    """`collect` over transport live, with the service here."""
    monkeypatch.setattr(collect, "source", lambda name: service.as_source(name))
    monkeypatch.setattr("tasks.collecting.manners.time.sleep", lambda seconds: None)
    return service


def test_collecting_live_is_done_once_a_day_and_keeps_no_secret(crossref_here, fresh_home):
    works(crossref_here, 2)
    counts = collect.collect(fresh_home, "crossref", "live", contact="someone@example.org", most_responses=3)
    assert (counts["responses"], counts["payloads"], counts["skipped"]) == (3, 2, False)
    sync(fresh_home)
    again = collect.collect(fresh_home, "crossref", "live", contact="someone@example.org", most_responses=3)
    assert again["skipped"]
    stored = rows(fresh_home, "FROM responses")
    assert {row["transport"] for row in stored} == {"live"}
    assert not any("someone@example.org" in str(row) for row in stored)
    assert all(row["retrieved_at"] for row in stored)


def test_live_asks_for_no_more_responses_than_wanted(crossref_here, fresh_home):
    works(crossref_here, 50)
    collect.collect(fresh_home, "crossref", "live", contact="someone@example.org", most_responses=4)
    assert len(crossref_here.asked) == 4


def test_what_came_before_a_failure_is_kept_and_the_next_run_goes_on_behind_it(crossref_here, fresh_home):
    works(crossref_here, 9)
    respond = crossref_here.answer
    crossref_here.answer = lambda request: (
        answer(b"not today", 451) if len(crossref_here.asked) == 3 else respond(request)
    )
    with pytest.raises(Fault, match="451: not today"):
        collect.collect(fresh_home, "crossref", "live", contact="someone@example.org", most_responses=6)
    sync(fresh_home)
    assert len(rows(fresh_home, "FROM payloads")) == 2
    assert rows(fresh_home, "FROM stages") == []
    counts = collect.collect(fresh_home, "crossref", "live", contact="someone@example.org", most_responses=6)
    assert counts["responses"] == 6
    assert len(crossref_here.asked) == 3 + 4  # the two finished pages are not asked for again


@pytest.mark.parametrize("name", names())
def test_every_source_has_a_module_that_knows_it(name):
    module = live.service(source(name))
    assert callable(module.ask)
    assert module.made_at({"metadata": 3, "timestamp": "yesterday", "publishedDate": 7}) is None
    assert module.made_at([]) is None
