import os
import subprocess
import sys

import numpy as np

from tasks.building.streams import Stream, point
from tasks.hashing import content_id
from tasks.home import PROJECT

IDS = [content_id(number) for number in range(2000)]
POINTS = np.array([point(name) for name in IDS], dtype=np.uint64)


def test_a_further_thing_changes_only_the_choices_that_it_wins():
    changed = 0
    for number in range(500):
        stream = Stream(42, "json", number)
        before = stream.named(["usgs", "nvd", "crossref"])
        after = stream.named(["usgs", "nvd", "crossref", "gbif"])
        assert [name for name in after if name != "gbif"] == before
        changed += before[0] != after[0]
    assert 80 < changed < 170  # a quarter of 500


def test_ranks_are_uniform_and_differ_between_streams():
    first = [0, 0, 0, 0]
    for number in range(400):
        stream = Stream("uniform", number)
        first[int(np.argmin(stream.ranks(POINTS[:4])))] += 1
    assert all(60 < count < 140 for count in first)
    assert list(np.argsort(Stream(1).ranks(POINTS))) != list(np.argsort(Stream(2).ranks(POINTS)))


def test_many_ranks_at_once_are_those_of_each():
    stream = Stream("many")
    assert stream.ranks(POINTS).tolist() == [stream.rank(point(name)) for name in IDS]


def test_streams_are_the_same_in_every_process():
    program = (
        "from tasks.building.streams import Stream; s = Stream(42, 'json', 'count', 7);"
        "print(s.rank(0x0123456789abcdef), s.random('x').random(), s.named(['a', 'b', 'c', 'd']))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
