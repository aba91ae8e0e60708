"""Recall, citations and calibration of BrowseComp-Plus."""

import math

import pytest

from tasks.scoring.browsecomp import Citations, calibration_error, citations, cited, recall


def test_recall() -> None:
    assert recall(["1", "2", "2", "9"], ["1", "2", "3", "4"]) == 0.5
    assert recall([], ["1"]) == 0
    assert recall(["1"], []) == 0


def test_citations_in_all_brackets() -> None:
    assert citations("as [12] and [3, 4] say 【5】【6†L1】 [x] [12] (7)") == ["12", "3", "4", "5", "6", "1"]


def test_cited() -> None:
    responses = [("[1] [2]", ["1", "3"]), ("none", ["1"]), ("[3]", ["3"])]
    assert cited(responses) == Citations(precision=0.75, recall=0.75, coverage=2 / 3)
    assert cited([("none", ["1"])]) == Citations(0, 0, 0)


def test_calibration() -> None:
    assert calibration_error([90.0] * 99, [True] * 99) == 0  # too few
    # Two bins: the first says 80 % and is right half the time, the last does not count.
    said, right = [80.0] * 100 + [90.0] * 100, [True, False] * 50 + [False] * 100
    assert calibration_error(said, right) == pytest.approx(math.sqrt(0.5 * 0.3**2))
    assert calibration_error(said[:150], right[:150]) == 0  # one bin, which is the last
