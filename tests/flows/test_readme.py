"""Every command block of the README that is marked as runnable, run as written: server, worker, deployment, SQL."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tasks.home import PROJECT, Home
from tasks.warehouse import snapshot
from tests.stand_in import stand_in

pytestmark = pytest.mark.timeout(600)

ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


def blocks() -> list[str]:
    """The blocks marked as runnable, in their order."""
    return re.findall(r"^```bash run\n(.*?)^```", (PROJECT / "README.md").read_text(), re.MULTILINE | re.DOTALL)


def here(block: str, home: Home, port: int) -> str:
    """`block` with the places of this test: its own home, the Python that runs it, a free port."""
    for written, meant in {
        "source .venv/bin/activate": f"PATH={Path(sys.executable).parent}:$PATH",
        "$PWD/.treebench": str(home.root),
        ":4200": f":{port}",
        "prefect server start": f"prefect server start --port {port}",
    }.items():
        block = block.replace(written, meant)
    return block


@contextmanager
def shell(block: str, log: Path, ready: Callable[[str], bool] | None = None) -> Iterator[None]:
    """Run a block in a shell to its end or, where it does not come back, until `ready` likes what it printed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_API")}
    with log.open("w") as output:
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=PROJECT, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        until = time.monotonic() + 180
        while process.poll() is None and not (ready and ready(log.read_text())):
            assert time.monotonic() < until, f"not ready after 180 s:\n{block}\n{log.read_text()}"
            time.sleep(0.2)
        assert process.returncode == (None if ready else 0), f"failed:\n{block}\n{log.read_text()}"
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def test_the_readme_as_written(fresh_home: Home, tmp_path: Path) -> None:
    sql, server, worker = blocks()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    api = httpx.Client(base_url=f"http://127.0.0.1:{port}/api", timeout=30)

    def answers(_: str) -> bool:
        with suppress(httpx.TransportError):
            return api.get("/health").is_success
        return False

    with (
        stand_in(tmp_path, "--count-as", "embedded") as model,
        shell(here(server, fresh_home, port), tmp_path / "server.log", answers),
        shell(here(worker, fresh_home, port), tmp_path / "worker.log", lambda printed: "started!" in printed),
    ):
        deployment = api.get("/deployments/name/rebuild/weekly").json()
        assert [schedule["active"] for schedule in deployment["schedules"]] == [False]
        fields = deployment["parameter_openapi_schema"]["definitions"]["RebuildParameters"]["properties"]
        assert all(field.get("description") for field in fields.values()), "a field of the form explains nothing"
        parameters = {"parameters": {"endpoint": model.url, "tasks": ["count", "fields_1"]}}
        start = f"/deployments/{deployment['id']}/create_flow_run"
        for _ in range(10):  # a server on SQLite that is just starting up may say that its database is locked
            reply = api.post(start, json={"parameters": parameters})
            if reply.status_code < 500:
                break
            time.sleep(1)
        assert reply.is_success, reply.text
        started = reply.json()
        until = time.monotonic() + 240
        while (state := api.get(f"/flow_runs/{started['id']}").json()["state"])["type"] not in ENDED:
            assert time.monotonic() < until, (tmp_path / "worker.log").read_text()
            time.sleep(0.5)
        assert state["type"] == "COMPLETED", (tmp_path / "worker.log").read_text()
        shown = {artifact["key"]: artifact for artifact in api.post("/artifacts/latest/filter", json={}).json()}
        assert json.loads(str(shown["rebuild"]["data"])) == 100.0
        assert "report.html" in shown["report"]["data"]
        assert "Mean answer scores" in shown["report-text"]["data"]
        names = {flow_run["name"] for flow_run in api.post("/flow_runs/filter", json={}).json()}
        assert {"rebuild json over sample with embedded", "run memagent under flat, treeagent with embedded"} <= names
        assert {"rebuilt", "collected", "built", "validated", "sectioned", "run", "scored"} <= set(shown)
    with shell(here(sql, fresh_home, port), tmp_path / "sql.log"):
        printed = (tmp_path / "sql.log").read_text()
    assert "treeagent" in printed
    assert '"example_id"' in printed


@pytest.mark.usefixtures("prefect")
def test_the_composed_flow_as_written(fresh_home: Home, tmp_path: Path) -> None:
    (written,) = re.findall(r"^```python run\n(.*?)^```", (PROJECT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    with stand_in(tmp_path, "--count-as", "embedded") as model:
        block = written.replace("RunParameters(build=version", f'RunParameters(build=version, endpoint="{model.url}"')
        command = [sys.executable, "-c", block]
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=280)
        assert done.returncode == 0, done.stderr
    made = snapshot.rows(
        fresh_home,
        "SELECT parameters->>'seed' AS seed, count(*) AS runs, sum(done)::BIGINT AS done "
        "FROM run_scores JOIN builds USING (build_id) GROUP BY ALL ORDER BY ALL",
    )
    assert made == [{"seed": seed, "runs": 2, "done": 4} for seed in ("1", "2")]
