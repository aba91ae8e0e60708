"""Payloads, tokenizer and pool of the sample data, prepared once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest

from tasks.building import kinds as record_kinds
from tasks.building.build import Workbench
from tasks.building.examples import Cell
from tasks.building.pool import prepare
from tasks.collecting import sample
from tasks.collecting.reading import read
from tasks.collecting.sources import source
from tasks.hashing import content_id
from tasks.home import home
from tasks.tokens.tokenizer import Tokenizer, load
from tasks.validating import checks
from tasks.validating.validate import _kinds
from tasks.warehouse.contexts import render

SOURCES = ["crossref", "nvd", "usgs"]
"""Sources that record kinds are there for."""


@dataclass
class Material:
    """Payload rows, and everything that is made from them."""

    rows: list[dict[str, Any]]
    tokenizer: Tokenizer

    @cached_property
    def by_id(self) -> dict[str, dict[str, Any]]:
        return {row["payload_id"]: row for row in self.rows}

    def bench(self, sources: list[str] | None = None) -> Workbench:
        """A workbench over all sources, or some."""
        rows = [row for row in self.rows if sources is None or row["source"] in sources]
        known = record_kinds.kinds("json")
        pool = prepare(rows, "json", known, self.tokenizer)
        texts = {row["payload_id"]: row["text"] for row in rows}
        return Workbench(pool, known, texts, "json", self.tokenizer, True)

    def made(self, bench: Workbench, cell: Cell, examples: int) -> list[dict[str, Any]]:
        """Example rows of a cell, each with its question and payload ids; the cell must be full."""
        fresh = Workbench(bench.pool, bench.kinds, bench.texts, bench.format, bench.tokenizer, True)
        fresh.fill(cell, examples)
        assert not fresh.short
        found = []
        for example in fresh.rows["examples"].values():
            held = sorted(key for key in fresh.rows["example_payloads"] if key[0] == example["example_id"])
            found.append(
                example
                | {
                    "question": fresh.rows["questions"][example["question_id"]],
                    "payload_ids": [fresh.rows["example_payloads"][key]["payload_id"] for key in held],
                    "tokens": fresh.rows["context_tokens"][example["example_id"]]["tokens"],
                }
            )
        return found

    def subject(self, example: dict[str, Any]) -> checks.Subject:
        """The example as the validator sees it."""
        payloads = [self.by_id[name] for name in example["payload_ids"]]
        context = render("json", [row["text"] for row in payloads])
        identities, words = _kinds("json")
        return checks.Subject(
            example=example,
            question=example["question"],
            payloads=payloads,
            context=context,
            tokens=len(self.tokenizer.encode(context)),
            recorded_tokens=example["tokens"],
            identities=identities,
            ordinary_words=words,
        )

    def findings(self, example: dict[str, Any]) -> dict[str, str]:
        """What the validator has against the example."""
        return {name: found for name, found in checks.examine(self.subject(example)).items() if found}


def sample_rows() -> list[dict[str, Any]]:
    rows = []
    for name in SOURCES:
        for received in sample.receive(name):
            for unit in read(received, source(name)).units or ():
                rows.append(
                    {
                        "payload_id": content_id("json", unit.text),
                        "source": f"{name}-sample",
                        "format": "json",
                        "licence": "invented",
                        "sample": True,
                        "source_sample": True,
                        "text": unit.text,
                    }
                )
    return rows


@pytest.fixture(scope="session")
def material() -> Material:
    return Material(sample_rows(), load("qwen", home()))


@pytest.fixture(scope="session")
def bench(material) -> Workbench:
    return material.bench()
