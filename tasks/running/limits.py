"""How many calls may be in flight: starts moderate, grows while the server keeps up, backs off under pressure.

Completions are counted in rounds. The limit doubles, once a round, as long as each doubling makes the next round
clearly faster: from 8 to 256 takes about as long as six calls. From then on it tries, with rests in between that get
longer while the tries change nothing, a quarter more, which must pay to be kept, and a fifth less, which must cost
nothing to be kept: so it stays near the least number of calls that keeps the server busy, and the tries cost a
hundredth of the time. An overloaded or failing server (429, 5xx, a passed deadline) halves it at once, but once a round
or every five seconds, since a burst of failures has one cause. A server that answers nothing meanwhile, because it is
being restarted, says nothing about how much it can hold: once it answers, the limit doubles back to half of what it
was.
"""

import asyncio
import heapq
import itertools
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

PAYS = 1.1
"""A larger limit is kept if the round with it completes this many times as many calls a second."""

COSTS_NOTHING = 0.95
"""A smaller limit is kept if the round with it completes at least this share of the calls a second."""

REST, LONGEST_REST = 3, 12
"""Rounds between two tries, once doubling has stopped to pay: twice as many after each try that changed nothing."""

RECOVERY_S = 5.0
"""Seconds after which pressure that has not ended halves the limit again."""


class AdaptiveLimit:
    """A limit of calls in flight for one event loop. Waiting calls are let in by priority (low first), then by age."""

    def __init__(self, start: int = 8, most: int = 1024, least: int = 1, clock: Callable[[], float] = time.monotonic):
        self.value = max(least, min(start, most))
        """Calls that may be in flight now."""
        self.most, self.least = most, least
        self.in_flight = 0
        self.grown: Callable[[], None] = lambda: None
        """Called when the limit has grown."""
        self._clock = clock
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = itertools.count()
        self._doubling = True
        self._goal = self.most
        self._answered = True
        self._down = False
        self._before: int | None = None
        self._rate = 0.0
        self._rest = 0
        self._pause = REST
        self._pressed_at = 0.0
        self._start_round()

    @asynccontextmanager
    async def slot(self, priority: int = 0) -> AsyncIterator[None]:
        """Wait for a place and hold it."""
        await self._enter(priority)
        try:
            yield
        finally:
            self.in_flight -= 1
            self._admit()

    async def _enter(self, priority: int) -> None:
        if self.in_flight < self.value and not self._waiting:
            self.in_flight += 1
        else:
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (priority, next(self._order), place))
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():
                    self.in_flight -= 1
                    self._admit()
                raise
        self._used = max(self._used, self.in_flight)

    def _admit(self) -> None:
        while self._waiting and self.in_flight < self.value:
            _, _, place = heapq.heappop(self._waiting)
            if not place.done():
                self.in_flight += 1
                place.set_result(None)

    def completed(self) -> None:
        """A call was answered."""
        self._completed += 1
        self._answered = True
        # Short rounds mislead: calls that start together end together.
        if self._completed >= max(8, self.value * (1 if self._doubling else 4)):
            self._end_round()

    def pressed(self) -> None:
        """The server was overloaded or failed."""
        now = self._clock()
        if not self._pressed or now - self._pressed_at >= RECOVERY_S:
            self._pressed_at = now
            self._set(self.value // 2)
            if self._answered:
                self._goal = self.value
            self._doubling, self._before, self._answered = True, None, False
            self._pause, self._rest = REST, 0
            self._start_round()
            self._pressed = True

    def _start_round(self) -> None:
        self._began = self._clock()
        self._completed = 0
        self._used = self.in_flight
        self._pressed = False

    def _end_round(self) -> None:
        rate = self._completed / max(self._clock() - self._began, 1e-9)
        full = self._used >= self.value
        if self._before is not None:
            self._judge(rate, full)
        elif self._rest > 0:
            self._rest -= 1
        self._rate = rate
        if full and self._rest == 0 and not self._pressed:
            self._try()
        self._start_round()

    def _judge(self, rate: float, full: bool) -> None:
        """Keep or take back the limit that was tried in the round that ends."""
        before, self._before = self._before, None
        assert before is not None
        larger = self.value > before
        kept = full and rate >= self._rate * (PAYS if larger else COSTS_NOTHING)
        if not kept:
            self._set(before)
        if not (kept and self._doubling):
            self._settle(kept)
            self._down = larger if not kept else not larger

    def _try(self) -> None:
        if self._doubling:
            wanted = min(self.value * 2, self._goal)
        elif self._down:
            wanted = self.value - max(1, self.value // 5)
        else:
            wanted = self.value + max(1, self.value // 4)
        wanted = max(self.least, min(wanted, self.most))
        if wanted == self.value:
            self._settle(False)
            self._down = not self._down
        else:
            self._before = self.value
            self._set(wanted)

    def _settle(self, changed: bool) -> None:
        """Rest until the next try, the longer the less the tries have changed."""
        self._pause = REST if changed or self._doubling else min(2 * self._pause, LONGEST_REST)
        self._doubling, self._rest = False, self._pause

    def _set(self, value: int) -> None:
        before, self.value = self.value, max(self.least, min(value, self.most))
        self._admit()
        if self.value > before:
            self.grown()


class Held:
    """How many calls in flight servers were found to hold, by URL, so that the next shard need not find out again.

    Threads may share it.
    """

    def __init__(self) -> None:
        self._values: dict[str, int] = {}

    def limit(self, url: str, most: int, otherwise: int) -> AdaptiveLimit:
        """A limit that starts with what was left for `url`, or with `otherwise`."""
        return AdaptiveLimit(start=self._values.get(url, otherwise), most=most)

    def leave(self, url: str, limit: AdaptiveLimit) -> None:
        """Leave what `limit` is now for the next shard."""
        self._values[url] = limit.value
