"""Child processes that do warehouse work until they are killed.

Reads requests as lines of JSON and answers each with a number: the process id of a started child, or how an awaited
one ended. Children are forks, so that starting one takes no imports.
"""

import contextlib
import itertools
import json
import os
import resource
import signal
import sys
import time
import traceback
from datetime import datetime
from pathlib import Path

import duckdb

from tasks.errors import Fault
from tasks.home import Home
from tasks.warehouse import ingest, journal, locks, recover

TOUCHES_FILES = (
    "os.rename",
    "os.remove",
    "os.symlink",
    "os.mkdir",
    "os.rmdir",
    "os.truncate",
    "shutil.",
    "fcntl.flock",
)


def row(name: str) -> dict:
    return {
        "run_id": "run",
        "example_id": name,
        "outcome": "stop",
        "raw_answer": name * 50,
        "model_calls": 1,
        "recorded_at": datetime(2026, 11, 29),
    }


def work(home: Home, name: str, acknowledged: str) -> None:
    """Append rows for ever, seal and sync now and then; note in a file each row that was acknowledged."""
    handle = os.open(acknowledged, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for turn in itertools.count():
        with journal.Journal(home, name) as writer:
            for number in range(20):
                key = f"{name}-{turn}-{number}"
                writer.append("predictions", row(key))
                os.write(handle, f"{key}\n".encode())
        ingest.sync(home)


def only_write(home: Home, name: str, acknowledged: str) -> None:
    """As `work`, but leave it to others to sync."""
    handle = os.open(acknowledged, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for turn in itertools.count():
        with journal.Journal(home, name) as writer:
            for number in range(50):
                key = f"{name}-{turn}-{number}"
                writer.append("predictions", row(key))
                os.write(handle, f"{key}\n".encode())
                time.sleep(0.001)


def sync_until(home: Home, count: int) -> None:
    """Sync, and be killed just before file operation number `count`."""
    _die_at(count)
    ingest.sync(home)


def rebuild_until(home: Home, count: int) -> None:
    """Rebuild, and be killed just before file operation number `count`."""
    _die_at(count)
    recover.rebuild(home)


def write_until(home: Home, name: str, count: int) -> None:
    """Write a sealed file and a journal, and be killed just before file operation number `count`."""
    _die_at(count)
    journal.write(home, "predictions", [row(f"{name}-whole-{number}") for number in range(3)])
    with journal.Journal(home, name) as writer:
        writer.append("predictions", row(f"{name}-first"))


def _die_at(count: int) -> None:
    seen = itertools.count()

    def watch(event: str, arguments: tuple) -> None:
        if event.startswith(TOUCHES_FILES) and next(seen) == count:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def hold_lock(home: Home, ready: str) -> None:
    """Hold the ingest lock until killed."""
    with locks.exclusive(ingest.lock_file(home)):
        Path(ready).touch()
        time.sleep(600)


def hold_database(home: Home, ready: str) -> None:
    """Keep the live database open for writing until killed."""
    with duckdb.connect(str(home.live)):
        Path(ready).touch()
        time.sleep(600)


def append_within(home: Home, name: str, limit: int, acknowledged: str) -> None:
    """Append rows under a limit of the file size until that fails; then, without a limit, append one more."""
    handle = os.open(acknowledged, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    with journal.Journal(home, name) as writer:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        with contextlib.suppress(Fault):
            for number in itertools.count():
                writer.append("predictions", row(f"{name}-{number}"))
                os.write(handle, f"{name}-{number}\n".encode())
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        writer.append("predictions", row(f"{name}-after"))
        os.write(handle, f"{name}-after\n".encode())


def sync_within(home: Home, limit: int, message: str) -> None:
    """Sync under a limit of the file size; write the sentence of the failure to a file."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        ingest.sync(home)
    except Fault as fault:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        Path(message).write_text(str(fault))


def _child(request: dict) -> None:
    try:
        globals()[request["task"]](Home(Path(request["home"])), *request["arguments"])
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            answer = os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                _child(request)
        print(answer, flush=True)


if __name__ == "__main__":
    main()
