"""Cutting a run into shards: pieces of work of 10 to 30 minutes, the same ones whoever cuts them."""

from collections.abc import Iterable
from dataclasses import dataclass

SECONDS = 900.0
"""Work of one shard that is aimed at: 15 minutes."""


@dataclass(frozen=True)
class Work:
    """The expected work of one example."""

    example_id: str
    calls: int
    tokens: float
    """Prompt and generated tokens of all calls."""


def cut(work: Iterable[Work], tokens_per_second: float, seconds: float = SECONDS) -> list[list[str]]:
    """Example ids of each shard, in the order given: neighbours stay together, so prefix caches serve.

    A shard ends where the next example would take it further from `seconds` of work at `tokens_per_second`. The cut
    depends on its arguments alone: two processes that work on one run must agree on it.
    """
    wanted = tokens_per_second * seconds
    shards: list[list[str]] = []
    filled = 0.0
    for example in work:
        if not shards or (filled and filled + example.tokens / 2 > wanted):
            shards.append([])
            filled = 0.0
        shards[-1].append(example.example_id)
        filled += example.tokens
    return shards
