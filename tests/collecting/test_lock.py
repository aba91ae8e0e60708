import json

import pytest

from tasks.collecting import lock
from tasks.collecting.collect import collect
from tasks.collecting.sources import names
from tasks.errors import Fault, UserError
from tasks.home import Home
from tasks.warehouse.ingest import sync


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    """A home with all sample data."""
    home = Home(tmp_path_factory.mktemp("sampled"))
    for name in names():
        collect(home, name, "sample")
    sync(home)
    return home


def mirror_of(folder, pages):
    folder.mkdir(parents=True, exist_ok=True)
    for name, events in pages.items():
        features = [{"id": event, "properties": {"mag": 5.1, "place": "somewhere"}} for event in events]
        (folder / f"{name}.json").write_text(json.dumps({"type": "FeatureCollection", "features": features}))


@pytest.fixture
def locks(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "FOLDER", tmp_path / "locks")
    return tmp_path / "locks"


def gathered(home, mirror):
    collect(home, "usgs", "mirror", str(mirror))
    sync(home)
    return ("json", ["usgs"], "mirror")


def test_the_same_collection_is_what_its_lock_pins(tmp_path, fresh_home, locks):
    mirror_of(tmp_path / "m" / "usgs", {"a": "xy", "b": "z"})
    given = gathered(fresh_home, tmp_path / "m")
    file = lock.write(fresh_home, "first", *given)
    text = file.read_text()
    lock.require(fresh_home, "first", *given)
    assert lock.write(fresh_home, "first", *given).read_text() == text
    pinned = json.loads(text)
    assert pinned["sources"]["usgs"]["notice"]
    assert [entry["payloads"] for entry in pinned["sources"]["usgs"]["responses"]] == [1, 1]


def test_another_home_over_the_same_mirror_agrees(tmp_path, fresh_home, locks):
    mirror_of(tmp_path / "m" / "usgs", {"a": "xy", "b": "z"})
    lock.write(fresh_home, "first", *gathered(fresh_home, tmp_path / "m"))
    other = Home(tmp_path / "other")
    lock.require(other, "first", *gathered(other, tmp_path / "m"))


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ({"a": "xq"}, r"usgs: usgs/a\.json has SHA-256 [0-9a-f]{16}\.\.\., not [0-9a-f]{16}"),
        ({"c": "w"}, r"usgs: usgs/c\.json is new"),
    ],
)
def test_a_mismatch_is_refused_and_names_what_differs(tmp_path, fresh_home, locks, pages, message):
    mirror_of(tmp_path / "m" / "usgs", {"a": "xy", "b": "z"})
    lock.write(fresh_home, "first", *gathered(fresh_home, tmp_path / "m"))
    mirror_of(tmp_path / "m" / "usgs", pages)
    other = Home(tmp_path / "other")
    with pytest.raises(UserError, match=message):
        lock.require(other, "first", *gathered(other, tmp_path / "m"))


def test_a_missing_response_is_named(tmp_path, fresh_home, locks):
    mirror_of(tmp_path / "m" / "usgs", {"a": "xy", "b": "z"})
    lock.write(fresh_home, "first", *gathered(fresh_home, tmp_path / "m"))
    (tmp_path / "m" / "usgs" / "b.json").unlink()
    other = Home(tmp_path / "other")
    with pytest.raises(UserError, match=r"usgs: usgs/b\.json is missing"):
        lock.require(other, "first", *gathered(other, tmp_path / "m"))


def test_bad_names_and_missing_locks_are_one_sentence(tmp_path, fresh_home, locks):
    with pytest.raises(UserError, match="cannot name a lock"):
        lock.path("../../etc/passwd")
    with pytest.raises(UserError, match="There is no lock nosuch"):
        lock.require(fresh_home, "nosuch", "json", ["usgs"], "mirror")


@pytest.mark.parametrize("dataset", ["json", "html", "yaml", "javascript"])
def test_sample_data_is_what_the_committed_locks_pin_on_every_machine(sampled, dataset):
    lock.require(sampled, f"{dataset}-sample", dataset, names(dataset), "sample")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"sources": {"usgs": {}}}', '{"sources": {"usgs": 1}}'])
def test_a_broken_lock_is_one_sentence(tmp_path, fresh_home, locks, content):
    mirror_of(tmp_path / "m" / "usgs", {"a": "xy"})
    given = gathered(fresh_home, tmp_path / "m")
    locks.mkdir()
    (locks / "first.json").write_text(content)
    with pytest.raises(UserError, match=r"first.json is no lock \(.+\): write it anew with `treebench collect --lock"):
        lock.require(fresh_home, "first", *given)


def test_a_lock_that_cannot_be_written_is_one_sentence(tmp_path, fresh_home, locks):
    mirror_of(tmp_path / "m" / "usgs", {"a": "xy"})
    given = gathered(fresh_home, tmp_path / "m")
    locks.write_text("a file in the place of the folder")
    with pytest.raises(Fault, match=r"first.json cannot be written \(File exists\)"):
        lock.write(fresh_home, "first", *given)
