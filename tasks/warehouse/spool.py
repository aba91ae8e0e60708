"""The file that one writer fills before it is sealed: whole lines, under a lock that ends with the process."""

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tasks.errors import Fault
from tasks.home import Home
from tasks.warehouse.location import SUFFIX, Location

SEAL_BYTES = 4 * 1024 * 1024
"""A spool file that has grown to this size is sealed, so that others soon see its rows."""

PARTIAL = ".partial"
"""Suffix of a file that counts only as a whole."""


class Spool:
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
def adopted(path: Path) -> Iterator[int | None]:
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


def cut_torn_line(handle: int) -> int:
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
