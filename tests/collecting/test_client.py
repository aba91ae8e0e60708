from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tasks.collecting.client import TRIES, Client
from tasks.errors import Fault, UserError

CONTACT = "someone@example.org"


def in_turn(service, *answers):
    remaining = list(answers)
    service.answer = lambda asked: remaining.pop(0) if len(remaining) > 1 else remaining[0]


def asking(service, name="usgs", **changes):
    pauses: list[float] = []
    return Client(service.as_source(name, **changes), CONTACT, pauses.append), pauses


@pytest.fixture
def answer():
    from types import SimpleNamespace

    return lambda body=None, status=200, **headers: SimpleNamespace(
        body={} if body is None else body, status=status, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


def test_requests_say_who_asks(service, answer):
    in_turn(service, answer({"ok": 1}))
    client, _ = asking(service)
    with client:
        received = client.get(f"{service.url}/query", {"limit": 5})
    assert received.body == b'{"ok": 1}'
    assert received.parameters == {"limit": "5"}
    assert received.status == 200
    assert received.retrieved_at is not None
    (asked,) = service.asked
    assert asked.headers["user-agent"].startswith("treebench/")
    assert CONTACT in asked.headers["user-agent"]
    assert asked.query == {"limit": "5"}


def test_too_many_requests_wait_as_long_as_the_service_says(service, answer):
    in_turn(service, answer(status=429, retry_after="7"), answer({"ok": 1}))
    client, pauses = asking(service)
    assert client.get(service.url, {}).body == b'{"ok": 1}'
    assert pauses == [7.0]


def test_retry_after_may_be_a_date(service, answer):
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    in_turn(service, answer(status=503, retry_after=moment), answer())
    client, pauses = asking(service)
    client.get(service.url, {})
    assert 27 < pauses[0] <= 30


def test_without_retry_after_pauses_grow(service, answer):
    in_turn(service, answer(status=429), answer(status=500), answer(status=503), answer())
    client, pauses = asking(service)
    client.get(service.url, {})
    assert pauses == [2.0, 4.0, 8.0]


def test_a_longer_pause_than_anybody_waits_ends_the_run_and_says_so(service, answer):
    in_turn(service, answer(status=429, retry_after="86400"))
    client, pauses = asking(service)
    with pytest.raises(Fault, match="asks to wait 86400 seconds"):
        client.get(service.url, {})
    assert pauses == []


def test_a_service_that_stays_down_is_named(service, answer):
    in_turn(service, answer(status=503))
    client, _ = asking(service)
    with pytest.raises(Fault, match=rf"USGS earthquake catalogue .* no answer after {TRIES} tries \(status 503\)"):
        client.get(service.url, {})
    assert len(service.asked) == TRIES


def test_nobody_there_is_a_fault_and_not_a_traceback():
    from tasks.collecting.sources import source

    client = Client(source("usgs"), CONTACT, lambda seconds: None)
    with pytest.raises(Fault, match="ConnectError"):
        client.get("http://127.0.0.1:9/", {})


def test_a_refused_request_is_not_repeated(service, answer):
    in_turn(service, answer(b"Bad Request: 20001 matching events exceed the limit", status=400))
    client, _ = asking(service)
    with pytest.raises(Fault, match="status 400: Bad Request: 20001 matching"):
        client.get(service.url, {})
    assert len(service.asked) == 1


def test_403_means_too_fast_at_nvd_and_no_elsewhere(service, answer):
    in_turn(service, answer(b"Request forbidden", status=403), answer())
    client, pauses = asking(service, "nvd")
    client.get(service.url, {})
    assert len(pauses) == 1
    in_turn(service, answer(b"<html>", status=403), answer())
    client, _ = asking(service, "usgs")
    with pytest.raises(Fault, match="status 403"):
        client.get(service.url, {})


def test_the_key_comes_from_the_environment_and_goes_into_the_header_only(service, answer, monkeypatch):
    monkeypatch.setenv("NVD_API_KEY", "very-secret")
    in_turn(service, answer())
    client, _ = asking(service, "nvd")
    received = client.get(service.url, {"startIndex": 0})
    assert service.asked[0].headers["apikey"] == "very-secret"
    assert "very-secret" not in repr(received) + str(received.row("nvd"))


def test_the_contact_parameter_is_sent_but_not_kept(service, answer):
    in_turn(service, answer())
    client, _ = asking(service, "crossref")
    received = client.get(service.url, {"rows": 2})
    assert service.asked[0].query == {"rows": "2", "mailto": CONTACT}
    assert received.parameters == {"rows": "2"}


def test_requests_keep_their_distance(service, answer):
    in_turn(service, answer())
    client, pauses = asking(service, interval=6.0)
    for _ in range(3):
        client.get(service.url, {})
    assert [round(pause) for pause in pauses] == [6, 12]  # nobody really slept in between


def test_limits_that_the_service_sends_are_kept(service, answer):
    in_turn(service, answer(x_rate_limit_limit="4", x_rate_limit_interval="2s"))
    client, pauses = asking(service, "crossref")
    client.get(service.url, {})
    client.get(service.url, {})
    client.get(service.url, {})
    assert [round(pause) for pause in pauses] == [1]


def test_a_redirect_loop_ends(service, answer):
    in_turn(service, answer(status=302, location=service.url))
    client, _ = asking(service)
    with pytest.raises(Fault, match="circle"):
        client.get(service.url, {})


def test_an_endless_body_ends(service, answer, monkeypatch):
    monkeypatch.setattr("tasks.collecting.client.MOST_BYTES", 1000)
    in_turn(service, answer(b"[" * 5000))
    client, _ = asking(service)
    with pytest.raises(Fault, match="sends more than"):
        client.get(service.url, {})


def test_a_contact_must_be_an_address(service):
    with pytest.raises(UserError, match="no e-mail address"):
        Client(service.as_source("usgs"), "nobody")
