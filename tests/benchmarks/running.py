"""What the shard runner costs: against a bare loop and another evaluator in one run, in memory, and in planning.

    python tests/benchmarks/running.py [throughput] [memory] [planning] [--evaluator PYTHON]

throughput  calls a second through the runner with its journal, over those of bare asyncio loops over httpx with the
            same requests, and over those of inspect_ai; one scripted server, a fixed service time, 256 slots.
            Bare loops are two: over one pooled client, as everybody writes it, and over many small ones. The runner
            uses many small pools as well (tasks/serving/pool.py), because httpx's pool computes with the square of the
            calls in flight: that alone is why it is faster than the first, and the second is the fair comparison
memory      peak of the process with 2,000 chains over contexts of about 128K tokens in flight
planning    seconds to plan, to show the status of, and to decide about resuming 204,800 examples in 64 runs

`--evaluator` is a Python that has inspect-ai (extra `inspect`); its pins need an environment of their own. Without it
that figure is left out, and said to be.
"""

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

SLOTS = 256
SERVICE_S = 0.5
CHAINS, STEPS = 256, 5
SECTION = "The quick brown fox jumps over the lazy dog; 0123456789. " * 280  # 16 KB, about 5,000 tokens
REPLY = "kept: " + "value 42; " * 100

BARE, OTHER, MEMORY_GB, PLANNING_S = 0.9, 2.0, 1.5, 20.0


async def serve(service_s: float, slots: int) -> None:
    """A chat server of a fixed service time, as small as it can be: the clients are measured, not it."""
    room = asyncio.Semaphore(slots)
    body = json.dumps({
        "object": "chat.completion", "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": REPLY}}],
        "usage": {"prompt_tokens": 5000, "completion_tokens": 300, "total_tokens": 5300},
    }).encode()  # fmt: skip
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = next((line for line in head.split(b"\r\n") if line.startswith(b"content-length:")), b":0")
                await reader.readexactly(int(length.split(b":")[1]))
                async with room:
                    await asyncio.sleep(service_s)
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(client, "127.0.0.1", 0, backlog=4096, limit=2**20)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def server(service_s: float, slots: int) -> Iterator[str]:
    command = [sys.executable, __file__, "serve", str(service_s), str(slots)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()


def prompt(chain: int, step: int, memory: str) -> str:
    return f"<problem>chain {chain}</problem>\n<memory>{memory}</memory>\n<section>{step} {SECTION}</section>"


async def bare(url: str, clients: int) -> None:
    """The same requests in a loop that only sends and reads them, in turn over so many pooled clients."""
    import itertools
    from contextlib import AsyncExitStack

    import httpx

    room = asyncio.Semaphore(SLOTS)

    async def chain(number: int) -> None:
        async with room:
            memory = "none"
            for step in range(STEPS):
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


async def runner(url: str, folder: Path) -> None:
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
        limit = AdaptiveLimit(start=SLOTS, most=SLOTS)
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
            for step in range(STEPS):
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
    print(CHAINS * STEPS / (time.monotonic() - began))


def throughput(evaluator: str | None) -> list[bool]:
    rates: dict[str, list[float]] = {"bare, one client": [], "bare, many clients": [], "runner": []}

    computing: dict[str, list[float]] = {name: [] for name in rates}

    def timed(name: str, work: Callable[[], None]) -> None:
        began, worked = time.monotonic(), time.process_time()
        work()
        rates[name].append(CHAINS * STEPS / (time.monotonic() - began))
        computing[name].append(1000 * (time.process_time() - worked) / (CHAINS * STEPS))

    with server(SERVICE_S, SLOTS) as url, tempfile.TemporaryDirectory() as folder:
        for turn in range(3):
            timed("bare, one client", lambda: asyncio.run(bare(url, 1)))
            timed("bare, many clients", lambda: asyncio.run(bare(url, SLOTS // 2)))
            timed("runner", lambda turn=turn: asyncio.run(runner(url, Path(folder) / str(turn))))
        if evaluator:
            done = subprocess.run([evaluator, __file__, "other", url], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{evaluator} cannot run inspect_ai: {done.stderr.strip().splitlines()[-1]}")
            rates["inspect_ai"] = [float(done.stdout.split()[-1])]
    middle = {name: statistics.median(found) for name, found in rates.items()}
    print("calls a second:", "; ".join(f"{name} {rate:.0f}" for name, rate in middle.items()),
          f"(server: at most {SLOTS / SERVICE_S:.0f})")  # fmt: skip
    spent = {name: statistics.median(found) for name, found in computing.items()}
    print("computing a call:", "; ".join(f"{name} {milliseconds:.1f} ms" for name, milliseconds in spent.items()))
    kept = [
        told(f"runner / bare loop, {clients}", middle["runner"] / middle[f"bare, {clients}"], BARE, at_least=True)
        for clients in ("one client", "many clients")
    ]
    if evaluator:
        kept.append(told("runner / inspect_ai", middle["runner"] / middle["inspect_ai"], OTHER, at_least=True))
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


EXAMPLES, DATASETS, AGENTS, OBSERVED = 3200, 4, 4, 4


def planning() -> list[bool]:
    from tasks.home import Home
    from tasks.memory_agents.agents import NAMES, agent
    from tasks.memory_agents.decoding import decoding
    from tasks.memory_agents.planning import Run, open_examples, record, shards
    from tasks.running.resume import load
    from tasks.running.status import cells
    from tasks.warehouse.ingest import sync

    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        home.downloads.symlink_to(Path(os.environ.get("TREEBENCH_HOME") or ROOT / ".treebench") / "downloads")
        synthetic(home)
        sync(home)
        runs = [
            Run(f"build{dataset}", name, method, f"{name}-{'7b' if name in ('memagent', 'rememr1') else '4b'}", 5000,
                decoding(agent(name), "paper", 32_768))
            for dataset in range(DATASETS) for name in NAMES for method in ("flat", "tree", "tree_path", "treeagent")
        ]  # fmt: skip
        began, worked = time.monotonic(), time.process_time()
        planned = [(record(home, run, "http://h", {}, None), shards(home, run)) for run in runs]
        plan_s = time.monotonic() - began
        count = sum(len(shard) for _, cut in planned for shard in cut)
        sync(home)
        answered(home, [run_id for run_id, _ in planned])
        sync(home)
        began = time.monotonic()
        found = cells(home)
        status_s = time.monotonic() - began
        began = time.monotonic()
        left = sum(open_examples(home, runs, ["timeout"]).values())
        for run_id, cut in planned[:8]:
            load(home, run_id, cut[len(cut) // 2])
        resume_s = time.monotonic() - began
        print(f"computing for all of it, preparation included: {time.process_time() - worked:.1f} s")
    assert (count, sum(cell.planned for cell in found)) == (204_800, 204_800)
    assert left == sum(cell.planned - cell.done for cell in found) == 102_400
    print(
        f"{count:,} examples in {len(runs)} runs: plan {plan_s:.1f} s, status {status_s:.1f} s, resume {resume_s:.1f} s"
    )
    return [told("plan, status and resume in s", plan_s + status_s + resume_s, PLANNING_S, at_least=False)]


def synthetic(home) -> None:
    """Datasets of the paper's size, without their texts."""
    from tasks.warehouse.journal import write

    lengths = [8192 * 2**step for step in range(8)]
    examples, budgets, built = [], [], []
    for dataset in range(DATASETS):
        for number in range(EXAMPLES):
            length = lengths[number % 8]
            key = f"d{dataset}e{number}"
            examples.append({
                "example_id": key, "dataset": ("json", "html", "yaml", "javascript")[dataset],
                "task": f"task{number // 8 % 8}", "length": length, "split": "test", "number": number // 64,
                "question_id": "q", "context_sha256": key, "characters": 3 * length, "supporting": [0], "sample": False,
            })  # fmt: skip
            built.append({"build_id": f"build{dataset}", "example_id": key})
            budgets += [
                {"example_id": key, "tokenizer": tokenizer, "method": method, "base_budget": 5000, "budget": 5000,
                 "tokens": length, "flat_sections": length // 5000 + 1, "sections": length // 5000 + 1, "tried": []}
                for tokenizer in ("qwen", "qwen3") for method in ("flat", "tree")
            ]  # fmt: skip
    write(home, "examples", examples)
    write(home, "build_examples", built)
    write(home, "budgets", budgets)


def answered(home, run_ids: list[str]) -> None:
    """Half of the examples of each run with a prediction, and two calls each."""
    from tasks.warehouse.journal import write

    now = datetime(2026, 1, 1)

    def predictions() -> Iterator[dict]:
        for place, run_id in enumerate(run_ids):
            for number in range(0, EXAMPLES, 2):
                yield {
                    "run_id": run_id, "example_id": f"d{place // 16}e{number}", "outcome": "stop", "raw_answer": "42",
                    "model_calls": 2, "error": None, "recorded_at": now,
                }  # fmt: skip

    def calls() -> Iterator[dict]:
        for row in predictions():
            for position in (1, 2):
                name = f"{row['run_id']}{row['example_id']}{position}"
                yield {
                    "call_id": name, "request_id": name, "run_id": row["run_id"], "example_id": row["example_id"],
                    "role": "memory", "position": position, "attempt": 1, "prompt_sha256": "0", "prompt_tokens": 5000,
                    "server_prompt_tokens": 5000, "completion_tokens": 300, "cached_tokens": 0, "latency_s": 2.0,
                    "finish_reason": "stop", "outcome": "stop", "error": None, "response": "x", "started_at": now,
                }  # fmt: skip

    write(home, "predictions", predictions())
    write(home, "model_calls", calls())


def told(name: str, value: float, bound: float, *, at_least: bool) -> bool:
    kept = value >= bound if at_least else value <= bound
    sign = ">=" if at_least else "<="
    print(f"{name}: {value:.2f} (wanted {sign} {bound:g}): {'kept' if kept else 'MISSED'}", flush=True)
    return kept


def main() -> None:
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(float(sys.argv[2]), int(sys.argv[3])))
    elif sys.argv[1:2] == ["other"]:
        other(sys.argv[2])
    elif sys.argv[1:2] == ["chains"]:
        chains()
    else:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("parts", nargs="*", help="throughput, memory, planning; all by default")
        parser.add_argument("--evaluator", default=os.environ.get("TREEBENCH_EVALUATOR"), help="Python with inspect-ai")
        given = parser.parse_args()
        known = {"throughput": lambda: throughput(given.evaluator), "memory": memory, "planning": planning}
        kept = [one for part in given.parts or known for one in known[part]()]
        sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
