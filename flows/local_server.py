"""A Prefect server for commands that are given none.

All commands of one home share one server, with the history and the UI of that home. Whoever uses it holds a
shared file lock, which ends with the process even on kill -9; the server stops itself some seconds after the
last lock is gone. `python -m flows.local_server PORT` is the process that watches the lock and owns the server.

Set PREFECT_API_URL and none of this happens.
"""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx

from tasks.errors import Fault, UserError
from tasks.home import Home, home
from tasks.serving.guard import end_with_parent

STARTUP_SECONDS = 180
"""A first start on a fresh home migrates its database: about 25 s on two slow cores, more under load."""


def quiet_environment(prefect_home: Path) -> dict[str, str]:
    """Environment for a server that sends nothing out, keeps its files in `prefect_home` and copes with bursts."""
    return {
        "PREFECT_HOME": str(prefect_home),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "200",
        "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "100",
    }


@contextmanager
def prefect_api(at: Home) -> Iterator[str]:
    """Make a Prefect API available to this process and give its URL.

    Enter before the first import of Prefect: its settings are read then. Raises `UserError` when the API named
    by PREFECT_API_URL does not answer and `Fault` when the local server does not start.
    """
    given = os.environ.get("PREFECT_API_URL")
    if given:
        if not answers(given):
            raise UserError(
                f"The Prefect API at PREFECT_API_URL={given} does not answer: start it with `prefect server start`, "
                "or unset PREFECT_API_URL to have one started for you."
            )
        yield given
        return
    at.prefect.mkdir(parents=True, exist_ok=True)
    with _shared_lock(at):
        url = _started(at)
        os.environ.update({**quiet_environment(at.prefect), "PREFECT_API_URL": url})
        try:
            yield url
        finally:
            os.environ.pop("PREFECT_API_URL", None)


def answers(api_url: str) -> bool:
    """Whether a Prefect API answers at this URL within a few seconds."""
    try:
        reply = httpx.get(f"{api_url.rstrip('/')}/health", timeout=10)
    except (httpx.HTTPError, httpx.InvalidURL):
        return False
    return reply.status_code == 200 and reply.text.strip() == "true"


@contextmanager
def _shared_lock(at: Home) -> Iterator[None]:
    with (at.prefect / "users.lock").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield


def _started(at: Home) -> str:
    """URL of the server of this home; started here if there is none."""
    note = at.prefect / "server.json"
    with (at.prefect / "start.lock").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if note.exists():
            url = json.loads(note.read_text())["url"]
            if answers(url):
                return url
        port = _free_port()
        url = f"http://127.0.0.1:{port}/api"
        log = at.prefect / "server.log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "flows.local_server", str(port)],
                env={**os.environ, "TREEBENCH_HOME": str(at.root)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        deadline = time.monotonic() + STARTUP_SECONDS
        while not answers(url):
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                raise Fault(f"The local Prefect server did not start: read {log}, then run the command again.")
            time.sleep(0.3)
        partial = note.with_suffix(".partial")
        partial.write_text(json.dumps({"url": url, "pid": process.pid}))
        partial.replace(note)
        return url


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def serve(at: Home, port: int) -> None:
    """Run a Prefect server until nobody has held the lock for TREEBENCH_SERVER_LINGER seconds (default 30)."""
    linger = float(os.environ.get("TREEBENCH_SERVER_LINGER", "30"))
    server = subprocess.Popen(
        [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)],
        env={**os.environ, **quiet_environment(at.prefect)},
        process_group=0,
        preexec_fn=partial(end_with_parent, signal.SIGTERM),
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    idle_since = None
    with (at.prefect / "start.lock").open("a") as start:
        try:
            while server.poll() is None:
                time.sleep(min(1.0, linger))
                if _in_use(at):
                    idle_since = None
                elif idle_since is None:
                    idle_since = time.monotonic()
                elif time.monotonic() - idle_since >= linger:
                    # Nobody may find this server between the last look at the lock and its end.
                    fcntl.flock(start, fcntl.LOCK_EX)
                    if not _in_use(at):
                        break
                    fcntl.flock(start, fcntl.LOCK_UN)
                    idle_since = None
        finally:
            (at.prefect / "server.json").unlink(missing_ok=True)
            server.terminate()
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)


def _in_use(at: Home) -> bool:
    with (at.prefect / "users.lock").open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


if __name__ == "__main__":
    serve(home(), int(sys.argv[1]))
