"""How fast a service may be asked: a distance between requests, limits that it sends, silence that it asks for.

Silence outlives the process: whoever is told to wait five minutes and is killed waits the rest when started again.
"""

import json
import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from tasks.collecting.bodies import writing
from tasks.collecting.sources import Quiet, Source
from tasks.errors import UserError

LONGEST_PAUSE = 300.0
"""Seconds; a service that asks for a longer pause is left alone."""
KEPT_PAUSE = 5.0
"""Seconds from which on a pause is remembered beyond this process."""


class Pace:
    """The turns of one service. `sleep` waits a number of seconds."""

    def __init__(self, source: Source, file: Path | None = None, sleep: Callable[[float], None] = time.sleep):
        """`file` keeps the end of a silence; without one it ends with the process."""
        self._source = source
        self._file = file
        self._sleep = sleep
        self.interval = source.live.interval
        """Seconds between the starts of two requests; changes with the limits that the service sends."""
        self._next = 0.0

    def wait_for_turn(self) -> None:
        """Return when the next request may be sent."""
        silence = self._silent_until() - time.time()
        if 0 < silence <= LONGEST_PAUSE:
            self._sleep(silence)
        now = time.monotonic()
        if now < self._next:
            self._sleep(self._next - now)
        self._next = max(now, self._next) + self.interval

    def keep_silence(self, seconds: float) -> None:
        """Remember that the service asked for silence, for processes to come."""
        if self._file is None or seconds < KEPT_PAUSE:
            return
        with writing(self._file):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            partial = self._file.with_name(f".{self._file.name}-{os.getpid()}")
            partial.write_text(json.dumps({"until": time.time() + seconds}))
            os.replace(partial, self._file)

    def learn(self, headers: Mapping[str, str]) -> None:
        """Keep to half the rate that the service says is allowed, and slow down when few requests are left."""
        live = self._source.live
        if live.limit_headers:
            limit, interval = (headers.get(name, "") for name in live.limit_headers)
            if limit.isdigit() and int(limit) and interval.removesuffix("s").isdigit():
                self.interval = 2 * int(interval.removesuffix("s")) / int(limit)
        left = headers.get(live.remaining_header, "") if live.remaining_header else ""
        if left.isdigit():
            self.interval = max(self.interval, live.interval * (8 if int(left) < 5 else 1))

    def pause(self, attempt: int) -> float:
        """Seconds to wait after the failed `attempt` (from 0) where the service names no pause."""
        return min(max(self.interval, 2.0) * 2.0**attempt, LONGEST_PAUSE)

    def _silent_until(self) -> float:
        """Unix time."""
        try:
            found = json.loads(self._file.read_text()) if self._file else {}
            return float(found.get("until", 0.0))
        except (OSError, ValueError):
            return 0.0


def retry_after(header: str | None) -> float | None:
    """Seconds of a Retry-After header, which may be a number or a date; None if it is neither."""
    if not header:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def require_quiet_hours(source: Source, requests: int, now: datetime) -> None:
    """Raise `UserError` where a big job would ask the service in its busy hours. `now` is aware."""
    quiet = source.live.quiet
    if quiet is None or requests <= quiet.requests or _is_quiet(quiet, now):
        return
    raise UserError(
        f"{source.title} asks that jobs of more than {quiet.requests} requests run at weekends or from "
        f"{quiet.begin}:00 to {quiet.end}:00 ({quiet.zone}): start then, or set responses to {quiet.requests} at most."
    )


def _is_quiet(quiet: Quiet, now: datetime) -> bool:
    there = now.astimezone(ZoneInfo(quiet.zone))
    return there.weekday() >= 5 or there.hour >= quiet.begin or there.hour < quiet.end
