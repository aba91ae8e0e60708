"""Planning, status and resuming of a study of the paper's size, over tables without texts."""

import os
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

EXAMPLES, DATASETS = 3200, 4


def planning() -> float:
    """Seconds to plan, to show the status of, and to decide about resuming 204,800 examples in 64 runs."""
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
    return plan_s + status_s + resume_s


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
