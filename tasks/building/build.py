"""A dataset version: examples of every cell, built from what was collected."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
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
class Built:
    """Rows of the examples so far, and the cells that stay short."""

    rows: dict[str, dict[Any, dict[str, Any]]] = field(default_factory=lambda: {table: {} for table in TABLES})
    example_ids: list[str] = field(default_factory=list)
    short: dict[str, int] = field(default_factory=dict)


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
    rows = _payload_rows(home, sorted(payloads))
    known = record_kinds.kinds(dataset)
    formats = {kind.format for kind in known.values()}
    if len(formats) != 1:
        raise Fault(f"The record kinds of dataset {dataset} name {len(formats)} formats instead of one.")
    dataset_format = formats.pop()
    pool = prepare(rows, dataset_format, known, tokenizer)
    built = Built()
    texts = {row["payload_id"]: row["text"] for row in rows}
    for task in parameters["tasks"]:
        for length in parameters["lengths"]:
            cell = Cell(dataset, task, length, split, seed)
            _fill_cell(built, pool, known, cell, examples, texts, dataset_format, tokenizer, sample)
    if built.short:
        journal.write(home, "rejections", _rejections(built.short, examples, build_id))
        raise _too_short(built.short, examples, names)
    counts = {
        "build_id": build_id,
        "dataset": dataset,
        "examples": len(built.example_ids),
        "questions": len(built.rows["questions"]),
        "payloads": len(payloads),
        "records": _write_records(home, pool, dataset, payloads_sha256, sample),
    }
    for table in TABLES:
        journal.write(home, table, built.rows[table].values())
    journal.write(
        home, "build_examples", [{"build_id": build_id, "example_id": name} for name in sorted(set(built.example_ids))]
    )
    now = datetime.now(timezone.utc).replace(tzinfo=None)
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


def _payload_rows(home: Home, payload_ids: Sequence[str]) -> list[dict[str, Any]]:
    return snapshot.rows(
        home,
        "SELECT payload_id, source, text FROM payloads WHERE list_contains(?, payload_id) ORDER BY payload_id",
        [list(payload_ids)],
    )


def _fill_cell(
    built: Built,
    pool: Pool,
    known: Mapping[str, record_kinds.Kind],
    cell: Cell,
    examples: int,
    texts: Mapping[str, str],
    dataset_format: str,
    tokenizer: Tokenizer,
    sample: bool,
) -> None:
    used = Used()
    for number in range(examples):
        made = draft(pool, known, cell, number, used)
        ids = [pool.payloads[index].payload_id for index in made.payloads] if made else []
        context = measured([texts[name] for name in ids], dataset_format, tokenizer, cell.length) if made else None
        if made is None or context is None:
            built.short[cell.name] = built.short.get(cell.name, 0) + 1
            continue
        _add(built, made, cell, number, ids, *context, sample)


def _add(
    built: Built, made: Draft, cell: Cell, number: int, payloads: Sequence[str], context: str, tokens: int, sample: bool
) -> None:
    question_id, context_sha256 = made.question.question_id, sha256(context)
    example_id = content_id(cell.dataset, cell.task, cell.length, cell.split, number, question_id, context_sha256)
    built.example_ids.append(example_id)
    built.rows["questions"][question_id] = made.question.row(cell.dataset, sample)
    built.rows["examples"][example_id] = {
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
        "sample": sample,
    }
    for position, payload_id in enumerate(payloads):
        built.rows["example_payloads"][example_id, position] = {
            "example_id": example_id,
            "position": position,
            "payload_id": payload_id,
        }
    counted = {"example_id": example_id, "tokenizer": TOKENIZER, "tokens": tokens}
    built.rows["context_tokens"][example_id] = counted


def _write_records(home: Home, pool: Pool, dataset: str, payloads_sha256: str, sample: bool) -> int:
    """Rows of table `records`, once for a set of payloads and kinds; returns how many there are."""
    known = record_kinds.kinds(dataset)
    rows = [record.row(known[record.kind], sample) for payload in pool.payloads for record in payload.records]
    input_hash = content_id(payloads_sha256, record_kinds.version(dataset))
    if not stages.finished(home, "extract", input_hash):
        journal.write(home, "records", rows)
        stages.record(home, "extract", input_hash, {"records": len(rows)})
    return len(rows)


def _rejections(short: Mapping[str, int], examples: int, build_id: str) -> Iterable[dict[str, Any]]:
    now = datetime.now(timezone.utc).replace(tzinfo=None)
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
