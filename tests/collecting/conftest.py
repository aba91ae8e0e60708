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
    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass
class Answer:
    body: Any = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Service:
    """`answer` is called for each request, `asked` are the requests so far."""

    url: str
    asked: list[Asked] = field(default_factory=list)
    answer: Callable[[Asked], Answer] = lambda asked: Answer()

    def as_source(self, name: str, **changes: Any) -> Source:
        """The source with its service here and no waiting between requests."""
        spec = source(name)
        live = spec.live.model_copy(update={"url": self.url, "interval": 0.0} | changes)
        return spec.model_copy(update={"live": live})


@pytest.fixture
def service() -> Iterator[Service]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = parse_qsl(parts.query, keep_blank_values=True)
            assert len(query) == len(dict(query)), "a parameter is repeated"
            headers = {key.lower(): value for key, value in self.headers.items()}
            asked = Asked(parts.path, dict(query), headers)
            state.asked.append(asked)
            answer = state.answer(asked)
            body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state = Service(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
