"""Client of one OpenAI-compatible chat endpoint: every failure becomes an outcome, no work is asked for twice.

One pool of connections for any number of requests at a time, no streaming, one deadline for each attempt.
"""

import asyncio
import base64
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Self
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
import orjson

from tasks.errors import UserError
from tasks.serving import identity
from tasks.serving.chat import ChatReply, ChatRequest, Message, Outcome
from tasks.serving.pool import Connections
from tasks.serving.replies import classify
from tasks.serving.retrying import Again, Patience

CountPrompt = Callable[[Sequence[Message], Mapping[str, Any]], int]
"""Prompt tokens of messages under chat template arguments, all special tokens included."""

Slot = Callable[[], AbstractAsyncContextManager[Any]]
"""Makes the context in which one attempt runs, such as a place within a concurrency limit."""


LOOPBACK = ("127.0.0.1", "localhost", "::1")

IDLE_S = 3.0
"""Seconds after which an idle connection is not used again: common servers close theirs after 5."""

MOST_BYTES = 32 * 2**20
"""A response that is larger, decompressed, is none: a reply of 32,768 tokens has some 200 kB."""

SEAM_TOKENS = 2
"""By how much prompt counts may differ where a reply goes on behind a given start."""


def base_url(url: str) -> str:
    """`http://host:port/v1` for any of the forms in which people give the address of a server.

    Raises `UserError` if it is no http address.
    """
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(f"{url!r} is no address of a model server: give one such as http://127.0.0.1:30000/v1.")
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return f"{parts.scheme}://{parts.netloc}{path or '/v1'}"


@dataclass
class Endpoint:
    """A chat endpoint. Enter it (`async with`) inside the event loop that uses it.

    `count` counts prompts as the server should: then a prompt that cannot fit `window` is an overflow without a
    request, and a reply whose own count differs makes the endpoint unusable.
    """

    url: str
    """Base URL, ending in /v1 or what the server has instead."""
    model: str
    """Served model name."""
    window: int | None = None
    """Tokens of prompt and reply together."""
    count: CountPrompt | None = None
    deadline: float = 600.0
    """Seconds that one attempt may take, connecting included."""
    patience: Patience = field(default_factory=Patience)
    facts: Mapping[str, Any] | None = None
    """What the server reported of itself when it was probed: it must still say so after every lost connection."""
    server: str = ""
    """What the server is called in tables; its address by default."""

    def __post_init__(self) -> None:
        self.url = base_url(self.url)
        self.server = self.server or self.url
        self._connections: Connections | None = None
        self._checking: asyncio.Task[str | None] | None = None

    async def changed(self) -> str | None:
        """What is served differently from what `facts` say; None where nothing is known to be. Never raises."""
        from tasks.serving.probe import describe

        return identity.changed(self.facts, await describe(self.url)) if self.facts else None

    async def _changed_once(self) -> str | None:
        """`changed`, asked once for all calls that lost their connection together."""
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self.changed())
        return await asyncio.shield(self._checking)

    async def __aenter__(self) -> Self:
        connect = min(10.0, self.deadline)
        self._address = httpx.URL(f"{self.url}/chat/completions")
        self._headers = {"Accept-Encoding": "identity", "Content-Type": "application/json", **_authorization(self.url)}
        self._times = {"timeout": httpx.Timeout(None, connect=connect).as_dict()}
        self._connections = Connections(
            secure=self._address.scheme == "https", keepalive_s=IDLE_S, proxy=_proxy(self.url)
        )
        return self

    async def __aexit__(self, *exception: object) -> None:
        if self._connections:
            await self._connections.aclose()
        self._connections = None

    async def chat(
        self,
        request: ChatRequest,
        *,
        first_attempt: int = 1,
        on_attempt: Callable[[ChatReply], None] | None = None,
        slot: Slot = nullcontext,
    ) -> ChatReply:
        """Send `request` until it is answered or trying again is pointless.

        `first_attempt` is the number of the first attempt; `on_attempt` is told of each as it ends; each runs inside
        a `slot()`, pauses do not. Never raises for what a server does: see the outcome of the reply.
        """
        on_attempt = on_attempt or (lambda reply: None)
        tokens = self.count(request.messages, request.arguments) if self.count else None
        if tokens is not None and self.window is not None and tokens + request.max_tokens > self.window:
            error = f"{tokens} prompt tokens and up to {request.max_tokens} generated exceed the window {self.window}"
            reply = ChatReply(Outcome.OVERFLOW, _now(), prompt_tokens=tokens, error=error, attempt=first_attempt)
            on_attempt(reply)
            return reply
        failures = 0
        kinds: Counter[Again] = Counter()
        while True:
            async with slot():
                reply, again, named = await self._attempt(request, tokens)
            failures += 1
            kinds[again] += 1
            pause = self.patience.pause(kinds[again], again, named)
            given_up = self.patience.gone() if again is Again.REFUSED else None
            if given_up:
                reply, pause = replace(reply, error=given_up, unusable=True), None
            gone = pause is None and again is Again.REFUSED and not given_up
            reply = replace(reply, attempt=first_attempt + failures - 1, unusable=reply.unusable or gone)
            if gone:
                reply = replace(reply, error=f"{reply.error}, {failures} times in a row")
            on_attempt(reply)
            if pause is None:
                return reply
            await asyncio.sleep(pause)
            if again in (Again.REFUSED, Again.LOST) and (different := await self._changed_once()):
                error = f"the server at {self.url} came back with another model: {different}"
                return replace(reply, outcome=Outcome.SERVER_ERROR, error=error, unusable=True)

    async def _attempt(self, request: ChatRequest, tokens: int | None) -> tuple[ChatReply, Again, float | None]:
        if self._connections is None:
            raise RuntimeError("Endpoint.chat needs `async with endpoint`")
        started, clock = _now(), time.monotonic()

        def failed(outcome: Outcome, error: str, *, unusable: bool = False) -> ChatReply:
            latency = time.monotonic() - clock
            return ChatReply(outcome, started, prompt_tokens=tokens, latency_s=latency, error=error, unusable=unusable)

        try:
            async with asyncio.timeout(self.deadline):
                response = await self._posted(_json(request.body(self.model)))
        except (TimeoutError, httpx.ReadTimeout, httpx.WriteTimeout):
            return failed(Outcome.TIMEOUT, f"no reply within {self.deadline:g} s"), Again.NO, None
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            return failed(Outcome.SERVER_ERROR, f"no connection to {self.url} ({_reason(error)})"), Again.REFUSED, None
        except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.DecodingError) as error:
            return failed(Outcome.SERVER_ERROR, f"connection lost ({_reason(error)})"), Again.LOST, None
        except httpx.HTTPError as error:
            sentence = f"the server at {self.url} cannot be asked ({_reason(error)})"
            return failed(Outcome.SERVER_ERROR, sentence, unusable=True), Again.NO, None
        if response is None:
            return failed(Outcome.SERVER_ERROR, f"the response has more than {MOST_BYTES:,} bytes"), Again.NO, None
        reply, again, named = classify(response, ChatReply(Outcome.STOP, started, prompt_tokens=tokens))
        reply = replace(reply, latency_s=time.monotonic() - clock)
        if request.start:
            reply = replace(reply, text=reply.text.removeprefix(request.start))  # llama.cpp repeats it, SGLang does not
        reported = reply.usage.prompt_tokens
        # Servers join a given start to the prompt before or after tokenising: a token or two may merge at the seam.
        slack = 0 if request.start is None else SEAM_TOKENS
        if reply.finished and tokens is not None and reported is not None and abs(tokens - reported) > slack:
            sentence = (
                f"the server at {self.url} counts {reported} prompt tokens where tokenizer and chat template of the "
                f"model specification give {tokens}: another model or template is served"
            )
            return replace(reply, outcome=Outcome.SERVER_ERROR, error=sentence, unusable=True), Again.NO, None
        return reply, again, named

    async def _posted(self, body: bytes) -> httpx.Response | None:
        """The response to a request, read to its end; None where it is too large to be a reply."""
        assert self._connections is not None
        # What a client of httpx does beyond this (cookies, redirects, hooks) would be a quarter of the computing.
        request = httpx.Request("POST", self._address, headers=self._headers, content=body, extensions=self._times)
        with self._connections.lent() as transport:
            response = await transport.handle_async_request(request)
            try:
                length = response.headers.get("content-length", "")
                if length.isdecimal() and int(length) <= MOST_BYTES and "content-encoding" not in response.headers:
                    await response.aread()
                    return response
                read = bytearray()
                async for part in response.aiter_bytes():
                    read += part
                    if len(read) > MOST_BYTES:
                        return None
            finally:
                await response.aclose()
        plain = {name: value for name, value in response.headers.items() if name in ("content-type", "retry-after")}
        return httpx.Response(response.status_code, headers=plain, content=bytes(read))


def _authorization(url: str) -> dict[str, str]:
    """What is to be said of who asks: the user named in the address or else the key of the environment."""
    parts = urlsplit(url)
    if parts.username or parts.password:
        user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        return {"Authorization": f"Basic {base64.b64encode(user.encode()).decode()}"}
    key = os.environ.get("TREEBENCH_API_KEY")
    return {"Authorization": f"Bearer {key}"} if key else {}


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for an address. Raises `UserError` where it cannot be used."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    named = None
    if host not in LOOPBACK and not proxy_bypass(f"{host}:{parts.port}" if parts.port else host):
        found = getproxies()
        named = found.get(parts.scheme) or found.get("all")
    if named is None:
        return None
    proxy = named if "://" in named else f"http://{named}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        raise UserError(
            f"The environment names the proxy {named} for {url}, and only http proxies can be used: set "
            f"{parts.scheme}_proxy to one, or add {host} to no_proxy."
        )
    return proxy


def _json(body: dict[str, Any]) -> bytes:
    """The body of a request."""
    try:
        return orjson.dumps(body)
    except TypeError:  # half a character, or a number beyond 64 bits: no prompt of a run, but a reply all the same
        return json.dumps(body).encode()


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def _reason(error: Exception) -> str:
    return str(error).strip() or type(error).__name__
