"""Text and numbers that are the same value, and those that are not."""

from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.scoring.match import matched, same_number, same_text
from tasks.scoring.numerals import number

TEXT = [
    ("Acme Corp", "Acme Corp", True),
    ("acme corp", "Acme Corp", True),
    ("ACME  CORP.", "Acme Corp", True),
    ('"Acme Corp"', "Acme Corp", True),
    ("**Acme Corp**", "Acme Corp", True),
    ("Acme Corp (US)", "Acme Corp", True),
    ("Acme Corp (US)", "Acme Corp (US)", True),
    ("Publisher: Acme Corp", "Acme Corp", True),
    ("The publishing house is Acme Corp.", "Acme Corp", True),
    ("publisher = Acme Corp", "Acme Corp", True),
    ("Signals: a study", "Signals: a study", True),
    ("Title: Signals: a study", "Signals: a study", True),
    ("10.1000/ABC.DEF", "10.1000/abc.def", True),
    ("pp. 1–12", "pp. 1-12", True),
    ("1‐12", "1-12", True),
    ("Société Générale", "SOCIÉTÉ GÉNÉRALE", True),
    ("O’Brien", "O'Brien", True),
    ("straße", "STRASSE", True),
    ("Acme", "Acme Corp", False),
    ("Acme Corp and Bolt", "Acme Corp", False),
    ("Acme Corps", "Acme Corp", False),
    ("12.0", "12", False),
    ("", "Acme", False),
    ("not Acme", "Acme", False),
    ("-", "-", True),
    ("x", "-", False),
]


@pytest.mark.parametrize(("predicted", "expected", "same"), TEXT)
def test_text(predicted: str, expected: str, same: bool) -> None:
    assert same_text(predicted, expected) is same


NUMBERS = [
    ("4.5", "4.5"), ("4.50", "4.5"), ("+4.5", "4.5"), ("-4.5", "-4.5"), ("−4.5", "-4.5"), (".5", "0.5"), ("5.", "5"),
    ("1,234", "1234"), ("1,234,567.8", "1234567.8"), ("1 234", "1234"), ("1\u00a0234", "1234"), ("1e3", "1000"),
    ("$1,234.50", "1234.5"), ("12 %", "12"), ("12%", "12"), ("10 km", "10"), ("10km", "10"),
    ("10.5 kilometres deep", "10.5"),
    ("about 10.5 km", "10.5"), ("~10", "10"), ("≈ 10", "10"), ("three", "3"), ("Three", "3"), ("There are three.", "3"),
    ("There are 12 such events in the data.", "12"), ("Depth: 10.5 km", "10.5"), ("depth = 10.5", "10.5"),
    ("The depth of us7000abcd is 10.5 km.", "10.5"), ("The depth of event 42 is 10.5 km", "10.5"), ("**10.5**", "10.5"),
    ("(10.5)", "10.5"), ("None", "0"), ("There are no such works", "0"), ("10.5 (km)", "10.5"), ("12 events", "12"),
    ("４.５", "4.5"), ("7.1 mww", "7.1"), ("٤٫٥", "4.5"), ("१२", "12"), ("١٬٢٣٤", "1234"), ("1'234.5", "1234.5"),
    ("1.234,56", "1234.56"), ("1 234,5 km", "1234.5"), ("12,5", "12.5"), ("12,50 €", "12.5"), ("12,34,567", "1234567"),
    ("1\u202f234", "1234"), ("USD 1,234.50", "1234.5"), ("US$1,234", "1234"), ("-$5", "-5"), ("¥ 1,234", "1234"),
    ("1.2 × 10^3", "1200"), ("1.2 x 10³", "1200"), ("1.2 \\times 10^{-3}", "0.0012"), ("4.5 million", "4500000"),
    ("It cost 4.5 million dollars in all.", "4500000"), ("3 thousand", "3000"), ("4.5 millimetres", "4.5"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_what_is_read_as_a_number(text: str, value: str) -> None:
    assert number(text) == Decimal(value)


@pytest.mark.parametrize("text", [
    "", "many", "2 and 3", "4 of the 40 events", "between 3 and 5", "1/2", "nan", "inf", "1,2345", "us7000abcd",
    "between two and four", "1.2.3", "4.5, 5.1",
])  # fmt: skip
def test_what_is_no_single_number(text: str) -> None:
    assert number(text) is None


@pytest.mark.parametrize(("predicted", "expected", "same"), [
    ("4.51", "4.5", True), ("4.49", "4.5", True), ("4.511", "4.5", False), ("0.01", "0", True), ("0.011", "0", False),
    ("1001", "1000", True), ("999", "1000", True), ("1001.1", "1000", False), ("-1001", "-1000", True),
    ("10.0", "10", True),
    ("20.02", "20", True), ("20.021", "20", False), ("2", "3", False), ("1e99", "1e3", False), ("x", "3", False),
])  # fmt: skip
def test_tolerance_is_the_larger_of_a_hundredth_and_a_thousandth(predicted: str, expected: str, same: bool) -> None:
    assert same_number(predicted, expected) is same


@given(st.decimals(-(10**6), 10**6, places=3), st.decimals(-(10**6), 10**6, places=3))
def test_tolerance_against_its_definition(predicted: Decimal, expected: Decimal) -> None:
    within = abs(predicted - expected) <= max(Decimal("0.01"), abs(expected) * Decimal("0.001"))
    assert same_number(str(predicted), str(expected)) is within


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_it(one: str, other: str) -> None:
    same_text(one, other)
    same_number(one, other)
    number(one)
    assert same_text(one, one)


@settings(deadline=None)  # the first example imports SciPy
@given(st.lists(st.integers(0, 60), max_size=5), st.lists(st.integers(0, 60), max_size=5))
def test_unordered_matching_is_the_best_assignment(predicted: list[int], expected: list[int]) -> None:
    def same(one: str, other: str) -> bool:  # not transitive, as tolerances are
        return abs(int(one) - int(other)) <= 8

    one, other = [str(value) for value in predicted], [str(value) for value in expected]
    short, long = sorted((one, other), key=len)
    best = max(sum(same(a, b) for a, b in zip(short, choice, strict=True)) for choice in permutations(long, len(short)))
    assert matched(one, other, same, ordered=False) == best
