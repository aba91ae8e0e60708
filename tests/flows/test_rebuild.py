"""The whole chain with real processes: complete, skipping what is done, two at once, on recorded responses."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tasks.home import Home
from tasks.warehouse import snapshot
from tests.flows.rebuilding import contents, finish, start
from tests.stand_in import stand_in

pytestmark = pytest.mark.timeout(600)


def test_rebuild_then_nothing_left_to_do(fresh_home: Home, tmp_path: Path) -> None:
    with stand_in(tmp_path, "--count-as", "embedded") as server:
        output = finish(start(fresh_home, server.url))
        assert f"database: {fresh_home.snapshot}" in output
        report = Path(output.split("report:")[1].split()[0])
        assert report.read_text().count("sample data")
        calls = len(server.rows("answered"))
        predictions = snapshot.rows(
            fresh_home, "SELECT outcome::VARCHAR AS o, count(*) AS n FROM predictions GROUP BY 1"
        )
        assert sum(row["n"] for row in predictions) == 16
        finish(start(fresh_home, server.url))
        assert len(server.rows("answered")) == calls
        # Two methods may end with the same memory and then ask the same: what may not come twice is a request's id.
        requests = snapshot.rows(fresh_home, "SELECT request_id FROM model_calls")
        assert len(requests) == len({row["request_id"] for row in requests}) == calls


def test_two_flows_at_once_beside_an_open_sql_shell(fresh_home: Home, tmp_path: Path) -> None:
    with stand_in(tmp_path, "--count-as", "embedded", "--delay", "0.1") as server:
        finish(start(fresh_home, server.url, "--tasks", "count"))
        shell = subprocess.Popen(
            [sys.executable, "-m", "flows.command_line", "sql"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert shell.stdin
        shell.stdin.write("SELECT count(*) AS before FROM predictions;\n")
        shell.stdin.flush()
        flows = [start(fresh_home, server.url), start(fresh_home, server.url, "--seed", "7")]
        while any(flow.poll() is None for flow in flows):
            assert snapshot.rows(fresh_home, "SELECT count(*) AS n FROM predictions")[0]["n"] >= 2
            time.sleep(0.5)
        for flow in flows:
            finish(flow)
        shell.stdin.write("SELECT count(*) AS after FROM predictions;\n")
        output, _ = shell.communicate(timeout=60)
        assert shell.returncode == 0
        assert "before" in output
        assert "34" in output.split("after")[1]
        calls = snapshot.rows(fresh_home, "SELECT request_id, outcome::VARCHAR AS outcome FROM model_calls")
        assert {call["outcome"] for call in calls} <= {"stop", "length"}
        # Runs of different dataset versions may ask the same; within a run every request was answered once.
        assert len(calls) == len({call["request_id"] for call in calls}) == len(server.rows("answered"))


def test_the_live_database_comes_back_from_the_journal(fresh_home: Home, tmp_path: Path) -> None:
    with stand_in(tmp_path, "--count-as", "embedded") as server:
        finish(start(fresh_home, server.url, "--tasks", "count", "--tasks", "fields_1"))
    before = contents(fresh_home)
    fresh_home.live.resolve().unlink()
    fresh_home.snapshot.unlink()
    command = [sys.executable, "-m", "flows.command_line", "recover"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert contents(fresh_home) == before


def test_the_same_rebuild_on_recorded_responses(fresh_home: Home, tmp_path: Path, recordings: Path) -> None:
    with stand_in(tmp_path, "--count-as", "embedded") as server:
        finish(start(fresh_home, server.url, "--mirror", str(recordings), "--lengths", "4096"))
    found = snapshot.rows(fresh_home, "SELECT source, sum(records) AS n FROM payloads WHERE NOT sample GROUP BY 1")
    assert {row["source"] for row in found} == {"usgs", "nvd", "crossref"}
    assert snapshot.rows(fresh_home, "SELECT count(*) AS n FROM predictions")[0]["n"] == 16
    assert not snapshot.rows(fresh_home, "FROM validations WHERE NOT passed")


def test_a_dead_endpoint_is_named(fresh_home: Home) -> None:
    process = start(fresh_home, "http://127.0.0.1:9/v1", "--tasks", "count")
    output, _ = process.communicate(timeout=280)
    assert process.returncode == 1
    assert "No model server answers at http://127.0.0.1:9/v1" in output.splitlines()[-1]
    assert "Traceback" not in output
