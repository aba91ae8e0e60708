"""Which tasks a run is about: a benchmark, where its copy lies, and which part of it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tasks.errors import UserError
from tasks.hashing import content_id
from tasks.home import Home
from tasks.long_horizon.benchmarks import browsecomp, gaia, sample
from tasks.long_horizon.benchmarks.task import Task
from tasks.long_horizon.searching.corpus import Corpus

NAMES = ("sample", "gaia", "browsecomp_plus")


@dataclass(frozen=True)
class Source:
    """A choice of tasks; small enough to be the parameter of a flow."""

    benchmark: str = "sample"
    data: str | None = None
    """Folder of the user's own copy."""
    subset: str = "default"
    """GAIA: text_only (the default), all, or listed. BrowseComp-Plus: all (the default), listed, or substitute."""
    ids: str | None = None
    """File that lists the ids of a listed subset, one a line or as JSON."""
    levels: tuple[str, ...] = ()
    """Levels to take; empty for all."""
    most: int | None = None
    """Tasks at most, spread evenly over the levels; None for all."""

    def plain(self) -> dict[str, Any]:
        """As a dictionary that a task run can take."""
        return asdict(self)


def tasks(source: Source, home: Home) -> list[Task]:
    """The tasks of a source, in a fixed order. Raises `UserError` where its copy is missing or not in order."""
    if source.benchmark == "sample":
        found = sample.tasks(home, source.subset, _ids(source))
    elif source.benchmark == "gaia":
        found = gaia.tasks(_folder(source), source.subset, _ids(source))
    elif source.benchmark == "browsecomp_plus":
        found = browsecomp.tasks(_folder(source), source.subset, _ids(source))
    else:
        raise UserError(f"There is no benchmark {source.benchmark!r}: choose {', '.join(NAMES)}.")
    if source.levels:
        found = [task for task in found if task.level in source.levels]
    if source.most is not None:
        found = spread(found, source.most)
    if not found:
        raise UserError(f"No task of {source.benchmark} is left with these levels and this subset: choose others.")
    return found


def corpus(source: Source, home: Home) -> Corpus:
    """The local corpus of a benchmark, indexed in the home. GAIA has none."""
    if source.benchmark == "browsecomp_plus":
        return browsecomp.corpus(_folder(source), home)
    return sample.library(home)


def check_corpus(source: Source) -> None:
    """Raise `UserError` where a benchmark should have a corpus and its copy has none."""
    if source.benchmark == "browsecomp_plus":
        browsecomp.corpus_files(_folder(source))


def spread(found: Sequence[Task], most: int) -> list[Task]:
    """The first tasks of each level in turn, at most `most`, in their own order."""
    levels: dict[str, list[Task]] = {}
    for task in found:
        levels.setdefault(f"{task.level} {task.kind}", []).append(task)
    queues = [list(group) for _, group in sorted(levels.items())]
    chosen: set[str] = set()
    while len(chosen) < most and any(queues):
        for queue in queues:
            if queue and len(chosen) < most:
                chosen.add(queue.pop(0).task_id)
    return [task for task in found if task.task_id in chosen]


def version(found: Sequence[Task]) -> str:
    """Hash of a set of tasks: the version of the benchmark that a run is about."""
    return content_id("tasks", sorted(task.task_id for task in found))


def _folder(source: Source) -> Path:
    if not source.data:
        raise UserError(
            f"Benchmark {source.benchmark} is not part of treebench: name the folder of your own copy with --data."
        )
    folder = Path(source.data).expanduser()
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}: name the folder of your copy of {source.benchmark} with --data.")
    return folder


def _ids(source: Source) -> list[str] | None:
    if source.subset != "listed":
        return None
    if not source.ids:
        raise UserError("Subset listed needs the ids of its tasks: name a file that lists them with --ids.")
    path = Path(source.ids).expanduser()
    if not path.is_file():
        raise UserError(f"There is no file {path}: name one that lists the ids of the tasks with --ids.")
    found = read_ids(path)
    if not found:
        raise UserError(f"{path} lists no ids: give one a line, or a JSON list.")
    return found


def read_ids(path: Path) -> list[str]:
    """Ids in a file: one a line, or JSON: a list of ids, or of objects with task_id, query_id or instance_id."""
    import json

    try:
        text = path.read_text("utf-8-sig")
        if not text.lstrip().startswith(("[", "{")):
            return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
        whole = text.lstrip().startswith("[")
        content = json.loads(text) if whole else [json.loads(line) for line in text.splitlines() if line.strip()]
        return [_id(entry) for entry in content]
    except (ValueError, KeyError) as error:
        raise UserError(f"{path} does not list ids: give one a line, or a JSON list.") from error


def _id(entry: Any) -> str:
    if isinstance(entry, dict):
        for name in ("task_id", "query_id", "instance_id", "id"):
            if name in entry:
                return str(entry[name])
        raise KeyError("task_id")
    return str(entry)
