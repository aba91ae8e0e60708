"""Runs of sample tasks against a chat server, for tests that compare, disturb and kill them.

python tests/long_horizon/solving.py URL FRAMEWORK TASKS CALLS
"""

import sys

from tasks.home import Home, home
from tasks.long_horizon import planning
from tasks.long_horizon.benchmarks import source as sources
from tasks.long_horizon.benchmarks.source import Source
from tasks.long_horizon.evaluating import Serving, evaluate
from tasks.long_horizon.planning import Plan

DECODING = {"temperature": 0.0, "top_p": 1.0, "seed": 42, "reply_tokens": 256, "auxiliary_tokens": 128}


def plan(framework: str, most: int, calls: str = "json", **more) -> Plan:
    """A plan over the first sample tasks of each level."""
    choices = {"calls": calls, "planner_turns": 8, "flat_turns": 8, **more.pop("choices", {})}
    source = more.pop("source", Source(most=most))
    return Plan(source, framework, more.pop("variant", "full"), more.pop("trial", 1), "embedded", DECODING,
                choices=choices, **more)  # fmt: skip


def run(at: Home, url: str, made: Plan, **more) -> tuple[str, dict[str, int]]:
    """Plan and solve, or go on; the run_id and counts by outcome."""
    tasks = sources.tasks(made.source, at)
    run_id = planning.record(at, made, tasks, url, {}, None)
    counts: dict[str, int] = {}
    for number, task_ids in enumerate(planning.shards(made, tasks)):
        done = evaluate(at, made, run_id, number, task_ids, Serving(url, concurrency=4, slots=4, **more))
        counts = {outcome: counts.get(outcome, 0) + count for outcome, count in (counts | done).items()} | {
            outcome: counts.get(outcome, 0) + count for outcome, count in done.items()
        }
    return run_id, counts


if __name__ == "__main__":
    print(run(home(), sys.argv[1], plan(sys.argv[2], int(sys.argv[3]), sys.argv[4]))[1])
