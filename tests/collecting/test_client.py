import gzip
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tasks.collecting.client import TRIES, Client
from tasks.collecting.manners import Pace, require_quiet_hours
from tasks.collecting.sources import source
from tasks.errors import Fault, UserError
from tests.collecting.conftest import Answer

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


def test_the_key_goes_into_the_header_only_and_never_to_another_host(service, answer):
    in_turn(service, answer(), answer(status=302, location="http://127.0.0.1:9/"))
    client = Client(service.as_source("nvd"), CONTACT, key="very-secret")
    received = client.get(service.url, {"startIndex": 0})
    assert service.asked[0].headers["apikey"] == "very-secret"
    assert "very-secret" not in repr(received) + str(received.row("nvd"))
    with pytest.raises(Fault, match="status 302"):
        client.get(service.url, {"startIndex": 1})


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


def test_an_endless_body_ends(service, answer):
    in_turn(service, answer(b"[" * 1_100_000))
    client, _ = asking(service, most_megabytes=1)
    with pytest.raises(Fault, match="sends more than"):
        client.get(service.url, {})


def test_a_contact_must_be_an_address(service):
    with pytest.raises(UserError, match="no e-mail address"):
        Client(service.as_source("usgs"), "nobody")


def writing(*chunks, pause=0.0, **headers):
    """An answer whose body is written piece by piece."""

    def write(file):
        for chunk in chunks:
            file.write(chunk)
            file.flush()
            time.sleep(pause)

    return Answer(write=write, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_two_gigabytes_are_refused_before_they_are_read(service):
    service.answer = lambda asked: writing(b"[", content_length=str(2 * 1024**3))
    client, _ = asking(service)
    with pytest.raises(Fault, match="sends more than 64 MiB"):
        client.get(service.url, {})
    assert len(service.asked) == 1


def test_a_small_body_that_unpacks_to_much_is_refused(service, answer):
    in_turn(service, answer(gzip.compress(b" " * 3_000_000), content_encoding="gzip"))
    client, _ = asking(service, most_megabytes=1)
    with pytest.raises(Fault, match="sends more than 1 MiB"):
        client.get(service.url, {})


def test_a_truncated_body_is_asked_for_again(service, answer):
    whole = answer({"ok": 1})
    in_turn(service, writing(b'{"ok"', content_length="9"), whole)
    client, pauses = asking(service)
    assert client.get(service.url, {}).body == b'{"ok": 1}'
    assert len(pauses) == 1


def test_a_packed_body_is_unpacked_and_a_broken_one_asked_for_again(service, answer):
    packed = gzip.compress(b'{"ok": 1}')
    in_turn(service, answer(packed[:-9] + b"x" * 9, content_encoding="gzip"), answer(packed, content_encoding="gzip"))
    client, _ = asking(service)
    assert client.get(service.url, {}).body == b'{"ok": 1}'
    assert len(service.asked) == 2


def test_a_body_that_drips_ends_at_the_deadline(service, monkeypatch):
    monkeypatch.setattr("tasks.collecting.client.DEADLINE", 0.2)
    monkeypatch.setattr("tasks.collecting.client.TRIES", 2)
    service.answer = lambda asked: writing(*[b" "] * 20, pause=0.05, content_length="1000")
    client, _ = asking(service)
    with pytest.raises(Fault, match="no end of the answer"):
        client.get(service.url, {})


def test_an_error_that_calls_itself_200_is_asked_for_again(service, answer):
    ill = answer(b"<html>down for maintenance</html>"), answer({"status": "error", "message": "try later"})
    in_turn(service, *ill, answer({"features": []}))
    client, pauses = asking(service)
    _, document = client.get_json(service.url, {}, ["features"])
    assert document == {"features": []}
    assert len(pauses) == 2
    in_turn(service, answer([1]))
    with pytest.raises(Fault, match=r"no JSON object with features, but: \[1\]"):
        client.get_json(service.url, {"other": 1}, ["features"])


def test_a_post_sends_json_and_keeps_it_as_parameters(service, answer):
    in_turn(service, answer({"results": []}))
    client, _ = asking(service)
    received, _ = client.post_json(service.url, {"limit": 5}, ["results"])
    assert (service.asked[0].method, service.asked[0].body) == ("POST", {"limit": 5})
    assert (received.method, received.parameters) == ("POST", {"limit": 5})


def test_few_requests_that_are_left_slow_down(service, answer):
    in_turn(service, answer(x_rate_limit_remaining="2"))
    client, _ = asking(service, "nih_reporter", interval=1.0)
    client.get(service.url, {})
    assert client.pace.interval == 8.0


def test_silence_outlives_the_process(service, answer, tmp_path):
    in_turn(service, answer(b"<html>too fast</html>", status=403), answer())
    spec = service.as_source("contracts_finder")
    pauses: list[float] = []
    client = Client(spec, CONTACT, pauses.append)
    client.pace = Pace(spec, tmp_path / "silence.json", pauses.append)
    client.get(service.url, {})
    assert pauses[0] == 300.0
    later: list[float] = []
    Pace(spec, tmp_path / "silence.json", later.append).wait_for_turn()
    assert 295 < later[0] <= 300


@pytest.mark.parametrize(
    ("moment", "quiet"),
    [
        ("2026-07-15T12:00:00-04:00", False),
        ("2026-07-15T21:30:00-04:00", True),
        ("2026-07-15T04:59:00-04:00", True),
        ("2026-07-18T12:00:00-04:00", True),
        ("2026-01-15T18:00:00+00:00", False),
    ],
)
def test_big_jobs_keep_to_the_hours_of_reporter(moment, quiet):
    now = datetime.fromisoformat(moment)
    require_quiet_hours(source("nih_reporter"), 500, now)
    require_quiet_hours(source("usgs"), 10_000, now)
    if quiet:
        require_quiet_hours(source("nih_reporter"), 501, now)
    else:
        with pytest.raises(UserError, match="weekends or from 21:00 to 5:00"):
            require_quiet_hours(source("nih_reporter"), 501, now)
