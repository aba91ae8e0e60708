"""The real embedded server: starts, generates, and never outlives its parent."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tasks import downloads
from tasks.errors import Fault, UserError
from tasks.home import home
from tasks.serving import embedded
from tasks.serving.chat import ChatRequest, Message, Outcome
from tasks.serving.endpoint import Endpoint
from tasks.serving.models import model_spec
from tasks.serving.opening import open_endpoint
from tasks.serving.supervisor import Watch


@pytest.fixture
def weights() -> Path:
    return downloads.path_of(downloads.SMOLLM2, home())


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def test_it_generates_the_same_again_and_stops(weights: Path) -> None:
    spec = model_spec("embedded").model_copy(update={"window": 1024, "slots": 2})
    request = ChatRequest((Message("user", "Repeat after me: red green blue"),), max_tokens=12, seed=42)

    async def twice(endpoint):
        async with endpoint:
            return await asyncio.gather(endpoint.chat(request), endpoint.chat(request))

    with open_endpoint(spec) as endpoint:
        first, second = asyncio.run(twice(endpoint))
        facts = endpoint.facts
    assert first.text
    assert (first.text, first.usage.prompt_tokens) == (second.text, second.usage.prompt_tokens)
    assert facts["engine"].startswith("xllamacpp ")
    assert endpoint.server == f"embedded {spec.model} on {socket.gethostname()}"  # not by its port
    assert facts["window"] == 1024


def test_overflow_as_the_real_server_says_it(weights: Path) -> None:
    with embedded.serve(weights, "m", window=512, slots=1) as server:

        async def ask(text: str, tokens: int):
            async with Endpoint(server.url, "m") as endpoint:
                return await endpoint.chat(ChatRequest((Message("user", text),), max_tokens=tokens))

        assert asyncio.run(ask("word " * 600, 8)).outcome is Outcome.OVERFLOW
        assert asyncio.run(ask("Say hi", 2)).outcome is Outcome.LENGTH


def test_it_ends_with_a_parent_that_is_killed(weights: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from tasks.serving import embedded\n"
        "with embedded.serve(Path(sys.argv[1]), 'm', window=256, slots=1) as server:\n"
        "    print(server.process.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(weights)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    child = int(parent.stdout.readline())
    assert alive(child)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    until = time.monotonic() + 10
    while alive(child) and time.monotonic() < until:
        time.sleep(0.1)
    assert not alive(child)


def test_an_interrupt_at_the_keyboard_is_left_to_the_parent(weights: Path) -> None:
    with embedded.serve(weights, "m", window=256, slots=1) as server:
        server.process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert server.process.poll() is None
    assert server.process.returncode == 0


def test_weights_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + b"\0" * 100)
    with (
        pytest.raises(Fault, match=r"The embedded model server ended with status 1 .* see .*embedded.log") as raised,
        embedded.serve(path, "m", window=256, slots=1),
    ):
        pass
    assert "\n" not in str(raised.value)


def test_weights_that_are_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEBENCH_HOME", str(tmp_path))
    with pytest.raises(UserError, match="treebench models fetch"), open_endpoint(model_spec("embedded")):
        pass


def test_it_comes_back_at_the_same_address_when_it_dies(weights: Path) -> None:
    told: list[str] = []
    watch = Watch(poll_s=0.1)
    request = ChatRequest((Message("user", "Say hi"),), max_tokens=4)

    async def ask(server):
        async with Endpoint(server.url, "m", patience=server.supervisor.patience) as endpoint:
            return await endpoint.chat(request)

    with embedded.serve(weights, "m", window=256, slots=1, watch=watch, told=told.append) as server:
        before = asyncio.run(ask(server))
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        assert asyncio.run(ask(server)).text == before.text
    assert told == ["The embedded model server ended with status -9: restart 1 of at most 10"]
