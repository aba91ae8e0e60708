"""Text of a document, taken out in a process of its own whose memory, time and output are bounded.

Documents come from the web or from benchmarks: a PDF, a spreadsheet or an archive may be made to exhaust whoever
opens it. The child limits itself before it reads a byte, and the parent kills it when its time is over.
"""

import asyncio
import json
import os
import re
import sys
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from tasks.home import PROJECT
from tasks.long_horizon.tools.toolbox import ToolFailed

MEMORY_MB = 1024
"""Address space of the child."""

SECONDS = 60
CHARACTERS = 2_000_000
"""Text taken out at most."""


CHILDREN = 4
"""Documents that are read at a time: their memory adds up, however many tasks are in progress."""

_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


async def text_of(data: bytes, kind: str, name: str, *, memory_mb: int = MEMORY_MB, seconds: float = SECONDS) -> str:
    """The text of a document of `kind` (a suffix without its dot); `name` is for messages. Raises `ToolFailed`."""
    async with _gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(CHILDREN)):
        return await _read(data, kind, name, memory_mb, seconds)


async def _read(data: bytes, kind: str, name: str, memory_mb: int, seconds: float) -> str:
    kind = kind if re.fullmatch(r"[a-z0-9]{0,10}", kind) else ""
    command: Sequence[str] = (
        sys.executable, "-m", "tasks.long_horizon.tools.extracting", kind, str(memory_mb), str(int(seconds) + 1),
        str(CHARACTERS),
    )  # fmt: skip
    # The child gets no secrets of its parent: a document that takes it over finds none.
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    environment = {**kept, "PYTHONPATH": str(PROJECT), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        env=environment, cwd=PROJECT, limit=2**20,
    )  # fmt: skip
    try:
        async with asyncio.timeout(seconds):
            out, _ = await process.communicate(data)
    except TimeoutError:
        raise ToolFailed(f"{name} could not be read within {seconds:g} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        said = json.loads(out)
    except ValueError:
        raise ToolFailed(f"{name} could not be read: it takes more than {memory_mb} MB or {seconds:g} s") from None
    if "error" in said:
        raise ToolFailed(f"{name} could not be read: {said['error']}")
    return said["text"]
