"""The report on disk: complete or not there, one after the other, with a link to the newest."""

import os
import threading

import duckdb
import pytest

from tasks.errors import Fault, UserError
from tasks.reporting.render import render


def test_files_of_a_report(pair_home):
    made = render(pair_home)
    folder = pair_home.reports / "json-b1"
    assert made["html"] == str(folder / "report.html")
    assert made["headline"].startswith("MemAgent on JSON sample data: Flat 25.00 %")
    assert sorted(path.name for path in folder.iterdir()) == [
        "figures", "readings.html", "report.html", "report.md", "tables",
    ]  # fmt: skip
    tables = {path.stem for path in (folder / "tables").glob("*.tex")}
    assert {"main_table", "paired_differences", "gains_by_task"} <= tables
    assert tables == {path.stem for path in (folder / "tables").glob("*.csv")}
    assert len(list((folder / "figures").iterdir())) == 9
    assert (pair_home.reports / "latest").resolve() == folder.resolve()
    assert sorted(path.name for path in pair_home.reports.iterdir()) == ["json-b1", "latest"]


def test_a_new_report_takes_the_place_of_the_old_one(pair_home):
    for name in ("mine", "other"):
        (pair_home.reports / name).mkdir(parents=True)
        (pair_home.reports / name / "old").touch()
    render(pair_home, runs=["flat"], name="mine")
    assert not (pair_home.reports / "mine" / "old").exists()
    assert (pair_home.reports / "other" / "old").exists()
    assert os.readlink(pair_home.reports / "latest") == "mine"


def test_a_failed_report_leaves_the_old_one(pair_home, monkeypatch):
    old = pair_home.reports / "json-b1" / "report.html"
    old.parent.mkdir(parents=True)
    old.touch()
    monkeypatch.setattr("tasks.reporting.plots.save", _disk_full)
    with pytest.raises(Fault, match=r"could not be written .*No space left"):
        render(pair_home)
    assert old.exists()
    assert [path.name for path in pair_home.reports.iterdir()] == ["json-b1"]


def _disk_full(*_args):
    raise OSError(28, "No space left on device")


def test_two_at_once_both_succeed(pair_home):
    failed = []

    def one():
        try:
            render(pair_home)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert sorted(path.name for path in pair_home.reports.iterdir()) == ["json-b1", "latest"]


@pytest.mark.parametrize("name", ["../out", "a/b", "", ".hidden", "latest"])
def test_bad_names_are_refused(pair_home, name):
    with pytest.raises(UserError, match="cannot be named"):
        render(pair_home, name=name)


def test_no_database_yet(fresh_home):
    with pytest.raises(UserError, match="treebench rebuild"):
        render(fresh_home)


def test_a_snapshot_of_another_version_is_one_sentence(pair_home):
    with duckdb.connect(str(pair_home.snapshot)) as con:
        con.execute("DROP VIEW reading_places")
    with pytest.raises(UserError, match=r"published by another version of treebench .*reading_places"):
        render(pair_home)


def test_a_number_that_is_none_names_the_query(pair_home):
    with duckdb.connect(str(pair_home.snapshot)) as con:
        con.execute("UPDATE model_calls SET latency_s = 'nan'")
    with pytest.raises(Fault, match=r"sql/reports/\w+\.sql cannot be run .*nan"):
        render(pair_home)


def test_a_place_that_cannot_be_written_to_is_one_sentence(pair_home):
    pair_home.reports.touch()
    with pytest.raises(Fault, match=r"could not be written .*make it writable"):
        render(pair_home)
