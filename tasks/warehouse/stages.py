"""Which work is done: a stage is skipped when the hash of its inputs is recorded."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tasks.home import Home
from tasks.warehouse.journal import Journal, write
from tasks.warehouse.snapshot import rows


def finished(home: Home, stage: str, input_hash: str) -> dict[str, Any] | None:
    """The summary of the stage for these inputs, or None if it has to be run."""
    if not home.snapshot.exists():
        return None
    found = rows(home, "SELECT summary FROM stages WHERE stage = ? AND input_hash = ?", [stage, input_hash])
    return json.loads(found[0]["summary"]) if found else None


def record(to: Home | Journal, stage: str, input_hash: str, summary: Mapping[str, Any]) -> None:
    """Note that the stage is done; seen by `finished` after the next sync.

    Write this after the rows of the stage, into the same journal or behind their sealed file.
    """
    row = {
        "stage": stage,
        "input_hash": input_hash,
        "summary": dict(summary),
        "recorded_at": datetime.now(UTC).replace(tzinfo=None),
    }
    if isinstance(to, Journal):
        to.append("stages", row)
    else:
        write(to, "stages", [row])
