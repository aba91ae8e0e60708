"""Starting SGLang for a specification, with a stand-in for its program."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from tasks.errors import UserError
from tasks.home import Home
from tasks.serving import sglang
from tasks.serving.chat import ChatRequest, Message
from tasks.serving.endpoint import Endpoint
from tasks.serving.models import ModelSpec, model_spec
from tasks.serving.opening import open_endpoint
from tests.stand_in import CHAT_SERVER


@pytest.fixture
def spec(tmp_path: Path) -> ModelSpec:
    text = {
        "title": "x", "kind": "sglang", "model": "served", "hub": "org/name", "revision": "abc", "tokenizer": "qwen",
        "window": 4096, "sglang": {"flags": {"context-length": 4096, "enable-metrics": True, "unset": False}},
    }  # fmt: skip
    (tmp_path / "spec.yaml").write_text(json.dumps(text))
    return model_spec(str(tmp_path / "spec.yaml"))


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes the stand-in the program; returns the file that its starts are noted in."""
    command = f"{sys.executable} {CHAT_SERVER} --starts {tmp_path / 'starts'}"
    monkeypatch.setenv("TREEBENCH_SGLANG", command)
    monkeypatch.setenv("TREEBENCH_SGLANG_ROUTER", command)
    return tmp_path / "starts"


def test_flags_and_what_the_server_says_of_itself(spec: ModelSpec, program: Path, fresh_home: Home) -> None:
    async def ask(endpoint):
        async with endpoint:
            return await endpoint.chat(ChatRequest((Message("user", "hi"),), max_tokens=4))

    with open_endpoint(spec, at=fresh_home) as endpoint:
        assert asyncio.run(ask(endpoint)).finished
        facts = endpoint.facts
    assert facts["models"] == ["served"]
    info = facts["server_info"]
    assert (info["version"], info["model_path"], info["revision"]) == ("stand-in", "org/name", "abc")
    assert (info["context_length"], info["enable_metrics"]) == ("4096", "")
    assert "--unset" not in facts["command"]
    assert (fresh_home.root / "servers" / "spec-1.log").exists()


def test_several_servers_get_gpus_of_their_own_and_a_router(
    spec: ModelSpec, program: Path, fresh_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = spec.model_copy(update={"sglang": spec.sglang.model_copy(update={"servers": 2, "gpus": 2})})
    # The real router names the path of a model, or "unknown": that is no other model than the servers'.
    router = os.environ["TREEBENCH_SGLANG_ROUTER"] + " --router --model org/name"
    monkeypatch.setenv("TREEBENCH_SGLANG_ROUTER", router)
    with sglang.serve(two, fresh_home) as running:
        assert asyncio.run(Endpoint(running.url, two.model, facts=running.facts).changed()) is None
        assert len(running.servers) == 2
        assert running.url not in [server.url for server in running.servers]
        workers = [server.url.removesuffix("/v1") for server in running.servers]
        assert running.facts["router"]["get_server_info"]["worker_urls"] == workers[0]
        assert running.facts["server_info"]["tp_size"] == "2"
    assert [line.split()[1:] for line in program.read_text().splitlines()] == [["0,1"], ["2,3"], []]


def test_what_is_missing(spec: ModelSpec, fresh_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TREEBENCH_SGLANG", raising=False)
    with (
        pytest.raises(UserError, match=r"sglang is not installed here.*TREEBENCH_SGLANG.*--endpoint"),
        open_endpoint(spec, at=fresh_home),
    ):
        pass
    monkeypatch.setenv("TREEBENCH_SGLANG", "/nowhere/python -m sglang.launch_server")
    with (
        pytest.raises(UserError, match="TREEBENCH_SGLANG names the program /nowhere/python"),
        open_endpoint(spec, at=fresh_home),
    ):
        pass
    with (
        pytest.raises(UserError, match="names no hub model"),
        open_endpoint(spec.model_copy(update={"hub": None}), at=fresh_home),
    ):
        pass
