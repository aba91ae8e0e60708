"""The work of a build in units that know nothing of each other, done by one process or by several.

A unit's examples depend on the pool and the unit alone, so neither the number of workers nor the order of work changes
a row. Workers are fresh processes that read the pool from a file; what they return is small.
"""

import multiprocessing
import os
import pickle
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.building.counting import Counter
from tasks.building.examples import Column, drafts
from tasks.building.filling import least
from tasks.building.lookups import SHAPES, SHARED_LENGTH
from tasks.building.pool import Pool
from tasks.errors import Fault
from tasks.hashing import content_id, sha256
from tasks.home import Home
from tasks.tokens.tokenizer import load
from tasks.warehouse.contexts import render

SMALL = 2_000_000
"""Tokens of contexts that one process makes faster than further ones can start."""


@dataclass(frozen=True)
class Bench:
    """What examples are made with; one worker has one."""

    pool: Pool
    texts: Sequence[str]
    """Texts of the payloads, in the pool's order."""
    format: str
    sample: bool


@dataclass(frozen=True)
class Unit:
    """A part of a column: lengths whose examples belong together."""

    column: Column
    examples: int

    @property
    def tokens(self) -> int:
        """How much there is to do, roughly."""
        return sum(self.column.lengths) * self.examples


@dataclass(frozen=True)
class Made:
    """One example: its rows, but for those of `example_payloads`."""

    example: dict[str, Any]
    question: dict[str, Any]
    payloads: tuple[int, ...]
    """Payloads by their place in the pool, in the order of the context."""
    tokens: int


@dataclass(frozen=True)
class Result:
    """What a unit gave: its examples, and how many are missing, by cell."""

    made: list[Made]
    short: dict[str, int]


def units(columns: Sequence[Column], examples: int) -> list[Unit]:
    """Columns in their smallest parts, the largest first.

    Lookups ask the same from `SHARED_LENGTH` tokens on, so those lengths stay together.
    """
    found = []
    for column in columns:
        long = tuple(n for n in column.lengths if n >= SHARED_LENGTH) if column.task in SHAPES else ()
        parts = [(n,) for n in column.lengths if n not in long] + ([long] if long else [])
        found += [
            Unit(Column(column.dataset, column.task, part, column.split, column.seed), examples) for part in parts
        ]
    return sorted(found, key=lambda unit: (-unit.tokens, unit.column.task, unit.column.lengths))


def work(home: Home, bench: Bench, todo: Sequence[Unit], tokenizer: str, workers: int) -> Iterator[Result]:
    """Do all units and give their results, in the order of `todo`. Raises `Fault` where a process was killed."""
    if workers == 1 or len(todo) == 1 or sum(unit.tokens for unit in todo) < SMALL:
        counter = Counter(bench.format, load(tokenizer, home))
        yield from (do(bench, counter, unit) for unit in todo)
        return
    with tempfile.TemporaryDirectory(prefix="building-", dir=home.root) as folder:
        path = Path(folder) / "bench.pickle"
        path.write_bytes(pickle.dumps((bench, home, tokenizer), protocol=pickle.HIGHEST_PROTOCOL))
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(workers, len(todo)), context, _start, (str(path),)) as pool:
            try:
                yield from pool.map(_do, todo)
            except BrokenProcessPool:
                raise Fault(
                    "A process that builds was ended from outside, perhaps for want of memory: build again, with fewer "
                    "--workers if it happens again."
                ) from None


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def do(bench: Bench, counter: Counter, unit: Unit) -> Result:
    """Make the examples of one unit."""
    made: list[Made] = []
    short: dict[str, int] = {}
    column = unit.column
    for length, number, draft in drafts(bench.pool, column, unit.examples):
        if draft is None:
            short[column.cell(length)] = short.get(column.cell(length), 0) + 1
            continue
        payloads = [bench.pool.payloads[index] for index in draft.payloads]
        texts = [bench.texts[index] for index in draft.payloads]
        context = render(bench.format, texts)
        tokens = counter.context(texts, [payload.counted for payload in payloads])
        if not least(length) <= tokens <= length:
            raise Fault(
                f"An example of cell {column.cell(length)} came out with {tokens} tokens: report this as a fault."
            )
        question_id, context_sha256 = draft.question.question_id, sha256(context)
        cell = (column.dataset, column.task, length, column.split, number)
        example = {
            "example_id": content_id(*cell, question_id, context_sha256),
            "dataset": column.dataset,
            "task": column.task,
            "length": length,
            "split": column.split,
            "number": number,
            "question_id": question_id,
            "context_sha256": context_sha256,
            "characters": len(context),
            "supporting": list(draft.supporting),
            "sample": bench.sample,
        }
        row = draft.question.row(column.dataset, bench.sample)
        made.append(Made(example, row, tuple(draft.payloads), tokens))
    return Result(made, short)


_own: list[tuple[Bench, Counter]] = []
"""In a worker process: its bench."""


def _start(path: str) -> None:
    bench, home, tokenizer = pickle.loads(Path(path).read_bytes())
    _own.append((bench, Counter(bench.format, load(tokenizer, home))))


def _do(unit: Unit) -> Result:
    return do(*_own[0], unit)
