"""A dataset version, checked by code that did not build it: example by example, and as tables."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from tasks.errors import UserError
from tasks.hashing import content_id
from tasks.home import Home
from tasks.validating import javascript_reading
from tasks.validating.dividing import examined
from tasks.validating.expectations import expect
from tasks.validating.subjects import parsed
from tasks.warehouse import journal, snapshot, stages
from tasks.warehouse.snapshot import fetch

VERSION = 5
"""Raise it when the checks change: what was validated before is then validated again."""

INDEPENDENT, EXPECTATIONS = "independent", "expectations"

READ_AGAIN, SHORT = 40, 2000
"""So many JavaScript payloads of at most so many characters are read by a third reader; half a minute at most."""

EXAMPLES = """
SELECT e.*, q.text, q.reference, q.answer, q.answer_type, q.ordered, q.task AS question_task,
       q.sample AS question_sample, t.tokens AS recorded_tokens
FROM build_examples b JOIN examples e USING (example_id) LEFT JOIN questions q USING (question_id)
LEFT JOIN context_tokens t ON t.example_id = e.example_id AND t.tokenizer = ?
WHERE b.build_id = ? ORDER BY e.example_id
"""

_FRAMES = {
    "examples": """
        SELECT e.*, t.tokens / e.length AS share,
               (SELECT count(*) FROM example_payloads x WHERE x.example_id = e.example_id) AS payloads
        FROM build_examples b JOIN examples e USING (example_id)
        LEFT JOIN builds v USING (build_id)
        LEFT JOIN context_tokens t ON t.example_id = e.example_id AND t.tokenizer = v.construction_tokenizer
        WHERE b.build_id = ? ORDER BY e.example_id""",
    "questions": """
        SELECT DISTINCT q.* EXCLUDE (reference, answer), json_array_length(q.answer) AS answers
        FROM build_examples b JOIN examples e USING (example_id) JOIN questions q USING (question_id)
        WHERE b.build_id = ? ORDER BY q.question_id""",
    "payloads": """
        SELECT DISTINCT p.* EXCLUDE (text, location), length(p.text) AS text_length,
               r.sha256 AS response_sha256, s.title AS source_title
        FROM build_examples b JOIN example_payloads x USING (example_id) JOIN payloads p USING (payload_id)
        LEFT JOIN responses r USING (response_id) LEFT JOIN sources s ON s.source = p.source
        WHERE b.build_id = ? ORDER BY p.payload_id""",
}


def validate(home: Home, build_id: str, workers: int | None = None) -> dict[str, Any]:
    """Check a dataset version and return counts; findings go to table `validations`.

    `workers` are processes, as many as there are processors where it is None; they change no finding. Does not raise
    for what it finds: see `require_valid`. A version that was checked by these checks is skipped. Raises `UserError`
    when there is no such version, `Fault` where a process was killed.
    """
    input_hash = content_id(build_id, VERSION)
    done = stages.finished(home, "validate", input_hash)
    if done:
        return done | {"skipped": True}
    found = snapshot.rows(home, "FROM builds WHERE build_id = ?", [build_id])
    if not found:
        raise UserError(f'Dataset version {build_id} is not in the database: `treebench sql "FROM builds"` lists them.')
    version = found[0]
    rows: list[dict[str, Any]] = []
    with snapshot.reader(home) as connection:
        examples = fetch(connection, EXAMPLES, [version["construction_tokenizer"], build_id])
        for example_id, found in examined(home, version, examples, workers):
            rows += [_row(build_id, INDEPENDENT, example_id, name, what) for name, what in found.items()]
        rows += [_row(build_id, INDEPENDENT, "build", *finding) for finding in _together(connection, version, examples)]
        frames = {table: connection.execute(query, [build_id]).df() for table, query in _FRAMES.items()}
    planned = _planned(version)
    expected = {
        "examples": planned,
        "questions": len({example["question_id"] for example in examples}),
        "payloads": len(frames["payloads"]),
    }
    for outcome in expect(frames, expected):
        what = None if outcome.passed else outcome.observed
        row = _row(build_id, EXPECTATIONS, outcome.table, outcome.expectation, what, outcome.failing)
        rows.append(row | {"observed": outcome.observed})
    journal.write(home, "validations", rows)
    failed = [row for row in rows if not row["passed"]]
    counts = {
        "build_id": build_id,
        "examples": len(examples),
        "checks": sum(row["suite"] == INDEPENDENT for row in rows),
        "expectations": sum(row["suite"] == EXPECTATIONS for row in rows),
        "failed": len(failed),
    }
    stages.record(home, "validate", input_hash, counts)
    return counts | {"skipped": False}


def require_valid(home: Home, build_id: str) -> None:
    """Raise `UserError` naming the first rejected example and why, unless every check of the version passed."""
    found = snapshot.rows(
        home,
        "SELECT suite, subject, check_name, observed, passed FROM validations WHERE build_id = ? "
        "ORDER BY suite DESC, subject, check_name",
        [build_id],
    )
    if not found:
        raise UserError(
            f"Dataset version {build_id} has not been validated: run `treebench validate --build {build_id}`."
        )
    failed = [row for row in found if not row["passed"]]
    if failed:
        first = [row for row in failed if row["subject"] == failed[0]["subject"]]
        reasons = "; ".join(f"{row['check_name']}: {row['observed']}" for row in first[:3])
        what = "table" if first[0]["suite"] == EXPECTATIONS else "example"
        raise UserError(
            f"Dataset version {build_id} is not valid: {what} {first[0]['subject']} is rejected ({reasons}), "
            f'{len({row["subject"] for row in failed})} in all; see them with `treebench sql "FROM validations WHERE '
            f"build_id = '{build_id}' AND NOT passed\"`."
        )


def _together(
    connection: Any, version: Mapping[str, Any], examples: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str | None]]:
    """What only shows in all examples of a version together: name of the check and what it found."""
    parameters = parsed(version["parameters"])
    cells = Counter((example["task"], example["length"], example["split"]) for example in examples)
    wanted = {
        (task, length, parameters["split"]): parameters["examples"]
        for task in parameters["tasks"]
        for length in parameters["lengths"]
    }
    wrong = sorted(cell for cell in cells.keys() | wanted.keys() if cells.get(cell) != wanted.get(cell))
    yield "cells are full", f"cell {wrong[0]} has {cells.get(wrong[0], 0)} examples" if wrong else None
    numbers: dict[Any, list[int]] = defaultdict(list)
    for example in examples:
        numbers[example["task"], example["length"], example["split"]].append(example["number"])
    gaps = [cell for cell, found in numbers.items() if sorted(found) != list(range(len(found)))]
    yield "examples are numbered", f"cell {gaps[0]} has gaps or repeats in its numbers" if gaps else None
    if version["dataset"] == "javascript":
        yield "values are read alike", _read_again(connection, version["build_id"])
    yield from _splits(connection, version)


def _read_again(connection: Any, build_id: str) -> str | None:
    """A payload that a third reader reads otherwise, among those whose ids, which are hashes, come first."""
    drawn = fetch(
        connection,
        """
        SELECT DISTINCT p.payload_id, p.text
        FROM build_examples JOIN example_payloads USING (example_id) JOIN payloads p USING (payload_id)
        WHERE build_id = ? AND length(p.text) <= ? ORDER BY ALL LIMIT ?
        """,
        [build_id, SHORT, READ_AGAIN],
    )
    found = ((payload["payload_id"], javascript_reading.otherwise(payload["text"])) for payload in drawn)
    return next((f"payload {payload_id}: {what}" for payload_id, what in found if what), None)


def _splits(connection: Any, version: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Nothing that this version asks about, and no context of it, stands in another split."""
    given = [version["dataset"], version["build_id"]]
    shared = fetch(
        connection,
        """
        WITH asked AS (
            SELECT DISTINCT e.split, q.kind, q.question_id, b.build_id,
                unnest(json_extract(q.reference, '$.targets[*]'))::VARCHAR AS target
            FROM build_examples b JOIN examples e USING (example_id) JOIN questions q USING (question_id)
            WHERE e.dataset = ?
        )
        SELECT mine.question_id, other.split FROM asked mine JOIN asked other USING (kind, target)
        WHERE mine.build_id = ? AND mine.split <> other.split ORDER BY ALL LIMIT 1
        """,
        given,
    )
    found = f"question {shared[0]['question_id']} is about a record of split {shared[0]['split']}" if shared else None
    yield "splits ask about different records", found
    again = fetch(
        connection,
        """
        SELECT mine.example_id, other.split
        FROM build_examples b JOIN examples mine USING (example_id) JOIN examples other USING (context_sha256)
        WHERE mine.dataset = ? AND b.build_id = ? AND mine.split <> other.split ORDER BY ALL LIMIT 1
        """,
        given,
    )
    found = (
        f"the context of example {again[0]['example_id']} stands in split {again[0]['split']} too" if again else None
    )
    yield "splits have different contexts", found


def _planned(version: Mapping[str, Any]) -> int:
    parameters = parsed(version["parameters"])
    return len(parameters["tasks"]) * len(parameters["lengths"]) * parameters["examples"]


def _row(
    build_id: str, suite: str, subject: str, check: str, found: str | None, failing: Sequence[str] = ()
) -> dict[str, Any]:
    return {
        "build_id": build_id,
        "suite": suite,
        "subject": subject,
        "check_name": check,
        "passed": found is None,
        "observed": found or "as it should be",
        "failing": list(failing) or ([subject] if found and suite == INDEPENDENT else []),
        "recorded_at": datetime.now(UTC).replace(tzinfo=None),
    }
