"""Scores of a run by the exact scorer of its benchmark, for every planned task."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from tasks.errors import UserError
from tasks.home import Home
from tasks.long_horizon.benchmarks.task import Task
from tasks.scoring import gaia
from tasks.warehouse import snapshot
from tasks.warehouse.journal import write

_PLANNED = """
SELECT r.example_id, p.run_id IS NOT NULL AS done, p.outcome::VARCHAR AS outcome, p.raw_answer,
    s.score, s.scorer_version = ? AND s.recorded_at > coalesce(p.recorded_at, s.recorded_at - INTERVAL 1 SECOND) AS kept
FROM run_examples r
LEFT JOIN predictions p ON p.run_id = r.run_id AND p.example_id = r.example_id
LEFT JOIN scores s ON s.run_id = r.run_id AND s.example_id = r.example_id AND s.scorer = ?
WHERE r.run_id = ?
ORDER BY r.example_id
"""


def score(home: Home, run_id: str, tasks: Sequence[Task]) -> dict[str, Any]:
    """Write a score for every planned task whose score is missing or out of date.

    GAIA's official rules count for all benchmarks; BrowseComp-Plus is judged besides. A missing prediction scores
    zero; a task whose answer is hidden has no score. Returns counts and the mean over planned tasks.
    """
    with snapshot.fresh(home, ("run_examples", "predictions", "scores")) as con:
        planned = snapshot.fetch(con, _PLANNED, [gaia.VERSION, gaia.NAME, run_id])
    if not planned:
        raise UserError(f'Run {run_id} has no planned tasks: `treebench sql "FROM runs"` lists the runs.')
    known = {task.task_id: task for task in tasks}
    rows, points = [], []
    for row in planned:
        task = known.get(row["example_id"])
        if task is None or task.answer is None:
            continue
        if row["kept"]:
            points.append(row["score"])
            continue
        found = float(row["done"] and row["raw_answer"] is not None and gaia.correct(row["raw_answer"], task.answer))
        points.append(found)
        rows.append({
            "run_id": run_id, "example_id": row["example_id"], "scorer": gaia.NAME, "scorer_version": gaia.VERSION,
            "extracted": None if row["raw_answer"] is None else [row["raw_answer"]], "score": found,
            "recorded_at": datetime.now(UTC).replace(tzinfo=None),
        })  # fmt: skip
    write(home, "scores", rows)
    answered = sum(row["done"] and row["outcome"] in ("stop", "length") for row in planned)
    return {
        "run_id": run_id, "planned": len(planned), "answered": answered,
        "failed": sum(bool(row["done"]) for row in planned) - answered, "scored": len(rows),
        "mean_score": round(sum(points) / len(planned), 6),
    }  # fmt: skip
