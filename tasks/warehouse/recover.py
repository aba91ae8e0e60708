"""Rebuild the live database from the journal."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tasks.home import Home
from tasks.warehouse import generations
from tasks.warehouse.ingest import Synced, lock_file, sync_locked
from tasks.warehouse.locks import WAIT_SECONDS, exclusive
from tasks.warehouse.schema import SQL


def rebuild(home: Home, wait: float = WAIT_SECONDS, sql: Path = SQL) -> Synced:
    """Move the live database aside, load the whole journal into a new one and publish it.

    Returns what was loaded, and as `aside` where the old database now lies (None if there was none). Killed
    half-way, the next `sync` does the same. Raises as `sync` does.
    """
    with exclusive(lock_file(home), wait):
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        aside = generations.set_aside(home, home.live.parent.parent / "aside" / moment)
        return replace(sync_locked(home, wait, sql), aside=aside)
