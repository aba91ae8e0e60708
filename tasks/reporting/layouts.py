"""Which columns of each query are shown, under which headings and in which form."""

from dataclasses import replace
from typing import Any

from tasks.reporting import labels
from tasks.reporting.published import beside
from tasks.reporting.query import Result
from tasks.reporting.tables import Column, Table, table

AGENT = Column("agent", "Agent", "ordered")
MODEL = Column("model", "Model")
METHOD = Column("method", "Method", "ordered")
DATASET = Column("dataset", "Dataset", "ordered")
TASK = Column("task", "Task", "ordered")
LENGTH = Column("length", "Length", "length")
DONE = Column("done", "Examples", "done")
INTERVAL = Column("interval", "95 % interval", "interval")
DATA = Column("data", "Data")
PUBLISHED = Column("published", "Published", "published", optional=True)


def _score_columns() -> list[Column]:
    found = []
    for key, name in [*list(labels.DATASETS.items())[:4], ("average", "Average")]:
        found.append(Column(key, "measured", "percent", group=name, optional=True))
        found.append(Column(f"published_{key}", "published", "published", group=name, optional=True))
    return found


LAYOUTS: dict[str, list[Column]] = {
    "main_table": [AGENT, MODEL, METHOD, *_score_columns(), DONE, DATA],
    "dataset_scores": [AGENT, MODEL, DATASET, METHOD, Column("score", "Score", "percent"), INTERVAL, DONE, DATA],
    "by_length": [
        AGENT, MODEL, DATASET, LENGTH, METHOD, Column("score", "Score", "percent"), INTERVAL, PUBLISHED, DONE, DATA,
    ],
    "by_task": [AGENT, MODEL, DATASET, TASK, METHOD, Column("score", "Score", "percent"), INTERVAL, DONE, DATA],
    "gains_by_task": [
        AGENT, MODEL, DATASET, METHOD, TASK,
        Column("flat", "Flat", "percent"),
        Column("score", "Method’s score", "percent"),
        Column("gain", "Gain", "gain"),
        INTERVAL, PUBLISHED,
        Column("pairs", "Pairs", "count"),
        DATA,
    ],
    "paired_differences": [
        AGENT, MODEL, DATASET, METHOD,
        Column("flat", "Flat", "percent"),
        Column("score", "Method’s score", "percent"),
        Column("difference", "Difference", "gain"),
        INTERVAL, PUBLISHED,
        Column("better", "Better", "count"),
        Column("equal", "Equal", "count"),
        Column("worse", "Worse", "count"),
        Column("pairs", "Pairs", "count"),
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
        AGENT, METHOD,
        Column("score", "Score", "percent"),
        Column("outcome", "Outcome"),
        Column("extracted", "Extracted", "values"),
        Column("raw_answer", "Answer as given", optional=True),
        DATA,
    ],
}  # fmt: skip

EMPTY = {
    "main_table": "No run yet: `treebench run`.",
    "paired_differences": "A difference needs a run under Flat and one under another method, with all else equal.",
    "budget_matching": "Not cut into sections yet: `treebench section`.",
    "sources": "No context draws on a source.",
    "validation": "Not validated yet: `treebench validate`.",
    "rejections": "Nothing was rejected.",
}
"""What is said instead of a table without rows; any other table without rows is left out."""

FOLDED = {"dataset_scores", "by_length", "by_task", "gains_by_task", "examples", "validation", "paired_differences"}
LONG = 12
"""Tables that are folded where they have more rows than this."""

SETUP = Column("setup", "Setup")
FEW = 4
"""Up to so many runs or dataset versions stand side by side, with their properties below each other."""


def arranged(result: Result) -> Table:
    """The table of a result, with published numbers beside measured ones.

    The column `setup` appears only where an agent ran under several, and "Average" only over several datasets.
    """
    records = beside(result)
    columns = list(LAYOUTS[result.query.name])
    if "setup" in result.columns and len({(r["agent"], r["setup"]) for r in records}) > len(
        {r["agent"] for r in records}
    ):
        columns.insert(columns.index(METHOD), SETUP)
    tail = 0
    if result.query.name == "main_table":
        columns = _without_empty_groups(columns, records)
        columns = [_with_tolerance(column, records) for column in columns]
        tail = sum(record["agent"] not in labels.AGENTS and record["model"] is None for record in records)
    flipped = result.query.name in ("runs", "builds") and len(records) <= FEW
    shown = table(result, records, columns, tail, flipped)
    return replace(shown, empty=EMPTY.get(result.query.name, ""), folded=_folded(result, records))


def _folded(result: Result, records: list[dict[str, Any]]) -> str:
    if result.query.name not in FOLDED or len(records) <= LONG:
        return ""
    if result.query.name == "validation":
        failed = sum(record["failed"] > 0 for record in records)
        return f"{len(records)} checks, " + (f"{failed} of them failed" if failed else "all of them held")
    return f"{len(records)} rows"


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
