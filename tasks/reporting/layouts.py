"""Which columns of each query are shown, under which headings and in which form."""

from dataclasses import replace
from typing import Any

from tasks.reporting import labels, long_horizon, serving
from tasks.reporting.columns import (
    AGENT,
    CLUSTERED,
    DATA,
    DATASET,
    DONE,
    FLAT,
    HOLM,
    INTERVAL,
    LENGTH,
    METHOD,
    MODEL,
    OTHER,
    PUBLISHED,
    SCORE,
    TASK,
    P,
)
from tasks.reporting.published import beside
from tasks.reporting.query import Result
from tasks.reporting.significance import with_p
from tasks.reporting.tables import Column, Table, table


def _score_columns() -> list[Column]:
    found = []
    for key, name in [*list(labels.DATASETS.items())[:4], ("average", "Average")]:
        behind = "method" if key in labels.DATASETS else ""
        found.append(Column(key, "measured", "percent", group=name, optional=True, behind=behind))
        found.append(Column(f"published_{key}", "published", "published", group=name, optional=True))
    return found


LAYOUTS: dict[str, list[Column]] = {
    "main_table": [AGENT, MODEL, METHOD, *_score_columns(), DONE, DATA],
    "dataset_scores": [AGENT, MODEL, DATASET, METHOD, SCORE, INTERVAL, DONE, DATA],
    "by_length": [
        AGENT, MODEL, DATASET, LENGTH, METHOD, SCORE, INTERVAL, PUBLISHED, DONE, DATA,
    ],
    "by_task": [AGENT, MODEL, DATASET, TASK, METHOD, SCORE, INTERVAL, DONE, DATA],
    "gains_by_task": [
        AGENT, MODEL, DATASET, METHOD, TASK,
        FLAT,
        OTHER,
        Column("gain", "Gain", "gain", behind="both"),
        INTERVAL, PUBLISHED,
        Column("better", "Better", "count"),
        Column("worse", "Worse", "count"),
        Column("test", "Test"),
        P, HOLM,
        Column("pairs", "Pairs", "count"),
        DATA,
    ],
    "paired_differences": [
        AGENT, MODEL, DATASET, METHOD,
        FLAT,
        OTHER,
        Column("difference", "Difference", "gain", behind="both"),
        INTERVAL, CLUSTERED, PUBLISHED,
        Column("better", "Better", "count"),
        Column("equal", "Equal", "count"),
        Column("worse", "Worse", "count"),
        Column("pairs", "Pairs", "count"),
        Column("contexts", "Contexts", "count"),
        DATA,
    ],
    "repeats": [
        AGENT, MODEL, DATASET, METHOD,
        Column("repeats", "Runs", "count"),
        Column("score", "Mean", "percent"),
        Column("lowest", "Lowest", "percent"),
        Column("highest", "Highest", "percent"),
        Column("deviation", "Standard deviation", "percent"),
        Column("changed", "Changed examples (%)", "percent"),
        Column("planned", "Examples", "count"),
        DATA,
    ],
    "models_by_length": [
        AGENT, METHOD, DATASET, LENGTH,
        Column("model", "First model"),
        Column("other_model", "Other model"),
        Column("first_score", "First", "percent"),
        Column("score", "Other", "percent"),
        Column("difference", "Difference", "gain"),
        INTERVAL,
        Column("published_first", "first", "published", group="Published", optional=True),
        Column("published_other", "other", "published", group="Published", optional=True),
        Column("pairs", "Pairs", "count"),
        DATA,
    ],
    "generation_limits": [
        AGENT, MODEL,
        *[
            column
            for role in ("memory", "answer", "controller")
            for column in (
                Column(f"{role}_tokens", "set", "count", group=role.capitalize(), optional=True),
                Column(f"published_{role}", "published", "published", group=role.capitalize(), optional=True),
            )
        ],
        Column("window_tokens", "Window", "count", optional=True),
        Column("temperature", "Temperature", "two"),
        Column("top_p", "top_p", "two"),
        DATA,
    ],
    "calls_and_tokens": [
        AGENT, MODEL, DATASET, METHOD,
        Column("calls", "Calls", "two", group="Per example"),
        Column("input_tokens", "Input tokens", "count", group="Per example"),
        Column("output_tokens", "Output tokens", "count", group="Per example"),
        Column("cached", "Cached input (%)", "percent", optional=True),
        Column("call_seconds", "Seconds a call", "two"),
        Column("calls_ratio", "measured", "ratio", group="Calls / Flat", optional=True),
        Column("published_calls", "published", "published", group="Calls / Flat", optional=True),
        Column("input_ratio", "measured", "ratio", group="Input tokens / Flat", optional=True),
        Column("published_input", "published", "published", group="Input tokens / Flat", optional=True),
        Column("retries", "Retries", "count", optional=True),
        Column("examples", "Examples", "count"),
        DATA,
    ],
    "outcomes": [
        AGENT, MODEL, DATASET, METHOD,
        Column("runs", "Runs", "count"),
        Column("planned", "Planned", "count"),
        Column("stop", "Stop", "count"),
        *[
            Column(outcome, outcome.replace("_", " ").capitalize(), "count", optional=True)
            for outcome in (
                "length", "overflow", "server_error", "timeout", "aborted", "parse_error", "tool_error", "budget",
                "skipped", "unscored",
            )
        ],
        DATA,
    ],
    "budget_matching": [
        DATASET,
        Column("tokenizer", "Tokenizer"),
        Column("base_budget", "C", "count"),
        LENGTH,
        Column("examples", "Examples", "count"),
        Column("equal_share", "Equal (%)", "percent"),
        PUBLISHED,
        Column("fewer", "Fewer", "count"),
        Column("more", "More", "count"),
        Column("flat_sections", "Flat", "two", group="Sections"),
        Column("tree_sections", "TreeAgent", "two", group="Sections"),
        Column("surplus", "Surplus", "gain", group="Sections"),
        Column("budget", "B* (mean)", "count"),
        DATA,
    ],
    "sources": [
        DATASET,
        Column("title", "Source", link="home_url"),
        Column("responses", "Responses", "count", group="Collected"),
        Column("bytes", "Size", "bytes", group="Collected"),
        Column("payloads", "Payloads", "count", group="Collected"),
        Column("records", "Records", "count", group="Collected"),
        Column("used_payloads", "Payloads", "count", group="In contexts"),
        Column("examples", "Examples", "count", group="In contexts"),
        Column("licence", "Licence", link="terms_url"),
        Column("version", "Version", optional=True),
        Column("transports", "Transport"),
        Column("last_retrieved", "Retrieved (UTC)", "time", optional=True),
        DATA,
    ],
    "validation": [
        DATASET,
        Column("suite", "Suite"),
        Column("subject", "Subject"),
        Column("check", "Check"),
        Column("checked", "Checked", "count"),
        Column("passed", "Passed", "count"),
        Column("failed", "Failed", "count"),
        Column("observed", "Observed", optional=True),
        Column("first_failed", "First failed", "hash", optional=True),
        DATA,
    ],
    "expectations": [
        DATASET,
        Column("subject", "Table"),
        Column("expectation", "Expectation"),
        Column("arguments", "Arguments"),
        Column("result", "Result"),
        Column("observed", "Observed", optional=True),
        Column("failing", "Rows that fail", "values", optional=True),
        Column("checked_at", "Checked (UTC)", "time"),
        DATA,
    ],
    "rejections": [
        Column("stage", "Stage"),
        Column("reason", "Reason"),
        Column("rejected", "Rejected", "count"),
        Column("subject", "Such as", "hash"),
        Column("detail", "What was found", optional=True),
        DATA,
    ],
    "builds": [
        Column("build", "Version", "hash"),
        DATASET,
        Column("examples", "Examples", "count"),
        Column("contexts", "Contexts", "count"),
        Column("tasks", "Tasks", "count"),
        Column("lengths", "Lengths", "count"),
        Column("shortest", "Shortest", "length"),
        Column("longest", "Longest", "length"),
        Column("payloads", "Payloads", "count"),
        Column("tokenizer", "Tokenizer"),
        Column("created", "Built (UTC)", "time"),
        Column("parameters", "Parameters", "json"),
        DATA,
    ],
    "runs": [
        Column("run", "Run", "hash"),
        AGENT, METHOD, DATASET, MODEL, DONE,
        Column("prompts", "Prompts"),
        Column("prompts_sha256", "Prompts hash", "hash"),
        Column("tokenizer", "Tokenizer"),
        Column("tokenizer_sha256", "Tokenizer hash", "hash"),
        Column("template_sha256", "Template hash", "hash", optional=True),
        Column("base_budget", "C", "count"),
        Column("decoding", "Decoding", "json"),
        Column("server", "Server", "json"),
        Column("endpoint", "Endpoint"),
        Column("code_version", "treebench"),
        Column("flow_run", "Flow run", "hash", optional=True),
        Column("started", "Started (UTC)", "time"),
        Column("build", "Dataset version", "hash"),
        DATA,
    ],
    "examples": [
        DATASET, TASK, LENGTH,
        Column("question", "Question"),
        Column("expected", "Expected", "values"),
        AGENT, MODEL, METHOD,
        Column("score", "Score", "percent"),
        Column("outcome", "Outcome"),
        Column("extracted", "Extracted", "values"),
        Column("raw_answer", "Answer as given", optional=True),
        DATA,
    ],
} | serving.LAYOUTS | long_horizon.LAYOUTS  # fmt: skip

EMPTY = {
    "main_table": "No run yet: `treebench run`.",
    "repeats": "No configuration ran more than once.",
    "paired_differences": "A difference needs a run under Flat and one under another method, with all else equal.",
    "budget_matching": "Not cut into sections yet: `treebench section`.",
    "sources": "No context draws on a source.",
    "validation": "Not validated yet: `treebench validate`.",
    "rejections": "Nothing was rejected.",
}
"""What is said instead of a table without rows; any other table without rows is left out."""

FOLDED = {
    "dataset_scores", "by_length", "by_task", "gains_by_task", "examples", "validation", "expectations",
    "paired_differences", "models_by_length", "generation_limits", "context_density", "context_growth",
    "calls_by_role", "load_over_time",
}  # fmt: skip
LONG = 12
"""Tables that are folded where they have more rows than this."""

SETUP = Column("setup", "Setup")
FEW = 4
"""Up to so many runs or dataset versions stand side by side, with their properties below each other."""


def arranged(result: Result) -> Table:
    """The table of a result, with published numbers beside measured ones.

    The column `setup` appears only where an agent ran under several, and "Average" only over several datasets.
    """
    records = with_p(result.query.name, beside(result))
    columns = list(LAYOUTS[result.query.name])
    if "setup" in result.columns and len({(r["agent"], r["setup"]) for r in records}) > len(
        {r["agent"] for r in records}
    ):
        columns.insert(columns.index(METHOD), SETUP)
    tail = sum("model" in result.columns and record["model"] is None for record in records)
    if result.query.name == "main_table":
        columns = _without_empty_groups(columns, records)
        columns = [_with_tolerance(column, records) for column in columns]
    flipped = result.query.name in ("runs", "builds") and len(records) <= FEW
    shown = table(result, records, columns, tail, flipped)
    return replace(shown, empty=EMPTY.get(result.query.name, ""), folded=_folded(result, records))


def _folded(result: Result, records: list[dict[str, Any]]) -> str:
    if result.query.name not in FOLDED or len(records) <= LONG:
        return ""
    if result.query.name in ("validation", "expectations"):
        failed = sum(record.get("failed", 0) > 0 or record.get("result") == "failed" for record in records)
        return f"{len(records)} checks, " + (f"{failed} of them failed" if failed else "all of them held")
    return f"{len(records):,} rows"


def _without_empty_groups(columns: list[Column], records: list[dict[str, Any]]) -> list[Column]:
    """Published scores are shown only for datasets that were measured; one dataset needs no average."""
    measured = {key for key in labels.DATASETS if any(record.get(key) is not None for record in records)}
    if any(record["datasets"] > 1 for record in records):
        measured.add("average")
    return [column for column in columns if not column.group or column.key.removeprefix("published_") in measured]


def _with_tolerance(column: Column, records: list[dict[str, Any]]) -> Column:
    """A tolerance that all published numbers of a column share stands in its heading, once."""
    shared = {record[column.key].tolerance for record in records if column.published and record[column.key]}
    if len(shared) != 1 or None in shared:
        return column
    return replace(column, head=f"{column.head}\n±\N{NO-BREAK SPACE}{shared.pop():g}", kind="published_alone")
