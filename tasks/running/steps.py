"""How far a shard is, for whoever watches: a bar in the Prefect UI and, less often, a line in the log."""

import time
from typing import cast
from uuid import UUID

from prefect import get_run_logger
from prefect.artifacts import create_progress_artifact, update_progress_artifact

UPDATE_SECONDS = 2.0
"""How often the progress artifact is renewed at most."""

LOG_SECONDS = 30.0
"""How often the progress is logged at most."""


class ShardProgress:
    """The progress of one shard of a run; call it with its examples (or tasks) done and planned, and its calls."""

    def __init__(self, command: str, run_id: str, shard: int, what: str):
        self._log = get_run_logger()
        self._shard = shard + 1  # people count from one
        self._what = what
        key = f"{command}-{run_id[:8]}-shard-{shard}"
        self._artifact = cast(UUID, create_progress_artifact(0.0, key=key, description="starting"))
        self._shown = 0.0
        self._logged = time.monotonic()

    def __call__(self, done: int, planned: int, calls: int) -> None:
        """Show it, unless it was shown just now; the end is always shown."""
        now = time.monotonic()
        description = f"{done} of {planned} {self._what}, {calls} model calls"
        if done == planned or now - self._shown > UPDATE_SECONDS:
            self._shown = now
            update_progress_artifact(self._artifact, 100.0 * done / max(1, planned), description=description)
        if done < planned and now - self._logged > LOG_SECONDS:
            self._logged = now
            self._log.info("Shard %d: %s", self._shard, description)

    def waiting(self, holder: str) -> None:
        """Say that another process works on the shard."""
        self._log.info("Process %s works on shard %d already: waiting for it", holder, self._shard)

    def ended(self, counts: dict[str, int]) -> None:
        """Say how it ended, by outcome."""
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        self._log.info("Shard %d: %s", self._shard, outcomes)
