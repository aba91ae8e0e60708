"""Run files in the form of BrowseComp-Plus's own evaluation: one JSON a query, and a summary of its measures.

They hold questions' answers and pages, so they lie in the home (`run_files/RUN/`), like everything of a gated
benchmark. Scores of evidence recall go to the table `scores`.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tasks.errors import UserError
from tasks.home import Home
from tasks.long_horizon import responses
from tasks.long_horizon.benchmarks.task import Task
from tasks.scoring import browsecomp, gaia
from tasks.warehouse import journal, snapshot

RECALL = "evidence recall"
"""Scorer of the share of evidence documents that searches returned."""

VERSION = "1"
_TABLES = ("runs", "run_examples", "predictions", "scores", "agent_events", "model_calls")


def write(home: Home, run_id: str, tasks: Sequence[Task], judge: str | None = None) -> dict[str, Any]:
    """Write the run files of all tasks of a run whose evidence is known, score their recall, and return the summary.

    Accuracy and calibration follow the scorer `judge` where it is given, otherwise the exact scorer. Every planned
    query has a file, so that a missing one cannot raise the accuracy. Raises `UserError` for an unknown run.
    """
    known = {task.task_id: task for task in tasks if task.evidence is not None}
    with snapshot.fresh(home, _TABLES) as con:
        runs = snapshot.fetch(con, "FROM runs WHERE run_id = ?", [run_id])
        if not runs:
            raise UserError(f'There is no run {run_id}: `treebench sql "FROM runs"` lists them.')
        planned = [row["example_id"] for row in snapshot.fetch(
            con, "SELECT example_id FROM run_examples WHERE run_id = ? ORDER BY example_id", [run_id])]  # fmt: skip
        sure = responses.confidences(con, run_id)
        made = [_query(con, runs[0], known[name], sure.get(name)) for name in planned if name in known]
        scores = {
            row["example_id"]: row
            for row in snapshot.fetch(
                con, "SELECT * FROM scores WHERE run_id = ? AND scorer = ?", [run_id, judge or gaia.NAME]
            )
        }
    folder = home.root / "run_files" / run_id
    folder.mkdir(parents=True, exist_ok=True)
    for task, content in made:
        _write(folder / f"{task.name}.json", content)
    summary = _summary(runs[0], made, scores, judge)
    _write(folder / "evaluation_summary.json", summary)
    journal.write(home, "scores", _recalls(run_id, made))
    return summary


def _query(con: Any, run: Mapping[str, Any], task: Task, sure: float | None) -> tuple[Task, dict[str, Any]]:
    chosen = [run["run_id"], task.task_id]
    events = snapshot.fetch(
        con,
        "SELECT e.action, e.tool, e.content, e.text, e.documents, c.response "
        "FROM agent_events e LEFT JOIN model_calls c ON c.run_id = e.run_id AND c.example_id = e.task_id "
        "AND c.position = e.position AND c.outcome IN ('stop', 'length') "
        "WHERE e.run_id = ? AND e.task_id = ? AND e.action <> 'superseded' ORDER BY e.event",
        chosen,
    )
    prediction = snapshot.fetch(con, "FROM predictions WHERE run_id = ? AND example_id = ?", chosen)
    used = snapshot.fetch(
        con,
        "SELECT sum(coalesce(server_prompt_tokens, prompt_tokens)) AS input, sum(completion_tokens) AS output FROM "
        "model_calls WHERE run_id = ? AND example_id = ? AND outcome IN ('stop', 'length')",
        chosen,
    )[0]
    raw = prediction[0]["raw_answer"] if prediction else None
    items = list(_items(events))
    if raw is not None:
        said = responses.response(raw, sure)
        items.append({"type": "output_text", "tool_name": None, "arguments": None, "output": said})
    retrieved = [docid for event in events if "search" in (event["tool"] or "") for docid in
                 json.loads(event["documents"] or "[]")]  # fmt: skip
    return task, {
        "metadata": {"model": run["model"], "framework": run["agent"], "variant": run["method"], "run": run["run_id"]},
        "query_id": task.name,
        "tool_call_counts": dict(Counter(event["tool"] for event in events if event["tool"])),
        "status": "completed" if raw is not None else str(prediction[0]["outcome"]) if prediction else "skipped",
        "retrieved_docids": list(dict.fromkeys(retrieved)),
        "usage": {"input_tokens": int(used["input"] or 0), "output_tokens": int(used["output"] or 0)},
        "result": items,
    }


def _items(events: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for event in events:
        if event["action"] == "tool":
            arguments = json.loads(event["content"] or "{}")
            yield {"type": "tool_call", "tool_name": event["tool"], "arguments": arguments, "output": event["text"]}
        elif event["response"]:
            yield {"type": "reasoning", "tool_name": None, "arguments": None, "output": event["response"]}


def _summary(
    run: Mapping[str, Any], made: Sequence[tuple[Task, dict[str, Any]]], scores: Mapping[str, Mapping[str, Any]],
    judge: str | None,
) -> dict[str, Any]:  # fmt: skip
    right = {task.name: bool(scores[task.task_id]["score"]) if task.task_id in scores else False for task, _ in made}
    sure: list[tuple[float, bool]] = []
    for task, _ in made:
        said = json.loads(scores[task.task_id]["extracted"] or "null") if task.task_id in scores else None
        if isinstance(said, dict) and said.get("confidence") is not None:
            sure.append((float(said["confidence"]), right[task.name]))
    last = [(str(content["result"][-1]["output"]), task.evidence or ()) for task, content in made if content["result"]]
    cited = browsecomp.cited(last)
    recalls = [browsecomp.recall(content["retrieved_docids"], task.evidence or ()) for task, content in made]
    tools: Counter[str] = Counter()
    for _, content in made:
        tools.update(content["tool_call_counts"])
    count = max(1, len(made))
    error = browsecomp.calibration_error([said for said, _ in sure], [good for _, good in sure])
    return {
        "LLM": run["model"], "Framework": f"{run['agent']} {run['method']}", "Scorer": judge or gaia.NAME,
        "Queries": len(made), "Accuracy (%)": round(100 * sum(right.values()) / count, 2),
        "Recall (%)": round(100 * sum(recalls) / count, 2),
        "avg_tool_stats": {name: round(n / count, 2) for name, n in sorted(tools.items())},
        "Calibration Error (%)": round(100 * error, 2),
        "Citations": {"precision": round(cited.precision, 4), "recall": round(cited.recall, 4),
                      "coverage": round(cited.coverage, 4)},
        "Retriever": "BM25 (tantivy, k1 1.2, b 0.75)", "Evaluation Date": datetime.now(UTC).date().isoformat(),
    }  # fmt: skip


def _recalls(run_id: str, made: Sequence[tuple[Task, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    for task, content in made:
        yield {
            "run_id": run_id, "example_id": task.task_id, "scorer": RECALL, "scorer_version": VERSION,
            "extracted": content["retrieved_docids"],
            "score": browsecomp.recall(content["retrieved_docids"], task.evidence or ()),
            "recorded_at": datetime.now(UTC).replace(tzinfo=None),
        }  # fmt: skip


def _write(path: Path, content: Any) -> None:
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(content, ensure_ascii=False, indent=2), "utf-8")
    partial.replace(path)
