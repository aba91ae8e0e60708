"""One worker a shard: a second flow with the same run waits, and then finds the work done."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tasks.home import Home
from tasks.warehouse.locks import taken


@contextmanager
def only_worker(
    home: Home, run_id: str, shard: int, waiting: Callable[[str], None] = lambda holder: None
) -> Iterator[None]:
    """Hold the lock of a shard; it ends with this process, however that one ends.

    Waits as long as another process works on the shard, and says so once through `waiting` (its process id). The
    lock is a local file: workers on several machines must not be given the same run.
    """
    home.locks.mkdir(parents=True, exist_ok=True)
    handle = os.open(home.locks / f"{run_id}-{shard}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
    try:
        told = False
        while not taken(handle):
            if not told:
                waiting(os.pread(handle, 32, 0).decode() or "another process")
                told = True
            time.sleep(0.1)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}".encode(), 0)
        yield
    finally:
        os.close(handle)
