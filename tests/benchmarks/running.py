"""What the shard runner costs: against a bare loop and another evaluator in one run, in memory, and in planning.

    python tests/benchmarks/running.py [throughput] [memory] [planning] [--evaluator PYTHON]

throughput  calls a second through the runner with its journal, over those of bare asyncio loops over httpx with the
            same requests, and over those of inspect_ai; one scripted server, a fixed service time, 256 places.
            Bare loops are two: over one pooled client, as everybody writes it, and over many small ones. The runner
            uses a transport for each request in flight (tasks/serving/pool.py), because httpx's pool computes with the
            square of the calls in flight: that alone is why it is faster than the first, and the second is the fair
            comparison. They take turns, and a figure is the median over the turns of the ratio within one.
            The runner starts with the places that the server names, as SGLang does. Where a server names none it starts
            with eight: how long that is felt is shown beside
memory      peak of the process with 2,000 chains over contexts of about 128K tokens in flight
planning    seconds to plan, to show the status of, and to decide about resuming 204,800 examples in 64 runs

`--evaluator` is a Python that has inspect-ai (extra `inspect`); its pins need an environment of their own. Without it
that figure is left out, and said to be.
"""

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.fixed_server import server  # noqa: E402

SLOTS = 256
SERVICE_S = 0.5
CHAINS, STEPS, TURNS = 256, 60, 3
"""Chains of 60 sections, as at 300,000 tokens. All are equally long here and none waits, so each time that the limit
tries with fewer calls some fall behind and end alone, a second or so: over 30 steps that is a twentieth."""

SHORT = 5
"""Steps of a chain for the loop over one client and for the other evaluator, which take ten times as long for each."""

FIRST = 8
"""Calls in flight at the start where a server does not say how many places it has."""

SECTION = "The quick brown fox jumps over the lazy dog; 0123456789. " * 280  # 16 KB, about 5,000 tokens

BARE, OTHER, MEMORY_GB, PLANNING_S = 0.9, 2.0, 1.5, 20.0


def prompt(chain: int, step: int, memory: str) -> str:
    return f"<problem>chain {chain}</problem>\n<memory>{memory}</memory>\n<section>{step} {SECTION}</section>"


async def bare(url: str, clients: int, steps: int) -> None:
    """The same requests in a loop that only sends and reads them, in turn over so many pooled clients."""
    import itertools
    from contextlib import AsyncExitStack

    import httpx

    room = asyncio.Semaphore(SLOTS)

    async def chain(number: int) -> None:
        async with room:
            memory = "none"
            for step in range(steps):
                body = {
                    "model": "m", "messages": [{"role": "user", "content": prompt(number, step, memory)}],
                    "max_tokens": 1024, "temperature": 0.0, "top_p": 1.0, "stream": False, "seed": 42,
                }  # fmt: skip
                response = await next(turn).post(f"{url}/chat/completions", json=body)
                memory = response.json()["choices"][0]["message"]["content"]

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=SLOTS)
    context = httpx.create_ssl_context()  # shared: making one takes longer than a hundred requests
    async with AsyncExitStack() as stack:
        opened = [
            httpx.AsyncClient(verify=context, timeout=600, limits=limits, trust_env=False) for _ in range(clients)
        ]
        turn = itertools.cycle([await stack.enter_async_context(client) for client in opened])
        await asyncio.gather(*map(chain, range(CHAINS)))


async def runner(url: str, folder: Path, start: int) -> None:
    """The same requests through the shard runner: journal, call hashes, adaptive limit, memories."""
    from tasks.home import Home
    from tasks.running.limits import AdaptiveLimit
    from tasks.running.shard import Caller, Decoding, Job, Shard
    from tasks.serving.chat import Message
    from tasks.serving.endpoint import Endpoint
    from tasks.warehouse.journal import Journal

    def job(number: int) -> Job:
        async def solve(caller: Caller) -> str:
            memory = "none"
            for step in range(STEPS):
                memory = await caller.chat("memory", step, [Message("user", prompt(number, step, memory))])
                caller.remember(step, memory, None)
            return memory

        return Job(f"e{number}", solve)

    with Journal(Home(folder), "bench") as journal:
        limit = AdaptiveLimit(start=start, most=SLOTS)
        shard = Shard("r", Endpoint(url, "m"), journal, Decoding({"memory": 1024}, seed=42), limit)
        counts = await shard.run([job(number) for number in range(CHAINS)])
    assert counts == {"stop": CHAINS}, counts


def other(url: str) -> None:
    """The same requests as an inspect_ai task: a sample a chain, a solver that asks step by step."""
    from inspect_ai import Task, eval, task  # pyright: ignore[reportMissingImports]
    from inspect_ai.dataset import Sample  # pyright: ignore[reportMissingImports]
    from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model  # pyright: ignore[reportMissingImports]
    from inspect_ai.solver import solver  # pyright: ignore[reportMissingImports]

    @solver
    def chain():
        async def solve(state, generate):
            model, memory = get_model(), "none"
            for step in range(SHORT):
                asked = [ChatMessageUser(content=prompt(int(state.input_text), step, memory))]
                memory = (await model.generate(asked)).completion
            state.output = await_nothing(state.output, memory)
            return state

        return solve

    def await_nothing(output, text):
        output.completion = text
        return output

    @task
    def chains() -> Task:
        return Task(dataset=[Sample(input=str(number)) for number in range(CHAINS)], solver=chain())

    config = GenerateConfig(max_connections=SLOTS, max_tokens=1024, temperature=0.0, seed=42, top_p=1.0)
    model = get_model("openai-api/bench/m", base_url=url, api_key="none", config=config)
    began = time.monotonic()
    (log,) = eval(chains(), model=model, max_samples=SLOTS, display="none", log_dir=tempfile.mkdtemp(), score=False)
    assert log.status == "success", log.error
    print(CHAINS * SHORT / (time.monotonic() - began))


def throughput(evaluator: str | None) -> list[bool]:
    rates: dict[str, list[float]] = {}
    computing: dict[str, list[float]] = {}

    def timed(name: str, work: Callable[[], None], steps: int = STEPS) -> None:
        began, worked = time.monotonic(), time.process_time()
        work()
        rates.setdefault(name, []).append(CHAINS * steps / (time.monotonic() - began))
        computing.setdefault(name, []).append(1000 * (time.process_time() - worked) / (CHAINS * steps))

    with server(SERVICE_S, SLOTS) as url, tempfile.TemporaryDirectory() as folder:
        for turn in range(TURNS):
            own, ramp = Path(folder) / f"{turn}", Path(folder) / f"{turn}-ramp"
            timed("bare, one client", lambda: asyncio.run(bare(url, 1, SHORT)), SHORT)
            timed("bare, many clients", lambda: asyncio.run(bare(url, SLOTS // 2, STEPS)))
            timed("runner", lambda own=own: asyncio.run(runner(url, own, SLOTS)))
            timed("runner from eight", lambda ramp=ramp: asyncio.run(runner(url, ramp, FIRST)))
        if evaluator:
            done = subprocess.run([evaluator, __file__, "other", url], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{evaluator} cannot run inspect_ai: {done.stderr.strip().splitlines()[-1]}")
            rates["inspect_ai"] = [float(done.stdout.split()[-1])] * TURNS
    print(f"the server can answer at most {SLOTS / SERVICE_S:.0f} calls a second")
    for name, found in rates.items():
        spent = f"{statistics.median(computing[name]):.2f} ms of computing a call" if name in computing else ""
        print(f"{name}: {', '.join(f'{rate:.0f}' for rate in found)} calls a second; {spent}")

    def ratio(one: str, other: str) -> float:
        return statistics.median(mine / theirs for mine, theirs in zip(rates[one], rates[other], strict=True))

    seconds = CHAINS * STEPS / statistics.median(rates["runner from eight"])
    print(f"runner from eight / runner: {ratio('runner from eight', 'runner'):.2f} over {seconds:.0f} s")
    kept = [
        told(f"runner / bare loop, {clients}", ratio("runner", f"bare, {clients}"), BARE, at_least=True)
        for clients in ("one client", "many clients")
    ]
    if evaluator:
        kept.append(told("runner / inspect_ai", ratio("runner", "inspect_ai"), OTHER, at_least=True))
    else:
        print("runner / inspect_ai: not measured, since no --evaluator was given")
    return kept


def memory() -> list[bool]:
    """Peak memory with 2,000 chains in flight, in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "chains"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    peak, busy = map(float, done.stdout.split())
    print(f"chains in flight at the peak: {busy:.0f}")
    return [told("peak memory in GB", peak, MEMORY_GB, at_least=False), busy >= 2000]


def chains() -> None:
    from tasks.home import Home
    from tasks.memory_agents import memagent, prompts
    from tasks.memory_agents.observations import METHODS, Observations, Section
    from tasks.memory_agents.stored import StoredSections
    from tasks.running.budget import Budget
    from tasks.running.limits import AdaptiveLimit
    from tasks.running.shard import Caller, Decoding, Job, Shard
    from tasks.serving.endpoint import Endpoint
    from tasks.warehouse.journal import Journal

    pack = prompts.load("memagent", memagent.MEMAGENT.slots)
    most = 0

    def job(number: int, limit: AdaptiveLimit) -> Job:
        async def solve(caller: Caller) -> str:
            async def chat(role: str, position: int, text: str, **more: object) -> str:
                from tasks.serving.chat import Message

                nonlocal most
                most = max(most, limit.in_flight + 1)  # this one is about to be
                return await caller.chat(role, position, [Message("user", text)])

            sections = StoredSections(Section(f"{number} {position} {SECTION}") for position in range(27))
            reading = Observations(METHODS["flat"], "What?", sections, lambda *_: None, caller.remember)
            return await memagent.answer("What?", reading, chat, pack)

        return Job(f"e{number}", solve)

    with (
        server(20.0, 4096) as url,
        tempfile.TemporaryDirectory() as folder,
        Journal(Home(Path(folder)), "b") as journal,
    ):
        limit = AdaptiveLimit(start=2000, most=2000)
        decoding = Decoding({"memory": 1024, "answer": 1024}, seed=42)
        shard = Shard("r", Endpoint(url, "m"), journal, decoding, limit, budget=Budget(seconds=90))
        asyncio.run(shard.run([job(number, limit) for number in range(2000)]))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, most)


def planned() -> list[bool]:
    from tests.benchmarks.planning import planning

    return [told("plan, status and resume in s", planning(), PLANNING_S, at_least=False)]


def told(name: str, value: float, bound: float, *, at_least: bool) -> bool:
    kept = value >= bound if at_least else value <= bound
    sign = ">=" if at_least else "<="
    print(f"{name}: {value:.2f} (wanted {sign} {bound:g}): {'kept' if kept else 'MISSED'}", flush=True)
    return kept


def main() -> None:
    if sys.argv[1:2] == ["other"]:
        other(sys.argv[2])
    elif sys.argv[1:2] == ["chains"]:
        chains()
    else:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("parts", nargs="*", help="throughput, memory, planning; all by default")
        parser.add_argument("--evaluator", default=os.environ.get("TREEBENCH_EVALUATOR"), help="Python with inspect-ai")
        given = parser.parse_args()
        known = {"throughput": lambda: throughput(given.evaluator), "memory": memory, "planning": planned}
        kept = [one for part in given.parts or known for one in known[part]()]
        sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
