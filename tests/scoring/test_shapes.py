r"""Answers as models write them, with the score that a person following appendix C.4 gives them.

Line by line: (extraction) the final answer holding only the requested values; (order) respected for ordered
retrieval, ignored for the ranking of frequencies; (text) insensitive to case and surrounding formatting; (numbers)
within the larger of 0.01 and 0.1 % of the reference; (nothing) unavailable, empty and malformed answers score zero;
and section 4.2: one value right or wrong, several by matched values over the longer of the two lists.
"""

import pytest

from tasks.scoring.score import score_answer

ONE_NUMBER = [
    ("4.5", 1), ("4.50", 1), ("4,5", 1), ("4.509", 1), ("4.511", 0), ("45", 0), ("-4.5", 0), ("٤٫٥", 1), ("４.５", 1),
    ("4.5 km", 1), ("4.5km", 1), ("The depth is 4.5 km.", 1), ("4.5 (kilometres)", 1), ("~4.5", 1), ("$4.50", 1),
    ("4.50 €", 1), ("4.5 %", 1), ("4.5 million", 0), ("4.5e0", 1), ("45 × 10^-1", 1), ("four and a half", 0),
    ("4.5 or 5.1", 0), ("4.5\n5.1", 0), ("4.5, 5.1", 0), ("between 4 and 5", 0), ("4.5\n4.5", 1),
    ("\\boxed{4.5}", 1), ("$\\boxed{4.5\\text{ km}}$", 1), ("**4.5**", 1), ("- 4.5", 1), ("• 4.5", 1), ("1. 4.5", 1),
    ('["4.5"]', 1), ("[4.5]", 1), ('{"depth": 4.5}', 1), ('{"answer": "4.5 km"}', 1), ("```json\n[4.5]\n```", 1),
    ("<think>5.1?</think>4.5", 1), ("<think>4.5", 0), ("<think>4.5</think>", 0), ("</think>4.5", 1),
    ("Answer: 4.5", 1), ("**Final answer:** 4.5\n\nThe record says so.", 1), ("<answer>4.5</answer>", 1),
    ("I cannot find it.", 0), ("N/A", 0), ("unknown", 0), ("", 0), (None, 0), ("[]", 0), ("{}", 0), ("\n \n", 0),
]  # fmt: skip
"""The answer is 4.5."""

GREAT_NUMBER = [
    ("1234567", 1), ("1,234,567", 1), ("1 234 567", 1), ("1.234.567,0", 1), ("1'234'567", 1), ("12,34,567", 1),
    ("$1,234,567.00", 1), ("USD 1,234,567", 1), ("1.234567 million", 1), ("1.2346 million", 1), ("1,235,801", 1),
    ("1,235,803", 0), ("1.2 million", 0), ("1,234", 0), ("१२३४५६७", 1), ("1.234567 × 10⁶", 1), ("1.234567e6", 1),
    ("1,234,567 dollars in total", 1), ("There are 1,234,567 of them in the data.", 1),
]  # fmt: skip
"""The answer is 1234567: 0.1 % of it are 1234.567."""

COUNT = [
    ("3", 1), ("3.0", 1), ("three", 1), ("Three", 1), ("There are three.", 1), ("There are 3 such works.", 1), ("4", 0),
    ("3 of 40", 0), ("1, 2 and 3", 0), ("III", 0), ("３", 1),
]  # fmt: skip
"""The answer is 3."""

TEXT = [
    ("Acme Corp", 1), ("ACME CORP.", 1), ('"Acme Corp"', 1), ("„Acme Corp“", 1), ("«Acme Corp»", 1), ("`acme corp`", 1),
    ("Publisher: Acme Corp", 1), ("The publisher is Acme Corp.", 1), ("Acme Corp (a publisher)", 1), ("Ａcme Corp", 1),
    ("Acme", 0), ("Acme Corporation", 0), ("Acme Corp and Bolt Ltd", 0), ("Acme Corp\nBolt Ltd", 0),
    ("not Acme Corp", 0),
    ("* Acme Corp", 1), ("\\boxed{\\text{Acme Corp}}", 1), ("['Acme Corp']", 1), ("<think>Acme", 0),
    ("Acme\u00a0Corp", 1),
]  # fmt: skip
"""The answer is Acme Corp."""

DATE = [
    ("2020-03-05", 1), ("2020‑03‑05", 1), ('"2020-03-05"', 1), ("Published: 2020-03-05", 1), ("5 March 2020", 0),
    ("2020/03/05", 0), ("2020-03", 0), ("2020-03-05T00:00:00Z", 0), ("2020-03-06", 0),
]  # fmt: skip
"""The answer is the text 2020-03-05. Other notations of a date are other texts: C.4 has no rule for dates."""

ORDERED = [
    ("4.5\n10.2", 1), ("10.2\n4.5", 0), ("4.5", 1 / 2), ("10.2", 0), ("4.5\n10.2\n7", 2 / 3), ("7\n4.5\n10.2", 0),
    ("4.5, 10.2", 1), ("4.5 and 10.2", 1), ("4.5; 10.2", 1), ("[4.5, 10.2]", 1), ('{"a": 4.5, "b": 10.2}', 1),
    ("1) 4.5\n2) 10.2", 1), ("Magnitude: 4.5\nDepth: 10.2 km", 1), ("4.5 km, 10.2 km", 1), ("(4.5, 10.2)", 1),
    ("4.5\n9", 1 / 2), ("N/A\n10.2", 1 / 2), ("<think>4.5\n10.2", 0), ("\\boxed{4.5, 10.2}", 1), ("", 0),
    ("| 4.5 | 10.2 |", 1), ("4.5 / 10.2", 1),
]  # fmt: skip
"""The answer is 4.5, then 10.2."""

RANKED = [
    ("md\nmb", 1), ("mb\nmd", 1), ("MB, MD", 1), ("md", 1 / 2), ("md\nmd", 1 / 2), ("md\nmb\nml", 2 / 3), ("ml\nmw", 0),
    ("- md (12 times)\n- mb (9 times)", 1), ('["mb", "md"]', 1), ("md and mb", 1), ("md, mb, ml, mw", 1 / 2),
]  # fmt: skip
"""The most frequent values are md and mb, in any order."""

TABLES = {
    "number": (ONE_NUMBER, ["4.5"], "number", True),
    "great number": (GREAT_NUMBER, ["1234567"], "number", True),
    "count": (COUNT, ["3"], "number", True),
    "text": (TEXT, ["Acme Corp"], "text", True),
    "date": (DATE, ["2020-03-05"], "text", True),
    "ordered": (ORDERED, ["4.5", "10.2"], "number", True),
    "ranked": (RANKED, ["md", "mb"], "text", False),
}


@pytest.mark.parametrize(
    ("answer", "points", "expected", "answer_type", "ordered"),
    [
        pytest.param(answer, points, *about, id=f"{name}: {answer!r}")
        for name, (shapes, *about) in TABLES.items()
        for answer, points in shapes
    ],
)
def test_shapes(answer, points, expected, answer_type, ordered):
    _, scored = score_answer(answer, expected, answer_type, ordered)
    assert scored == pytest.approx(points)
