"""One source over one transport: responses received, kept, and cut into payloads. The same path for all transports."""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tasks.collecting import cutting, live, mirror, sample
from tasks.collecting.received import Received
from tasks.collecting.sources import Source, source, version
from tasks.errors import Fault, TreebenchError, UserError
from tasks.hashing import content_id, sha256
from tasks.home import Home
from tasks.trees.parse import decode, parse
from tasks.trees.tree import Tree
from tasks.warehouse import journal, stages

TRANSPORTS = ("sample", "mirror", "live")


@dataclass
class Collected:
    """Rows that one source gave."""

    responses: list[dict[str, Any]] = field(default_factory=list)
    payloads: dict[str, dict[str, Any]] = field(default_factory=dict)
    rejections: list[dict[str, Any]] = field(default_factory=list)
    records: int = 0
    """Records in the responses, before payloads that stand twice are counted once."""
    failure: Fault | None = None
    """What ended the transport before its end."""


def collect(
    home: Home,
    name: str,
    transport: str,
    mirror_location: str | None = None,
    contact: str | None = None,
    most_responses: int = 20,
) -> dict[str, Any]:
    """Read source `name`, keep its responses and payloads, and return counts.

    What is done is skipped: sample and mirror by content, live once a day (UTC), since services change meanwhile.
    `most_responses` bounds live requests only. Raises `UserError` where nothing of the source can be used, naming
    the first response and why, and `Fault` where a service fails; what came before and what was rejected is kept.
    """
    spec = source(name)
    if transport not in TRANSPORTS:
        raise UserError(f"There is no transport {transport}: choose from {', '.join(TRANSPORTS)}.")
    received: Iterable[Received]
    if transport == "sample":
        received, state = sample.receive(name), sample.fingerprint(name)
    elif transport == "mirror":
        if not mirror_location:
            raise UserError("Transport mirror needs the folder of recorded responses: set mirror.")
        received = list(mirror.receive(spec, mirror_location))
        state = sha256("".join(item.response_id(name) + str(item.licence) for item in received))
    else:
        received = live.receive(spec, contact, most_responses)
        state = f"{datetime.now(UTC).date()} {most_responses}"
    input_hash = content_id(version(name), cutting.VERSION, transport, state)
    done = stages.finished(home, "collect", input_hash)
    if done:
        return done | {"skipped": True}
    collected = _read(home, spec, transport, received)
    journal.write(home, "rejections", collected.rejections)
    if not collected.payloads:
        raise collected.failure or _nothing(spec, transport, collected)
    journal.write(home, "sources", [spec.row(transport)])
    journal.write(home, "responses", collected.responses)
    journal.write(home, "payloads", collected.payloads.values())
    if collected.failure:
        raise collected.failure
    counts = {
        "source": spec.named(transport),
        "transport": transport,
        "responses": len(collected.responses),
        "payloads": len(collected.payloads),
        "records": collected.records,
        "rejected": len(collected.rejections),
    }
    stages.record(home, "collect", input_hash, counts)
    return counts | {"skipped": False}


def _read(home: Home, spec: Source, transport: str, received: Iterable[Received]) -> Collected:
    collected = Collected()
    name = spec.named(transport)
    seen: set[str] = set()
    for item in _until_failure(received, collected):
        response_id = item.response_id(name)
        if response_id in seen:
            continue
        seen.add(response_id)
        try:
            tree = read(item, spec.format)
        except TreebenchError as error:
            reason = f"not {spec.format.upper()}"
            collected.rejections.append(rejection(item.location, reason, f"{len(item.body)} bytes: {error}"))
            continue
        keep(home, item)
        collected.responses.append(item.row(name) | _dated(spec, item))
        records = records_of(tree, spec)
        if records is None:
            continue
        for unit in cutting.cut(tree, records, item.sha256):
            collected.records += unit.records
            payload_id = content_id(spec.format, unit.text)
            collected.payloads.setdefault(
                payload_id,
                {
                    "payload_id": payload_id,
                    "source": name,
                    "dataset": spec.dataset,
                    "format": spec.format,
                    "response_id": response_id,
                    "location": [list(span) for span in unit.ranges],
                    "records": unit.records,
                    "characters": len(unit.text),
                    "licence": item.licence or spec.row(transport)["licence"],
                    "sample": transport == "sample",
                    "text": unit.text,
                },
            )
    return collected


def _until_failure(received: Iterable[Received], collected: Collected) -> Iterator[Received]:
    """The responses up to the failure of a service, which is noted."""
    try:
        yield from received
    except Fault as fault:
        collected.failure = fault


def read(item: Received, format: str) -> Tree:
    """The tree of a response body. Raises `UserError` saying what stands there instead."""
    text = decode(item.body, format, "the body")
    beginning = text.lstrip()[:200].lower()
    if not beginning:
        raise UserError("the body is empty.")
    if format == "json" and beginning.startswith("<"):
        raise UserError("the body is a page of markup.")
    return parse(text, format)


def records_of(tree: Tree, spec: Source) -> int | None:
    """The node of the record list, or None for a response of another sort (detail, count, error)."""
    for key, value in spec.holds_records_if.items():
        node = cutting.find_list(tree, [key])
        if node is None or tree.value_source(node) != f'"{value}"':
            return None
    return cutting.find_list(tree, spec.records)


def keep(home: Home, item: Received) -> None:
    """Put the body into `responses/` under its SHA-256, whole or not at all. Raises `Fault` if it cannot be written."""
    target = home.responses / item.sha256
    if target.exists():
        return
    partial = None
    try:
        home.responses.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=home.responses, prefix=".partial-", delete=False) as file:
            partial = file.name
            file.write(item.body)
        os.replace(partial, target)
    except OSError as error:
        if partial:
            with suppress(OSError):
                os.unlink(partial)
        raise Fault(f"{target} cannot be written ({error.strerror}): make room or set TREEBENCH_HOME.") from error


def rejection(subject: str, reason: str, detail: str) -> dict[str, Any]:
    """Row of table `rejections`."""
    return {
        "rejection_id": content_id("collect", subject, reason),
        "stage": "collect",
        "subject": subject,
        "reason": reason,
        "detail": detail,
        "recorded_at": datetime.now(UTC).replace(tzinfo=None),
    }


def _dated(spec: Source, item: Received) -> dict[str, Any]:
    """The time that a recorded response itself names; sample data has none."""
    if item.transport != "mirror" or item.retrieved_at is not None:
        return {}
    return {"retrieved_at": live.service(spec.source).made_at(json.loads(item.body.decode("utf-8-sig")))}


def _nothing(spec: Source, transport: str, collected: Collected) -> UserError:
    if collected.rejections:
        first = collected.rejections[0]
        return UserError(
            f"Nothing of source {spec.source} can be used: {first['subject']} is {first['reason']} ({first['detail']})"
            f"{_others(collected)} Check the {transport} source and run `treebench collect` again."
        )
    return UserError(
        f"Source {spec.source} gave {len(collected.responses)} responses over {transport}, and none holds records: "
        f"a list of records is expected at {'.'.join(spec.records)}; check where they come from."
    )


def _others(collected: Collected) -> str:
    more = len(collected.rejections) - 1
    return f"; {more} more are rejected." if more else "."
