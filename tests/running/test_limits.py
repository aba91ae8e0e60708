"""The adaptive limit against simulated servers on a simulated clock."""

import asyncio
import heapq
import itertools

import pytest

from tasks.running.limits import AdaptiveLimit, Held


class Simulation:
    """A server with `slots` places and a fixed service time, always full of waiting calls; no real time passes."""

    def __init__(
        self, slots: int, service: float, fails_above: int | None = None, down: tuple[float, float] = (0.0, 0.0)
    ):
        self.now = 0.0
        self.down = down
        self.slots, self.service, self.fails_above = slots, service, fails_above
        self.failed = 0
        self.times: list[float] = []

    def run(self, limit: AdaptiveLimit, calls: int) -> list[int]:
        values: list[int] = []
        free = [0.0] * self.slots
        ends: list[tuple[float, int, bool]] = []
        order = itertools.count()
        started = done = 0
        while done < calls:
            while started < calls and limit.in_flight < limit.value:
                limit.in_flight += 1
                limit._used = max(limit._used, limit.in_flight)
                started += 1
                if self.down[0] <= self.now < self.down[1]:
                    heapq.heappush(ends, (self.now + 0.5, next(order), False))
                    continue
                if self.fails_above is not None and limit.in_flight > self.fails_above:
                    heapq.heappush(ends, (self.now + 0.001, next(order), False))
                    continue
                begin = max(heapq.heappop(free), self.now)
                heapq.heappush(free, begin + self.service)
                heapq.heappush(ends, (begin + self.service, next(order), True))
            self.now, _, answered = heapq.heappop(ends)
            limit.in_flight -= 1
            done += 1
            if answered:
                limit.completed()
            else:
                self.failed += 1
                limit.pressed()
            values.append(limit.value)
            self.times.append(self.now)
        return values


@pytest.mark.parametrize("slots", [1, 2, 4, 8, 32, 256])
def test_it_finds_the_places_of_a_server(slots: int) -> None:
    simulation = Simulation(slots, service=1.0)
    limit = AdaptiveLimit(start=8, most=1024, clock=lambda: simulation.now)
    values = simulation.run(limit, calls=40 * max(slots, 8))
    settled = sorted(values[len(values) // 2 :])
    assert settled[0] >= 0.75 * slots
    assert settled[-1] <= max(8, 1.3 * slots)
    ideal = len(values) / slots
    assert simulation.now <= 1.3 * ideal


def test_from_eight_it_reaches_256_within_six_services() -> None:
    simulation = Simulation(slots=256, service=1.0)
    limit = AdaptiveLimit(start=8, most=1024, clock=lambda: simulation.now)
    simulation.run(limit, calls=8 + 16 + 32 + 64 + 128 + 1)
    assert simulation.now <= 6
    assert limit.value >= 256


def test_its_tries_cost_two_hundredths_over_a_long_run() -> None:
    simulation = Simulation(slots=64, service=1.0)
    limit = AdaptiveLimit(start=64, most=64, clock=lambda: simulation.now)
    values = simulation.run(limit, calls=1000 * 64)
    assert 0.98 * simulation.now <= len(values) / 64


def test_after_a_restart_of_the_server_it_doubles_back_to_half() -> None:
    simulation = Simulation(slots=256, service=1.0, down=(20.0, 140.0))
    limit = AdaptiveLimit(start=256, most=256, clock=lambda: simulation.now)
    values = simulation.run(limit, calls=50_000)
    times = simulation.times
    assert min(values) == 1
    back = next(time for time, value in zip(times, values, strict=True) if time > 140.0 and value >= 128)
    assert back <= 140.0 + 40.0


def test_pressure_halves_it_and_it_recovers_slowly() -> None:
    simulation = Simulation(slots=64, service=1.0, fails_above=24)
    limit = AdaptiveLimit(start=8, most=1024, clock=lambda: simulation.now)
    values = simulation.run(limit, calls=3000)
    assert max(values[500:]) <= 48
    assert simulation.failed < 0.1 * len(values)


def test_bounds() -> None:
    limit = AdaptiveLimit(start=8, most=4, clock=lambda: 0.0)
    assert limit.value == 4
    now = 0.0
    limit = AdaptiveLimit(start=4, most=4, clock=lambda: now)
    for step in range(10):
        now = 10.0 * step
        limit.pressed()
    assert limit.value == 1


def test_a_burst_of_failures_counts_once() -> None:
    limit = AdaptiveLimit(start=64, most=64, clock=lambda: 0.0)
    for _ in range(50):
        limit.pressed()
    assert limit.value == 32


def test_the_next_shard_starts_with_what_the_last_one_found() -> None:
    held = Held()
    first = held.limit("http://h", most=64, otherwise=8)
    assert first.value == 8
    first.pressed()
    held.leave("http://h", first)
    assert held.limit("http://h", most=64, otherwise=8).value == 4
    assert held.limit("http://h", most=2, otherwise=8).value == 2
    assert held.limit("http://other", most=64, otherwise=8).value == 8


def test_places_are_kept_and_given_by_priority() -> None:
    async def go() -> tuple[list[str], int]:
        limit = AdaptiveLimit(start=2, most=2)
        order: list[str] = []
        most = 0

        async def call(name: str, priority: int) -> None:
            nonlocal most
            async with limit.slot(priority):
                most = max(most, limit.in_flight)
                order.append(name)
                await asyncio.sleep(0.01)

        first = [asyncio.create_task(call(f"first{n}", 9)) for n in range(2)]
        await asyncio.sleep(0)
        later = [asyncio.create_task(call(f"p{p}", p)) for p in (5, 1, 3)]
        cancelled = asyncio.create_task(call("never", 0))
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.gather(*first, *later)
        assert limit.in_flight == 0
        return order, most

    order, most = asyncio.run(go())
    assert order == ["first0", "first1", "p1", "p3", "p5"]
    assert most == 2


def test_a_failing_call_gives_its_place_back() -> None:
    async def go() -> int:
        limit = AdaptiveLimit(start=1, most=1)
        with pytest.raises(ZeroDivisionError):
            async with limit.slot():
                raise ZeroDivisionError
        async with limit.slot():
            pass
        return limit.in_flight

    assert asyncio.run(go()) == 0
