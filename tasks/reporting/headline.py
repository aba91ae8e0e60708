"""The main result in one line."""

from typing import Any

from tasks.reporting import labels
from tasks.reporting.cells import MINUS, number
from tasks.reporting.query import Result

KEY = ("agent", "model", "setup", "data")
"""What rows of one agent have in common."""


def headline(main: Result, long_horizon: Result | None = None) -> str:
    """One line over the rows of `main_table`: agent, data, the score of Flat and of the fullest method, n.

    With several agents, the row that averages them is used where there is one, otherwise the first agent. Without any,
    the best long-horizon agent is named.
    """
    records = main.records()
    if not records:
        return _long_horizon(long_horizon.records() if long_horizon else [])
    last = records[-1]
    about = [r for r in records if _same(r, last)] if last["model"] is None else []
    about = about or [r for r in records if _same(r, records[0])]
    chosen = [about[0]] if len(about) == 1 else [about[0], about[-1]]
    datasets = [name for name in labels.DATASETS if about[0].get(name) is not None]
    data = labels.listed([labels.label("dataset", name) for name in datasets])
    sample = " sample" if about[0]["data"] == "sample" else ""
    agent = labels.label("agent", about[0]["agent"])
    others = len({tuple(r[key] for key in KEY) for r in records if r["model"] is not None}) - 1
    more = f" ({others} more in the report)" if about[0]["model"] is not None and others else ""
    scores = ", ".join(f"{labels.label('method', r['method'])} {r['average']:.2f} %" for r in chosen)
    return f"{agent[0].upper()}{agent[1:]}{more} on {data}{sample} data: {scores} ({_details(chosen)})"


def _same(record: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(record[key] == other[key] for key in KEY)


def _details(chosen: list[dict[str, Any]]) -> str:
    planned = [r["planned"] for r in chosen]
    n = f"n = {planned[0]:,} planned example" + ("" if planned[0] == 1 else "s")
    if len(chosen) == 2:
        difference = round(chosen[1]["average"] - chosen[0]["average"], 2)
        n = f"{number(difference, 2, signed=True).replace(MINUS, '-')}, {n}"
        n += " each" if planned[0] == planned[1] else f" and {planned[1]:,}"
    missing = sum(r["planned"] - r["done"] for r in chosen)
    return n + (f", {missing:,} without an answer yet" if missing else "")


def _long_horizon(records: list[dict[str, Any]]) -> str:
    whole = [record for record in records if record["method"] == "full" and record["scorer"]]
    if not whole:
        return "No run to report on yet"
    best = max(whole, key=lambda record: (record["score"], record["agent"] == "hymem"))
    benchmark = labels.label("dataset", best["dataset"])
    missing = best["planned"] - best["done"]
    rest = f", {missing:,} without an answer yet" if missing else ""
    agent = labels.label("agent", best["agent"])
    return f"{agent} on {benchmark}: {best['score']:.1f} % Pass@1 (n = {best['planned']:,} planned tasks{rest})"
