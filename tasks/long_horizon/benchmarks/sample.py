"""The sample tasks: over a small invented corpus and files, offline, for trying the pipeline and not for claims."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from tasks.hashing import content_id, sha256
from tasks.home import PROJECT, Home
from tasks.long_horizon.benchmarks import attachments
from tasks.long_horizon.benchmarks.task import Task, listed
from tasks.long_horizon.searching import corpus
from tasks.long_horizon.searching.corpus import Corpus, Document

FOLDER = PROJECT / "datasets" / "tasks"


def tasks(home: Home, subset: str = "all", ids: list[str] | None = None) -> list[Task]:
    """Sample tasks: `all`, the `text_only` ones (no attached file), or those that `ids` lists by name.

    Their files are made in the home. Raises `UserError` where there is no such subset or no listed task.
    """
    found = _all(home)
    if subset in ("default", "all"):
        return found
    if subset == "text_only":
        return [task for task in found if not task.files]
    return listed(found, subset, ids, "The sample benchmark", "all, text_only or listed")


def _all(home: Home) -> list[Task]:
    contents = _read("files")
    found = []
    for entry in _read("sample")["tasks"]:
        files = tuple(entry.get("files", ()))
        hashes = tuple(attachments.identity(name, contents[name]) for name in files)
        folder = home.root / "tasks" / "files" / content_id(*hashes)[:16]
        for name in files:
            attachments.write(folder, name, contents[name])
        found.append(Task(
            "sample", entry["name"], entry["question"], entry["answer"], entry["level"], folder if files else None,
            files,
            tuple(entry["evidence"]) if entry["kind"] == "collection" else None, entry["kind"], sample=True,
            hashes=hashes,
        ))  # fmt: skip
    return found


def documents() -> Iterator[Document]:
    """The corpus."""
    content = _read("corpus")
    for entry in content["documents"]:
        yield Document(entry["id"], content["base"] + entry["id"], entry["text"], entry["title"])


def library(home: Home) -> Corpus:
    """The corpus, indexed in the home."""
    key = corpus.identity("sample", sha256((FOLDER / "corpus.yaml").read_bytes()))
    return corpus.build(home.root / "indexes" / "sample", documents(), key, threads=1)


@lru_cache(maxsize=4)
def _read(name: str) -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="safe").load((FOLDER / f"{name}.yaml").read_text("utf-8"))
