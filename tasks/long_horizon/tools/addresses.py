"""Which network addresses an agent may reach: public ones, checked where the connection is made.

The address that was checked is the address that is connected to, so a name that resolves to something else a moment
later (DNS rebinding) gains nothing, and every redirect goes through the same door.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import httpcore

from tasks.long_horizon.tools.toolbox import ToolFailed

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Addresses of a host name."""

TRIED = 4
"""Addresses of a host that are tried, one after the other: its first may be of a network that is not here."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_REFUSED = [ipaddress.ip_network(one) for one in ("fec0::/10", "64:ff9b:1::/48", "192.88.99.0/24", "::/96")]
"""Networks that are not public either, though Python (or some version of it) takes them for global ones."""


def public(address: str) -> bool:
    """Whether an IP address is on the public internet; what it embeds (IPv4-mapped, 6to4, Teredo, NAT64) is too.

    Loopback, private, link-local, multicast, reserved and unspecified ones are not, nor is a text that is no address.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner: list[Any] = []
    if isinstance(found, ipaddress.IPv6Address):
        inner = [found.ipv4_mapped, found.sixtofour, *(found.teredo or ())]
        if found in _NAT64:
            inner.append(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF))
    embedded = [one for one in inner if one is not None]
    if embedded:
        return all(public(str(one)) for one in embedded)
    if any(found.version == network.version and found in network for network in _REFUSED):
        return False
    return found.is_global and not (found.is_multicast or found.is_reserved or found.is_unspecified)


async def resolve(host: str, port: int) -> list[str]:
    """Addresses of a host, as the system resolves names and odd spellings such as `0x7f.1`."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise ToolFailed(f"the host {host[:100]} is not known") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Door(httpcore.AsyncNetworkBackend):
    """Connects to public addresses only."""

    def __init__(self, resolve: Resolve = resolve, network: httpcore.AsyncNetworkBackend | None = None):
        self._resolve = resolve
        self._network: Any = network or httpcore.AnyIOBackend()

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:  # fmt: skip
        """A connection to `host`; raises `ToolFailed` where any of its addresses is not public."""
        addresses = await self._resolve(host, port)
        if not addresses or not all(map(public, addresses)):
            raise ToolFailed(f"the host {host[:100]} is not on the public internet: such addresses are refused")
        for address in addresses[:TRIED]:
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if address == addresses[:TRIED][-1]:
                    raise
        raise ToolFailed(f"the host {host[:100]} cannot be reached")

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Refused."""
        raise ToolFailed("local sockets are refused")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
