"""Many connections to one server at little cost.

The connection pool of httpx looks at every connection it has for each request and again for each response: with 256
calls in flight that is 10 ms of computing a call, and it grows with their square. So each request borrows a transport
for itself, the one that was given back last, with a single connection in it.
"""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import httpx


class Connections:
    """Transports to one server, as many as there are requests at a time."""

    def __init__(self, *, secure: bool, keepalive_s: float, proxy: str | None = None):
        """`secure`: the address is https. `keepalive_s`: how long an idle connection is used again (seconds)."""
        # The certificates of the machine take 0.1 s to read: not for an address that has no use for them.
        self._context = httpx.create_ssl_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._limits = httpx.Limits(max_keepalive_connections=1, keepalive_expiry=keepalive_s)
        self._proxy = proxy
        self._idle: list[httpx.AsyncHTTPTransport] = []
        self.opened = 0
        """Transports made so far."""

    @contextmanager
    def lent(self) -> Iterator[httpx.AsyncHTTPTransport]:
        """A transport that nobody else uses meanwhile; its response must be closed before it is given back."""
        transport = self._idle.pop() if self._idle else self._made()
        try:
            yield transport
        finally:
            self._idle.append(transport)

    def _made(self) -> httpx.AsyncHTTPTransport:
        self.opened += 1
        return httpx.AsyncHTTPTransport(verify=self._context, limits=self._limits, proxy=self._proxy)

    async def aclose(self) -> None:
        """Close all connections."""
        while self._idle:
            await self._idle.pop().aclose()
