"""A plain agent for the tests of the shard runner, and the same as a program that can be killed.

python tests/running/chains.py URL EXAMPLES STEPS CONCURRENCY
python tests/running/chains.py    forks a run for each such line on standard input and prints its process id
"""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from tasks.home import Home, home
from tasks.running.limits import AdaptiveLimit
from tasks.running.locks import only_worker
from tasks.running.resume import load
from tasks.running.shard import Caller, Decoding, Job, Shard
from tasks.serving.chat import Message
from tasks.serving.endpoint import Endpoint
from tasks.serving.retrying import Patience
from tasks.warehouse.journal import Journal

DECODING = Decoding({"memory": 64, "answer": 16}, seed=42)


def chain(example_id: str, steps: int) -> Job:
    """Each step's prompt holds the reply before, as a recurrent memory does."""

    async def solve(caller: Caller) -> str:
        memory = "none"
        for position in range(1, steps + 1):
            prompt = f"<problem>{example_id}</problem><memory>{memory}</memory><section>part {position}</section>"
            memory = await caller.chat("memory", position, [Message("user", prompt)])
            caller.remember(position, memory, None)
        return await caller.chat("answer", steps + 1, [Message("user", f"{example_id}: {memory}")])

    return Job(example_id, solve)


def run(
    at: Home,
    url: str,
    examples: int,
    steps: int,
    concurrency: int = 8,
    retry: tuple[str, ...] = ("server_error", "timeout", "aborted"),
    endpoint: Callable[[str], Endpoint] = lambda url: Endpoint(url, "m", patience=Patience(first_pause=0.05)),
    **more: Any,
) -> Counter[str]:
    """Run (or resume) run `r` of `examples` chains; counts by outcome."""
    jobs = [chain(f"e{number}", steps) for number in range(examples)]
    with only_worker(at, "r", 0), Journal(at, "r-0") as journal:
        done = load(at, "r", [job.example_id for job in jobs], retry)
        limit = AdaptiveLimit(start=min(8, concurrency), most=concurrency)
        shard = Shard("r", endpoint(url), journal, DECODING, limit, done, **more)
        return asyncio.run(shard.run(jobs))


def main() -> None:
    if sys.argv[1:]:
        url, *numbers = sys.argv[1:]
        print(dict(run(home(), url, *map(int, numbers))))
        return
    for line in sys.stdin:
        url, *numbers = line.split()
        child = os.fork()
        if child == 0:
            print(dict(run(home(), url, *map(int, numbers))), flush=True)
            os._exit(0)
        print(child, flush=True)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
