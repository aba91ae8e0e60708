"""Writes what an agent does to the tables `agent_events` and `memory_folds`, and finds what it did before.

A run that was killed goes through the same turns again: model calls are replayed by the shard runner, tool calls
from here, and a row that is there already is not written twice.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.home import Home
from tasks.long_horizon.contexts import Where
from tasks.warehouse import snapshot
from tasks.warehouse.journal import Journal, moment

_TIMES = ("recorded_at", "seconds")

SUPERSEDED = "superseded"
"""Action of an event that a later try of its task did not come to."""


@dataclass
class Past:
    """Events and folds of one task that an earlier process recorded, by their numbers."""

    events: dict[int, dict[str, Any]] = field(default_factory=dict)
    folds: dict[int, dict[str, Any]] = field(default_factory=dict)
    seconds: float = 0.0
    """Seconds that its finished model calls and its tool calls took."""


def load(home: Home, run_id: str, task_ids: Sequence[str]) -> dict[str, Past]:
    """What was recorded of these tasks, those without anything included."""
    found = {task_id: Past() for task_id in task_ids}
    chosen = [run_id, list(task_ids)]
    with snapshot.fresh(home, ("agent_events", "memory_folds", "model_calls")) as con:
        for table, kind in (("agent_events", "event"), ("memory_folds", "fold")):
            sql = f"FROM {table} WHERE run_id = ? AND task_id IN (SELECT unnest(?)) ORDER BY ALL"
            for row in snapshot.fetch(con, sql, chosen):
                past = found[row["task_id"]]
                (past.events if kind == "event" else past.folds)[row[kind]] = row
                past.seconds += row.get("seconds") or 0.0
        taken = con.execute(
            "SELECT example_id, sum(latency_s) FROM model_calls WHERE run_id = ? AND example_id IN (SELECT unnest(?)) "
            "GROUP BY ALL",
            chosen,
        )
        for task_id, seconds in taken.fetchall():
            found[task_id].seconds += seconds or 0.0
    return found


class Recorder:
    """Numbers the events of one task and keeps them."""

    def __init__(self, journal: Journal, run_id: str, task_id: str, past: Past | None = None):
        self._journal = journal
        self._key = {"run_id": run_id, "task_id": task_id}
        self._past = past or Past()
        self.event = 0
        """Number of the last event."""
        self.fold = 0
        """Number of the last fold."""

    def record(self, where: Where, action: str, status: str = "ok", **columns: Any) -> None:
        """Write the next event, unless it is there as it is."""
        self.event += 1
        row = {"event": self.event, **where._asdict(), "action": action, "status": status, **columns}
        self._write("agent_events", row, self._past.events.get(self.event))

    def record_fold(self, **columns: Any) -> None:
        """Write the next fold, unless it is there as it is."""
        self.fold += 1
        self._write(
            "memory_folds", {"fold": self.fold, "event": self.event, **columns}, self._past.folds.get(self.fold)
        )

    def close(self) -> None:
        """Take back what an earlier try recorded beyond the end of this one."""
        for event in sorted(number for number in self._past.events if number > self.event):
            before = self._past.events[event]
            if before["action"] != SUPERSEDED:
                row = {"event": event, "space": before["space"], "session": 0, "turn": 0}
                self._write("agent_events", {**row, "action": SUPERSEDED, "status": SUPERSEDED}, before)

    def known(self, tool: str, arguments: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """The row of the next event if it is this very tool call, done before; else None."""
        row = self._past.events.get(self.event + 1)
        if row is None or row["action"] != "tool" or row["tool"] != tool:
            return None
        return row if json.loads(row["content"] or "{}") == json.loads(json.dumps(arguments)) else None

    def _write(self, table: str, row: dict[str, Any], before: Mapping[str, Any] | None) -> None:
        row = {**self._key, **row}
        if before is not None and _same(row, before):
            return
        recorded_at = moment(after=before["recorded_at"] if before else None)
        self._journal.append(table, {**row, "recorded_at": recorded_at})


def _same(row: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    return all(_plain(row.get(name)) == _plain(value) for name, value in before.items() if name not in _TIMES)


def _plain(value: Any) -> Any:
    """A value as it is after a way through the database, where JSON is text."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            return json.loads(value)
        except ValueError:
            return value
    if isinstance(value, (dict, list, tuple)):
        return json.loads(json.dumps(value))
    return value if value is None or isinstance(value, (int, float)) else str(value)
