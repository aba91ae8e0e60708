"""A file lock that says who holds it, and ends with the process that does."""

import fcntl
import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.errors import Fault

WAIT_SECONDS = 120.0
"""How long a command waits for another one that is writing the warehouse."""


@contextmanager
def exclusive(path: Path, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock file at `path`; raises `Fault` naming the holder after `wait` seconds."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise Fault(f"Lock file {path} cannot be opened ({error.strerror}): make the folder writable, "
                    "then run the command again.") from error  # fmt: skip
    try:
        deadline = time.monotonic() + wait
        while not taken(handle):
            if time.monotonic() >= deadline:
                raise Fault(
                    f"The warehouse has been in use for {wait:g} s by {_holder(path)}: wait until it ends, or stop it, "
                    "then run the command again."
                )
            time.sleep(0.05)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n{shlex.join(sys.orig_argv)}\n".encode("utf-8", "replace"), 0)
        yield
    finally:
        os.close(handle)


def taken(handle: int) -> bool:
    """Take the lock of an open file without waiting; whether that was possible."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(path: Path) -> str:
    pid, _, command = path.read_text("utf-8", "replace").partition("\n")
    return f"process {pid} ({command.strip()})" if pid else "another process"
