"""Faults to plant into sound examples, as a faulty builder would have made them.

Hashes, lengths and counts are recorded anew, unless they are the fault. Faults that only show in several examples
together are in `test_validate.py`.
"""

import random
from collections.abc import Callable

from tasks.hashing import content_id, sha256
from tasks.validating.subjects import Subject
from tasks.warehouse.contexts import render

Fault = Callable[[Subject, random.Random], bool | None]
"""Spoils a subject; returns False where it does not apply."""
FAULTS: dict[str, tuple[Fault, str]] = {}
"""Name to the fault and the check that is there for it."""


def fault(check: str) -> Callable[[Fault], Fault]:
    def listed(plant: Fault) -> Fault:
        FAULTS[plant.__name__] = (plant, check)
        return plant

    return listed


def lookup(subject: Subject) -> bool:
    return subject.question["reference"]["operation"] == "lookup"


def texts(subject: Subject) -> list[str]:
    return [payload["text"] for payload in subject.payloads]


def recorded(subject: Subject, found: list[str]) -> None:
    """Other payload texts, with ids, hash, characters and tokens recorded anew."""
    format = subject.payloads[0]["format"]
    rows = [*subject.payloads, *[subject.payloads[-1]] * (len(found) - len(subject.payloads))]
    subject.payloads = [
        dict(row, text=text, payload_id=content_id(format, text)) for row, text in zip(rows, found, strict=False)
    ]
    subject.context = render(format, found)
    subject.example |= {"context_sha256": sha256(subject.context), "characters": len(subject.context)}


def beside(subject: Subject) -> list[int]:
    """Positions of payloads that hold nothing asked about."""
    return [at for at in range(len(subject.payloads)) if at not in subject.example["supporting"]]
