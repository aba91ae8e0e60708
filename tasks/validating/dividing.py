"""The checks of a version's examples, divided among processes that know nothing of each other.

What is found of an example depends on that example alone, so neither the number of processes nor the order of work
changes a finding. Each process reads the snapshot for itself, and reads a payload once, whatever examples it stands in.
"""

import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from tasks.errors import Fault
from tasks.home import Home
from tasks.tokens.tokenizer import load
from tasks.validating.checks import examine
from tasks.validating.subjects import subjects
from tasks.warehouse import snapshot

SMALL = 8_000_000
"""Characters of contexts that one process checks faster than further ones can start."""

Findings = dict[str, str | None]
"""Check to what it found, or None."""
Part = tuple[Home, Mapping[str, Any], list[Mapping[str, Any]]]
"""Home, row of the version, rows of examples."""


def examined(
    home: Home, version: Mapping[str, Any], examples: Sequence[Mapping[str, Any]], workers: int | None = None
) -> Iterator[tuple[str, Findings]]:
    """The id of each example with what the checks found, in the order of `examples`.

    `workers` are processes, as many as there are processors where it is None. Raises `Fault` where one was killed.
    """
    count = min(workers or _processors(), 1 + sum(example["characters"] for example in examples) // SMALL)
    parts = [(home, version, part) for part in _parts(examples, count)]
    if len(parts) <= 1:
        found = dict(pair for part in parts for pair in _examined(part))
    else:
        with ProcessPoolExecutor(len(parts), multiprocessing.get_context("spawn")) as pool:
            try:
                found = dict(pair for pairs in pool.map(_examined, parts) for pair in pairs)
            except BrokenProcessPool:
                raise Fault(
                    "A process that validates was ended from outside, perhaps for want of memory: validate again, with "
                    "fewer --workers if it happens again."
                ) from None
    return ((example["example_id"], found[example["example_id"]]) for example in examples)


def _parts(examples: Sequence[Mapping[str, Any]], count: int) -> list[list[Mapping[str, Any]]]:
    """The examples in so many parts of about the same work: the longest first, each to whom has least."""
    parts: list[list[Mapping[str, Any]]] = [[] for _ in range(count)]
    taken = [0] * count
    for example in sorted(examples, key=lambda example: (-example["characters"], example["example_id"])):
        least = taken.index(min(taken))
        parts[least].append(example)
        taken[least] += example["characters"]
    return [part for part in parts if part]


def _examined(part: Part) -> list[tuple[str, Findings]]:
    home, version, examples = part
    tokenizer = load(version["construction_tokenizer"], home)
    with snapshot.reader(home) as connection:
        found = subjects(connection, version["build_id"], version["dataset"], examples, tokenizer)
        return [(subject.example["example_id"], examine(subject)) for subject in found]


def _processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
