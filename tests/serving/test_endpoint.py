"""The client against real servers that misbehave: outcomes, attempts, and what is never asked twice."""

import asyncio
import base64
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.errors import UserError
from tasks.serving.chat import ChatReply, ChatRequest, Message, Outcome
from tasks.serving.endpoint import Endpoint, base_url
from tasks.serving.retrying import Patience
from tests.stand_in import StandIn, stand_in

QUICK = Patience(first_pause=0.02)
ASKED = ChatRequest((Message("user", "<problem>depth</problem><memory>depth: 7 km</memory>"),), max_tokens=16, seed=42)


def ask(endpoint: Endpoint, request: ChatRequest = ASKED, attempts: list[ChatReply] | None = None) -> ChatReply:
    async def go() -> ChatReply:
        async with endpoint:
            return await endpoint.chat(request, on_attempt=attempts.append if attempts is not None else None)

    return asyncio.run(go())


def free_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]


@pytest.fixture
def server(tmp_path: Path) -> Callable[..., object]:
    return lambda *arguments: stand_in(tmp_path, *arguments)


def test_an_answer(server) -> None:
    with server() as running:
        reply = ask(Endpoint(running.url, "stand-in"))
        assert (reply.outcome, reply.text, reply.finish_reason, reply.attempt) == (Outcome.STOP, "7 km", "stop", 1)
        assert 0 < reply.latency_s < 5


@pytest.mark.parametrize("fault", ["429", "500", "503", "close", "half"])
def test_failures_of_the_server_are_tried_again_and_every_attempt_is_told(server, fault: str) -> None:
    with server("--fault", f"{fault}:first=2") as running:
        attempts: list[ChatReply] = []
        reply = ask(Endpoint(running.url, "stand-in", patience=QUICK), attempts=attempts)
        assert (reply.outcome, reply.attempt) == (Outcome.STOP, 3)
        assert [attempt.attempt for attempt in attempts] == [1, 2, 3]
        assert [attempt.outcome for attempt in attempts[:2]] == [Outcome.SERVER_ERROR] * 2
        assert len(running.rows()) == 3


def test_the_pause_named_by_the_server_is_kept(server) -> None:
    with server("--fault", "429:first=2") as running:
        started = time.monotonic()
        assert ask(Endpoint(running.url, "stand-in", patience=QUICK)).finished
        assert time.monotonic() - started >= 0.4


@pytest.mark.parametrize(("fault", "requests"), [("500", 6), ("429", 6), ("close", 3), ("half", 3)])
def test_trying_again_is_bounded(server, fault: str, requests: int) -> None:
    with server("--fault", fault) as running:
        reply = ask(Endpoint(running.url, "stand-in", patience=Patience(first_pause=0.01, longest_pause=0.02)))
        assert (reply.outcome, reply.attempt, reply.unusable) == (Outcome.SERVER_ERROR, requests, False)
        assert len(running.rows()) == requests


@pytest.mark.parametrize(("fault", "outcome", "unusable"), [
    ("notjson", Outcome.SERVER_ERROR, False), ("nochoices", Outcome.SERVER_ERROR, False),
    ("400", Outcome.SERVER_ERROR, False),
    ("html", Outcome.SERVER_ERROR, True), ("404", Outcome.SERVER_ERROR, True), ("401", Outcome.SERVER_ERROR, True),
    ("overflow", Outcome.OVERFLOW, False), ("abort", Outcome.ABORTED, False),
])  # fmt: skip
def test_what_another_attempt_cannot_change_is_asked_once(server, fault, outcome, unusable) -> None:
    with server("--fault", fault) as running:
        reply = ask(Endpoint(running.url, "stand-in", patience=QUICK))
        assert (reply.outcome, reply.unusable, reply.attempt) == (outcome, unusable, 1)
        assert len(running.rows()) == 1


def test_a_hang_ends_at_the_deadline_and_is_not_asked_again(server) -> None:
    with server("--fault", "hang") as running:
        started = time.monotonic()
        reply = ask(Endpoint(running.url, "stand-in", deadline=0.5, patience=QUICK))
        assert reply.outcome is Outcome.TIMEOUT
        assert 0.4 < time.monotonic() - started < 60
        assert len(running.rows()) == 1


def test_nobody_listens() -> None:
    attempts: list[ChatReply] = []
    endpoint = Endpoint(f"http://127.0.0.1:{free_port()}", "m", patience=Patience(attempts=3, first_pause=0.01))
    reply = ask(endpoint, attempts=attempts)
    assert (reply.outcome, reply.unusable) == (Outcome.SERVER_ERROR, True)
    assert [attempt.unusable for attempt in attempts] == [False, False, True]
    assert "no connection to http://127.0.0.1" in reply.error


def test_a_server_that_starts_late_is_waited_for(tmp_path: Path) -> None:
    port = free_port()

    async def go() -> ChatReply:
        async with Endpoint(
            f"http://127.0.0.1:{port}", "m", patience=Patience(first_pause=0.3, attempts=8)
        ) as endpoint:
            call = asyncio.create_task(endpoint.chat(ASKED))
            await asyncio.sleep(0.1)
            with stand_in(tmp_path, "--port", str(port)) as running:
                assert isinstance(running, StandIn)
                return await call

    assert asyncio.run(go()).text == "7 km"


def count(messages, arguments) -> int:
    return 10


def test_a_prompt_that_cannot_fit_the_window_is_never_sent(server) -> None:
    with server() as running:
        attempts: list[ChatReply] = []
        reply = ask(Endpoint(running.url, "m", window=25, count=count), attempts=attempts)
        assert reply.outcome is Outcome.OVERFLOW
        assert reply.error == "10 prompt tokens and up to 16 generated exceed the window 25"
        assert attempts == [reply]
        assert running.rows() == []
        assert ask(Endpoint(running.url, "m", window=26, count=count)).finished


def test_another_count_than_the_servers_makes_it_unusable(server) -> None:
    with server("--prompt-tokens", "11") as running:
        reply = ask(Endpoint(running.url, "m", count=count))
        assert (reply.outcome, reply.unusable, reply.text != "") == (Outcome.SERVER_ERROR, True, True)
        assert "where tokenizer and chat template of the model specification give 10" in reply.error


def test_many_at_once_share_one_client(server) -> None:
    async def go(url: str) -> list[ChatReply]:
        requests = [ChatRequest((Message("user", f"prompt {n}"),), max_tokens=8) for n in range(200)]
        async with Endpoint(url, "m") as endpoint:
            return await asyncio.gather(*map(endpoint.chat, requests))

    with server("--delay", "0.2") as running:
        replies = asyncio.run(go(running.url))
        assert {reply.outcome for reply in replies} == {Outcome.STOP}
        assert len({reply.text for reply in replies}) == 200
        assert running.stats()["most_busy"] > 100


@pytest.mark.parametrize(("given", "url"), [
    ("http://h:1", "http://h:1/v1"), ("http://h:1/", "http://h:1/v1"), ("http://h:1/v1/", "http://h:1/v1"),
    ("http://h:1/v1/chat/completions", "http://h:1/v1"), ("https://h/api/v3", "https://h/api/v3"),
])  # fmt: skip
def test_addresses(given: str, url: str) -> None:
    assert base_url(given) == url


@pytest.mark.parametrize("given", ["", "localhost:8000", "ftp://h", "http://", "127.0.0.1"])
def test_what_is_no_address(given: str) -> None:
    with pytest.raises(UserError, match="is no address of a model server"):
        base_url(given)


def test_connections_are_used_again(server) -> None:
    async def go(url: str) -> tuple[int, set[int]]:
        request = ChatRequest((Message("user", "hi"),), max_tokens=8)
        async with Endpoint(url, "m") as endpoint:
            for _ in range(5):
                await asyncio.gather(*(endpoint.chat(request) for _ in range(16)))
            lent = endpoint._connections
            return lent.opened, {len(transport._pool.connections) for transport in lent._idle}

    with server() as running:
        assert asyncio.run(go(running.url)) == (16, {1})


def test_a_remote_endpoint_goes_through_the_proxy_of_the_environment(server, monkeypatch: pytest.MonkeyPatch) -> None:
    with server() as running:
        monkeypatch.setenv("http_proxy", running.url.removesuffix("/v1"))
        reply = ask(Endpoint("http://somewhere.invalid/v1", "m"))
    # the name cannot be looked up: it is the stand-in that was asked, which knows no whole addresses
    assert reply.error.startswith("status 404")


@pytest.mark.parametrize("named", ["socks5://127.0.0.1:1080", "ftp://h:1"])
def test_a_proxy_that_cannot_be_used_is_named(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", named)
    with pytest.raises(UserError, match=f"proxy {named} for http://somewhere.invalid/v1"):
        ask(Endpoint("http://somewhere.invalid/v1", "m"))
    monkeypatch.setenv("no_proxy", "somewhere.invalid")
    assert ask(Endpoint("http://somewhere.invalid/v1", "m", patience=Patience(attempts=1))).error.startswith("no conn")


@pytest.mark.parametrize(("user", "key", "said"), [
    ("", None, None),
    ("", "k1", "Bearer k1"),
    ("ann:p%40ss@", None, f"Basic {base64.b64encode(b'ann:p@ss').decode()}"),
    ("ann@", "k1", f"Basic {base64.b64encode(b'ann:').decode()}"),
])  # fmt: skip
def test_who_asks_is_said(user: str, key: str | None, said: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TREEBENCH_API_KEY", raising=False)
    if key:
        monkeypatch.setenv("TREEBENCH_API_KEY", key)
    heads: list[str] = []

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 401 no\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async def go() -> ChatReply:
        listening = await asyncio.start_server(client, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        async with listening, Endpoint(f"http://{user}127.0.0.1:{port}", "m") as endpoint:
            return await endpoint.chat(ChatRequest((Message("user", "hi"),), max_tokens=8))

    assert asyncio.run(go()).error.startswith("status 401")
    found = [line.partition(": ")[2] for line in heads[0].split("\r\n") if line.lower().startswith("authorization:")]
    assert found == ([said] if said else [])
