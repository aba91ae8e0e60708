"""Table-level expectations, by Great Expectations over data frames from the snapshot.

Great Expectations has no source for DuckDB, so it is fed frames; it is imported here only, when it is needed.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

HASH = "^[0-9a-f]{32}$"
SHA256 = "^[0-9a-f]{64}$"
TASKS = ["fields_1", "fields_2", "fields_4", "records_2", "records_4", "count", "frequent", "extremum"]
FORMATS = ["json", "html", "yaml", "javascript"]
MOST_FAILING = 20


@dataclass(frozen=True)
class Outcome:
    """One expectation over one table."""

    table: str
    expectation: str
    passed: bool
    observed: str
    failing: list[str]


Expectation = tuple[str, dict[str, Any]]
"""Name of an expectation of Great Expectations, and its arguments."""


def suites(rows: Mapping[str, int]) -> dict[str, list[Expectation]]:
    """Table to its expectations; `rows` are the numbers of rows that each should have."""
    cell = ["dataset", "task", "length", "split", "number"]
    return {
        "examples": [
            ("ExpectTableRowCountToEqual", {"value": rows["examples"]}),
            ("ExpectColumnValuesToBeUnique", {"column": "example_id"}),
            ("ExpectColumnValuesToMatchRegex", {"column": "example_id", "regex": HASH}),
            ("ExpectColumnValuesToMatchRegex", {"column": "context_sha256", "regex": SHA256}),
            ("ExpectCompoundColumnsToBeUnique", {"column_list": ["question_id", "context_sha256"]}),
            ("ExpectColumnValuesToBeInSet", {"column": "task", "value_set": TASKS}),
            ("ExpectColumnValuesToBeInSet", {"column": "split", "value_set": ["test", "train", "development"]}),
            ("ExpectColumnValuesToBeBetween", {"column": "share", "min_value": 0.95, "max_value": 1.0}),
            ("ExpectColumnValuesToBeBetween", {"column": "payloads", "min_value": 1}),
            ("ExpectColumnValuesToNotBeNull", {"column": "question_id"}),
            ("ExpectCompoundColumnsToBeUnique", {"column_list": cell}),
        ],
        "questions": [
            ("ExpectTableRowCountToEqual", {"value": rows["questions"]}),
            ("ExpectColumnValuesToBeUnique", {"column": "question_id"}),
            ("ExpectColumnValueLengthsToBeBetween", {"column": "text", "min_value": 20, "max_value": 2000}),
            ("ExpectColumnValuesToMatchRegex", {"column": "text", "regex": r"^[A-Z].*[.?]$"}),
            ("ExpectColumnValuesToBeInSet", {"column": "task", "value_set": TASKS}),
            ("ExpectColumnValuesToBeInSet", {"column": "answer_type", "value_set": ["text", "number"]}),
            ("ExpectColumnValuesToBeBetween", {"column": "answers", "min_value": 1, "max_value": 8}),
            ("ExpectColumnValuesToNotBeNull", {"column": "template"}),
        ],
        "payloads": [
            ("ExpectTableRowCountToEqual", {"value": rows["payloads"]}),
            ("ExpectColumnValuesToBeUnique", {"column": "payload_id"}),
            ("ExpectColumnValuesToMatchRegex", {"column": "payload_id", "regex": HASH}),
            ("ExpectColumnValuesToBeInSet", {"column": "format", "value_set": FORMATS}),
            ("ExpectColumnValuesToNotBeNull", {"column": "licence"}),
            ("ExpectColumnValueLengthsToBeBetween", {"column": "licence", "min_value": 2}),
            ("ExpectColumnValuesToNotBeNull", {"column": "response_sha256"}),
            ("ExpectColumnValuesToNotBeNull", {"column": "source_title"}),
            ("ExpectColumnValuesToBeBetween", {"column": "records", "min_value": 1}),
            ("ExpectColumnPairValuesToBeEqual", {"column_A": "characters", "column_B": "text_length"}),
        ],
    }


KEYS = {"examples": "example_id", "questions": "question_id", "payloads": "payload_id"}


def expect(frames: "Mapping[str, pandas.DataFrame]", rows: Mapping[str, int]) -> list[Outcome]:
    """Every expectation of a dataset version over its frames, with the keys of the rows that fail it."""
    return expect_of(frames, suites(rows), KEYS)


def expect_of(
    frames: "Mapping[str, pandas.DataFrame]",
    expectations_of: Mapping[str, list[Expectation]],
    keys: Mapping[str, str],
) -> list[Outcome]:
    """Every expectation over every frame, with the keys of the rows that fail it."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx
    import great_expectations.expectations as gxe

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False, "metric_calculations": False}  # pyright: ignore
    source = context.data_sources.add_pandas("snapshot")
    outcomes = []
    for table, frame in frames.items():
        asset = source.add_dataframe_asset(table)
        batch = asset.add_batch_definition_whole_dataframe("all").get_batch({"dataframe": frame})
        made = [getattr(gxe, name)(**arguments) for name, arguments in expectations_of[table]]
        suite = gx.ExpectationSuite(name=table, expectations=made)
        done = batch.validate(
            suite, result_format={"result_format": "COMPLETE", "unexpected_index_column_names": [keys[table]]}
        )
        outcomes += [_outcome(table, result, keys[table]) for result in done.results]
    return outcomes


def _outcome(table: str, result: Any, key: str) -> Outcome:
    config = result.expectation_config
    arguments = {key: value for key, value in config.kwargs.items() if key not in ("batch_id", "value_set", "regex")}
    name = f"{config.type} {', '.join(f'{key}={value}' for key, value in arguments.items())}"
    found = result.result or {}
    failing = [str(row.get(key)) for row in found.get("unexpected_index_list") or []]
    if "observed_value" in found:
        observed = f"observed {found['observed_value']}"
    elif "unexpected_count" in found:
        observed = f"{found['unexpected_count']} of {found['element_count']} rows fail"
    else:
        observed = str((result.exception_info or {}).get("exception_message") or "nothing observed")
    return Outcome(table, name, bool(result.success), observed, failing[:MOST_FAILING])
