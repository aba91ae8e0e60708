"""Asking public services with the manners that they ask for: slowly, by name, and again only after a pause."""

import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import Any

import httpx

from tasks.collecting.received import Received
from tasks.collecting.sources import Source
from tasks.errors import Fault, UserError

TRIES = 5
LONGEST_PAUSE = 300.0
"""Seconds; a service that asks for a longer pause is left alone."""
MOST_BYTES = 256 * 1024 * 1024
TIMEOUT = httpx.Timeout(60.0, connect=20.0)


class Client:
    """Asks one service, one request at a time. Use it as a context manager."""

    def __init__(self, source: Source, contact: str, sleep: Callable[[float], None] = time.sleep):
        """`contact` is the e-mail address that the User-Agent names; `sleep` waits a number of seconds."""
        if "@" not in contact:
            raise UserError(f"{contact!r} is no e-mail address: services want one to turn to; set contact.")
        self._source = source
        self._sleep = sleep
        self._interval = source.live.interval
        self._next = 0.0
        headers = {"User-Agent": f"treebench/{version('treebench')} (mailto:{contact})", "Accept": "application/json"}
        key = os.environ.get(source.live.key_variable) if source.live.key_variable else None
        if key and source.live.key_header:
            headers[source.live.key_header] = key
        self._contact = {source.live.contact_parameter: contact} if source.live.contact_parameter else {}
        self._http = httpx.Client(headers=headers, timeout=TIMEOUT, follow_redirects=True, max_redirects=3)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, url: str, parameters: Mapping[str, Any]) -> Received:
        """The answer to a GET request with status 200.

        Waits between requests, and after 429, 5xx and lost connections tries again. Raises `Fault` when the service
        refuses the request, stays unreachable, or sends more than `MOST_BYTES`.
        """
        asked = {name: str(value) for name, value in parameters.items()}
        reason = ""
        for attempt in range(TRIES):
            self._wait_for_turn()
            try:
                response, body = self._send(url, asked | self._contact)
            except httpx.TooManyRedirects:
                raise self._fault(url, "redirects in a circle") from None
            except httpx.TransportError as error:
                reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
                self._sleep(min(2.0**attempt, LONGEST_PAUSE))
                continue
            if response.status_code == 200:
                self._learn_limits(response.headers)
                return Received(
                    url=url,
                    parameters=dict(asked),
                    body=body,
                    transport="live",
                    location=url,
                    status=200,
                    retrieved_at=datetime.now(UTC).replace(tzinfo=None),
                    media_type=response.headers.get("content-type"),
                )
            reason = f"status {response.status_code}"
            if not self._again(response.status_code):
                said = " ".join(body[:200].decode("utf-8", "replace").split())
                raise self._fault(url, f"refuses the request with {reason}: {said}")
            self._sleep(self._pause(response.headers.get("retry-after"), attempt, url))
        raise self._fault(url, f"gives no answer after {TRIES} tries ({reason}); run the same command again later")

    def _send(self, url: str, parameters: dict[str, str]) -> tuple[httpx.Response, bytes]:
        with self._http.stream("GET", url, params=parameters) as response:
            chunks, size = [], 0
            for chunk in response.iter_bytes():
                size += len(chunk)
                if size > MOST_BYTES:
                    raise self._fault(url, f"sends more than {MOST_BYTES // 1024**2} MiB: lower the page in its file")
                chunks.append(chunk)
            return response, b"".join(chunks)

    def _wait_for_turn(self) -> None:
        now = time.monotonic()
        if now < self._next:
            self._sleep(self._next - now)
        self._next = max(now, self._next) + self._interval

    def _again(self, status: int) -> bool:
        return status == 429 or status >= 500 or status in self._source.live.retried_statuses

    def _pause(self, retry_after: str | None, attempt: int, url: str) -> float:
        wanted = _seconds(retry_after)
        if wanted is None:
            return min(max(self._interval, 2.0) * 2.0**attempt, LONGEST_PAUSE)
        if wanted > LONGEST_PAUSE:
            raise self._fault(url, f"asks to wait {wanted:.0f} seconds; run the same command again after that")
        return wanted

    def _learn_limits(self, headers: Mapping[str, str]) -> None:
        """Keep to half the rate that the service says is allowed, if it says so."""
        if not self._source.live.limit_headers:
            return
        limit, interval = (headers.get(name, "") for name in self._source.live.limit_headers)
        if limit.isdigit() and int(limit) and interval.removesuffix("s").isdigit():
            self._interval = 2 * int(interval.removesuffix("s")) / int(limit)

    def _fault(self, url: str, what: str) -> Fault:
        return Fault(f"{self._source.title} at {url} {what.rstrip('.')}.")


def _seconds(retry_after: str | None) -> float | None:
    """Seconds of a Retry-After header, which may be a number or a date; None if it is neither."""
    if not retry_after:
        return None
    if retry_after.strip().isdigit():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
