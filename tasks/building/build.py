"""A dataset version: examples of every cell, built from what was collected."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tasks.building import kinds as record_kinds
from tasks.building.contexts import measured
from tasks.building.drafts import Draft
from tasks.building.examples import Cell, Used, draft
from tasks.building.pool import Pool, prepare
from tasks.building.wording import TASKS
from tasks.errors import Fault, UserError
from tasks.hashing import content_id, sha256
from tasks.home import Home
from tasks.tokens.tokenizer import Tokenizer, load
from tasks.warehouse import journal, snapshot, stages

VERSION = 1
"""Raise it when the same payloads and parameters would give other examples."""

TOKENIZER = "qwen"
"""Lengths of contexts are measured with it."""

TABLES = ("questions", "examples", "example_payloads", "context_tokens")


@dataclass
class Workbench:
    """What examples are made with, and the rows made so far."""

    pool: Pool
    kinds: Mapping[str, record_kinds.Kind]
    texts: Mapping[str, str]
    format: str
    tokenizer: Tokenizer
    sample: bool
    rows: dict[str, dict[Any, dict[str, Any]]] = field(default_factory=lambda: {table: {} for table in TABLES})
    short: dict[str, int] = field(default_factory=dict)
    """Cells that lack examples, with how many."""

    def fill(self, cell: Cell, examples: int) -> None:
        """Make the examples of one cell, or note how many are missing."""
        used = Used()
        for number in range(examples):
            made = draft(self.pool, self.kinds, cell, number, used)
            if made is None or not self._add(made, cell, number):
                self.short[cell.name] = self.short.get(cell.name, 0) + 1

    def _add(self, made: Draft, cell: Cell, number: int) -> bool:
        ids = [self.pool.payloads[index].payload_id for index in made.payloads]
        rendered = measured([self.texts[name] for name in ids], self.format, self.tokenizer, cell.length)
        if rendered is None:
            return False
        context, tokens = rendered
        question_id, context_sha256 = made.question.question_id, sha256(context)
        example_id = content_id(cell.dataset, cell.task, cell.length, cell.split, number, question_id, context_sha256)
        self.rows["questions"][question_id] = made.question.row(cell.dataset, self.sample)
        self.rows["examples"][example_id] = {
            "example_id": example_id,
            "dataset": cell.dataset,
            "task": cell.task,
            "length": cell.length,
            "split": cell.split,
            "number": number,
            "question_id": question_id,
            "context_sha256": context_sha256,
            "characters": len(context),
            "supporting": list(made.supporting),
            "sample": self.sample,
        }
        for position, payload_id in enumerate(ids):
            row = {"example_id": example_id, "position": position, "payload_id": payload_id}
            self.rows["example_payloads"][example_id, position] = row
        counted = {"example_id": example_id, "tokenizer": TOKENIZER, "tokens": tokens}
        self.rows["context_tokens"][example_id] = counted
        return True


def build(
    home: Home,
    dataset: str,
    sources: Sequence[str],
    transport: str,
    tasks: Sequence[str],
    lengths: Sequence[int],
    examples: int,
    seed: int = 42,
    split: str = "test",
) -> dict[str, Any]:
    """Build `examples` examples of every task and length and return the build_id with counts.

    `sources` are names as collected, without `-sample`; `lengths` are tokens of the construction tokenizer. The same
    payloads and parameters give the same rows on any machine, and are skipped when they are there. Raises `UserError`
    when a source was not collected, or a cell cannot be filled: then nothing is kept but the rejections.
    """
    if unknown := [task for task in tasks if task not in TASKS]:
        raise UserError(f"There is no task {unknown[0]}: choose from {', '.join(TASKS)}.")
    sample = transport == "sample"
    names = sorted({f"{name}-sample" if sample else name for name in sources})
    payloads = _payload_ids(home, dataset, names, transport)
    tokenizer = load(TOKENIZER, home)
    parameters = {
        "sources": names,
        "transport": transport,
        "tasks": [task for task in TASKS if task in tasks],
        "lengths": sorted(set(lengths)),
        "examples": examples,
        "seed": seed,
        "split": split,
        "kinds": record_kinds.version(dataset)[:16],
        "builder": VERSION,
    }
    payloads_sha256 = sha256("\n".join(sorted(payloads)))
    build_id = content_id(dataset, parameters, payloads_sha256, tokenizer.sha256)
    done = stages.finished(home, "build", build_id)
    if done:
        return done | {"skipped": True}
    bench = _workbench(home, dataset, sorted(payloads), tokenizer, sample)
    for task in parameters["tasks"]:
        for length in parameters["lengths"]:
            bench.fill(Cell(dataset, task, length, split, seed), examples)
    if bench.short:
        journal.write(home, "rejections", _rejections(bench.short, examples, build_id))
        raise _too_short(bench.short, examples, names)
    example_ids = sorted(bench.rows["examples"])
    counts = {
        "build_id": build_id,
        "dataset": dataset,
        "examples": len(example_ids),
        "questions": len(bench.rows["questions"]),
        "payloads": len(payloads),
        "records": _write_records(home, bench, dataset, payloads_sha256),
    }
    for table in TABLES:
        journal.write(home, table, bench.rows[table].values())
    journal.write(home, "build_examples", [{"build_id": build_id, "example_id": name} for name in example_ids])
    now = datetime.now(UTC).replace(tzinfo=None)
    row = {"build_id": build_id, "dataset": dataset, "parameters": parameters, "payloads_sha256": payloads_sha256}
    row |= {"payloads": len(payloads), "construction_tokenizer": TOKENIZER, "sample": sample, "created_at": now}
    journal.write(home, "builds", [row])
    stages.record(home, "build", build_id, counts)
    return counts | {"skipped": False}


def _payload_ids(home: Home, dataset: str, sources: Sequence[str], transport: str) -> set[str]:
    """Payloads whose response came over this transport, also if the same response had come over another one before."""
    found = snapshot.rows(
        home,
        "SELECT DISTINCT p.payload_id, p.source FROM payloads p "
        "JOIN responses first ON first.response_id = p.response_id "
        "JOIN responses same ON same.sha256 = first.sha256 AND same.source = first.source "
        "WHERE p.dataset = ? AND list_contains(?, p.source) AND same.transport = ?",
        [dataset, list(sources), transport],
    )
    for source in sources:
        if not any(row["source"] == source for row in found):
            raise UserError(
                f"Nothing of source {source} was collected over transport {transport}: run "
                f"`treebench collect --transport {transport}` with this source first."
            )
    return {row["payload_id"] for row in found}


def _workbench(home: Home, dataset: str, payload_ids: Sequence[str], tokenizer: Tokenizer, sample: bool) -> Workbench:
    """Read the payloads and prepare them. Raises `Fault` when the record kinds do not agree on a format."""
    rows = snapshot.rows(
        home,
        "SELECT payload_id, source, text FROM payloads WHERE list_contains(?, payload_id) ORDER BY payload_id",
        [list(payload_ids)],
    )
    known = record_kinds.kinds(dataset)
    formats = sorted({kind.format for kind in known.values()})
    if len(formats) != 1:
        raise Fault(f"The record kinds of dataset {dataset} name several formats: {', '.join(formats)}.")
    pool = prepare(rows, formats[0], known, tokenizer)
    texts = {row["payload_id"]: row["text"] for row in rows}
    return Workbench(pool, known, texts, formats[0], tokenizer, sample)


def _write_records(home: Home, bench: Workbench, dataset: str, payloads_sha256: str) -> int:
    """Rows of table `records`, once for a set of payloads and kinds; returns how many there are."""
    rows = [
        record.row(bench.kinds[record.kind], bench.sample)
        for payload in bench.pool.payloads
        for record in payload.records
    ]
    input_hash = content_id(payloads_sha256, record_kinds.version(dataset))
    if not stages.finished(home, "extract", input_hash):
        journal.write(home, "records", rows)
        stages.record(home, "extract", input_hash, {"records": len(rows)})
    return len(rows)


def _rejections(short: Mapping[str, int], examples: int, build_id: str) -> Iterable[dict[str, Any]]:
    now = datetime.now(UTC).replace(tzinfo=None)
    for cell, missing in short.items():
        yield {
            "rejection_id": content_id("build", build_id, cell),
            "stage": "build",
            "subject": cell,
            "reason": "cell stays short",
            "detail": f"{missing} of {examples} examples found no question with a context of the wanted length",
            "recorded_at": now,
        }


def _too_short(short: Mapping[str, int], examples: int, sources: Sequence[str]) -> UserError:
    cell, missing = next(iter(short.items()))
    more = f" ({len(short) - 1} more cells are short, see table rejections)" if len(short) > 1 else ""
    return UserError(
        f"Cell {cell} can be filled with {examples - missing} of {examples} examples only{more}: sources "
        f"{', '.join(sources)} hold too few records that fit together into this length; collect more, ask for "
        "fewer examples, or leave out this length or task."
    )
