import json

import fsspec
import pytest

from tasks.collecting import mirror
from tasks.collecting.collect import collect
from tasks.collecting.notes import Note, Notes
from tasks.collecting.sources import source
from tasks.errors import Fault, UserError

NOTES = """# usgs: something

3 files. Recorded by others.

- a.json | 20 bytes | records 2 | some/repo @ 8d941dec29f0b54c1b0a : tests/a.yaml | licence: public domain; repository: MIT | GET https://earthquake.usgs.gov/fdsnws/event/1/query?format=geojson&limit=5 -> 200 | fdsnws/event 1.12
- b.json | 20 bytes | records 2 | some/repo @ 8d941dec29f0b54c1b0a : tests/b.yaml | licence: MIT | GET /fdsnws/event/1/query?limit=5 (paged) | 3 e-mail address(es) masked
- c.json | 20 bytes | records 2 | some/repo @ 8d941dec29f0b54c1b0a : tests/c.yaml | one of the feeds
"""  # noqa: E501


def test_notes_say_address_status_and_licence_where_they_stand():
    found = Notes.read(NOTES).files
    assert found["a.json"].status == 200
    assert found["a.json"].licence == "public domain; repository: MIT"
    assert found["a.json"].address == "https://earthquake.usgs.gov/fdsnws/event/1/query?format=geojson&limit=5"
    assert found["b.json"] == Note("/fdsnws/event/1/query?limit=5", None, "MIT")
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
    with pytest.raises(UserError, match=r"holds no file named \*\.json"):
        list(mirror.receive(source("usgs"), str(tmp_path)))


HEADS = """# yaml: documents

All from APIs-guru/openapi-directory (read through a copy), commit 3f25f9de3b6a29ff74f66bd68b904b48bcd71c6d, path APIs/<file>; CC0.
Cut out of: eslint/eslint @ 6ddf8587e5cf, babel/babel @ 86b96c84eef3 and others.

- a.org/1.0/openapi.yaml | 20 bytes | openapi 3.0.0 | spec licence: Apache 2.0 License | 5 operations
- b.json | 20 bytes | POST https://b.example/search body {"criteria":{"years":[2024]},"offset":0} -> 200
- c.json | 20 bytes | POST https://b.example/search body {"broken":""x""} (cut)
"""  # noqa: E501


def test_what_the_head_says_holds_for_files_without_an_address_of_their_own():
    notes = Notes.read(HEADS)
    note = notes.of("a.org/1.0/openapi.yaml", "https://github.com/APIs-guru/openapi-directory")
    commit = "3f25f9de3b6a29ff74f66bd68b904b48bcd71c6d"
    assert note.address == f"https://github.com/APIs-guru/openapi-directory/blob/{commit}/APIs/a.org/1.0/openapi.yaml"
    assert (note.licence, note.version) == ("Apache 2.0 License", f"commit {commit}")
    only = Notes.read("Cut out of: eslint/eslint @ 6ddf8587e5cf, babel/babel @ 86b96c84eef3.")
    assert only.of("x", "https://github.com/babel/babel").address == "https://github.com/babel/babel/tree/86b96c84eef3"
    assert only.of("x", "https://github.com/lodash/lodash") == Note()


def test_a_recorded_post_keeps_its_body_as_parameters():
    notes = Notes.read(HEADS).files
    assert notes["b.json"].body == {"criteria": {"years": [2024]}, "offset": 0}
    assert (notes["b.json"].method, notes["b.json"].status) == ("POST", 200)
    assert (notes["c.json"].method, notes["c.json"].body) == ("POST", None)


def test_a_broken_line_of_recorded_initialisers_is_named(tmp_path):
    (tmp_path / "javascript").mkdir()
    (tmp_path / "javascript" / "initializers_babel.jsonl").write_text(
        '{"path": "a.js", "line": 1, "text": "[1]"}\nno\n'
    )
    with pytest.raises(Fault, match=r"initializers_babel\.jsonl is broken at line 2"):
        list(mirror.receive(source("babel"), str(tmp_path)))


def test_a_mirror_that_cannot_be_opened_is_one_sentence():
    with pytest.raises(UserError, match="cannot be opened"):
        list(mirror.receive(source("usgs"), "nosuchprotocol://place"))


def test_a_source_without_a_service_is_read_from_its_mirror(tmp_path, fresh_home, monkeypatch):
    here = source("usgs")
    live = here.live.model_copy(update={"service": "nobody_wrote_it"})
    spec = here.model_copy(update={"live": live})
    monkeypatch.setattr("tasks.collecting.collect.source", lambda name: spec)
    (tmp_path / "usgs").mkdir()
    (tmp_path / "usgs" / "a.json").write_text('{"type": "FeatureCollection", "features": [{"id": "x"}]}')
    assert collect(fresh_home, "usgs", "mirror", str(tmp_path))["payloads"] == 1
    with pytest.raises(Fault, match=r"no module tasks/collecting/services/nobody_wrote_it.py"):
        collect(fresh_home, "usgs", "live", contact="a@b.example")
