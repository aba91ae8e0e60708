"""Many connections to one server at little cost.

The connection pool of httpx looks at every connection it has for each request and again for each response: with 256
calls in flight that is 10 ms of computing a call, and it grows with their square. Spread over small pools it is 1 ms.
"""

import itertools

import httpx

EACH = 8
"""Connections of one pool, about."""


class SpreadTransport(httpx.AsyncBaseTransport):
    """Sends requests through many small pools in turn."""

    def __init__(self, connections: int, keepalive_s: float):
        """`connections` is how many may be open at a time, `keepalive_s` how long an idle one is kept (seconds)."""
        context = httpx.create_ssl_context()
        limits = httpx.Limits(
            max_connections=None, max_keepalive_connections=4 * EACH, keepalive_expiry=keepalive_s
        )  # the pools never queue: callers hold the limit
        count = max(1, -(-connections // EACH))
        self._pools = [httpx.AsyncHTTPTransport(verify=context, limits=limits) for _ in range(count)]
        self._turn = itertools.cycle(self._pools)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request` through the next pool."""
        return await next(self._turn).handle_async_request(request)

    async def aclose(self) -> None:
        """Close all connections."""
        for pool in self._pools:
            await pool.aclose()
