"""The three services as their documentation describes them, played by a local server."""

import json
from datetime import datetime, timedelta
from itertools import islice
from types import SimpleNamespace

import pytest

from tasks.collecting import collect, crossref, live, nvd, usgs
from tasks.collecting.client import Client
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


def works(service, pages):
    def respond(request):
        assert "offset" not in request.query
        assert "sample" not in request.query
        cursor = request.query["cursor"]
        number = 0 if cursor == "*" else int(cursor.removeprefix("page="))
        items = [{"DOI": f"10.1/{number}"}] if number < pages else []
        message = {"items": items, "next-cursor": f"page={number + 1}"}
        return answer({"status": "ok", "message-type": "work-list", "message": message})

    service.answer = respond


def test_crossref_follows_cursors_to_the_empty_list(service):
    works(service, 3)
    received = asked(service, "crossref", crossref, 99)
    assert len(received) == 4
    assert [request.query["cursor"] for request in service.asked] == ["*", "page=1", "page=2", "page=3"]
    assert {request.query["mailto"] for request in service.asked} == {"someone@example.org"}
    assert "until-pub-date:2023" in service.asked[0].query["filter"]


@pytest.mark.parametrize("body", [b"<html>busy</html>", b"[]", b'{"message":"x"}', b"{"])
@pytest.mark.parametrize(("name", "module"), [("usgs", usgs), ("nvd", nvd), ("crossref", crossref)])
def test_an_answer_of_another_sort_ends_the_paging_without_a_traceback(service, body, name, module):
    service.answer = lambda request: answer(body)
    assert 1 <= len(asked(service, name, module, 3)) <= 3


@pytest.fixture
def crossref_here(service, monkeypatch):
    """`collect` over transport live, with the service here."""
    monkeypatch.setattr(collect, "source", lambda name: service.as_source(name))
    return service


def test_collecting_live_is_done_once_a_day_and_keeps_no_secret(crossref_here, fresh_home):
    works(crossref_here, 2)
    counts = collect.collect(fresh_home, "crossref", "live", contact="someone@example.org")
    assert (counts["responses"], counts["payloads"], counts["skipped"]) == (3, 2, False)
    sync(fresh_home)
    assert collect.collect(fresh_home, "crossref", "live", contact="someone@example.org")["skipped"]
    stored = rows(fresh_home, "FROM responses")
    assert {row["transport"] for row in stored} == {"live"}
    assert not any("someone@example.org" in str(row) for row in stored)
    assert all(row["retrieved_at"] for row in stored)


def test_live_asks_for_no_more_responses_than_wanted(crossref_here, fresh_home):
    works(crossref_here, 50)
    collect.collect(fresh_home, "crossref", "live", contact="someone@example.org", most_responses=4)
    assert len(crossref_here.asked) == 4


def test_what_came_before_a_failure_is_kept_and_the_failure_is_told(crossref_here, fresh_home):
    works(crossref_here, 9)
    respond = crossref_here.answer
    crossref_here.answer = lambda request: (
        answer(b"no such cursor", 404) if request.query["cursor"] == "page=2" else respond(request)
    )
    with pytest.raises(Fault, match="404: no such cursor"):
        collect.collect(fresh_home, "crossref", "live", contact="someone@example.org")
    sync(fresh_home)
    assert len(rows(fresh_home, "FROM payloads")) == 2
    assert rows(fresh_home, "FROM stages") == []
    crossref_here.answer = respond
    assert collect.collect(fresh_home, "crossref", "live", contact="someone@example.org")["responses"] == 10


@pytest.mark.parametrize("name", ["usgs", "nvd", "crossref"])
def test_every_source_has_a_module_that_knows_it(name):
    module = live.service(name)
    assert callable(module.ask)
    assert module.made_at({"metadata": 3, "timestamp": "yesterday"}) is None
    assert module.made_at([]) is None
