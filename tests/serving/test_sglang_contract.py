"""A real SGLang server of the embedded model on the CPU, and a real router: what other tests play with stand-ins.

Skipped unless TREEBENCH_SGLANG (command) and TREEBENCH_SGLANG_WEIGHTS (folder) are set, and for the router
TREEBENCH_SGLANG_ROUTER (command): see sglang_cpu/README.md.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tasks.errors import UserError
from tasks.home import PROJECT, Home
from tasks.running.counting import prompt_counter
from tasks.serving import sglang
from tasks.serving.chat import ChatReply, ChatRequest, Message, Outcome
from tasks.serving.endpoint import Endpoint
from tasks.serving.models import ModelSpec, Sglang
from tasks.serving.probe import probe
from tests.running.chains import run
from tests.running.test_shard import finished_twice, rows
from tests.stand_in import CHAT_SERVER

pytestmark = pytest.mark.timeout(1800)

STAND_INS = Path(__file__).with_name("sglang_cpu")
WINDOW = 4096


@dataclass
class Served:
    """The server, its specification, and what was told of restarts."""

    spec: ModelSpec
    running: sglang.Running
    told: list[str]
    home: Home

    def endpoint(self, **more) -> Endpoint:
        return Endpoint(
            self.running.url, self.spec.model, patience=self.running.patience, facts=self.running.facts, **more
        )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if not (os.environ.get("TREEBENCH_SGLANG") and os.environ.get("TREEBENCH_SGLANG_WEIGHTS")):
        pytest.skip("needs SGLang and weights for it: see tests/serving/sglang_cpu/README.md")
    spec = ModelSpec(
        name="contract", title="SmolLM2 under SGLang", kind="sglang", model="smollm2",
        hub=os.environ.get("TREEBENCH_SGLANG_WEIGHTS"), tokenizer="smollm2", chat_template="smollm2", window=WINDOW,
        sglang=Sglang(
            start_s=900, restarts=2,
            flags={
                "device": "cpu", "dtype": "float32", "attention-backend": "torch_native",
                "disable-overlap-schedule": True, "context-length": WINDOW, "max-total-tokens": 4 * WINDOW,
                "max-running-requests": 4, "enable-metrics": True, "enable-cache-report": True, "random-seed": 7,
            },
            environment={
                "SGLANG_USE_CPU_ENGINE": "1", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1",
                "PYTHONPATH": str(STAND_INS),
            },
        ),
    )  # fmt: skip
    home = Home(tmp_path_factory.mktemp("home"))
    home.downloads.symlink_to(_downloads())
    told: list[str] = []
    with sglang.serve(spec, home, told.append) as running:
        served = Served(spec, running, told, home)
        yield served
        processes = members(served)
    deadline = time.monotonic() + 30
    while any(map(alive, processes)):
        assert time.monotonic() < deadline, "processes of the server outlive it"
        time.sleep(0.2)


def _downloads() -> Path:
    from tasks.home import home

    return home().downloads.resolve()


def members(served: Served) -> list[int]:
    """Processes of the server: those that the guard started, and theirs."""
    (server,) = served.running.servers
    assert server.process
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    children: dict[int, list[int]] = {}
    for line in listed.splitlines():
        pid, parent = map(int, line.split())
        children.setdefault(parent, []).append(pid)
    found, open_ = [], [server.process.pid]
    while open_:
        found += (own := children.get(open_.pop(), []))
        open_ += own
    return found


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def ask(endpoint: Endpoint, *requests: ChatRequest) -> list[ChatReply]:
    async def go() -> list[ChatReply]:
        async with endpoint:
            return [await endpoint.chat(request) for request in requests]

    return asyncio.run(go())


def user(text: str, tokens: int = 8, **more) -> ChatRequest:
    return ChatRequest((Message("user", text),), tokens, **more)


def test_what_the_server_says_of_itself_is_kept(served: Served) -> None:
    facts = served.running.facts
    assert (facts["software"], facts["models"], facts["window"]) == ("sglang", ["smollm2"], WINDOW)
    assert facts["server_info"]["version"]
    assert (facts["server_info"]["random_seed"], facts["server_info"]["dtype"]) == (7, "float32")
    assert facts["reports_cached_tokens"]
    assert "get_server_info" not in facts
    assert asyncio.run(served.endpoint().changed()) is None
    with pytest.raises(UserError, match=f"window of {WINDOW} tokens where the model specification says 8192"):
        asyncio.run(probe(served.running.url, "smollm2", window=8192))


def test_prompts_are_counted_as_the_server_counts_them(served: Served) -> None:
    count = prompt_counter(served.spec, served.home)
    started = ChatRequest((Message("user", "Say hello."), Message("assistant", "<think>\nShort.\n</think>\n\n")), 4)
    system = ChatRequest((Message("system", "Be short: äöü 漢字 🙂"), Message("user", "  What?\n")), 4)
    replies = ask(served.endpoint(count=count), user("Say hello."), started, system)
    assert [reply.outcome in (Outcome.STOP, Outcome.LENGTH) for reply in replies] == [True] * 3
    assert [reply.prompt_tokens for reply in replies] == [reply.usage.prompt_tokens for reply in replies]


def test_greedy_replies_repeat_and_prefixes_are_cached(served: Served) -> None:
    first, again = ask(served.endpoint(), *[user("List three colours of the rainbow.", 16)] * 2)
    assert first.text == again.text != ""
    assert first.outcome is Outcome.LENGTH
    assert again.usage.cached_tokens > 20


@pytest.mark.parametrize(("words", "tokens"), [(2 * WINDOW, 8), (WINDOW // 2, WINDOW - 100), (1, 2 * WINDOW)])
def test_what_does_not_fit_the_window_is_an_overflow(served: Served, words: int, tokens: int) -> None:
    (reply,) = ask(served.endpoint(), user("word " * words, tokens))
    assert (reply.outcome, reply.attempt) == (Outcome.OVERFLOW, 1), reply.error


def test_a_killed_server_is_restarted_and_no_finished_call_is_repeated(served: Served) -> None:
    (server,) = served.running.servers
    victims = members(served)

    def kill() -> None:
        while len(rows(served.home, "FROM model_calls WHERE outcome IN ('stop', 'length')")) < 3:
            time.sleep(0.1)
        for victim in victims:
            os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    counts = run(served.home, served.running.url, 2, 6, concurrency=2, endpoint=lambda url: served.endpoint())
    killer.join()
    assert counts.total() == 2
    assert set(counts) <= {"stop", "length"}
    assert server.restarts == 1
    assert (
        served.told == [f"{server.what} ended with status 1: restart 1 of at most 2"] or "restart 1" in served.told[0]
    )
    assert finished_twice(served.home) == []
    failed = rows(served.home, "SELECT error FROM model_calls WHERE outcome = 'server_error'")
    assert failed
    assert all(row["error"].startswith(("no connection", "connection lost")) for row in failed)
    assert not any(map(alive, victims))


@pytest.mark.skipif(not os.environ.get("TREEBENCH_SGLANG_ROUTER"), reason="needs sglang-router")
def test_the_real_router_before_two_servers(tmp_path: Path, fresh_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The servers are stand-ins: the router is what is tested. One of them is killed in the middle."""
    command = f"{sys.executable} {CHAT_SERVER} --log {tmp_path / 'log'} --delay 0.02"
    monkeypatch.setenv("TREEBENCH_SGLANG", command)
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    spec = ModelSpec(
        name="routed", title="x", kind="sglang", model="served", hub="org/name", tokenizer="qwen", window=4096,
        chat_arguments={"enable_thinking": False}, sglang=Sglang(servers=2, start_s=120),
    )  # fmt: skip
    told: list[str] = []
    with sglang.serve(spec, fresh_home, told.append, every_s=1.0) as running:

        def endpoint(url: str) -> Endpoint:
            return Endpoint(url, spec.model, facts=running.facts, patience=running.patience)

        assert asyncio.run(endpoint(running.url).changed()) is None
        victim = running.servers[0].process
        assert victim
        timer = threading.Timer(1.0, victim.kill)
        timer.start()
        assert run(fresh_home, running.url, 8, 20, endpoint=endpoint) == {"stop": 8}
        timer.join()
        assert running.servers[0].restarts == 1
    assert finished_twice(fresh_home) == []
    prompts = {row["prompt_sha256"] for row in rows(fresh_home, "FROM model_calls WHERE outcome = 'stop'")}
    seen = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert prompts <= {row["prompt_sha256"] for row in seen if row["event"] == "answered"}
