"""Rows, files and child processes for the tests of the warehouse."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tasks.home import PROJECT, Home
from tasks.warehouse.schema import declared

MOMENT = datetime(2026, 11, 29, 12)


@pytest.fixture
def prediction() -> Callable[..., dict[str, Any]]:
    """Makes a row of `predictions`; a later `seconds` replaces an earlier one."""

    def make(example_id: str, outcome: str = "stop", seconds: float = 0, **more: Any) -> dict[str, Any]:
        recorded_at = MOMENT + timedelta(seconds=seconds)
        return {
            "run_id": "run",
            "example_id": example_id,
            "outcome": outcome,
            "model_calls": 1,
            "recorded_at": recorded_at,
            **more,
        }

    return make


@pytest.fixture
def payload() -> Callable[..., dict[str, Any]]:
    """Makes a row of `payloads`."""

    def make(payload_id: str, text: str, format: str = "json", **more: Any) -> dict[str, Any]:
        return {
            "payload_id": payload_id,
            "source": "usgs-sample",
            "dataset": format,
            "format": format,
            "response_id": "r",
            "records": 1,
            "characters": len(text),
            "sample": True,
            "text": text,
            **more,
        }

    return make


@pytest.fixture
def contents() -> Callable[[Path], dict[str, list[Any]]]:
    """All rows of all tables of a database file, sorted, so that two databases can be compared."""

    def read(path: Path) -> dict[str, list[Any]]:
        with duckdb.connect() as con:
            con.execute(f"ATTACH '{path}' AS d (READ_ONLY)")
            return {name: con.execute(f'FROM d."{name}" ORDER BY ALL').fetchall() for name in declared()}

    return read


class Victims:
    """Starts processes that write a home until they are killed. Forked from one that has imported everything."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("victim.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=PROJECT,
        )

    def start(self, home: Home, task: str, *arguments: Any) -> int:
        """Process id of a child that does `task`, a function in victim.py."""
        return self._ask({"home": str(home.root), "task": task, "arguments": arguments})

    def wait(self, pid: int) -> int:
        """How the child ended: its exit status, or the negative number of the signal that killed it."""
        return self._ask({"wait": pid})

    def kill(self, pid: int) -> int:
        os.kill(pid, signal.SIGKILL)
        return self.wait(pid)

    def _ask(self, request: dict[str, Any]) -> int:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(timeout=30)


@pytest.fixture(scope="session")
def victims() -> Iterator[Victims]:
    started = Victims()
    yield started
    started.close()
