"""The folder of one task: its own files and nothing else, as plain files in the home.

A copy of GAIA keeps the files of all tasks in one folder, beside the expected answers, and often as links into a cache.
Agents get neither: what belongs to a task is copied into a folder of its own, once.
"""

import os
import shutil
from pathlib import Path

from tasks.errors import Fault, UserError
from tasks.home import Home
from tasks.long_horizon.benchmarks.task import Task


def staged(home: Home, task: Task) -> Path | None:
    """The folder that tools see for a task; None where it has no files.

    Raises `UserError` where a file is gone since the task was read, `Fault` where the home cannot hold it.
    """
    if task.folder is None or not task.files:
        return None
    if task.sample:  # made there, of nothing else
        return task.folder
    own = home.root / "tasks" / task.benchmark / task.task_id
    for name in task.files:
        if (own / name).is_file():
            continue
        try:
            own.mkdir(parents=True, exist_ok=True)
            partial = own / f".{name}.{os.getpid()}.partial"
            shutil.copyfile(task.folder / name, partial)
            partial.replace(own / name)
        except FileNotFoundError:
            raise UserError(
                f"The file of task {task.name} of {task.benchmark} is missing in {task.folder}: get your copy again."
            ) from None
        except OSError as error:
            raise Fault(
                f"The files of task {task.name} cannot be written to {own} ({error.strerror or error}): make room, "
                "then run the command again."
            ) from error
    return own
