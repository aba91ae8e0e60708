"""p values of paired comparisons, computed by statsmodels and SciPy from the counts and differences of a query."""

import math
from collections.abc import Sequence
from typing import Any

FAMILY = ("agent", "model", "setup", "dataset", "method", "data", "scorer")
"""Tasks of one such comparison are tested together, so their p values are held against each other."""


def mcnemar(better: int, worse: int) -> float:
    """Two-sided p of the exact McNemar test: pairs in which one side is right and the other wrong, each way alike."""
    from statsmodels.stats.contingency_tables import mcnemar as test

    return float(test([[0, better], [worse, 0]], exact=True).pvalue)  # pyright: ignore[reportAttributeAccessIssue]


def normal(z: float) -> float:
    """Two-sided p of a difference that is `z` standard errors from zero."""
    from scipy.stats import norm

    return float(2 * norm.sf(abs(z)))


def holm(p_values: Sequence[float]) -> list[float]:
    """P values adjusted by Holm's step-down method for being tested together."""
    from statsmodels.stats.multitest import multipletests

    if not p_values:
        return []
    _, adjusted, *_ = multipletests(list(p_values), method="holm")
    return [float(p) for p in adjusted]  # pyright: ignore[reportOptionalIterable]


def with_p(name: str, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records of `gains_by_task`, each with `test`, `p` and `p_holm`; those of other queries as they are.

    Scores that are all 0 or 1 are tested exactly, others by the normal approximation; without a spread there is no p.
    """
    if name not in TESTED:
        return records
    families: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in records:
        record["test"], record["p"] = _test(record)
        record["p_holm"] = None
        if record["p"] is not None:
            families.setdefault(tuple(record.get(key) for key in FAMILY), []).append(record)
    for family in families.values():
        for record, adjusted in zip(family, holm([record["p"] for record in family]), strict=True):
            record["p_holm"] = adjusted
    return records


TESTED = ("gains_by_task", "tasks", "agent_levels")
"""Queries whose rows are tasks, or levels, of a comparison."""


def _test(record: dict[str, Any]) -> tuple[str | None, float | None]:
    if record["all_or_nothing"]:
        return "McNemar", mcnemar(record["better"], record["worse"])
    if record["z"] is None or not math.isfinite(record["z"]):
        return None, None
    return "normal", normal(record["z"])
