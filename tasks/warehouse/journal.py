"""Append-only row files: what a process has done is on disk before it goes on.

A writer holds one spool file per table, with a file lock for as long as it lives. A row is one `write` of one
line, so a killed process loses no row that `append` returned from; the torn line of the row in flight is dropped
when the file is recovered. Finished files are sealed: renamed into the journal location, where they never change.
A file has its final name from the start, so that sealing it twice, after a kill in between, is the same as once.
"""

import os
import threading
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tasks.errors import Fault, TreebenchError
from tasks.home import Home
from tasks.warehouse.encoding import encode
from tasks.warehouse.location import STAGES, SUFFIX, Location
from tasks.warehouse.schema import Table, declared
from tasks.warehouse.spool import PARTIAL, SEAL_BYTES, Spool, adopted, cut_torn_line


def moment(after: datetime | None = None) -> datetime:
    """The present moment for a column `recorded_at` (UTC, without a zone); always later than `after`.

    Of two rows with one key the later counts, so a row that replaces one gives that one's time: the clock may have
    been set back since, or the earlier row come from a machine whose clock is ahead.
    """
    now = datetime.now(UTC).replace(tzinfo=None)
    return now if after is None else max(now, after + timedelta(microseconds=1))


class Journal:
    """The journal of one writer. Use it as a context manager; threads may share it."""

    def __init__(self, home: Home, writer: str):
        """`writer` becomes part of the file names: what wrote the rows, such as a run and shard."""
        self._home = home
        self._writer = writer
        self._location = location(home)
        self._lock = threading.Lock()
        self._open: dict[str, Spool] = {}
        self._finished: list[Spool] = []

    def append(self, table: str, row: Mapping[str, Any]) -> None:
        """Write one row; once this returns, no kill of the process loses it.

        Raises `Fault` when the row does not fit the table, or when the disk is full or cannot be written.
        """
        line = encode(_table(table), row)
        with self._lock:
            spool = self._open.get(table)
            if spool is None:
                spool = self._open[table] = Spool(self._home, table, self._writer)
            try:
                spool.write(line)
            finally:
                if spool.broken or spool.size >= SEAL_BYTES:
                    self._finished.append(self._open.pop(table))
            if self._finished:
                self._publish(patient=True)

    def seal(self) -> None:
        """Move everything written so far to the journal location. Raises `Fault` when that cannot be written."""
        with self._lock:
            self._finished += self._open.values()
            self._open = {}
            self._finished.sort(key=lambda spool: _vouches(spool.path))
            self._publish(patient=False)

    def _publish(self, patient: bool) -> None:
        """Publish finished files; a patient caller leaves those that cannot be published for the next time."""
        remaining = list(self._finished)
        for spool in remaining:
            try:
                spool.publish(self._location)
            except Fault:
                if not patient:
                    raise
                return
            self._finished.remove(spool)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.seal()
        except TreebenchError:
            if error is None:
                raise  # otherwise the first failure is the one to report; the rows stay in the spool
        finally:
            for spool in self._finished:
                spool.close()


def location(home: Home) -> Location:
    """The journal location of a home."""
    return Location(home.journal, home.root / "warehouse" / "fetched")


def write(home: Home, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows as one sealed file, all of them or none; returns how many. No rows, no file.

    Raises `Fault` as `Journal.append` and `Journal.seal` do.
    """
    columns = _table(table)
    spool = Spool(home, table, "write", PARTIAL)
    count = 0
    try:
        for row in rows:
            spool.write(encode(columns, row), buffered=True)
            count += 1
        spool.complete()
    except BaseException:
        spool.discard()
        raise
    try:
        spool.publish(location(home))
    finally:
        spool.close()
    return count


def recover(home: Home) -> int:
    """Seal the spool files of writers that died, dropping torn last lines; returns the number of files.

    Raises `Fault` when the journal location cannot be written.
    """
    target = location(home)
    sealed = 0
    for path in sorted(home.spool.glob("*/*"), key=lambda path: (_vouches(path), path)):
        with adopted(path) as handle:
            if handle is None:
                continue
            if path.suffix == PARTIAL or cut_torn_line(handle) == 0:
                path.unlink()
            elif path.suffix == SUFFIX:
                os.fsync(handle)
                target.publish(path, f"{path.parent.name}/{path.name}")
                sealed += 1
    return sealed


def _vouches(path: Path) -> bool:
    return path.parent.name == STAGES


def _table(name: str) -> Table:
    known = declared()
    if name not in known:
        raise Fault(f"There is no table {name}: the tables are {', '.join(known)}.")
    return known[name]
