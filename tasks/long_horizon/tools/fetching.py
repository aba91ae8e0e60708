"""Fetches a page of the public web: http and https only, bounded in size, time and redirects."""

import asyncio
import zlib
from collections.abc import AsyncIterable
from dataclasses import dataclass, field
from urllib.parse import quote, urljoin, urlsplit

import httpcore

from tasks.long_horizon.tools.addresses import Door
from tasks.long_horizon.tools.toolbox import ToolFailed

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Fetched:
    """What a server sent."""

    url: str
    """Address after redirects."""
    kind: str
    """Content type without its parameters, in lower case."""
    body: bytes


@dataclass
class Fetcher:
    """Fetches pages. Every connection, those of redirects too, goes through `door`."""

    agent: str = "treebench"
    """User agent."""
    megabytes: float = 10.0
    """Size of a body at most, before and after decompression."""
    seconds: float = 30.0
    """For a page, redirects included."""
    redirects: int = 5
    ports: frozenset[int] = frozenset({80, 443, 8080, 8443})
    door: httpcore.AsyncNetworkBackend = field(default_factory=Door)

    async def get(self, url: str) -> Fetched:
        """The page at `url`; raises `ToolFailed` in one sentence where there is none, or where it is refused."""
        try:
            async with asyncio.timeout(self.seconds):
                return await self._follow(url)
        except TimeoutError:
            raise ToolFailed(f"{_short(url)} did not answer within {self.seconds:g} s") from None

    async def _follow(self, url: str) -> Fetched:
        for _ in range(self.redirects + 1):
            self._check(url)
            try:
                found = await self._one(url)
            except (httpcore.TimeoutException, httpcore.NetworkError) as error:
                raise ToolFailed(f"{_short(url)} cannot be reached ({type(error).__name__})") from None
            except (httpcore.ProtocolError, httpcore.UnsupportedProtocol, ValueError) as error:
                raise ToolFailed(f"{_short(url)} does not speak HTTP ({type(error).__name__})") from None
            if isinstance(found, Fetched):
                return found
            url = found
        raise ToolFailed(f"{_short(url)}: more than {self.redirects} redirects")

    def _check(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            raise ToolFailed(f"{_short(url)} is no address of a web page") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ToolFailed(f"{_short(url)} is no address of a web page: it must begin with http:// or https://")
        if parts.username is not None or parts.password is not None:
            raise ToolFailed(f"the address of {parts.hostname} holds a user name: such addresses are refused")
        if port not in self.ports:
            raise ToolFailed(f"port {port} of {parts.hostname} is refused")

    async def _one(self, url: str) -> Fetched | str:
        """The page, or the address that it redirects to."""
        try:
            parsed = httpcore.URL(_ascii(url))
            headers = [
                ("Host", urlsplit(_ascii(url)).netloc), ("User-Agent", self.agent),
                ("Accept", "text/html,application/pdf,text/*;q=0.9"), ("Accept-Encoding", "gzip, deflate"),
            ]  # fmt: skip
        except (ValueError, UnicodeError):
            raise ToolFailed(f"{_short(url)} is no address of a web page") from None
        timeouts = {"connect": self.seconds, "read": self.seconds, "write": self.seconds, "pool": self.seconds}
        async with (
            httpcore.AsyncConnectionPool(network_backend=self.door, max_keepalive_connections=0) as pool,
            pool.stream("GET", parsed, headers=headers, extensions={"timeout": timeouts}) as response,
        ):
            said = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            if response.status in _REDIRECTS and "location" in said:
                return urljoin(url, said["location"])
            if response.status >= 400:
                raise ToolFailed(f"{_short(url)} answered with status {response.status}")
            body = await self._body(url, response.aiter_stream(), said.get("content-encoding", "identity").lower())
        return Fetched(url, said.get("content-type", "text/html").partition(";")[0].strip().lower(), body)

    async def _body(self, url: str, chunks: AsyncIterable[bytes], encoding: str) -> bytes:
        most = int(self.megabytes * 1e6)
        if encoding in ("gzip", "x-gzip"):
            inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        elif encoding == "deflate":
            inflate = zlib.decompressobj()
        elif encoding in ("identity", ""):
            inflate = None
        else:
            raise ToolFailed(f"{_short(url)} is encoded as {encoding[:20]}, which is not understood")
        body = bytearray()
        received = 0
        async for chunk in chunks:
            received += len(chunk)
            try:
                body += chunk if inflate is None else inflate.decompress(chunk, most + 1 - len(body))
            except zlib.error:
                raise ToolFailed(f"{_short(url)} cannot be decompressed") from None
            if received > most or len(body) > most:
                raise ToolFailed(f"{_short(url)} is larger than {self.megabytes:g} MB")
        return bytes(body)


def _ascii(url: str) -> str:
    """A URL with its host in IDNA and everything else percent-encoded."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        host.encode("ascii")
    except UnicodeEncodeError:
        host = host.encode("idna").decode("ascii")
    netloc = f"[{host}]" if ":" in host else host
    if parts.port:
        netloc += f":{parts.port}"
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    return f"{parts.scheme}://{netloc}{path}{'?' + query if query else ''}"


def _short(url: str) -> str:
    return url if len(url) <= 200 else url[:197] + "..."
