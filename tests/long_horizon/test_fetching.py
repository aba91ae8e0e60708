"""Fetching from a hostile web: each test tries to get in, or to keep the fetcher busy for ever."""

import asyncio
import contextlib
import gzip
import socket
import threading
import time
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote

import httpcore
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.long_horizon.tools.addresses import Door, public, resolve
from tasks.long_horizon.tools.fetching import Fetched, Fetcher
from tasks.long_horizon.tools.toolbox import ToolFailed

PUBLIC = "93.184.216.34"


@pytest.mark.parametrize("address", [
    "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::", "::1", "fe80::1",
    "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
    "2002:7f00:1::", "2002:a00:1::", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2001:db8::1", "2001:0:7f00:1::",
    "::7f00:1", "::127.0.0.1", "64:ff9b:1::7f00:1", "fe80::5efe:7f00:1", "fec0::1", "192.0.0.1", "192.88.99.1",
    "::ffff:0:127.0.0.1", "2001:10::1", "100::1",
    "not an address", "", "localhost",
])  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not public(address)


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8",
                                     "64:ff9b::808:808", "2002:808:808::"])  # fmt: skip
def test_addresses_that_are_public(address: str) -> None:
    assert public(address)


@pytest.mark.parametrize("host", ["127.1", "0x7f.1", "2130706433", "017700000001", "localhost", "0"])
def test_odd_spellings_of_the_own_machine_are_seen_through(host: str) -> None:
    try:
        addresses = asyncio.run(resolve(host, 80))
    except ToolFailed:
        return  # not known to this system: refused as well
    assert not any(map(public, addresses))


class Hostile(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        pass

    def reply(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def do_GET(self) -> None:
        what, _, rest = self.path[1:].partition("?")
        if what == "page":
            self.reply(f"<p>hello {self.headers['Host']}</p>".encode(), Content_Type="Text/HTML; charset=utf-8")
        elif what == "to":
            self.reply(b"", 302, Location=rest)
        elif what == "raw":
            self.reply(b"", 302, Location=unquote(rest))
        elif what == "round":
            self.reply(b"", 302, Location="/round")
        elif what == "zip":
            self.reply(gzip.compress(b"small" * 100), Content_Encoding="gzip")
        elif what == "bomb":
            self.reply(gzip.compress(b"\0" * 50_000_000, 9), Content_Encoding="gzip")
        elif what == "deflate":
            self.reply(zlib.compress(b"\0" * 50_000_000, 9), Content_Encoding="deflate")
        elif what == "odd":
            self.reply(b"x", Content_Encoding="br")
        elif what == "broken":
            self.reply(b"not gzip", Content_Encoding="gzip")
        elif what == "missing":
            self.reply(b"", 404)
        elif what in ("endless", "drip"):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(b"x" * (1 if what == "drip" else 65536))
                    self.wfile.flush()
                    time.sleep(0.05 if what == "drip" else 0)
            self.close_connection = True


class Tunnel(httpcore.AsyncNetworkBackend):
    """Stands for the internet: whatever public address is connected to, the hostile server answers."""

    def __init__(self, port: int):
        self.port = port
        self.connected: list[str] = []

    async def connect_tcp(self, host, port, timeout=None, local_address=None, socket_options=None):
        self.connected.append(host)
        return await httpcore.AnyIOBackend().connect_tcp("127.0.0.1", self.port, timeout)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()


def fetch(port: int, url: str, *, names: dict | None = None, **limits) -> tuple[Fetched | str, list[str]]:
    """What came, or the sentence of the refusal; and the addresses that were connected to."""
    tunnel = Tunnel(port)

    async def known(host: str, port: int) -> list[str]:
        found = (names or {}).get(host, [PUBLIC])
        return found.pop(0) if found and isinstance(found[0], list) else found

    fetcher = Fetcher(door=Door(known, tunnel), **{"seconds": 5.0, "megabytes": 1.0, **limits})
    try:
        return asyncio.run(fetcher.get(url)), tunnel.connected
    except ToolFailed as error:
        return str(error), tunnel.connected


def test_a_page_with_its_kind_and_host(port: int) -> None:
    found, connected = fetch(port, "http://site.example/page")
    assert found == Fetched("http://site.example/page", "text/html", b"<p>hello site.example</p>")
    assert connected == [PUBLIC]


@pytest.mark.parametrize("url", [
    "file:///etc/passwd", "ftp://site.example/x", "gopher://site.example/", "data:text/html,x", "javascript:alert(1)",
    "//site.example/page", "site.example/page", "", "http://", "http:///etc/passwd", "http://[::1", "unix:///run/x",
])  # fmt: skip
def test_other_schemes_and_shapes(port: int, url: str) -> None:
    found, connected = fetch(port, url)
    assert isinstance(found, str)
    assert connected == []


@pytest.mark.parametrize("url", ["http://user:secret@site.example/page", "http://127.0.0.1:80@site.example/page"])
def test_user_names_in_addresses(port: int, url: str) -> None:
    found, connected = fetch(port, url)
    assert "user name" in str(found)
    assert "secret" not in str(found)
    assert connected == []


@pytest.mark.parametrize("number", [22, 25, 3306, 6379, 11434])
def test_ports_of_other_services(port: int, number: int) -> None:
    assert fetch(port, f"http://site.example:{number}/page") == (f"port {number} of site.example is refused", [])


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "169.254.169.254", "10.1.2.3", "[::ffff:127.0.0.1]", "0x7f.1"])
def test_private_hosts(host: str) -> None:
    """With the system's own resolver and network: nothing is injected."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        fetcher = Fetcher(seconds=5.0, ports=frozenset({80, server.getsockname()[1]}))
        with pytest.raises(ToolFailed, match=r"not on the public internet|is not known|no address"):
            asyncio.run(fetcher.get(f"http://{host}:{server.getsockname()[1]}/"))
        server.settimeout(0.05)
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_name_that_leads_inside(port: int) -> None:
    found, connected = fetch(port, "http://inside.example/page", names={"inside.example": ["10.0.0.7"]})
    assert "not on the public internet" in str(found)
    assert connected == []


def test_a_name_with_a_public_and_a_private_address(port: int) -> None:
    found, connected = fetch(port, "http://both.example/page", names={"both.example": [PUBLIC, "127.0.0.1"]})
    assert "not on the public internet" in str(found)
    assert connected == []


@pytest.mark.parametrize("to", ["http://127.0.0.1/page", "http://inside.example/page", "http://169.254.169.254/latest",
                                "file:///etc/passwd", "http://site.example:22/"])  # fmt: skip
def test_a_redirect_that_leads_inside(port: int, to: str) -> None:
    names = {"inside.example": ["192.168.0.1"], "127.0.0.1": ["127.0.0.1"], "169.254.169.254": ["169.254.169.254"]}
    found, connected = fetch(port, f"http://site.example/to?{to}", names=names)
    assert isinstance(found, str)
    assert connected == [PUBLIC]


def test_a_name_that_changes_its_address_is_connected_as_it_was_checked(port: int) -> None:
    """DNS rebinding: public at the first question, private at every later one."""
    names = {"flip.example": [[PUBLIC], ["127.0.0.1"], ["127.0.0.1"]]}
    found, connected = fetch(port, "http://flip.example/page", names=names)
    assert isinstance(found, Fetched)
    assert connected == [PUBLIC]
    found, connected = fetch(port, "http://flip.example/to?http://flip.example/page", names={
        "flip.example": [[PUBLIC], ["127.0.0.1"]]})  # fmt: skip
    assert "not on the public internet" in str(found)
    assert connected == [PUBLIC]


@pytest.mark.parametrize("to", ["http://[::1", "http://[v1.x]/", "//[", "http://a.example:99999999/", "\\\\x\\y", "?",
                                "http://%00/", "http://a..example/page", "http://\u2100.example/"])  # fmt: skip
def test_a_redirect_to_something_that_is_no_address(port: int, to: str) -> None:
    found, _ = fetch(port, f"http://site.example/raw?{quote(to)}")
    assert isinstance(found, (str, Fetched))


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=40), st.sampled_from(["", "http://", "http://a.example/", "http://a.example:", "https://[", "//"])
)
def test_no_address_whatever_ends_a_run(url: str, before: str) -> None:
    """Whatever a model or a page gives as an address, a sentence comes back and no other exception."""

    class Silent(httpcore.AsyncNetworkBackend):
        async def connect_tcp(self, host, port, timeout=None, local_address=None, socket_options=None):
            raise httpcore.ConnectError("nobody is there")

    async def known(host: str, port: int) -> list[str]:
        host.encode("idna")
        return [PUBLIC]

    with pytest.raises(ToolFailed):
        asyncio.run(Fetcher(door=Door(known, Silent()), seconds=5.0).get(before + url))


def test_a_host_whose_first_address_does_not_answer(port: int) -> None:
    class Half(Tunnel):
        async def connect_tcp(self, host, port, timeout=None, local_address=None, socket_options=None):
            if ":" in host:
                self.connected.append(host)
                raise httpcore.ConnectError("no route")
            return await super().connect_tcp(host, port, timeout)

    six = "2606:2800:220:1:248:1893:25c8:1946"

    async def known(host: str, port: int) -> list[str]:
        return [six, PUBLIC] if host == "two.example" else [six]

    tunnel = Half(port)
    fetcher = Fetcher(door=Door(known, tunnel), seconds=5.0)
    assert asyncio.run(fetcher.get("http://two.example/page")).kind == "text/html"
    assert tunnel.connected == [six, PUBLIC]
    with pytest.raises(ToolFailed, match="cannot be reached"):
        asyncio.run(fetcher.get("http://one.example/page"))


def test_redirects_are_followed_and_end(port: int) -> None:
    found, connected = fetch(port, "http://a.example/to?http://b.example/page")
    assert isinstance(found, Fetched)
    assert found.url == "http://b.example/page"
    found, connected = fetch(port, "http://a.example/round", redirects=3)
    assert (found, len(connected)) == ("http://a.example/round: more than 3 redirects", 4)


@pytest.mark.parametrize("what", ["endless", "bomb", "deflate"])
def test_endless_and_exploding_bodies(port: int, what: str) -> None:
    assert fetch(port, f"http://a.example/{what}")[0] == f"http://a.example/{what} is larger than 1 MB"


def test_a_body_that_drips(port: int) -> None:
    began = time.monotonic()
    assert fetch(port, "http://a.example/drip", seconds=0.5)[0] == "http://a.example/drip did not answer within 0.5 s"
    assert time.monotonic() - began < 3


@pytest.mark.parametrize(("what", "sentence"), [("odd", "encoded as br"), ("broken", "cannot be decompressed"),
                                                ("missing", "status 404")])  # fmt: skip
def test_other_failures_are_sentences(port: int, what: str, sentence: str) -> None:
    assert sentence in str(fetch(port, f"http://a.example/{what}")[0])


def test_compressed_pages_are_read(port: int) -> None:
    found, _ = fetch(port, "http://a.example/zip")
    assert isinstance(found, Fetched)
    assert found.body == b"small" * 100


def test_international_and_odd_addresses(port: int) -> None:
    found, _ = fetch(port, "http://bücher.example/page?ü=1")
    assert isinstance(found, Fetched)
    assert found.body == b"<p>hello xn--bcher-kva.example</p>"


def test_a_header_that_smuggles_a_request(port: int) -> None:
    found, _ = fetch(port, "http://a.example/page\r\nX-Evil: 1\r\n\r\nGET /x", seconds=0.5)
    assert isinstance(found, (str, Fetched))
    if isinstance(found, Fetched):
        assert b"hello a.example" in found.body
