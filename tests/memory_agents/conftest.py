"""A small dataset version in a database: JSON contexts of two payloads, cut into sections, with questions."""

import json
import shutil
from dataclasses import asdict
from datetime import datetime

import pytest

from tasks.hashing import content_id, sha256
from tasks.home import Home, home
from tasks.sectioning.section import section
from tasks.tokens.tokenizer import load
from tasks.warehouse.contexts import render
from tasks.warehouse.ingest import sync
from tasks.warehouse.journal import write

BUDGET = 100
BUILD = "b" * 32


def payload(number: int) -> str:
    events = [
        {
            "code": f"ev{number}{n:02}",
            "magnitude": round(1 + n / 10 + number, 1),
            "place": f"{7 * n + number} km from Cobb",
        }
        for n in range(8)
    ]
    return json.dumps({"status": "ok", "events": events}, indent=1)


def tables(tokenizer, examples: int) -> dict[str, list[dict]]:
    rows: dict[str, list[dict]] = {}

    def add(table: str, **row: object) -> None:
        rows.setdefault(table, []).append(row)

    add("builds", build_id=BUILD, dataset="json", parameters={}, payloads_sha256="0", payloads=examples + 1,
        construction_tokenizer="qwen", sample=True, created_at=datetime(2026, 1, 1))  # fmt: skip
    for number in range(examples + 1):
        text = payload(number)
        add("payloads", payload_id=f"p{number}", source="s", dataset="json", format="json", response_id="r",
            location=[], records=8, characters=len(text), licence=None, sample=True, text=text)  # fmt: skip
    for number in range(examples):
        text = render("json", [payload(number), payload(number + 1)])
        example_id, question_id = content_id("e", number), content_id("q", number)
        add("questions", question_id=question_id, dataset="json", task="fields_1", kind="event",
            text=f"What is the magnitude of the event with the code ev{number}03?", reference={},
            answer=[str(round(1.3 + number, 1))], answer_type="number", ordered=False, template="t",
            sample=True)  # fmt: skip
        add("examples", example_id=example_id, dataset="json", task="fields_1", length=1024, split="test",
            number=number, question_id=question_id, context_sha256=sha256(text), characters=len(text), supporting=[0],
            sample=True)  # fmt: skip
        add("build_examples", build_id=BUILD, example_id=example_id)
        for position in (0, 1):
            add("example_payloads", example_id=example_id, position=position, payload_id=f"p{number + position}")
        for method in ("flat", "tree"):
            made = section(text, "json", tokenizer, BUDGET, method)
            key = {"example_id": example_id, "tokenizer": "smollm2", "base_budget": BUDGET}
            for part in made.sections:
                row = asdict(part)
                first, last = row.pop("range") or (None, None)
                links = row.pop("links")
                start, end = row.pop("start"), row.pop("end")
                add("sections", **key, method=method, range_start=first, range_end=last, span_start=start, span_end=end,
                    **row)  # fmt: skip
                for source in links:
                    add("links", **key, target=part.position, source=source)
            add("budgets", **key, method=method, budget=made.budget, tokens=made.tokens,
                flat_sections=made.flat_sections, sections=len(made.sections), tried=[])  # fmt: skip
    return rows


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The home that `built` copies."""
    made = Home(tmp_path_factory.mktemp("template"))
    for table, rows in tables(load("smollm2", home()), 3).items():
        write(made, table, rows)
    sync(made)
    return made


@pytest.fixture
def built(template: Home, fresh_home: Home) -> Home:
    """A home with dataset version BUILD: three examples, cut at BUDGET tokens of the embedded model's tokenizer."""
    shutil.copytree(template.root, fresh_home.root, symlinks=True, dirs_exist_ok=True)
    return fresh_home
