"""What the report hands to Prefect: pictures that stand in their artifact, and tables as they are."""

import base64
import csv
from pathlib import Path

import pytest


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict]:
    """The artifacts by key that a folder of two files leaves behind."""
    from flows import artifacts

    made: dict[str, dict] = {}
    for kind in ("create_image_artifact", "create_table_artifact"):
        monkeypatch.setattr(artifacts, kind, lambda **given: made.__setitem__(given["key"], given))
    (tmp_path / "by_task.png").write_bytes(b"\x89PNG picture")
    with (tmp_path / "main_table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["agent", "json"], ["MemAgent, first", "25.0"]])
    artifacts.images("figure", str(tmp_path))
    artifacts.csv_table("scores", str(tmp_path), "main_table", "Mean answer scores (%)")
    artifacts.csv_table("nothing", str(tmp_path), "paired_differences", "There is no such file")
    return made


def test_a_picture_is_in_its_artifact(shown):
    address = shown["figure-by-task"]["image_url"]
    assert base64.b64decode(address.removeprefix("data:image/png;base64,")) == b"\x89PNG picture"


def test_a_table_has_its_rows(shown):
    assert shown["scores"]["table"] == [{"agent": "MemAgent, first", "json": "25.0"}]
    assert "nothing" not in shown
