"""The recipes of datasets/README.md, tried as they stand there: a source, a record kind and a model of one's own."""

import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.building import build as building
from tasks.building import kinds
from tasks.collecting import sources
from tasks.collecting.collect import collect
from tasks.home import PROJECT, Home
from tasks.serving.models import model_spec
from tasks.validating.validate import validate
from tasks.warehouse.ingest import sync
from tasks.warehouse.snapshot import rows

TEXT = (PROJECT / "datasets" / "README.md").read_text("utf-8")
MODEL, SOURCE, KIND = re.findall(r"^```yaml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
WORDS = "amber basalt cedar dune ember fjord grove heron inlet juniper".split()


def test_every_folder_is_described():
    described = set(re.findall(r"^\| (.*?) \|", TEXT, re.MULTILINE))
    named = {name for cell in described for name in re.findall(r"`(\w+)/`", cell)}
    assert named == {path.name for path in (PROJECT / "datasets").iterdir() if path.is_dir() and path.name[0] != "_"}
    for path in re.findall(r"`((?:tasks|flows)/[\w/]+\.py)`", TEXT):
        assert (PROJECT / path).is_file() or "library" in path, path


def test_the_model_is_one(tmp_path: Path):
    (tmp_path / "mine.yaml").write_text(MODEL)
    spec = model_spec(str(tmp_path / "mine.yaml"))
    assert (spec.kind, spec.tokenizer) == ("openai", "qwen3")
    assert Path(str(spec.template)).is_file()


def book(number: int) -> dict:
    rng = random.Random(number)
    return {
        "sig": f"B{number:04d}{rng.randrange(10**5):05d}",
        "ttl": f"{' '.join(rng.sample(WORDS, 3)).title()} {rng.randrange(10**4)}",
        "numPages": rng.randrange(40, 900),
        "mass": rng.randrange(80, 2000),
        "dimY": rng.randrange(120, 400),
        "ncop": rng.randrange(2, 99),
        "loc": rng.choice(WORDS),
    }


@pytest.fixture
def with_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout with the recipe's files, and a mirror of the library."""
    shutil.copytree(PROJECT / "datasets" / "json", tmp_path / "datasets" / "json")
    shutil.copytree(PROJECT / "datasets" / "wording", tmp_path / "datasets" / "wording")
    (tmp_path / "datasets" / "json" / "library_book.yaml").write_text(KIND)
    (tmp_path / "datasets" / "sources").mkdir()
    (tmp_path / "datasets" / "sources" / "library.yaml").write_text(SOURCE)
    (tmp_path / "mirror" / "library").mkdir(parents=True)
    for page in range(12):
        found = {"sort": "library", "items": [book(8 * page + place) for place in range(8)]}
        (tmp_path / "mirror" / "library" / f"{page}.json").write_text(json.dumps(found, indent=1))
    monkeypatch.setattr(kinds, "PROJECT", tmp_path)
    monkeypatch.setattr(sources, "FOLDER", tmp_path / "datasets" / "sources")
    cached = (kinds.kinds, kinds.patterns, kinds.version, kinds._files, sources.source)
    for each in cached:
        each.cache_clear()
    yield tmp_path / "mirror"
    for each in cached:
        each.cache_clear()


def test_the_source_and_the_kind_serve_every_task(fresh_home: Home, with_a_library: Path):
    assert collect(fresh_home, "library", "mirror", str(with_a_library))["records"] == 96
    sync(fresh_home)
    made = building.build(fresh_home, "json", ["library"], "mirror", building.TASKS, [1024], 1, workers=1)
    sync(fresh_home)
    assert made["examples"] == len(building.TASKS)
    assert validate(fresh_home, made["build_id"], workers=1)["failed"] == 0
    asked = rows(fresh_home, "SELECT DISTINCT kind FROM questions")
    assert [row["kind"] for row in asked] == ["library_book"]
