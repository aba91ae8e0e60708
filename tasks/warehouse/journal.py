"""Append-only row files: what a process has done is on disk before it goes on.

A writer holds one spool file per table, with a file lock for as long as it lives. A row is one `write` of one
line, so a killed process loses no row that `append` returned from; the torn line of the row in flight is dropped
when the file is recovered. Finished files are sealed: renamed into the journal location, where they never change.
A file has its final name from the start, so that sealing it twice, after a kill in between, is the same as once.
"""

import fcntl
import os
import re
import secrets
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tasks.errors import Fault, TreebenchError
from tasks.home import Home
from tasks.warehouse.encoding import encode
from tasks.warehouse.location import STAGES, SUFFIX, Location
from tasks.warehouse.schema import Table, declared

SEAL_BYTES = 4 * 1024 * 1024
"""A spool file that has grown to this size is sealed, so that others soon see its rows."""

PARTIAL = ".partial"
"""Suffix of a file that counts only as a whole."""


class Journal:
    """The journal of one writer. Use it as a context manager; threads may share it."""

    def __init__(self, home: Home, writer: str):
        """`writer` becomes part of the file names: what wrote the rows, such as a run and shard."""
        self._home = home
        self._writer = writer
        self._location = location(home)
        self._lock = threading.Lock()
        self._open: dict[str, _Spool] = {}
        self._finished: list[_Spool] = []

    def append(self, table: str, row: Mapping[str, Any]) -> None:
        """Write one row; once this returns, no kill of the process loses it.

        Raises `Fault` when the row does not fit the table, or when the disk is full or cannot be written.
        """
        line = encode(_table(table), row)
        with self._lock:
            spool = self._open.get(table)
            if spool is None:
                spool = self._open[table] = _Spool(self._home, table, self._writer)
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
    spool = _Spool(home, table, "write", PARTIAL)
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
        with _adopted(path) as handle:
            if handle is None:
                continue
            if path.suffix == PARTIAL or _cut_torn_line(handle) == 0:
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


class _Spool:
    """One spool file, locked by this process."""

    def __init__(self, home: Home, table: str, writer: str, suffix: str = ""):
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", writer)[:60]
        leaf = f"{moment}-{plain}-{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}"
        self.name = f"{table}/{leaf}"
        self.path = home.spool / table / (leaf + suffix)
        self.size = 0
        self.broken = False
        self._buffer = bytearray()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._handle = _locked(self.path)
        except OSError as error:
            raise self._fault(error) from error

    def write(self, line: bytes, buffered: bool = False) -> None:
        """Append a line; all of it or, after a failure, nothing."""
        if buffered:
            self._buffer += line
            if len(self._buffer) >= SEAL_BYTES:
                self._flush()
            return
        self._append(line)

    def _flush(self) -> None:
        self._append(bytes(self._buffer))
        self._buffer.clear()

    def _append(self, data: bytes) -> None:
        try:
            written = os.write(self._handle, data)
            while written < len(data):  # a full disk takes a part first and says why only when asked again
                written += os.write(self._handle, data[written:])
        except OSError as error:
            self._cut_back()
            raise self._fault(error) from error
        self.size += len(data)

    def _cut_back(self) -> None:
        try:
            os.ftruncate(self._handle, self.size)
        except OSError:
            self.broken = True  # the torn line stays the last one of this file: recovery drops it

    def complete(self) -> None:
        """Give a file that counts as a whole its name; an empty one goes away."""
        if self._buffer:
            self._flush()
        if self.size == 0:
            self.path.unlink()
            return
        try:
            os.fsync(self._handle)
            whole = self.path.with_suffix("")
            os.rename(self.path, whole)
            self.path = whole
        except OSError as error:
            raise self._fault(error) from error

    def publish(self, target: Location) -> None:
        """Move the file to the journal and let go of it."""
        if self.size and not self.broken:
            try:
                os.fsync(self._handle)
            except OSError as error:
                raise self._fault(error) from error
            target.publish(self.path, self.name)
        elif self.size == 0:
            self.path.unlink(missing_ok=True)
        self.close()

    def discard(self) -> None:
        """Forget the file and its rows."""
        self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Let go of the file; whatever is still in the spool is for `recover`."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _fault(self, error: OSError) -> Fault:
        return Fault(f"Journal file {self.path} cannot be written ({error.strerror}): nothing written before is lost; "
                     "make room or fix the folder, then run the command again.")  # fmt: skip


def _locked(path: Path) -> int:
    """Handle of a new file under an exclusive lock.

    Between creation and lock, `recover` may take the file for a dead one and remove it: then it is made anew.
    """
    while True:
        handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o644)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if _is_at(handle, path):
            return handle
        os.close(handle)


@contextmanager
def _adopted(path: Path) -> Iterator[int | None]:
    """Handle of a spool file under an exclusive lock; None when its writer lives or it has gone."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        yield None
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = _is_at(handle, path)
    except BlockingIOError:
        free = False
    try:
        yield handle if free else None
    finally:
        os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False
    here = os.fstat(handle)
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)


def _cut_torn_line(handle: int) -> int:
    """Cut whatever follows the last newline; returns the size that is left."""
    end = os.fstat(handle).st_size
    position = end
    while position > 0:
        start = max(0, position - 65536)
        found = os.pread(handle, position - start, start).rfind(b"\n")
        if found >= 0:
            position = start + found + 1
            break
        position = start
    if position < end:
        os.ftruncate(handle, position)
    return position
