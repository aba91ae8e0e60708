"""A local HTTP server that answers as a test tells it to."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tasks.collecting.sources import Source, source


@dataclass
class Asked:
    """A request. `query` are its parameters; for a POST `body` is the JSON that it sent."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    method: str = "GET"
    body: Any = None


@dataclass
class Answer:
    """`write` replaces everything behind the headers, for bodies that misbehave."""

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    write: Callable[[Any], None] | None = None


@dataclass
class Service:
    """`answer` is called for each request, `asked` are the requests so far."""

    url: str
    asked: list[Asked] = field(default_factory=list)
    answer: Callable[[Asked], Any] = lambda asked: Answer()

    def as_source(self, name: str, **changes: Any) -> Source:
        """The source with its service here and no waiting between requests."""
        spec = source(name)
        live = spec.live.model_copy(update={"url": self.url, "interval": 0.0} | changes)
        return spec.model_copy(update={"live": live})


@pytest.fixture
def service() -> Iterator[Service]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.respond("GET")

        def do_POST(self) -> None:
            self.respond("POST")

        def respond(self, method: str) -> None:
            parts = urlsplit(self.path)
            query = parse_qsl(parts.query, keep_blank_values=True)
            assert len(query) == len(dict(query)), "a parameter is repeated"
            headers = {key.lower(): value for key, value in self.headers.items()}
            sent = self.rfile.read(int(headers.get("content-length", 0)))
            asked = Asked(parts.path, dict(query), headers, method, json.loads(sent) if sent else None)
            state.asked.append(asked)
            answer = state.answer(asked)
            body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            given = {"content-type": "application/json", **answer.headers}
            if "content-length" not in given and answer.status != 304 and not getattr(answer, "write", None):
                given["content-length"] = str(len(body))
            for name, value in given.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                if getattr(answer, "write", None):
                    answer.write(self.wfile)
                elif answer.status != 304:
                    self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the client had enough

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state = Service(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
