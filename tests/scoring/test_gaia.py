"""GAIA's official scorer, rule by rule."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.scoring.gaia import correct

NUMBERS = [
    ("17", "17", True), ("17.0", "17", True), ("$17", "17", True), ("17 %", "17", True), ("1,234", "1234", True),
    ("1,2,3,4", "1234", True), ("17 apples", "17", False), ("seventeen", "17", False), ("17.001", "17", False),
    ("1e3", "1000", True), (" 1000 ", "1000", True), ("1_000", "1000", True), ("", "0", False), ("inf", "17", False),
    ("anything", "inf", True), ("-0", "0", True), ("€17", "17", False), ("17", "17.0", True), ("nan", "nan", False),
    (None, "17", False),
]  # fmt: skip
LISTS = [
    ("a, b", "a,b", True), ("A;B", "a, b", True), ("b, a", "a, b", False), ("a", "a, b", False),
    ("a, b, c", "a, b", False), ("a b, c", "ab,c", True), ("a., b", "a, b", False), ("1.0, x", "1, X", True),
    ("$1, x", "1, x", True), ("one, x", "1, x", False), ("1,000", "1,000", True), ("1000", "1,000", False),
    ("17;18", "17,18", True), ("a,,b", "a,,b", True), (None, "a,b", False),
]  # fmt: skip
TEXTS = [
    ("Sea Gull", "seagull", True), ("The Hague.", "the hague", True), ("hague", "the hague", False),
    ("$17.70", "$17.70", True), ("17.70", "$17.70", True), ("Ca-ro!line", "Caroline", True), ("café", "cafe", False),
    ("„x“", "x", False), ("a\tb\nc", "abc", True), ("", "!!", True), (None, "none", True), (None, "None", True),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "expected", "right"), [*NUMBERS, *LISTS, *TEXTS])
def test_rules(answer: str | None, expected: str, right: bool) -> None:
    assert correct(answer, expected) is right


def by_the_book(answer: str, expected: str) -> bool:
    """The rules once more, written down the other way round."""

    def is_float(text: str) -> bool:
        try:
            float(text)
        except ValueError:
            return False
        return True

    def number(text: str) -> float:
        for mark in "$%,":
            text = "".join(text.split(mark))
        return float(text) if is_float(text) else float("inf")

    def letters(text: str, drop: str) -> str:
        return "".join(c for c in "".join(text.split()).lower() if c not in drop)

    if is_float(expected):
        return number(answer) == float(expected)
    if "," in expected or ";" in expected:
        parts, wanted = re.sub(";", ",", answer).split(","), re.sub(";", ",", expected).split(",")
        same = [number(p) == float(w) if is_float(w) else letters(p, "") == letters(w, "")
                for p, w in zip(parts, wanted, strict=False)]  # fmt: skip
        return len(parts) == len(wanted) and all(same)
    return letters(answer, string.punctuation) == letters(expected, string.punctuation)


SHORT = st.text(alphabet="aB1.,;$% -é", max_size=6)


@given(SHORT, SHORT)
def test_two_readings_of_the_rules_agree(answer: str, expected: str) -> None:
    assert correct(answer, expected) is by_the_book(answer, expected)


@given(st.text(alphabet="aB1.,;$% -", max_size=8))
def test_the_expected_answer_is_correct_unless_marks_hide_its_number(expected: str) -> None:
    if not re.search(r"[$%]", expected):
        assert correct(expected, expected)
