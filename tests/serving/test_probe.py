"""Probing: one token proves an endpoint; what is wrong with it is one sentence."""

import asyncio
import http.server
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import Fault, TreebenchError, UserError
from tasks.serving.models import model_spec
from tasks.serving.opening import open_endpoint
from tasks.serving.probe import describe, probe
from tests.stand_in import stand_in


def failure(url: str, deadline: float = 5.0, **more: int) -> TreebenchError:
    with pytest.raises(TreebenchError) as raised:
        asyncio.run(probe(url, "m", deadline=deadline, **more))
    assert str(raised.value).count("\n") == 0
    return raised.value


def test_facts_of_a_server(tmp_path: Path) -> None:
    with stand_in(tmp_path, "--model", "some-model", "--window", "4096", "--slots", "7") as running:
        facts = asyncio.run(probe(running.url, "some-model", window=4096))
        assert facts["models"] == ["some-model"]
        assert facts["window"] == 4096
        assert facts["props"]["total_slots"] == 7
        assert 0 < facts["first_token_s"] < 5
        assert running.stats()["received"] == 1


def test_down() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    error = failure(url)
    assert isinstance(error, Fault)
    assert str(error).startswith(f"No model server answers at {url} (")
    assert "--endpoint" in str(error)


def test_hangs_behind_a_healthy_page(tmp_path: Path) -> None:
    with stand_in(tmp_path, "--fault", "hang") as running:
        started = time.monotonic()
        error = failure(running.url, deadline=0.5)
        assert time.monotonic() - started < 60
        assert isinstance(error, Fault)
        assert "accepts connections but generated no token within 0.5 s" in str(error)


def test_a_web_page(tmp_path: Path) -> None:
    with stand_in(tmp_path, "--fault", "html") as running:
        error = failure(running.url)
        assert isinstance(error, UserError)
        assert "There is no chat endpoint at" in str(error)
        assert "web page" in str(error)


def test_another_path(tmp_path: Path) -> None:
    with stand_in(tmp_path) as running:
        error = failure(running.url + "/elsewhere")
        assert isinstance(error, UserError)
        assert "status 404" in str(error)


@contextmanager
def mute_server(answer: bytes) -> Iterator[str]:
    """Speaks no HTTP at all."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                connection.recv(65536)
                connection.sendall(answer)
                connection.close()

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


def test_something_that_speaks_no_http() -> None:
    with mute_server(b"220 mail.example.org ESMTP\r\n") as url:
        assert "No model server answers" in str(failure(url))


def test_a_static_file_server() -> None:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        error = failure(f"http://127.0.0.1:{server.server_address[1]}")
        server.shutdown()
    assert "501" in str(error)


def test_a_smaller_window_than_promised_is_refused(tmp_path: Path) -> None:
    with stand_in(tmp_path, "--window", "4096") as running:
        error = failure(running.url, window=8192)
        assert isinstance(error, UserError)
        assert "has a window of 4096 tokens where the model specification says 8192" in str(error)


def test_a_given_address_is_used_for_any_kind_of_model(tmp_path: Path) -> None:
    served = "smollm2-135m-instruct"
    with (
        stand_in(tmp_path, "--model", served) as running,
        open_endpoint(model_spec("embedded"), running.url) as endpoint,
    ):
        assert endpoint.url == endpoint.server == running.url
        assert endpoint.model == served
        assert endpoint.window == 8192
        assert endpoint.facts["models"] == [served]


@pytest.mark.parametrize(
    "served", ["memagent-7b", "BytedTsinghua-SIA/RL-MemoryAgent-7B", "/weights/RL-MemoryAgent-7B/"]
)
def test_a_model_goes_by_its_served_name_its_hub_name_or_its_path(tmp_path: Path, served: str) -> None:
    with stand_in(tmp_path, "--model", served) as running, open_endpoint(model_spec("memagent-7b"), running.url):
        pass


def test_a_server_of_another_model_is_refused(tmp_path: Path) -> None:
    with (
        stand_in(tmp_path, "--model", "qwen2.5-7b") as running,
        pytest.raises(
            UserError, match=r"serves qwen2.5-7b, where model specification memagent-7b names memagent-7b: .*"
        ),
        open_endpoint(model_spec("memagent-7b"), running.url),
    ):
        pass


@pytest.mark.parametrize("listed", [
    None, 5, "x", [], {}, {"data": None}, {"data": 5}, {"data": "x"}, {"data": [5, None, {}]}, "[" * 100_000, "\xff",
    {"data": [{"id": {"a": 1}, "owned_by": ["x"], "meta": [], "max_model_len": "big"}]},
])  # fmt: skip
def test_lists_of_models_that_are_none_do_no_harm(listed: Any) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = listed if isinstance(listed, str) else json.dumps(listed)
            data = text.encode("latin-1")
            self.send_response(404 if listed is None else 200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    facts = asyncio.run(describe(f"http://127.0.0.1:{server.server_address[1]}"))
    server.shutdown()
    server.server_close()
    assert all(isinstance(name, str) for name in facts["models"])
    assert facts.get("window") is None
    json.dumps(facts)
