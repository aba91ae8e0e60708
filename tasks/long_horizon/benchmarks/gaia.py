"""GAIA from the user's own copy: the parquet files of its hub repository, or the older JSON lines.

    FOLDER/2023/validation/metadata.parquet     (or metadata.jsonl), attachments beside it

FOLDER may also be the folder of the metadata itself. The owners ask not to publish the texts: all tasks are gated.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb

from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.long_horizon.benchmarks.task import Task, listed

WHERE = ("2023/validation", "validation", "")
LEVELS = ("1", "2", "3")


def tasks(folder: Path, subset: str, ids: list[str] | None = None) -> list[Task]:
    """Validation tasks: `all`, the `text_only` ones (no attached file), or those that `ids` lists.

    The 127 text-only tasks are HyMem's setting; the 103 of other papers are a list of ids and no filter. Raises
    `UserError` where the copy is missing or not of this form, or does not have a listed id.
    """
    place, rows = _rows(folder)
    found = [_task(place, row) for row in rows]
    if subset in ("default", "text_only"):
        found = [task for task in found if not task.files]
    elif subset != "all":
        found = listed(found, subset, ids, "GAIA", "text_only, all or listed")
    return [_with_files(task) for task in found]


def _rows(folder: Path) -> tuple[Path, list[dict[str, Any]]]:
    for where in WHERE:
        place = folder / where
        if (place / "metadata.parquet").is_file():
            return place, _parquet(place / "metadata.parquet")
        levels = [place / f"metadata.level{level}.parquet" for level in LEVELS]
        if all(path.is_file() for path in levels):
            return place, [row for path in levels for row in _parquet(path)]
        if (place / "metadata.jsonl").is_file():
            return place, _json_lines(place / "metadata.jsonl")
    raise UserError(
        f"There is no copy of GAIA at {folder}: 2023/validation/metadata.parquet or metadata.jsonl is missing; name "
        "the folder of your copy with --data."
    )


def _parquet(path: Path) -> list[dict[str, Any]]:
    try:
        with duckdb.connect() as con:
            result = con.execute("SELECT * FROM read_parquet(?)", [str(path)])
            names = [column[0] for column in result.description or []]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]
    except duckdb.Error:
        raise UserError(f"{path} is no Parquet file: download your copy of GAIA again.") from None


def _json_lines(path: Path) -> list[dict[str, Any]]:
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        if not all(isinstance(row, dict) for row in rows):
            raise ValueError
        return rows
    except ValueError:
        raise UserError(f"{path} is not JSON lines: download your copy of GAIA again.") from None


def _task(place: Path, row: dict[str, Any]) -> Task:
    for field in ("task_id", "Question", "Level", "Final answer"):
        if row.get(field) in (None, ""):
            raise UserError(f"{place} is no copy of GAIA: a row has no field {field}.")
    name, question, level = str(row["task_id"]), str(row["Question"]), str(row["Level"])
    answer, file = str(row["Final answer"]), str(row.get("file_name") or "")
    if level not in LEVELS:
        raise UserError(f"Task {name} of GAIA has level {level[:20]!r}: expected 1, 2 or 3.")
    if file and Path(file).name != file:
        raise UserError(f"Task {name} of GAIA names a file outside its folder: check your copy.")
    files = (file,) if file else ()
    return Task(
        "gaia", name, question, None if answer == "?" else answer, level, place if files else None, files, gated=True
    )


def _with_files(task: Task) -> Task:
    """A task with the hashes of its files. Only what a run is about is asked for: text-only tasks need no file."""
    for name in task.files:
        if task.folder is None or not (task.folder / name).is_file():
            raise UserError(
                f"The file of task {task.name} of GAIA is missing in {task.folder}: download your copy with its files."
            )
    return replace(task, hashes=tuple(sha256((task.folder / name).read_bytes()) for name in task.files if task.folder))
