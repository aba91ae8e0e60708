"""Keeps a model server alive: starts it, waits for a real generation, watches it, restarts it, stops it.

A page that says healthy proves nothing: a server counts as up once it has generated a token, and as hung when it does
not generate one in time. A busy server (429, 503) is alive. Restarts keep the address, so clients only have to wait.
"""

import asyncio
import contextlib
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from tasks.errors import Fault, TreebenchError
from tasks.serving import probe
from tasks.serving.chat import Outcome
from tasks.serving.endpoint import Endpoint
from tasks.serving.retrying import Patience

Launch = Callable[[IO[bytes]], subprocess.Popen]
"""Starts the server process, which ends when its standard input closes; its output goes to the file given."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
"""Seconds between starts that fail; they double."""

STOP_S = 30.0
"""Seconds that a server has to end by itself."""


@dataclass(frozen=True)
class Watch:
    """How a server is watched; times in seconds."""

    start_s: float = 120.0
    """Until the first token, loading included."""
    probe_s: float = 300.0
    """For one token, however busy it is."""
    every_s: float = 60.0
    """Between two probes."""
    poll_s: float = 1.0
    """Between two looks at the process."""
    restarts: int = 10
    """Restarts after which it is given up."""


class Supervisor:
    """One supervised server. Use it as a context manager: entering starts it, leaving stops it."""

    def __init__(
        self, what: str, launch: Launch, url: str, model: str, log: Path, watch: Watch | None = None,
        told: Callable[[str], None] = lambda sentence: None,
    ):  # fmt: skip
        """`what` names it in sentences, `told` hears of every restart, `log` gets what it prints."""
        self.what, self.url, self.model = what, url, model
        self.facts: dict[str, Any] = {}
        """What the server said of itself when it was started first."""
        self.restarts = 0
        self.given_up: str | None = None
        """Why it will not come back; None as long as it may."""
        self.process: subprocess.Popen | None = None
        self._launch, self._log, self._told = launch, log, told
        self._watch = watch or Watch()
        self._ending = threading.Event()
        self._watcher = threading.Thread(target=self._keep, name=f"watch {what}", daemon=True)

    @property
    def patience(self) -> Patience:
        """How clients wait while it restarts."""
        longest = Patience().longest_pause
        return Patience(refused=int(self._watch.start_s * 2 / longest) + 10, gone=lambda: self.given_up)

    def __enter__(self) -> Self:
        try:
            self.facts = self._start()
        except BaseException:
            self._stop()
            raise
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        if self._watcher.is_alive():
            self._watcher.join(timeout=self._watch.poll_s + 1.0)
        self._stop()
        if self._watcher.is_alive():  # it was in the middle of a restart: what it started must end as well
            self._watcher.join(timeout=STOP_S)
            self._stop()

    def _start(self) -> dict[str, Any]:
        """Launch the server and wait for a token; `Fault` when none comes in time, or the process ends."""
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            began = log.tell()
            process = self.process = self._launch(log)
        try:
            return asyncio.run(
                probe.wait(
                    self.url, self.model, seconds=self._watch.start_s,
                    alive=lambda: process.poll() is None and not self._ending.is_set(),
                )
            )  # fmt: skip
        except TreebenchError as error:
            ended = process.poll()
            how = (
                f"ended with status {ended}"
                if ended is not None
                else f"generated no token in {self._watch.start_s:g} s"
            )
            raise Fault(
                f"{self.what} {how}{_last_line(self._log, began)}: see {self._log}, put it right, then run the "
                "command again."
            ) from error

    def _keep(self) -> None:
        probed = time.monotonic()
        while not self._ending.wait(self._watch.poll_s):
            fault = None
            assert self.process is not None
            if (status := self.process.poll()) is not None:
                fault = f"ended with status {status}"
            elif time.monotonic() - probed >= self._watch.every_s:
                fault = asyncio.run(self._hung())
                probed = time.monotonic()
            if fault and not self._ending.is_set() and not self._restarted(fault):
                return
            if fault:
                probed = time.monotonic()

    async def _hung(self) -> str | None:
        """What is wrong with a server whose process lives; None if it generates, or is too busy to."""
        patience = Patience(attempts=1, lost=0)
        async with Endpoint(self.url, self.model, deadline=self._watch.probe_s, patience=patience) as endpoint:
            reply = await endpoint.chat(probe.QUESTION)
        if reply.finished or (reply.error or "").startswith(("status 429", "status 503")):
            return None
        if reply.outcome is Outcome.TIMEOUT:
            return f"generated no token within {self._watch.probe_s:g} s"
        return f"cannot generate ({reply.error})"

    def _restarted(self, fault: str) -> bool:
        pause = FIRST_PAUSE_S
        while self.restarts < self._watch.restarts and not self._ending.is_set():
            self.restarts += 1
            self._told(f"{self.what} {fault}: restart {self.restarts} of at most {self._watch.restarts}")
            self._stop()
            try:
                self._start()
                return True
            except Fault as error:
                fault = str(error)
                self._ending.wait(pause)  # a port or a GPU may need a moment until it is free
                pause = min(2 * pause, LONGEST_PAUSE_S)
        if not self._ending.is_set():
            self.given_up = f"{self.what} {fault} and was restarted {self.restarts} times: see {self._log}"
            self._told(self.given_up)
            self._stop()
        return False

    def _stop(self) -> None:
        if self.process is not None:
            stop(self.process)


def stop(process: subprocess.Popen) -> None:
    """Close the pipe that the process watches; end it if that is not enough."""
    for stream in (process.stdin, process.stdout):
        if stream:
            with contextlib.suppress(OSError):
                stream.close()
    for end, seconds in ((lambda: None, STOP_S), (process.terminate, STOP_S), (process.kill, STOP_S)):
        end()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)
            return


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]


def _last_line(log: Path, began: int) -> str:
    with log.open("rb") as file:
        file.seek(began)
        lines = file.read()[-4096:].decode(errors="replace").strip().splitlines()
    return f" ({lines[-1].strip()[:200]})" if lines else ""
