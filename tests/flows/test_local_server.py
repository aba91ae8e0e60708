"""One Prefect server for all commands of a home; it outlives a killed command and ends after the last one."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from flows.local_server import answers, prefect_api
from tasks.errors import UserError
from tasks.home import Home

CLIENT = """
import sys
from flows.local_server import prefect_api
from tasks.home import home
with prefect_api(home()) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


def client() -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CLIENT]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_shared_survives_a_kill_and_ends(fresh_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("TREEBENCH_SERVER_LINGER", "2")
    first, second = client(), client()
    assert first.stdout is not None
    assert second.stdout is not None
    url = first.stdout.readline().strip()
    assert second.stdout.readline().strip() == url
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    time.sleep(4)
    assert answers(url)
    server = json.loads((fresh_home.prefect / "server.json").read_text())["pid"]
    second.communicate("")
    for _ in range(150):
        if not answers(url) and not (fresh_home.prefect / "server.json").exists():
            break
        time.sleep(0.2)
    assert not answers(url)
    assert not (fresh_home.prefect / "server.json").exists()
    for _ in range(100):
        if not os.path.exists(f"/proc/{server}"):
            break
        time.sleep(0.1)
    assert not os.path.exists(f"/proc/{server}")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent ended")
def test_a_killed_watcher_leaves_no_server_behind(fresh_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with prefect_api(fresh_home) as url:
        os.kill(json.loads((fresh_home.prefect / "server.json").read_text())["pid"], signal.SIGKILL)
        until = time.monotonic() + 60
        while answers(url):
            assert time.monotonic() < until
            time.sleep(0.2)


def test_a_given_api_is_used_or_named(fresh_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    with pytest.raises(UserError, match="does not answer"), prefect_api(fresh_home):
        pass
    assert not fresh_home.prefect.exists()
