"""Where sealed journal files lie: `<table>/<name>.jsonl` under any fsspec location."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import fsspec
from fsspec.implementations.local import LocalFileSystem

from tasks.errors import Fault, UserError

SUFFIX = ".jsonl"

STAGES = "stages"
"""Rows of this table vouch for rows of the others: they are sealed last and listed first."""


class Location:
    """The journal location. Files appear there whole or not at all, and never change."""

    def __init__(self, url: str, staging: Path):
        """`staging` is a local folder for copies of remote files while they are read.

        Raises `UserError` when fsspec knows no such kind of location.
        """
        try:
            self._files, root = fsspec.core.url_to_fs(url)
        except (ValueError, ImportError) as error:
            raise UserError(f"TREEBENCH_JOURNAL={url} cannot be used ({error}): set it to a folder or an "
                            "fsspec URL.") from error  # fmt: skip
        self._url = url
        self._root = root.rstrip("/")
        self._local = isinstance(self._files, LocalFileSystem)
        self._staging = staging

    def publish(self, finished: Path, name: str) -> None:
        """Move the local file `finished` to `name` (`<table>/<file>`). Doing it again changes nothing.

        Raises `Fault` when the location cannot be written; `finished` is then still there.
        """
        target = f"{self._root}/{name}"
        parent, _, leaf = target.rpartition("/")
        partial = f"{parent}/.{leaf}.partial"
        try:
            self._files.makedirs(parent, exist_ok=True)
            if self._local:
                _move(finished, Path(partial), Path(target))
            else:
                self._files.put_file(str(finished), partial)
                self._files.mv(partial, target)
                finished.unlink()
        except Exception as error:  # remote file systems raise whatever their client library does
            raise Fault(f"Journal file {name} cannot be moved from {finished} to {self._url} ({_reason(error)}): "
                        "its rows are safe where they are; run the command again once the location can be "
                        "written.") from error  # fmt: skip

    def names(self) -> list[str]:
        """Names of all sealed files, oldest first within a table. Raises `Fault` when it cannot be read.

        No stage is listed as finished without the rows that were sealed before it, however the listing and a
        writer meet.
        """
        finished = self._found(STAGES)
        others = [name for name in self._found("*") if not name.startswith(f"{STAGES}/")]
        return sorted(finished + others)

    def _found(self, table: str) -> list[str]:
        try:
            if self._local:
                found = Path(self._root).glob(f"{table}/*{SUFFIX}")  # asks no file for its size
            else:
                self._files.invalidate_cache()
                found = self._files.glob(f"{self._root}/{table}/*{SUFFIX}")
            names = [PurePosixPath(path).relative_to(self._root) for path in map(str, found)]
        except Exception as error:
            raise Fault(
                f"The journal at {self._url} cannot be listed ({_reason(error)}): check TREEBENCH_JOURNAL, "
                "then run the command again."
            ) from error
        return [str(name) for name in names if not name.name.startswith(".")]

    @contextmanager
    def local(self, names: Sequence[str]) -> Iterator[list[Path]]:
        """Local paths of these files, in this order; copies of remote ones are gone afterwards."""
        if self._local:
            yield [Path(self._root) / name for name in names]
            return
        self._staging.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._staging, prefix="fetched-") as folder:
            paths = []
            for name in names:
                path = Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                try:
                    self._files.get_file(f"{self._root}/{name}", str(path))
                except Exception as error:
                    raise Fault(f"Journal file {name} cannot be read from {self._url} ({_reason(error)}): "
                                "run the command again once it can.") from error  # fmt: skip
                paths.append(path)
            yield paths


def _move(finished: Path, partial: Path, target: Path) -> None:
    try:
        os.rename(finished, target)
    except OSError as error:
        if error.errno != errno.EXDEV:  # the journal lies on another disk
            raise
        shutil.copyfile(finished, partial)
        sync_to_disk(partial)
        os.rename(partial, target)
        sync_to_disk(target.parent)
        finished.unlink()
    else:
        sync_to_disk(target.parent)


def sync_to_disk(path: Path) -> None:
    """Have the kernel write a file, or the names in a folder, to the disk itself."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
