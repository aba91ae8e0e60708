"""Sections of an example in a nameless file: thousands of long contexts in work at a time must not fill the memory."""

import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import overload

from tasks.errors import Fault
from tasks.memory_agents.observations import Section


class StoredSections(Sequence[Section]):
    """A sequence of sections whose texts lie on disk; the file goes with the object, or with the process.

    Raises `Fault` when the temporary folder (TMPDIR) is full.
    """

    def __init__(self, sections: Iterable[Section]):
        self._known: list[Section] = []
        self._ends = [0]
        self._file = tempfile.TemporaryFile(prefix="treebench-")  # noqa: SIM115
        try:
            for section in sections:
                data = section.text.encode("utf-8", "surrogatepass")
                self._file.write(data)
                self._ends.append(self._ends[-1] + len(data))
                self._known.append(replace(section, text=""))
            self._file.flush()
        except OSError as error:
            self._file.close()
            raise Fault(
                f"The sections of an example cannot be kept in {tempfile.gettempdir()} ({error.strerror}): make room "
                "or set TMPDIR, then run the command again."
            ) from error

    def __len__(self) -> int:
        return len(self._known)

    @overload
    def __getitem__(self, index: int) -> Section: ...

    @overload
    def __getitem__(self, index: slice) -> list[Section]: ...

    def __getitem__(self, index: int | slice) -> Section | list[Section]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        known = self._known[index]
        at = range(len(self))[index]
        data = os.pread(self._file.fileno(), self._ends[at + 1] - self._ends[at], self._ends[at])
        return replace(known, text=data.decode("utf-8", "surrogatepass"))
