"""Units of work, and processes that are killed while they work."""

import os
import signal

import pytest

from tasks.building import working
from tasks.building.examples import Column
from tasks.building.working import units, work
from tasks.errors import Fault
from tasks.home import home
from tests.building.conftest import bench_of


def test_units_keep_lengths_together_that_ask_the_same():
    columns = [Column("json", task, (1024, 8192, 16384, 32768), "test", 1) for task in ("fields_1", "count")]
    found = [(unit.column.task, unit.column.lengths) for unit in units(columns, 3)]
    assert found == [
        ("fields_1", (8192, 16384, 32768)),
        ("count", (32768,)),
        ("count", (16384,)),
        ("count", (8192,)),
        ("count", (1024,)),
        ("fields_1", (1024,)),
    ]


def _killed(unit: working.Unit) -> working.Result:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def test_a_killed_process_is_one_sentence(monkeypatch):
    monkeypatch.setattr(working, "SMALL", 0)
    monkeypatch.setattr(working, "_do", _killed)
    todo = units([Column("javascript", "count", (2048, 4096), "test", 1)], 1)
    with pytest.raises(Fault, match="ended from outside"):
        list(work(home(), bench_of("javascript"), todo, "qwen", 2))
