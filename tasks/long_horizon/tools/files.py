"""The files that belong to a task: their names lead into its own folder, and nowhere else."""

import os
import stat
from pathlib import Path

from tasks.long_horizon.tools.toolbox import ToolFailed

MEGABYTES = 50


def read(folder: Path | None, name: str) -> bytes:
    """Bytes of the file `name` in `folder`. Raises `ToolFailed` for anything else.

    Refused are absolute paths and `..`, links wherever they lead (a link inside the folder may have been put there
    to lead out), devices and pipes, and files larger than 50 MB. The path is opened component by component without
    following links, so that nothing can be exchanged between check and use.
    """
    parts = Path(name).parts
    if folder is None:
        raise ToolFailed("this task has no attached files")
    if not parts or "\0" in name or Path(name).is_absolute() or ".." in parts:
        raise ToolFailed(f"{name[:100]!r} is outside the folder of the task: give the name of an attached file")
    handles = [os.open(folder, os.O_RDONLY | os.O_DIRECTORY)]
    try:
        for part in parts[:-1]:
            handles.append(os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handles[-1]))
        handles.append(os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handles[-1]))
        found = os.fstat(handles[-1])
        if not stat.S_ISREG(found.st_mode):
            raise ToolFailed(f"{name[:100]} is no plain file")
        if found.st_nlink > 1:
            raise ToolFailed(f"{name[:100]} is a hard link: such files are refused")
        if found.st_size > MEGABYTES * 1_000_000:
            raise ToolFailed(f"{name[:100]} is larger than {MEGABYTES} MB")
        with os.fdopen(os.dup(handles[-1]), "rb") as file:
            return file.read(MEGABYTES * 1_000_000 + 1)
    except OSError:
        raise ToolFailed(f"there is no attached file {name[:100]}, or it is a link") from None
    finally:
        for handle in handles:
            os.close(handle)
