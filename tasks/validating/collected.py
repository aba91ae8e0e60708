"""Great Expectations over what was collected: responses, payloads and records, before anything is built on them."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from tasks.errors import UserError
from tasks.hashing import content_id
from tasks.home import Home
from tasks.validating.expectations import FORMATS, HASH, SHA256, Expectation, expect_of
from tasks.warehouse import journal, snapshot, stages

VERSION = 1
"""Raise it when the suites change."""

SUITE = "collected"
TRANSPORTS = ["sample", "mirror", "live"]
MOST_BYTES = 64 * 1024**2
MOST_CHARACTERS = 4_000_000

KEYS = {"responses": "response_id", "payloads": "payload_id", "records": "record_id"}

FRAMES = {
    "responses": """
        SELECT r.response_id, r.source, r.url, r.method, r.status, r.retrieved_at, r.sha256, r.bytes, r.transport,
               r.encoding, r.licence, r.notice, r.source_version, r.sample, s.source AS known_source
        FROM responses r LEFT JOIN sources s USING (source)
        WHERE r.transport = $transport AND list_contains($sources, r.source) ORDER BY r.response_id""",
    "payloads": """
        SELECT DISTINCT p.payload_id, p.source, p.dataset, p.format, p.records, p.characters, p.licence, p.notice,
               p.source_version, p.body_sha256, p.text_sha256, p.sample, length(p.text) AS text_length,
               sha256(p.text) AS sha256_of_text, f.response_id AS known_response,
               regexp_matches(p.text, '\\x{FFFD}') AS undecodable
        FROM payloads p JOIN payload_origins o USING (payload_id) JOIN responses r ON r.response_id = o.response_id
        LEFT JOIN responses f ON f.response_id = p.response_id
        WHERE r.transport = $transport AND list_contains($sources, r.source) ORDER BY p.payload_id""",
    "records": """
        SELECT DISTINCT c.record_id, c.payload_id, c.kind, c.label, c.path, c.span_end - c.span_start AS span,
               p.characters - c.span_end AS behind, c.sample
        FROM records c JOIN payloads p USING (payload_id) JOIN payload_origins o USING (payload_id)
        JOIN responses r ON r.response_id = o.response_id
        WHERE r.transport = $transport AND list_contains($sources, r.source) ORDER BY c.record_id""",
}


def suites(sample: bool) -> dict[str, list[Expectation]]:
    """Table to its expectations, for sample data or for real data."""
    some = {"min_value": 1}
    return {
        "responses": [
            ("ExpectTableRowCountToBeBetween", some),
            ("ExpectColumnValuesToBeUnique", {"column": "response_id"}),
            ("ExpectColumnValuesToMatchRegex", {"column": "response_id", "regex": HASH}),
            ("ExpectColumnValuesToMatchRegex", {"column": "sha256", "regex": SHA256}),
            ("ExpectColumnValuesToNotBeNull", {"column": "url"}),
            ("ExpectColumnValuesToBeBetween", {"column": "bytes", "min_value": 1, "max_value": MOST_BYTES}),
            ("ExpectColumnValuesToBeInSet", {"column": "transport", "value_set": TRANSPORTS}),
            ("ExpectColumnValuesToBeInSet", {"column": "method", "value_set": ["GET", "POST"]}),
            ("ExpectColumnValuesToBeInSet", {"column": "status", "value_set": [200]}),
            ("ExpectColumnValuesToNotBeNull", {"column": "encoding"}),
            ("ExpectColumnValuesToNotBeNull", {"column": "licence"}),
            ("ExpectColumnValueLengthsToBeBetween", {"column": "licence", "min_value": 2}),
            ("ExpectColumnValuesToNotBeNull", {"column": "notice"}),
            ("ExpectColumnValuesToNotBeNull", {"column": "source_version"}),
            ("ExpectColumnValuesToNotBeNull", {"column": "known_source"}),
            ("ExpectColumnValuesToBeInSet", {"column": "sample", "value_set": [sample]}),
        ],
        "payloads": [
            ("ExpectTableRowCountToBeBetween", some),
            ("ExpectColumnValuesToBeUnique", {"column": "payload_id"}),
            ("ExpectColumnValuesToMatchRegex", {"column": "payload_id", "regex": HASH}),
            ("ExpectColumnValuesToBeUnique", {"column": "text_sha256"}),
            ("ExpectColumnPairValuesToBeEqual", {"column_A": "text_sha256", "column_B": "sha256_of_text"}),
            ("ExpectColumnPairValuesToBeEqual", {"column_A": "characters", "column_B": "text_length"}),
            ("ExpectColumnValuesToBeBetween", {"column": "characters", "min_value": 20, "max_value": MOST_CHARACTERS}),
            ("ExpectColumnValuesToBeBetween", {"column": "records", "min_value": 1}),
            ("ExpectColumnValuesToBeInSet", {"column": "format", "value_set": FORMATS}),
            ("ExpectColumnPairValuesToBeEqual", {"column_A": "format", "column_B": "dataset"}),
            ("ExpectColumnValuesToNotBeNull", {"column": "licence"}),
            ("ExpectColumnValueLengthsToBeBetween", {"column": "licence", "min_value": 2}),
            ("ExpectColumnValuesToNotBeNull", {"column": "notice"}),
            ("ExpectColumnValuesToNotBeNull", {"column": "source_version"}),
            ("ExpectColumnValuesToNotBeNull", {"column": "known_response"}),
            ("ExpectColumnValuesToMatchRegex", {"column": "body_sha256", "regex": SHA256}),
            ("ExpectColumnValuesToBeInSet", {"column": "undecodable", "value_set": [False], "mostly": 0.9}),
            ("ExpectColumnValuesToBeInSet", {"column": "sample", "value_set": [sample]}),
        ],
        "records": [
            ("ExpectColumnValuesToBeUnique", {"column": "record_id"}),
            ("ExpectColumnValuesToMatchRegex", {"column": "record_id", "regex": HASH}),
            ("ExpectColumnValuesToNotBeNull", {"column": "kind"}),
            ("ExpectColumnValueLengthsToBeBetween", {"column": "label", "min_value": 1}),
            ("ExpectColumnValueLengthsToBeBetween", {"column": "path", "min_value": 1}),
            ("ExpectColumnValuesToBeBetween", {"column": "span", "min_value": 2}),
            ("ExpectColumnValuesToBeBetween", {"column": "behind", "min_value": 0}),
            ("ExpectColumnValuesToBeInSet", {"column": "sample", "value_set": [sample]}),
        ],
    }


def subject(dataset: str, transport: str) -> str:
    """What column `build_id` of `validations` says for findings that belong to no dataset version."""
    return f"collected {dataset} {transport}"


def validate_collected(home: Home, dataset: str, sources: Sequence[str], transport: str) -> dict[str, Any]:
    """Check the responses and payloads of these sources and return counts; findings go to table `validations`.

    What was checked by these suites and has not changed since is skipped. Raises `UserError` naming the first finding.
    """
    named = [f"{source}-sample" if transport == "sample" else source for source in sources]
    return _validate(home, dataset, named, transport, ("responses", "payloads"))


def validate_records(home: Home, build_id: str) -> dict[str, Any]:
    """Check the records of the sources of a dataset version, which its build has extracted; as `validate_collected`."""
    with snapshot.reader(home) as connection:
        query = "SELECT dataset, parameters FROM builds WHERE build_id = ?"
        dataset, parameters = connection.execute(query, [build_id]).fetchall()[0]
    given = json.loads(parameters)
    return _validate(home, dataset, given["sources"], given["transport"], ("records",))


def _validate(
    home: Home, dataset: str, sources: Sequence[str], transport: str, tables: Sequence[str]
) -> dict[str, Any]:
    sample = transport == "sample"
    given = {"transport": transport, "sources": list(sources)}
    with snapshot.reader(home) as connection:
        frames = {table: connection.execute(FRAMES[table], given).df() for table in tables}
    state = [content_id(*frame[KEYS[table]].tolist()) for table, frame in frames.items()]
    input_hash = content_id(VERSION, dataset, transport, tables, state)
    done = stages.finished(home, "validate collected", input_hash)
    if done:
        return done | {"skipped": True}
    counts = {table: len(frame) for table, frame in frames.items()}
    outcomes = expect_of(frames, suites(sample), KEYS)
    now = datetime.now(UTC).replace(tzinfo=None)
    journal.write(
        home,
        "validations",
        [
            {
                "build_id": subject(dataset, transport),
                "suite": SUITE,
                "subject": outcome.table,
                "check_name": outcome.expectation,
                "passed": outcome.passed,
                "observed": outcome.observed,
                "failing": outcome.failing,
                "recorded_at": now,
            }
            for outcome in outcomes
        ],
    )
    failed = [outcome for outcome in outcomes if not outcome.passed]
    if failed:
        first = failed[0]
        rows = f" ({', '.join(first.failing[:3])})" if first.failing else ""
        raise UserError(
            f"What was collected of {', '.join(sources)} is not as expected: {first.expectation} in table "
            f"{first.table}, {first.observed}{rows}; {len(failed)} of {len(outcomes)} expectations fail, see "
            f"\"FROM validations WHERE build_id = '{subject(dataset, transport)}' AND NOT passed\"."
        )
    result = {"checked": subject(dataset, transport), "expectations": len(outcomes), **counts}
    stages.record(home, "validate collected", input_hash, result)
    return result | {"skipped": False}
