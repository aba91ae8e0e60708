import json

import fsspec
import pytest

from tasks.collecting import mirror
from tasks.collecting.sources import source
from tasks.errors import UserError

NOTES = """# usgs: something

3 files. Recorded by others.

- a.json | 20 bytes | records 2 | some/repo @ 8d941dec29f0b54c1b0a : tests/a.yaml | licence: public domain; repository: MIT | GET https://earthquake.usgs.gov/fdsnws/event/1/query?format=geojson&limit=5 -> 200 | fdsnws/event 1.12
- b.json | 20 bytes | records 2 | some/repo @ 8d941dec29f0b54c1b0a : tests/b.yaml | licence: MIT | GET /fdsnws/event/1/query?limit=5 (paged) | 3 e-mail address(es) masked
- c.json | 20 bytes | records 2 | some/repo @ 8d941dec29f0b54c1b0a : tests/c.yaml | one of the feeds
"""  # noqa: E501


def test_notes_say_address_status_and_licence_where_they_stand():
    found = mirror.notes(NOTES)
    assert found["a.json"].status == 200
    assert found["a.json"].licence == "public domain; repository: MIT"
    assert found["a.json"].address == "https://earthquake.usgs.gov/fdsnws/event/1/query?format=geojson&limit=5"
    assert found["b.json"] == mirror.Note("/fdsnws/event/1/query?limit=5", None, "MIT")
    assert found["c.json"].address == "https://github.com/some/repo/blob/8d941dec29f0b54c1b0a/tests/c.yaml"
    assert found["c.json"].licence is None


def test_a_relative_address_is_one_of_the_service(tmp_path):
    (tmp_path / "usgs").mkdir()
    (tmp_path / "usgs" / "SOURCES.md").write_text(NOTES)
    (tmp_path / "usgs" / "b.json").write_text("{}")
    (received,) = mirror.receive(source("usgs"), str(tmp_path))
    assert received.url == "https://earthquake.usgs.gov/fdsnws/event/1/query"
    assert received.parameters == {"limit": "5"}
    assert received.location == "usgs/b.json"


def test_any_fsspec_location_will_do_and_files_come_by_name():
    files = fsspec.filesystem("memory")
    files.pipe({"/recorded/nvd/b.json": b"{}", "/recorded/nvd/a.json": json.dumps({"x": 1}).encode()})
    received = list(mirror.receive(source("nvd"), "memory://recorded"))
    assert [item.location for item in received] == ["nvd/a.json", "nvd/b.json"]
    assert received[0].body == b'{"x": 1}'
    assert received[0].licence is None


def test_a_missing_folder_and_an_empty_one_are_named(tmp_path):
    with pytest.raises(UserError, match="has no folder usgs"):
        list(mirror.receive(source("usgs"), str(tmp_path)))
    (tmp_path / "usgs").mkdir()
    with pytest.raises(UserError, match=r"holds no \.json file"):
        list(mirror.receive(source("usgs"), str(tmp_path)))
