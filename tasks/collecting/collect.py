"""One source over one transport: responses received, kept, and cut into payloads. The same path for all transports."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from tasks.collecting import archives, bodies, cutting, live, masking, mirror, reading, sample
from tasks.collecting.collected import Collected
from tasks.collecting.received import Item, Received, Skipped
from tasks.collecting.recording import Recorder
from tasks.collecting.sources import Source, source, version
from tasks.errors import UserError
from tasks.hashing import content_id, sha256
from tasks.home import Home
from tasks.warehouse import journal, stages

TRANSPORTS = ("sample", "mirror", "live")


def collect(
    home: Home,
    name: str,
    transport: str,
    mirror_location: str | None = None,
    contact: str | None = None,
    most_responses: int = 20,
    *,
    place: str | None = None,
    record: str | None = None,
    key: str | None = None,
) -> dict[str, Any]:
    """Read source `name`, keep its responses and payloads, and return counts.

    What is done is skipped: sample, mirror and archives by content, live once a day (UTC), since services change
    meanwhile. `most_responses` bounds live requests only. `place` is an archive or folder to read instead of the
    source's own (see `archives`), `record` a mirror to write what comes over transport live into, `key` an access key
    of the service. Raises `UserError` where nothing of the source can be used, naming the first response and why, and
    `Fault` where a service fails; what came before and what was rejected is kept.
    """
    spec = source(name)
    if transport not in TRANSPORTS:
        raise UserError(f"There is no transport {transport}: choose from {', '.join(TRANSPORTS)}.")
    if record and transport != "live":
        raise UserError(f"Only what comes over transport live is recorded, not over {transport}: leave out record.")
    with _received(home, spec, transport, mirror_location, contact, most_responses, place, key) as (received, state):
        input_hash = content_id(version(name), cutting.VERSION, reading.VERSION, masking.VERSION, transport, state)
        done = stages.finished(home, "collect", input_hash)
        if done and not record:
            return done | {"skipped": True}
        collected = Collected(spec, transport)
        recorder = Recorder(record, spec) if record else None
        for item in collected.until_failure(iter(received)):
            if isinstance(item, Skipped):
                collected.reject(item.location, item.reason, item.detail)
            elif collected.add(item, _made_at(spec, item)):
                bodies.keep(home, item.sha256, item.body)
                if recorder:
                    recorder.add(item)
        if recorder:
            recorder.close()
        _write(home, collected)
        if collected.failure:
            raise collected.failure
        counts = {
            "source": spec.named(transport),
            "transport": transport,
            "responses": len(collected.responses),
            "payloads": len(collected.payloads),
            "records": collected.records,
            "repeated": collected.repeated,
            "masked": collected.masks,
            "rejected": len(collected.rejections),
        }
        stages.record(home, "collect", input_hash, counts)
    return counts | {"skipped": False}


@contextmanager
def _received(
    home: Home,
    spec: Source,
    transport: str,
    mirror_location: str | None,
    contact: str | None,
    most: int,
    place: str | None,
    key: str | None,
) -> Iterator[tuple[Iterable[Item], str]]:
    """The responses, as they come, and what they depend on."""
    if transport == "sample":
        yield sample.receive(spec.source), sample.fingerprint(spec.source)
    elif place is not None and archives.is_local(place):
        yield archives.receive(spec, place), archives.fingerprint(place)
    elif transport == "mirror":
        if not mirror_location:
            raise UserError("Transport mirror needs the folder of recorded responses: set mirror.")
        # Read twice, so that a large mirror never stands in memory as a whole.
        seen = [
            content_id(item.response_id(spec.source), item.licence, item.version)
            for item in mirror.receive(spec, mirror_location)
        ]
        yield mirror.receive(spec, mirror_location), sha256("".join(seen))
    else:
        today = datetime.now(UTC).date()
        with live.receive(home, spec, contact, most, place, key) as received:
            yield received, f"{today} {most} {place}"


def _write(home: Home, collected: Collected) -> None:
    """Append the rows to the journal. Raises where there are none."""
    journal.write(home, "rejections", collected.rejections)
    if not collected.payloads:
        raise collected.failure or _nothing(collected)
    journal.write(home, "sources", [collected.spec.row(collected.transport)])
    journal.write(home, "responses", collected.responses.values())
    journal.write(home, "payloads", collected.payloads.values())
    journal.write(home, "payload_origins", collected.origins.values())


def _made_at(spec: Source, item: Received) -> datetime | None:
    """The time that a recorded JSON response itself names; sample data has none.

    None where nobody says how to read it: a source of mirrors alone has no service.
    """
    if item.transport != "mirror" or item.retrieved_at is not None or spec.format != "json":
        return None
    if not live.has_service(spec):
        return None
    try:
        return live.service(spec).made_at(json.loads(item.body.decode("utf-8-sig")))
    except ValueError:
        return None


def _nothing(collected: Collected) -> UserError:
    spec, transport = collected.spec, collected.transport
    if collected.rejections:
        first = collected.rejections[0]
        more = len(collected.rejections) - 1
        others = f"; {more} more are rejected." if more else "."
        return UserError(
            f"Nothing of source {spec.source} can be used: {first['subject']} is rejected as {first['reason']} "
            f"({first['detail']}){others} Check the {transport} source and run `treebench collect` again."
        )
    return UserError(
        f"Source {spec.source} gave {len(collected.responses)} responses over {transport}, and none holds records: "
        "none is of a sort that its file names under holds; check where they come from."
    )
