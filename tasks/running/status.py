"""How far the runs are: planned, done, failed by outcome, tokens, speed and time left of every cell.

Read from the snapshot and from the journal rows that are younger than it, so it shows what happens right now and
disturbs nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tasks.home import Home
from tasks.warehouse import snapshot

RECENT = timedelta(minutes=10)
"""Speed is that of the calls sent within this time."""

_CELLS = """
WITH planned AS (
    SELECT r.run_id, r.agent, r.method, r.model, coalesce(e.dataset, t.benchmark, r.dataset) AS dataset,
        coalesce(e.task, 'level ' || t.level, '?') AS task, e.length, p.example_id, r.recorded_at,
        coalesce(p.calls, b.sections + 1, 1) AS calls
    FROM run_examples p
    JOIN runs r USING (run_id)
    LEFT JOIN examples e USING (example_id)
    LEFT JOIN agent_tasks t ON t.task_id = p.example_id
    LEFT JOIN budgets b ON b.example_id = p.example_id AND b.tokenizer = r.tokenizer
        AND b.base_budget = r.base_budget AND b.method = CASE r.method WHEN 'flat' THEN 'flat' ELSE 'tree' END
), called AS (
    SELECT run_id, example_id,
        count(DISTINCT request_id) FILTER (outcome IN ('stop', 'length')) AS finished,
        sum(coalesce(server_prompt_tokens, prompt_tokens, 0) + coalesce(completion_tokens, 0))
            FILTER (outcome IN ('stop', 'length')) AS tokens
    FROM model_calls GROUP BY run_id, example_id
), one AS (
    SELECT planned.*, f.outcome, coalesce(c.finished, 0) AS finished, coalesce(c.tokens, 0) AS tokens,
        CASE WHEN f.outcome IS NULL THEN greatest(planned.calls - coalesce(c.finished, 0), 0) ELSE 0 END AS remaining
    FROM planned
    LEFT JOIN called c ON c.run_id = planned.run_id AND c.example_id = planned.example_id
    LEFT JOIN predictions f ON f.run_id = planned.run_id AND f.example_id = planned.example_id
)
SELECT run_id, agent, method, model, dataset, task, length,
    count(*) AS planned,
    count(*) FILTER (outcome IN ('stop', 'length')) AS done,
    histogram(outcome::VARCHAR) FILTER (outcome NOT IN ('stop', 'length')) AS failed,
    sum(finished)::BIGINT AS calls, sum(tokens)::BIGINT AS tokens, sum(remaining)::BIGINT AS remaining
FROM one
GROUP BY ALL
ORDER BY max(recorded_at), run_id, task, length
"""

_SPEED = """
SELECT run_id, count(*) AS calls,
    sum(coalesce(server_prompt_tokens, prompt_tokens, 0) + coalesce(completion_tokens, 0))::BIGINT AS tokens,
    min(started_at) AS first, max(started_at + to_microseconds((latency_s * 1e6)::BIGINT)) AS last
FROM model_calls
WHERE outcome IN ('stop', 'length') AND started_at > ?
GROUP BY run_id
"""


@dataclass(frozen=True)
class Cell:
    """One agent under one method on one dataset, task and length, or on one benchmark and level."""

    run_id: str
    agent: str
    method: str
    model: str
    dataset: str
    task: str
    length: int | None
    """Tokens of the contexts; None for tasks of long-horizon agents."""
    planned: int
    """Examples planned."""
    done: int
    """Examples with an answer."""
    failed: dict[str, int]
    """Examples without an answer, by outcome."""
    calls: int
    """Finished model calls."""
    tokens: int
    """Prompt and generated tokens of the finished calls."""
    remaining: int
    """Model calls that the open examples still take, as far as the sections say."""
    tokens_per_second: float | None
    """Speed of the whole run within the last minutes; None when nothing was called then."""
    seconds_left: float | None
    """Time for the remaining calls at that speed; None when it is not known."""


def cells(home: Home, now: datetime | None = None) -> list[Cell]:
    """Every cell of every run, the run started last at the end.

    `now` is naive UTC. Raises as `tasks.warehouse.snapshot.fresh` does, and `UserError` where there are runs but no
    snapshot, which knows their examples.
    """
    now = now or datetime.now(UTC).replace(tzinfo=None)
    with snapshot.fresh(home) as con:
        found = snapshot.fetch(con, _CELLS)
        speeds = {row["run_id"]: row for row in snapshot.fetch(con, _SPEED, [now - RECENT])}
    if found and not home.snapshot.exists():
        raise snapshot.absent(home)
    return [_cell(row, speeds.get(row["run_id"]), now) for row in found]


def _cell(row: dict[str, Any], speed: dict[str, Any] | None, now: datetime) -> Cell:
    rate = calls = None
    if speed and speed["calls"]:
        seconds = max((max(speed["last"] or speed["first"], speed["first"]) - speed["first"]).total_seconds(), 1e-3)
        rate, calls = speed["tokens"] / seconds, speed["calls"] / seconds
    failed = dict(row.pop("failed") or {})
    if row["remaining"]:
        left = row["remaining"] / calls if calls else None
    else:  # open examples may have every call that was foreseen, and still no answer
        left = 0.0 if row["done"] + sum(failed.values()) >= row["planned"] else None
    return Cell(**row, failed=failed, tokens_per_second=rate, seconds_left=left)


def print_status(home: Home) -> None:
    """Print a line for every cell and a total for every run."""
    found = cells(home)
    if not found:
        print("There is no run yet: `treebench run` or `treebench rebuild` makes one.")
    for run_id in dict.fromkeys(cell.run_id for cell in found):
        own = [cell for cell in found if cell.run_id == run_id]
        first = own[0]
        print(f"run {run_id}: {first.agent} under {first.method} on {first.dataset} with {first.model}")
        rows = [[cell.task, f"{cell.length:,}" if cell.length else "-", *_columns([cell])] for cell in own]
        for line in _table([_HEAD, *rows, ["all", "", *_columns(own)]]):
            print(f"  {line}")


_HEAD = ["task", "length", "planned", "done", "failed", "calls", "tokens", "tokens/s", "time left"]


def _columns(own: Sequence[Cell]) -> list[str]:
    failed: dict[str, int] = {}
    for cell in own:
        for outcome, count in cell.failed.items():
            failed[outcome] = failed.get(outcome, 0) + count
    lefts = [cell.seconds_left for cell in own]
    left = None if None in lefts else sum(value or 0.0 for value in lefts)
    rate = own[0].tokens_per_second
    return [
        str(sum(cell.planned for cell in own)),
        str(sum(cell.done for cell in own)),
        ", ".join(f"{outcome} {count}" for outcome, count in sorted(failed.items())) or "0",
        f"{sum(cell.calls for cell in own):,}",
        f"{sum(cell.tokens for cell in own):,}",
        f"{rate:,.0f}" if rate and left != 0 else "-",
        "-" if left is None else "done" if left == 0 else _time(left),
    ]


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numeric = {1, 2, 3, 5, 6, 7, 8}
    return [
        "  ".join(
            cell.rjust(width) if place in numeric else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
