"""Runs a command that ends with whoever started it, however that one ends: a killed run leaves no server behind.

    python -m tasks.serving.guard --parent PID -- COMMAND ARGUMENT ...

The command gets a process group of its own. When the guard's standard input closes or its parent goes away, the whole
group is asked to end, and killed after a grace period; a server's worker processes go with it. Where the guard itself
is killed the command is killed too (Linux), or it would hold on to its port and its memory.
"""

import argparse
import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from functools import partial

GRACE_S = 10.0
"""Seconds between asking and killing."""


def end_with_parent(number: int) -> None:
    """In a new process: get this signal when the parent ends, even by kill -9. Linux only; elsewhere it goes on."""
    if sys.platform == "linux":
        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


def parent_ended(parent: int, seconds: float) -> bool:
    """Wait for up to `seconds`; whether the parent has closed the pipe to standard input, or has gone."""
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return (bool(ready) and not os.read(sys.stdin.fileno(), 4096)) or os.getppid() != parent


def main() -> None:
    """Start the command and end with it, or it with the parent."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--parent", type=int, default=os.getppid())
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when a server ends
    child = subprocess.Popen(
        given.command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=partial(end_with_parent, signal.SIGKILL),
    )
    signal.signal(signal.SIGTERM, lambda *_: _end(child))
    while child.poll() is None and not parent_ended(given.parent, 0.5):
        pass
    _end(child)
    sys.exit(child.returncode if child.returncode and child.returncode > 0 else 1)


def _end(child: subprocess.Popen) -> None:
    for number, seconds in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, GRACE_S)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if child.poll() is not None and not _group_lives(child.pid):
                return
            time.sleep(0.05)


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    main()
