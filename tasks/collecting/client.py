"""Asking public services with the manners that they ask for: slowly, by name, and again only after a pause."""

import json
import os
import time
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import tenacity

from tasks.collecting import asked
from tasks.collecting.bodies import writing
from tasks.collecting.manners import LONGEST_PAUSE, Pace, retry_after
from tasks.collecting.received import Received
from tasks.collecting.sources import Source
from tasks.errors import Fault, UserError

TRIES = 5
TIMEOUT = httpx.Timeout(60.0, connect=20.0)
DEADLINE = 600.0
"""Seconds that one answer may take in all."""
_GONE = (400, 404, 410, 422)
"""Statuses of a request that is refused as such."""


class Refused(Fault):
    """The service refuses this request as wrong or gone; asking again would not help."""


class Enough(Exception):
    """As many requests were answered as were wanted."""


class _Again(Exception):
    """A failed attempt that may be made again after `pause` seconds."""

    def __init__(self, reason: str, pause: float):
        super().__init__(reason)
        self.pause = pause


class Client:
    """Asks one service, one request at a time. Use it as a context manager."""

    def __init__(
        self,
        source: Source,
        contact: str,
        sleep: Callable[[float], None] = time.sleep,
        *,
        answers: asked.Asked | None = None,
        key: str | None = None,
        most: int | None = None,
    ):
        """`contact` is the e-mail address that the User-Agent names; `sleep` waits a number of seconds.

        `answers` keeps and gives back what was answered; `key` is an access key, sent in a header and kept nowhere;
        after `most` answers the next request raises `Enough`.
        """
        if "@" not in contact:
            raise UserError(f"{contact!r} is no e-mail address: services want one to turn to; set contact.")
        self._source = source
        self._sleep = sleep
        self._answers = answers
        self._left = most
        self.pace = Pace(source, answers.silence if answers else None, sleep)
        headers = {"User-Agent": f"treebench/{version('treebench')} (mailto:{contact})"}
        if key and source.live.key_header:
            headers[source.live.key_header] = key
        self._contact = {source.live.contact_parameter: contact} if source.live.contact_parameter else {}
        # A redirect would carry the key elsewhere.
        follow = source.live.key_header not in headers
        self._http = httpx.Client(headers=headers, timeout=TIMEOUT, follow_redirects=follow, max_redirects=3)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, url: str, parameters: Mapping[str, Any] | None = None, accept: str = "*/*") -> Received:
        """The answer to a GET request with status 200; see `ask`."""
        asking = {name: str(value) for name, value in (parameters or {}).items()}
        return self.ask("GET", url, asking, accept)[0]

    def get_json(
        self, url: str, parameters: Mapping[str, Any], wants: Collection[str] = (), turn: int = 0
    ) -> tuple[Received, Any]:
        """The answer to a GET request, read as a JSON object that has the keys `wants`; see `ask`."""
        asking = {name: str(value) for name, value in parameters.items()}
        return self.ask("GET", url, asking, "application/json", wants, turn)

    def post_json(self, url: str, body: Mapping[str, Any], wants: Collection[str] = ()) -> tuple[Received, Any]:
        """The answer to a POST request with a JSON body, read as a JSON object that has the keys `wants`."""
        return self.ask("POST", url, dict(body), "application/json", wants)

    def ask(
        self,
        method: str,
        url: str,
        parameters: Mapping[str, Any],
        accept: str = "*/*",
        wants: Collection[str] | None = None,
        turn: int = 0,
    ) -> tuple[Received, Any]:
        """The answer with status 200 and, where `wants` is given, the JSON object in it (else None).

        `turn` tells equal requests apart whose answers differ, as with a cursor that the service moves itself.
        Waits between requests, and after 429, 5xx, lost connections and bodies of another sort tries again. Raises
        `Refused` for a request that the service calls wrong, `Fault` when it stays unreachable, sends too much or
        something else, and `Enough` when no more answers are wanted.
        """
        request = asked.key(method, url, parameters, turn)
        if self._left is not None and self._left <= 0:
            raise Enough
        found = self._answers.answered(request) if self._answers else None
        if found is None:
            found, document, headers = self._retried(method, url, parameters, accept, wants, request)
            if self._answers:
                self._answers.keep(request, found, headers)
        else:
            document = None if wants is None else self._document(found, wants)
        if self._left is not None:
            self._left -= 1
        return found, document

    def download(self, url: str) -> Path:
        """The file at an address; a run that goes on does not load it again, nor an archive at a commit ever.

        Raises as `ask` does.
        """
        if self._answers is None:
            raise AssertionError("a download needs a place to be kept")
        target = self._answers.archive(url)
        if not target.exists():
            partial = target.with_name(f".partial-{target.name}")
            with writing(target):
                with partial.open("wb") as file:
                    self._retried("GET", url, {}, "*/*", None, "", file)
                os.replace(partial, target)
        return target

    def _retried(
        self,
        method: str,
        url: str,
        parameters: Mapping[str, Any],
        accept: str,
        wants: Collection[str] | None,
        request: str,
        file: Any = None,
    ) -> tuple[Received, Any, Mapping[str, str]]:
        again = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(TRIES),
            wait=lambda state: state.outcome.exception().pause,  # pyright: ignore
            retry=tenacity.retry_if_exception_type(_Again),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            for attempt in again:
                with attempt:
                    number = attempt.retry_state.attempt_number - 1
                    return self._attempt(number, method, url, parameters, accept, wants, request, file)
        except _Again as last:
            raise self._fault(
                url, f"gives no answer after {TRIES} tries ({last}); run the same command again later"
            ) from None
        raise AssertionError("tenacity ends with a result or an exception")

    def _attempt(
        self,
        number: int,
        method: str,
        url: str,
        parameters: Mapping[str, Any],
        accept: str,
        wants: Collection[str] | None,
        request: str,
        file: Any,
    ) -> tuple[Received, Any, Mapping[str, str]]:
        self.pace.wait_for_turn()
        conditions = self._answers.validators(request) if self._answers and request else {}
        headers = {"Accept": accept, **conditions}
        given = dict(parameters)
        query: dict[str, Any] = {"params": given | self._contact} if method == "GET" else {"json": given}
        try:
            with self._http.stream(method, url, headers=headers, **query) as response:
                body = self._body(response, url, file)
        except httpx.TooManyRedirects:
            raise self._fault(url, "redirects in a circle") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise _Again(reason, min(2.0**number, LONGEST_PAUSE)) from None
        status = response.status_code
        self.pace.learn(response.headers)
        if status == 304 and self._answers and conditions:
            unchanged = self._answers.unchanged(request)
            if unchanged:
                return unchanged, None if wants is None else self._document(unchanged, wants), response.headers
        if status != 200:
            raise self._failed(number, url, response, body)
        received = Received(
            url=url,
            parameters=dict(parameters),
            body=body,
            transport="live",
            location=url,
            method=method,
            status=200,
            retrieved_at=datetime.now(UTC).replace(tzinfo=None),
            media_type=response.headers.get("content-type"),
        )
        return received, None if wants is None else self._document(received, wants, number), response.headers

    def _body(self, response: httpx.Response, url: str, file: Any) -> bytes:
        """The decoded body, no longer than allowed. A body that goes to a file is not returned."""
        most = self._source.live.most_megabytes * 1024**2
        announced = response.headers.get("content-length", "")
        too_long = self._fault(url, f"sends more than {most // 1024**2} MiB: ask for less, or raise most_megabytes")
        if announced.isdigit() and int(announced) > most:
            raise too_long
        if file is not None:
            file.seek(0)
            file.truncate()
        chunks, size, end = [], 0, time.monotonic() + DEADLINE
        for chunk in response.iter_bytes():
            size += len(chunk)
            if size > most:
                raise too_long
            if time.monotonic() > end:
                raise httpx.ReadTimeout(f"no end of the answer after {DEADLINE:.0f} seconds")
            if file is not None and response.status_code == 200:
                file.write(chunk)
            else:
                chunks.append(chunk)
        return b"".join(chunks)

    def _failed(self, number: int, url: str, response: httpx.Response, body: bytes) -> Exception:
        status = response.status_code
        slower = self._source.live.too_fast.get(status)
        if status != 429 and status < 500 and slower is None:
            said = " ".join(body[:200].decode("utf-8", "replace").split())
            fault = self._fault(url, f"refuses the request with status {status}: {said}")
            return Refused(str(fault)) if status in _GONE else fault
        pause = retry_after(response.headers.get("retry-after"))
        if pause is None:
            pause = self.pace.pause(number) if slower is None else slower
        if pause > LONGEST_PAUSE:
            self.pace.keep_silence(pause)
            return self._fault(url, f"asks to wait {pause:.0f} seconds; run the same command again after that")
        self.pace.keep_silence(pause)
        return _Again(f"status {status}", pause)

    def _document(self, received: Received, wants: Collection[str], number: int = 0) -> Any:
        """The JSON object of an answer. Services answer 200 with a page of markup or an error while they are ill."""
        try:
            document = json.loads(received.body.decode("utf-8-sig"))
        except ValueError:
            document = None
        if isinstance(document, dict) and all(key in document for key in wants):
            return document
        said = " ".join(received.body[:120].decode("utf-8", "replace").split())
        missing = f"no JSON object with {', '.join(wants)}" if wants else "no JSON object"
        raise _Again(f"{missing}, but: {said}", self.pace.pause(number))

    def _fault(self, url: str, what: str) -> Fault:
        return Fault(f"{self._source.title} at {url} {what.rstrip('.')}.")
