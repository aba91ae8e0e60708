"""The papers' own numbers (`reports/published/*.csv`), to stand beside measured ones, labelled as published."""

import csv
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tasks.errors import UserError
from tasks.home import PROJECT
from tasks.reporting.query import Result

PUBLISHED = PROJECT / "reports" / "published"


@dataclass(frozen=True)
class Number:
    """One printed number. Scores, differences, gains and shares are in per cent or percentage points."""

    paper: str
    place: str
    page: int | None
    """None where the text at hand has no pages."""
    agent: str
    checkpoint: str
    method: str
    dataset: str
    task: str
    length: int | None
    quantity: str
    value: float
    printed: str
    low: float | None
    high: float | None
    tolerance: float | None
    """How far sampling alone may have put the number off (95 %); None where the paper gives no ground for it."""
    note: str


@lru_cache(maxsize=1)
def numbers() -> tuple[Number, ...]:
    """All published numbers, by file and line."""
    found = []
    for file in sorted(PUBLISHED.glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            for place, row in enumerate(csv.DictReader(lines), start=2):
                try:
                    found.append(_number(row))
                except (KeyError, ValueError) as error:
                    raise UserError(f"{file.name}, line {place} is not a published number: {error}.") from error
    return tuple(found)


def find(place: str, **fields: Any) -> Number | None:
    """The first published number at this place with these fields."""
    found = _by_place().get(place, ())
    return next((n for n in found if all(getattr(n, key) == value for key, value in fields.items())), None)


@lru_cache(maxsize=1)
def _by_place() -> dict[str, list[Number]]:
    places: dict[str, list[Number]] = {}
    for number in numbers():
        places.setdefault(number.place, []).append(number)
    return places


def beside(result: Result) -> list[dict[str, Any]]:
    """The rows of a result, each with the published numbers about the same thing under keys `published...`."""
    records = result.records()
    add = _BESIDE.get(result.query.name)
    if add:
        for record in records:
            add(record)
    return records


def _number(row: dict[str, str]) -> Number:
    if None in row or None in row.values():
        raise ValueError("it has more or fewer fields than the heading")

    def optional(key: str) -> float | None:
        return float(row[key]) if row[key] else None

    return Number(
        **{key: row[key] for key in ("paper", "place", "agent", "checkpoint", "method", "dataset", "task")},
        page=int(row["page"]) if row["page"] else None,
        length=int(row["length"]) if row["length"] else None,
        quantity=row["quantity"],
        value=float(row["value"]),
        printed=row["value"],
        low=optional("low"),
        high=optional("high"),
        tolerance=optional("tolerance"),
        note=row["note"],
    )


def _main_table(record: dict[str, Any]) -> None:
    agent = "mean" if record["agent"] == "mean of 4 agents" else record["agent"]
    for dataset in ("json", "html", "yaml", "javascript", "average"):
        record[f"published_{dataset}"] = find(
            paper="TreeAgent", place="Table 1", agent=agent, method=record["method"], dataset=dataset, quantity="score"
        )


def _about(record: dict[str, Any], place: str, quantity: str, **fields: Any) -> Number | None:
    keys = {key: record[key] for key in ("agent", "method", "dataset")}
    return find(paper="TreeAgent", place=place, quantity=quantity, **keys, **fields)


def _paired(record: dict[str, Any]) -> None:
    record["published"] = _about(record, "Table 4", "difference")


def _calls(record: dict[str, Any]) -> None:
    record["published_calls"] = _about(record, "Table 3", "calls_ratio")
    record["published_input"] = _about(record, "Table 3", "input_ratio")


def _gains(record: dict[str, Any]) -> None:
    record["published"] = _about(record, "Figure 3", "gain", task=record["task"])


def _by_length(record: dict[str, Any]) -> None:
    fixed = _about(record, "Table 5", "score", checkpoint="InfMem-4B", length=record["length"])
    record["published"] = fixed


def _limits(record: dict[str, Any]) -> None:
    for role in ("memory", "answer", "controller"):
        record[f"published_{role}"] = find(
            paper="TreeAgent", place="Table 2", agent=record["agent"], quantity=f"{role}_tokens"
        )


def _trained(record: dict[str, Any]) -> None:
    for key, checkpoint in (("first", "InfMem-4B"), ("other", "InfMem-4B, trained with GRPO")):
        record[f"published_{key}"] = _about(record, "Table 5", "score", checkpoint=checkpoint, length=record["length"])


LEVELS = {"gaia": ("1", "2", "3"), "browsecomp_plus": ("easy", "medium", "hard")}
"""Levels of difficulty of the benchmarks of HyMem, in order."""


def checkpoint(model: str) -> str:
    """The model of the HyMem paper that a model is called after; an empty string where it is another one."""
    plain = "".join(sign for sign in model.lower() if sign.isalnum())
    return next((name for key, name in (("qwen332b", "Qwen3-32B"), ("deepseekv4", "DeepSeek-V4")) if key in plain), "")


def _long_horizon(record: dict[str, Any]) -> None:
    keys = {"paper": "HyMem", "place": "Table 1", "quantity": "score", "checkpoint": checkpoint(record["model"])}
    about = {key: record[key] for key in ("agent", "method", "dataset")}
    levels = LEVELS.get(record["dataset"], (None, None, None))
    for name, level in zip(("first_level", "second_level", "third_level", "score"), (*levels, ""), strict=True):
        record[f"published_{name}"] = find(**keys, **about, task=level)


def _ablation(record: dict[str, Any]) -> None:
    keys = {"paper": "HyMem", "place": "Table 2", "checkpoint": checkpoint(record["model"])}
    about = {key: record[key] for key in ("agent", "method", "dataset")}
    for quantity in ("score", "difference", "planner_turns", "confidence"):
        record[f"published_{quantity}"] = find(**keys, **about, quantity=quantity)


def _matching(record: dict[str, Any]) -> None:
    over_all = record["length"] is None and record["dataset"] == "json"
    record["published"] = find(place="section 4.5", quantity="equal_share") if over_all else None


_BESIDE = {
    "main_table": _main_table,
    "paired_differences": _paired,
    "calls_and_tokens": _calls,
    "gains_by_task": _gains,
    "by_length": _by_length,
    "budget_matching": _matching,
    "generation_limits": _limits,
    "models_by_length": _trained,
    "long_horizon_scores": _long_horizon,
    "ablation": _ablation,
}
