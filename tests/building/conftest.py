"""Payloads, tokenizer and pools of the sample data, prepared once."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from tasks.building import kinds as record_kinds
from tasks.building.counting import Counter
from tasks.building.examples import Column
from tasks.building.pool import prepare
from tasks.building.working import Bench, Unit, do
from tasks.collecting import sample
from tasks.collecting.collected import Collected
from tasks.collecting.received import Received
from tasks.collecting.sources import names, source
from tasks.home import home
from tasks.tokens.tokenizer import Tokenizer, load
from tasks.validating import checks
from tasks.validating.reading import Unit as Read
from tasks.validating.subjects import Subject, rules
from tasks.validating.tallying import Tally
from tasks.warehouse.contexts import render


@dataclass
class Material:
    """Payload rows of one dataset, and everything that is made from them."""

    dataset: str
    rows: list[dict[str, Any]]
    tokenizer: Tokenizer
    library: dict[str, Read] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rows = sorted(self.rows, key=lambda row: row["payload_id"])
        self.by_id = {row["payload_id"]: row for row in self.rows}
        self.counter = Counter(self.dataset, self.tokenizer)

    def bench(self, sources: list[str] | None = None) -> Bench:
        """A bench over all sources, or some."""
        rows = [row for row in self.rows if sources is None or row["source"] in sources]
        known, patterns = record_kinds.kinds(self.dataset), record_kinds.patterns(self.dataset)
        pool = prepare(rows, self.dataset, self.dataset, known, patterns, self.tokenizer)
        return Bench(pool, [row["text"] for row in rows], self.dataset, True)

    def made(self, bench: Bench, column: Column, examples: int) -> list[dict[str, Any]]:
        """Example rows of a column, each with its question and payload ids; every cell must be full."""
        done = do(bench, self.counter, Unit(column, examples))
        assert not done.short
        return [
            one.example
            | {
                "question": one.question,
                "payload_ids": [bench.pool.payloads[index].payload_id for index in one.payloads],
                "tokens": one.tokens,
            }
            for one in done.made
        ]

    def subject(self, example: dict[str, Any]) -> Subject:
        """The example as the validator sees it."""
        payloads = [self.by_id[name] for name in example["payload_ids"]]
        texts = [row["text"] for row in payloads]
        context = render(self.dataset, texts)
        identities, words = rules(self.dataset)
        return Subject(
            example=example,
            question=example["question"],
            payloads=payloads,
            context=context,
            tokens=Tally(self.tokenizer).tokens(context, texts, example["context_sha256"]),
            recorded_tokens=example["tokens"],
            identities=identities,
            ordinary_words=words,
            library=self.library,
        )

    def findings(self, example: dict[str, Any]) -> dict[str, str]:
        """What the validator has against the example."""
        return {name: found for name, found in checks.examine(self.subject(example)).items() if found}


@cache
def sample_rows(name: str) -> list[dict[str, Any]]:
    """Payload rows of a sample source."""
    collected = Collected(source(name), "sample")
    for received in sample.receive(name):
        if isinstance(received, Received):
            collected.add(received, None)
    return [row | {"source_sample": True} for row in collected.payloads.values()]


FEWER = {"html": 60, "yaml": 40, "javascript": 40}
"""Payloads of a source that are enough to test with."""


@cache
def material_of(dataset: str) -> Material:
    """A part of the sample data of a dataset, and all of three JSON sources."""
    known = ["usgs", "nvd", "crossref"] if dataset == "json" else [n for n in names() if source(n).dataset == dataset]
    rows = [row for name in known for row in sample_rows(name)[: FEWER.get(dataset)]]
    return Material(dataset, rows, load("qwen", home()))


@cache
def bench_of(dataset: str) -> Bench:
    return material_of(dataset).bench()


@pytest.fixture(scope="session")
def material() -> Material:
    return material_of("json")


@pytest.fixture(scope="session")
def bench(material) -> Bench:
    return bench_of("json")
