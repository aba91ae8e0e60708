"""Scores of answers (section 4.2 and appendix C.4 of the TreeAgent paper), for every planned example of a run."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from tasks.errors import UserError
from tasks.home import Home
from tasks.scoring.extract import after_thinking, values
from tasks.scoring.match import comparer, matched
from tasks.warehouse import snapshot
from tasks.warehouse.journal import write

SCORER = "treeagent"
VERSION = "4"
"""Raise it whenever a score may come out differently: everything is scored anew then."""

_PLANNED = """
SELECT e.example_id, q.answer, q.answer_type, q.ordered, p.run_id IS NOT NULL AS done, p.outcome, p.raw_answer,
    s.score, s.scorer_version = ? AND s.recorded_at > coalesce(p.recorded_at, s.recorded_at - INTERVAL 1 SECOND) AS kept
FROM run_examples r
JOIN examples e USING (example_id)
JOIN questions q USING (question_id)
LEFT JOIN predictions p ON p.run_id = r.run_id AND p.example_id = r.example_id
LEFT JOIN scores s ON s.run_id = r.run_id AND s.example_id = r.example_id AND s.scorer = ?
WHERE r.run_id = ?
ORDER BY e.example_id
"""


def score(
    predicted: Sequence[str] | None, expected: Sequence[str], answer_type: str = "text", *, ordered: bool = False
) -> float:
    """Score from 0 to 1 of the extracted values against the expected ones.

    One expected value: 1 if exactly that is given. Several: matched values / the longer of the two lists, with the
    order enforced where `ordered`. No extracted answer scores 0.
    """
    if not predicted or not expected:
        return 0.0
    if len(expected) == 1 and len(predicted) > 1:
        return 0.0
    said, wanted, same = comparer(answer_type)
    found = matched([said(value) for value in predicted], [wanted(value) for value in expected], same, ordered=ordered)
    return found / max(len(predicted), len(expected))


def score_answer(
    raw: str | None, expected: Sequence[str], answer_type: str, ordered: bool
) -> tuple[list | None, float]:
    """Extracted values (None: no answer) and score of a raw final answer.

    An answer in the very form that is asked for, the values alone and one a line, is taken as it stands: "1. FC Köln"
    and "<div>" may be values, though elsewhere they would be a numbered list and a tag.
    """
    lines = [line.strip() for line in (after_thinking(raw or "") or "").splitlines() if line.strip()]
    said, wanted = ([value.strip().casefold() for value in some] for some in (lines, expected))
    if wanted and (said == wanted or (not ordered and sorted(said) == sorted(wanted))):
        return lines, 1.0
    predicted = values(raw, len(expected))
    return predicted, score(predicted, expected, answer_type, ordered=ordered)


def score_run_examples(home: Home, run_id: str) -> dict[str, Any]:
    """Write a score for every planned example of a run whose score is missing or out of date, as one journal file.

    A missing prediction scores zero. Returns counts: planned, answered, failed (predictions without a finished
    answer), missing, scored (written now), and the mean over planned examples. Needs no model.
    """
    planned = snapshot.rows(home, _PLANNED, [VERSION, SCORER, run_id])
    if not planned:
        raise UserError(f'Run {run_id} has no planned examples: `treebench sql "FROM runs"` lists the runs.')
    scores = [row["score"] for row in planned if row["kept"]]
    written = write(home, "scores", _collected(_rows(run_id, planned), scores))
    answered = sum(row["done"] and row["outcome"] in ("stop", "length") for row in planned)
    done = sum(row["done"] for row in planned)
    return {
        "run_id": run_id,
        "planned": len(planned),
        "answered": answered,
        "failed": done - answered,
        "missing": len(planned) - done,
        "scored": written,
        "mean_score": round(sum(scores) / len(planned), 6),
    }


def _collected(rows: Iterator[dict[str, Any]], scores: list[float]) -> Iterator[dict[str, Any]]:
    for row in rows:
        scores.append(row["score"])
        yield row


def _rows(run_id: str, planned: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for row in planned:
        if row["kept"]:
            continue
        expected = [str(value) for value in json.loads(row["answer"])]
        extracted, points = score_answer(row["raw_answer"], expected, row["answer_type"], row["ordered"])
        yield {
            "run_id": run_id,
            "example_id": row["example_id"],
            "scorer": SCORER,
            "scorer_version": VERSION,
            "extracted": extracted,
            "score": points,
            "recorded_at": datetime.now(UTC).replace(tzinfo=None),
        }
