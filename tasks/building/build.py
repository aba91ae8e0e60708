"""A dataset version: examples of every cell, built from what was collected."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from tasks.building import kinds as record_kinds
from tasks.building.examples import Column
from tasks.building.pool import prepare
from tasks.building.wording import TASKS, refuse_names_that_are_keys
from tasks.building.working import Bench, Made, processors, units, work
from tasks.errors import Fault, UserError
from tasks.hashing import content_id, sha256
from tasks.home import Home
from tasks.tokens.tokenizer import Tokenizer, load
from tasks.warehouse import journal, snapshot, stages

VERSION = 5
"""Raise it when the same payloads and parameters would give other examples."""

TOKENIZER = "qwen"
"""Lengths of contexts are measured with it."""


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
    workers: int | None = None,
) -> dict[str, Any]:
    """Build `examples` examples of every task and length and return the build_id with counts.

    `sources` are names as collected, without `-sample`; `lengths` are tokens of the construction tokenizer; `workers`
    are processes, as many as there are processors where it is None. The same payloads and parameters give the same
    rows on any machine and by any number of workers, and are skipped when they are there. Raises `UserError` when a
    source was not collected, or a cell cannot be filled: then nothing is kept but the rejections.
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
    bench = _bench(home, dataset, sorted(payloads), tokenizer, sample)
    columns = [Column(dataset, task, tuple(parameters["lengths"]), split, seed) for task in parameters["tasks"]]
    made: list[Made] = []
    short: dict[str, int] = {}
    for result in work(home, bench, units(columns, examples), TOKENIZER, workers or processors()):
        made += result.made
        short |= result.short
    if short:
        journal.write(home, "rejections", _rejections(short, examples, build_id))
        raise _too_short(short, examples, names)
    counts = {
        "build_id": build_id,
        "dataset": dataset,
        "examples": len(made),
        "questions": len({one.question["question_id"] for one in made}),
        "payloads": len(payloads),
        "records": _write_records(home, bench, dataset, payloads_sha256),
    }
    _write_examples(home, bench, build_id, sorted(made, key=lambda one: one.example["example_id"]))
    now = datetime.now(UTC).replace(tzinfo=None)
    row = {"build_id": build_id, "dataset": dataset, "parameters": parameters, "payloads_sha256": payloads_sha256}
    row |= {"payloads": len(payloads), "construction_tokenizer": TOKENIZER, "sample": sample, "created_at": now}
    journal.write(home, "builds", [row])
    stages.record(home, "build", build_id, counts)
    return counts | {"skipped": False}


def _payload_ids(home: Home, dataset: str, sources: Sequence[str], transport: str) -> set[str]:
    """Payloads that stand in a response that came over this transport, whatever else they stand in."""
    found = snapshot.rows(
        home,
        "SELECT DISTINCT p.payload_id, p.source FROM payloads p "
        "JOIN payload_origins o USING (payload_id) JOIN responses r ON r.response_id = o.response_id "
        "WHERE p.dataset = ? AND list_contains(?, p.source) AND r.transport = ?",
        [dataset, list(sources), transport],
    )
    for source in sources:
        if not any(row["source"] == source for row in found):
            raise UserError(
                f"Nothing of source {source} was collected over transport {transport}: run "
                f"`treebench collect --transport {transport}` with this source first"
                f"{_elsewhere(home, dataset, transport)}."
            )
    return {row["payload_id"] for row in found}


def _elsewhere(home: Home, dataset: str, transport: str) -> str:
    """How to build from what was collected over another transport, where anything was."""
    found = snapshot.rows(
        home,
        "SELECT r.transport::VARCHAR AS transport, list(DISTINCT regexp_replace(p.source, '-sample$', '')) AS sources "
        "FROM payloads p JOIN payload_origins o USING (payload_id) JOIN responses r ON r.response_id = o.response_id "
        "WHERE p.dataset = ? AND r.transport <> ? GROUP BY ALL ORDER BY ALL LIMIT 1",
        [dataset, transport],
    )
    return "".join(
        f", or build from what was collected over transport {row['transport']}: `treebench build --dataset {dataset} "
        f"--transport {row['transport']} --sources {' '.join(sorted(row['sources']))}`"
        for row in found
    )


def _bench(home: Home, dataset: str, payload_ids: Sequence[str], tokenizer: Tokenizer, sample: bool) -> Bench:
    """Read the payloads and prepare them. Raises `Fault` when they are of several formats."""
    rows = snapshot.rows(
        home,
        "SELECT payload_id, source, format, text FROM payloads WHERE list_contains(?, payload_id) ORDER BY payload_id",
        [list(payload_ids)],
    )
    formats = sorted({row["format"] for row in rows})
    if len(formats) != 1:
        raise Fault(f"The payloads of dataset {dataset} are of several formats: {', '.join(formats)}.")
    known, patterns = record_kinds.kinds(dataset), record_kinds.patterns(dataset)
    refuse_names_that_are_keys(dataset, known.values())
    pool = prepare(rows, dataset, formats[0], known, patterns, tokenizer)
    return Bench(pool, [row["text"] for row in rows], formats[0], sample)


def _write_records(home: Home, bench: Bench, dataset: str, payloads_sha256: str) -> int:
    """Rows of table `records`, once for a set of payloads and kinds; returns how many there are."""
    pool = bench.pool
    rows = (
        record.row(pool.kinds[record.kind], bench.sample) for payload in pool.payloads for record in payload.records
    )
    input_hash = content_id(payloads_sha256, record_kinds.version(dataset), VERSION)
    count = sum(len(payload.records) for payload in pool.payloads)
    if not stages.finished(home, "extract", input_hash):
        journal.write(home, "records", rows)
        stages.record(home, "extract", input_hash, {"records": count})
    return count


def _write_examples(home: Home, bench: Bench, build_id: str, made: Sequence[Made]) -> None:
    questions = {one.question["question_id"]: one.question for one in made}
    journal.write(home, "questions", [questions[name] for name in sorted(questions)])
    journal.write(home, "examples", [one.example for one in made])
    journal.write(home, "example_payloads", _places(bench, made))
    counted = ({"example_id": one.example["example_id"], "tokenizer": TOKENIZER, "tokens": one.tokens} for one in made)
    journal.write(home, "context_tokens", counted)
    listed = ({"build_id": build_id, "example_id": one.example["example_id"]} for one in made)
    journal.write(home, "build_examples", listed)


def _places(bench: Bench, made: Iterable[Made]) -> Iterator[dict[str, Any]]:
    """Rows of table `example_payloads`."""
    for one in made:
        for position, index in enumerate(one.payloads):
            payload_id = bench.pool.payloads[index].payload_id
            yield {"example_id": one.example["example_id"], "position": position, "payload_id": payload_id}


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
