"""Runs an agent's Python in Monty, an interpreter of its own in a process of its own: no files, no network.

The tools are the only functions of ours that it can call. Clock and random numbers are fixed, so that code runs the
same way again when a killed run is resumed.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pydantic_monty as monty

Call = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]

SECONDS = 10.0
"""Of computing, for one block of code."""
MEMORY = 256 * 2**20
STATE = 16 * 2**20
"""Bytes that the variables of a task may take between two blocks: many tasks wait side by side."""

OUTPUT = 1_000_000
"""Bytes printed at most, and characters of a last value that are shown."""
HOST_CALLS = 100
"""Tool calls of one block at most."""


def _never(*arguments: object, **named: object) -> None:
    raise RuntimeError("answered by the sandbox")


@dataclass
class Sandbox:
    """Places to run code in, each a session of a pool of interpreter processes."""

    pool: monty.Monty
    threads: ThreadPoolExecutor
    parameters: Mapping[str, Sequence[str]]
    """Names of the tools, each with the names of its arguments in order."""
    free: asyncio.Semaphore
    """As many as there are interpreters: whoever waits for one must not hold a thread meanwhile."""
    seconds: float = SECONDS
    memory: int = MEMORY

    def __call__(self) -> "Room":
        """A place whose variables last until it is given up."""
        return Room(self)

    async def step(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What `function` gives, called beside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, function, *arguments)


@contextlib.asynccontextmanager
async def sandbox(
    parameters: Mapping[str, Sequence[str]], *, processes: int = 2, seconds: float = SECONDS, memory: int = MEMORY
) -> AsyncIterator[Sandbox]:
    """A pool of at most `processes` interpreters; they end on leaving.

    It is the library's blocking pool, used from threads: its asynchronous one now and then brings our process down
    when Python ends (1.4.0, after a block that ran out of time).
    """
    with (
        ThreadPoolExecutor(processes) as threads,
        monty.Monty(min_processes=0, max_processes=processes, request_timeout=seconds + 5) as pool,
    ):
        yield Sandbox(pool, threads, parameters, asyncio.Semaphore(processes), seconds, memory)


@dataclass
class Room:
    """One sequence of code blocks with their variables.

    Between blocks the state lies here as bytes, so that many tasks can share few interpreters.
    """

    sandbox: Sandbox
    _state: bytes | None = field(default=None, repr=False)

    async def run(self, source: str, call: Call) -> str:
        """What the code printed, with the value of its last expression; or how it failed, in one line.

        `call` is asked for each tool call, one after the other in the order of the calls.
        """
        async with self.sandbox.free:
            return await self._run(source, call)

    async def _run(self, source: str, call: Call) -> str:
        printed = monty.CollectString(max_bytes=OUTPUT)
        limits: monty.ResourceLimits = {
            "max_feed_duration_secs": self.sandbox.seconds, "max_memory": self.sandbox.memory,
            "max_suspensions": 4 * HOST_CALLS,
        }  # fmt: skip
        policy: monty.OSPolicy = {"datetime": datetime(2026, 1, 1), "sleep": "zero", "random_start": {"seed": 42}}
        checkout = self.sandbox.pool.checkout(limits=limits, os_policy=policy)
        step = self.sandbox.step
        try:
            session = await step(checkout.__enter__)
            try:
                if self._state is not None:
                    await step(session.load_session, self._state)
                try:
                    value = await self._drive(session, source, call, printed)
                except monty.MontyRuntimeError as error:
                    said = error.display(format="type-msg")
                    kept = ""
                    if not said.startswith(("TimeoutError", "MemoryError")):
                        kept = self._keep(await step(session.dump))
                    return _joined(printed.output, "\n".join(filter(None, [kept, f"Error: {said}"])))
                kept = self._keep(await step(session.dump))
                return _joined(printed.output, kept or ("" if value is None else _shown(value)))
            finally:
                await step(checkout.__exit__, None, None, None)
        except monty.MontyCrashedError:
            self._state = None
            return _joined(printed.output, "Error: the code was stopped: it took too long or too much memory")
        except monty.MontyError as error:
            return _joined(printed.output, f"Error: {type(error).__name__.removeprefix('Monty')}: {error}")

    def _keep(self, state: bytes) -> str:
        """Keep the variables for the next block; what is wrong where they are too large, and the old ones stay."""
        if len(state) > STATE:
            return f"Error: the variables take more than {STATE // 2**20} MB: they are not kept, keep less"
        self._state = state
        return ""

    async def _drive(self, session: Any, source: str, call: Call, printed: Any) -> Any:
        """Run a block to its end. A tool call becomes a future, answered when the code waits for it."""
        advance = self.sandbox.step
        stubs = dict.fromkeys(self.sandbox.parameters, _never)
        at = await advance(lambda: session.feed_start(source, external_lookup=stubs, print_callback=printed))
        waiting: dict[int, tuple[str, dict[str, Any]]] = {}
        calls = 0
        while not isinstance(at, monty.MontyComplete):
            if isinstance(at, monty.FutureSnapshot):
                answers: dict[int, Any] = {}
                for number in sorted(at.pending_call_ids):
                    answers[number] = {"return_value": await call(*waiting.pop(number))}
                at = await advance(at.resume, answers)
            elif isinstance(at, monty.FunctionSnapshot) and not at.is_os_function:
                name = str(at.function_name)
                calls += 1
                answer: Any = {"future": ...}
                if name not in self.sandbox.parameters:
                    answer = {"exc_type": "NameError", "message": f"name {name!r} is not defined"}
                elif calls > HOST_CALLS:
                    answer = {"exc_type": "RuntimeError", "message": f"more than {HOST_CALLS} tool calls in a block"}
                else:
                    wanted = self.sandbox.parameters[name]
                    arguments = dict(zip(wanted, at.args, strict=False))
                    if len(at.args) > len(wanted) or arguments.keys() & at.kwargs.keys():
                        answer = {"exc_type": "TypeError", "message": f"{name} takes {', '.join(wanted)}, each once"}
                    else:
                        waiting[at.call_id] = (name, arguments | at.kwargs)
                at = await advance(at.resume, answer)
            else:
                at = await advance(at.resume_auto)
        return at.output


def _shown(value: Any) -> str:
    """The value of a last expression, as Python writes it; some that code can make, Python does not write."""
    try:
        return repr(value)[:OUTPUT]
    except (RecursionError, ValueError) as error:
        return f"Error: {type(error).__name__}: the last value cannot be shown: it is nested too deeply or too long"


def _joined(printed: str, more: str) -> str:
    return "\n".join(part for part in (printed.rstrip("\n"), more) if part) or "(no output)"
