"""A task of a long-horizon benchmark, wherever it comes from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tasks.errors import UserError
from tasks.hashing import content_id, sha256

UNRATED = "unrated"
"""Level of tasks whose benchmark has none."""


@dataclass(frozen=True)
class Task:
    """A question with an answer, and the files that belong to it."""

    benchmark: str
    name: str
    """Id within the benchmark."""
    question: str
    answer: str | None = None
    """The expected answer; None where it is hidden."""
    level: str = UNRATED
    folder: Path | None = None
    """Where its files lie; a tool sees nothing outside it."""
    files: tuple[str, ...] = ()
    evidence: tuple[str, ...] | None = None
    """Ids of the documents that hold the evidence."""
    kind: Literal["web", "collection"] = "web"
    """Tools that it is made for: those of the web and of files, or search in a collection."""
    gated: bool = False
    sample: bool = False
    hashes: tuple[str, ...] = field(default=())
    """SHA-256 of the files, in their order."""

    @property
    def task_id(self) -> str:
        """Hash of benchmark, name, question and files: another wording is another task."""
        return content_id(self.benchmark, self.name, self.question, list(self.files), list(self.hashes))

    def row(self) -> dict[str, object]:
        """The row of table `agent_tasks`; gated texts stay out of it."""
        return {
            "task_id": self.task_id, "benchmark": self.benchmark, "name": self.name, "level": self.level,
            "files": list(self.files), "question_sha256": sha256(self.question),
            "question": None if self.gated else self.question, "answer": None if self.gated else self.answer,
            "evidence": None if self.evidence is None else list(self.evidence), "gated": self.gated,
            "sample": self.sample,
        }  # fmt: skip


def listed(found: Sequence[Task], subset: str, ids: Sequence[str] | None, title: str, subsets: str) -> list[Task]:
    """Those of the tasks that `ids` lists, where the subset is `listed`; `title` is the benchmark's.

    Raises `UserError` for a subset that is none of `subsets`, and for an id that no task has.
    """
    if subset != "listed" or ids is None:
        raise UserError(f"{title} has no subset {subset!r}: choose {subsets}.")
    known = {task.name: task for task in found}
    missing = [name for name in ids if name not in known]
    if missing:
        count = f"unknown: {len(missing)} of {len(ids)} ids"
        # A list of questions may have been given instead: their texts are not for a message.
        name = missing[0] if re.fullmatch(r"[\w.-]{1,64}", missing[0]) else "of such a name"
        raise UserError(f"{title} has no task {name} here ({count}): check --ids.")
    return [known[name] for name in dict.fromkeys(ids)]
