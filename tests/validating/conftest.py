"""A dataset version built from the sample data in a home of its own, once."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tasks.building.build import build
from tasks.building.wording import TASKS
from tasks.collecting.collect import collect
from tasks.home import Home, home
from tasks.warehouse.ingest import sync

SOURCES = ["crossref", "nvd", "usgs"]
"""Sources that record kinds are there for."""


@dataclass
class Version:
    """A built dataset version and the home that it lies in."""

    home: Home
    build_id: str


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Version:
    root = tmp_path_factory.mktemp("built") / "home"
    root.mkdir()
    (root / "downloads").symlink_to(home().downloads)
    made = Home(root)
    journal = os.environ.pop("TREEBENCH_JOURNAL", None)
    try:
        for name in SOURCES:
            collect(made, name, "sample")
        sync(made)
        counts = build(made, "json", SOURCES, "sample", TASKS, [2048], 2)
        sync(made)
    finally:
        if journal:
            os.environ["TREEBENCH_JOURNAL"] = journal
    return Version(made, counts["build_id"])


@pytest.fixture
def copied(built: Version, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Version:
    """The same version in a home that a test may spoil."""
    monkeypatch.delenv("TREEBENCH_JOURNAL", raising=False)
    shutil.copytree(built.home.root, tmp_path / "home", symlinks=True)
    return Version(Home(tmp_path / "home"), built.build_id)
