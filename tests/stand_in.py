"""The stand-in chat server of `chat_server.py`, as a test starts it and sees it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tasks.home import PROJECT

CHAT_SERVER = PROJECT / "tests" / "chat_server.py"


@dataclass
class StandIn:
    """A running stand-in server, seen from a test."""

    url: str
    log: Path
    process: subprocess.Popen

    def rows(self, event: str = "received") -> list[dict]:
        """What the log says: requests received, or answered. Probes (one token) are left out."""
        if not self.log.exists():
            return []
        rows = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [row for row in rows if row["event"] == event and not row["probe"]]

    def repeated(self) -> dict[str, int]:
        """Requests that were answered more than once, with how often."""
        counts = Counter(row["request"] for row in self.rows("answered"))
        return {request: count for request, count in counts.items() if count > 1}

    def faults(self, *faults: str) -> None:
        """From now on strike with these faults (none: behave)."""
        data = json.dumps({"faults": faults}).encode()
        root = self.url.removesuffix("/v1")
        urllib.request.urlopen(urllib.request.Request(f"{root}/control", data, method="POST"), timeout=10).close()

    def stats(self) -> dict:
        """Counts of requests: received, answered, busy, most_busy."""
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/stats", timeout=10) as response:
            return json.load(response)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def stand_in(
    folder: Path, *arguments: str, log: str = "requests.jsonl", program: Path = CHAT_SERVER
) -> Iterator[StandIn]:
    """A stand-in server in a process of its own, with `arguments` as on the command line; ended on leaving."""
    path = folder / log
    command = [sys.executable, str(program), "--log", str(path), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout
        line = process.stdout.readline()
        assert line, "the stand-in server did not start"
        yield StandIn(json.loads(line)["url"], path, process)
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
