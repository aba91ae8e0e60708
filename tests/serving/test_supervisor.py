"""The life cycle of a server: a stand-in process that loads slowly, hangs, dies, or only looks healthy."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx
import pytest

from tasks.errors import Fault
from tasks.home import PROJECT
from tasks.serving.chat import ChatReply, ChatRequest, Message, Outcome
from tasks.serving.endpoint import Endpoint
from tasks.serving.supervisor import Supervisor, Watch, free_port
from tests.stand_in import CHAT_SERVER

QUICK = Watch(start_s=20, probe_s=0.5, every_s=0.2, poll_s=0.05, restarts=3)


@contextmanager
def supervised(folder: Path, *arguments: str, watch: Watch = QUICK) -> Iterator[tuple[Supervisor, list[str]]]:
    port = free_port()
    command = [sys.executable, str(CHAT_SERVER), "--port", str(port), "--starts", str(folder / "starts"), *arguments]
    guard = [sys.executable, "-m", "tasks.serving.guard", "--parent", str(os.getpid()), "--", *command]

    def launch(log: IO[bytes]) -> subprocess.Popen:
        return subprocess.Popen(guard, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=PROJECT)

    told: list[str] = []
    url = f"http://127.0.0.1:{port}/v1"
    with Supervisor("The server", launch, url, "m", folder / "log", watch, told.append) as running:
        yield running, told


def starts(folder: Path) -> list[int]:
    return [int(line.split()[0]) for line in (folder / "starts").read_text().splitlines()]


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def until(condition: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def ask(running: Supervisor, calls: int = 1) -> list[ChatReply]:
    async def go() -> list[ChatReply]:
        async with Endpoint(running.url, "m", deadline=20, patience=running.patience) as endpoint:
            return [
                await endpoint.chat(ChatRequest((Message("user", f"call {number}"),), max_tokens=8))
                for number in range(calls)
            ]

    return asyncio.run(go())


def test_it_waits_for_a_server_that_loads_slowly_and_stops_it_with_its_workers(tmp_path: Path) -> None:
    with supervised(tmp_path, "--load", "1.5", "--worker", "--window", "4096") as (running, told):
        assert ask(running)[0].finished
        assert running.facts["window"] == 4096
        assert running.facts["first_token_s"] >= 0
        (server,) = starts(tmp_path)
        worker = int((tmp_path / "log").read_text().split()[1])
        assert alive(server)
        assert alive(worker)
    assert not alive(server)
    assert not alive(worker)
    assert told == []


def test_a_server_that_dies_in_the_middle_comes_back_at_its_address(tmp_path: Path) -> None:
    watch = Watch(start_s=20, every_s=60, poll_s=0.05, restarts=3)
    with supervised(tmp_path, "--fault", "die:with=call 1", "--healthy-from", "2", watch=watch) as (running, told):
        replies = ask(running, 4)
        assert [reply.outcome for reply in replies] == [Outcome.STOP] * 4
        assert replies[1].attempt > 1
    assert len(starts(tmp_path)) == 2
    assert told == ["The server ended with status 9: restart 1 of at most 3"]


def test_a_killed_guard_takes_its_server_along(tmp_path: Path) -> None:
    watch = Watch(start_s=20, every_s=60, poll_s=0.05, restarts=3)
    with supervised(tmp_path, watch=watch) as (running, told):
        assert running.process
        running.process.kill()
        assert ask(running)[0].finished or until(lambda: bool(told))
        assert until(lambda: len(starts(tmp_path)) == 2)
        assert ask(running)[0].finished
        assert not alive(starts(tmp_path)[0])  # or its port could not be taken
    assert told == ["The server ended with status -9: restart 1 of at most 3"]


def test_a_server_that_hangs_later_is_restarted_and_calls_in_flight_are_asked_again(tmp_path: Path) -> None:
    with supervised(tmp_path, "--healthy-from", "2") as (running, told):
        root = running.url.removesuffix("/v1")
        httpx.post(f"{root}/control", json={"faults": ["hang"]})
        assert httpx.get(f"{root}/health").status_code == 200
        assert ask(running)[0].finished
    assert told == ["The server generated no token within 0.5 s: restart 1 of at most 3"]


def test_a_busy_server_is_left_alone(tmp_path: Path) -> None:
    with supervised(tmp_path) as (running, told):
        httpx.post(f"{running.url.removesuffix('/v1')}/control", json={"faults": ["429"]})
        time.sleep(1.0)
        assert told == []
        httpx.post(f"{running.url.removesuffix('/v1')}/control", json={"faults": ["500"]})
        assert until(lambda: bool(told))
    assert "cannot generate (status 500" in told[0]


def test_healthy_pages_without_a_generation_are_no_start(tmp_path: Path) -> None:
    watch = Watch(start_s=1.5)
    with (
        pytest.raises(Fault, match=r"The server generated no token in 1.5 s.*: see .*log, put it right") as raised,
        supervised(tmp_path, "--fault", "hang", watch=watch),
    ):
        pass
    assert "\n" not in str(raised.value)
    assert not any(map(alive, starts(tmp_path)))


def test_a_server_that_ends_at_once_is_told_with_its_last_words(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(Fault, match=r"ended with status 2 \(.*invalid int value"), supervised(tmp_path, "--slots", "x"):
        pass
    assert time.monotonic() - began < 60


def test_it_gives_up_and_callers_hear_of_it(tmp_path: Path) -> None:
    watch = Watch(start_s=20, every_s=60, poll_s=0.05, restarts=3)
    with supervised(tmp_path, "--fault", "die:with=call", watch=watch) as (running, told):
        first, second = ask(running, 2)
        # a request that takes the server down three times is a failure of its own
        assert (first.outcome, first.unusable) == (Outcome.SERVER_ERROR, False)
        assert "connection lost" in first.error
        assert second.unusable
        assert "was restarted 3 times" in second.error
        assert running.given_up == told[-1]
    assert len(told) == 4
    assert not any(map(alive, starts(tmp_path)))


def test_nothing_outlives_a_parent_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from tests.serving.test_supervisor import supervised\n"
        "with supervised(Path(sys.argv[1]), '--worker'):\n    print('up', flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, cwd=PROJECT)
    assert parent.stdout
    assert parent.stdout.readline()
    pids = [*starts(tmp_path), int((tmp_path / "log").read_text().split()[1])]
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert until(lambda: not any(map(alive, pids)), 20)
