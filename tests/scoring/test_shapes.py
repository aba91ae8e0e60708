r"""Answers as models write them, with the score that a person following appendix C.4 gives them.

Line by line: (extraction) the final answer holding only the requested values; (order) respected for ordered
retrieval, ignored for the ranking of frequencies; (text) insensitive to case and surrounding formatting; (numbers)
within the larger of 0.01 and 0.1 % of the reference; (nothing) unavailable, empty and malformed answers score zero;
and section 4.2: one value right or wrong, several by matched values over the longer of the two lists.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    # around the value: headings, tables, tags, brackets of formulas, marks of a chat template, several markers
    ("### Answer\n4.5", 1), ("## Final Answer\n\n4.5", 1), ("# 4.5", 1), ("| depth |\n|---|\n| 4.5 |", 1),
    ("| record | depth |\n|---|---|\n| us7000 | 4.5 |", 1), ("\\(4.5\\)", 1), ("\\[4.5\\]", 1), ("<b>4.5</b>", 1),
    ("4.5<br>", 1), ("4.5</answer>", 1), ("4.5<|im_end|>", 1), ("4.5</s>", 1), ("<final>4.5</final>", 1), ("=> 4.5", 1),
    ("4.5\u200b", 1), ("\ufeff4.5", 1), ("4.5\r\n", 1), ("答案：4.5", 1), ("答案是4.5", 1), ("Answer：4.5", 1),
    ('{"depth": 4.5, "unit": "km"}', 1), ('{"depth": 4.5, "explanation": "second record"}', 1),
    ('{"answer": 4.5, "confidence": 0.9}', 1), ('{"answer": null}', 0),
    # remarks behind it, in brackets or in words
    ("4.5 (see record 12)", 1), ("4.5 (not 5.1)", 1), ("4.5 (or 5.1)", 0), ("5.1 (not 4.5)", 0), ("4.5 [1]", 1),
    ("4.5 ± 0.1", 1), ("The answer is 4.5 because record 3 says so.", 1), ("4.5, as stated in the third record.", 1),
    ("M4.5", 1), ("Mw 4.5", 1), ("It's 4.5", 1),
    # other numbers than the one stated, bounds, denials
    ("minus 4.5", 0), ("negative 4.5", 0), ("−4.5", 0), ("－4.5", 0), ("±4.5", 0), ("< 4.5", 0), ("≥ 4.5", 0),
    ("4.5k", 0), ("4.5M", 0), ("4.5 bn", 0), ("4.5th", 0), ("Not 4.5", 0), ("The depth is not 4.5", 0),
    ("4.5-5.0", 0), ("4.5–5.0", 0), ("4 to 5", 0), ("9/2", 0), ("4½", 0), ("4.5 or 4.6", 0),
    # units of other scripts, what other languages multiply by, marks of Markdown and LaTeX inside, pictures of digits
    ("4.5公里", 1), ("4.5 км", 1), ("4,5 км", 1), ("EUR 4,50", 1), ("£4.50", 1), ("`4.5` km", 1), ("**4.5** km", 1),
    ("4.5 млн", 0), ("4.5万", 0), ("4.5 만", 0), ("4.5 लाख", 0), ("4.5千米", 1), ("4.5\ufe0f", 1), ("4.5\0", 1),
    ("NaN", 0), ("inf", 0), ("-Infinity", 0), ("1e400", 0), ("0x4", 0), ("4.5 ± NaN", 1),
    ("I cannot find it.", 0), ("N/A", 0), ("unknown", 0), ("", 0), (None, 0), ("[]", 0), ("{}", 0), ("\n \n", 0),
]  # fmt: skip
"""The answer is 4.5."""

GREAT_NUMBER = [
    ("1234567", 1), ("1,234,567", 1), ("1 234 567", 1), ("1.234.567,0", 1), ("1'234'567", 1), ("12,34,567", 1),
    ("$1,234,567.00", 1), ("USD 1,234,567", 1), ("1.234567 million", 1), ("1.2346 million", 1), ("1,235,801", 1),
    ("1,235,803", 0), ("1.2 million", 0), ("1,234", 0), ("१२३४५६७", 1), ("1.234567 × 10⁶", 1), ("1.234567e6", 1),
    ("1.234.567", 1), ("1_234_567", 1), ("1\u2009234\u2009567", 1), ("1’234’567.00", 1), ("１，２３４，５６７", 1),
    ("1٬234٬567", 1), ("1.2346M", 1), ("$1.2346M", 1), ("1.2346 mln", 1), ("1,234.567k", 1), ("CA$1,234,567", 1),
    ("Amount: $1,234,567 (2020)", 1), ("1,234,567 people, as of 2020", 1), ('{"total": "1,234,567"}', 1),
    ("\\boxed{1{,}234{,}567}", 1), ("\\boxed{1\\,234\\,567}", 1), ("1,234,567円", 1), ("¥1,234,567", 1),
    ("1 234 567 ₽", 1),
    ("1,23,4567", 0), ("1234 567", 0), ("123万4567", 0), ("The total is 1,234,567 in 2020", 0),
    ("1,234,567 dollars in total", 1), ("There are 1,234,567 of them in the data.", 1),
]  # fmt: skip
"""The answer is 1234567: 0.1 % of it are 1234.567."""

COUNT = [
    ("3", 1), ("3.0", 1), ("three", 1), ("Three", 1), ("There are three.", 1), ("There are 3 such works.", 1), ("4", 0),
    ("3 (three)", 1), ("three (3)", 1), ("3\n\nThe matching records are:\n1. A\n2. B", 1), ("3rd", 0), ("#3", 0),
    ("The count of events with magnitude above 4.5 is 3.", 1), ("thirty-three", 0),
    ("3️⃣", 1), ("3 (A, B, C)", 1), ("A, B and C (3 records)", 1), ("3 out of 40", 0),
    ("3 of 40", 0), ("1, 2 and 3", 0), ("III", 0), ("３", 1),
]  # fmt: skip
"""The answer is 3."""

TEXT = [
    ("Acme Corp", 1), ("ACME CORP.", 1), ('"Acme Corp"', 1), ("„Acme Corp“", 1), ("«Acme Corp»", 1), ("`acme corp`", 1),
    ("Publisher: Acme Corp", 1), ("The publisher is Acme Corp.", 1), ("Acme Corp (a publisher)", 1), ("Ａcme Corp", 1),
    ("Acme", 0), ("Acme Corporation", 0), ("Acme Corp and Bolt Ltd", 0), ("Acme Corp\nBolt Ltd", 0),
    ("not Acme Corp", 0), ("Acme-Corp", 0), ("Acme Corp, Inc.", 0), ("Acme\nCorp", 0), ("Acme Corp or Bolt Ltd", 0),
    ("「Acme Corp」", 1), ("‹Acme Corp›", 1), ("<b>Acme Corp</b>", 1), ("ＡＣＭＥ　ＣＯＲＰ", 1),
    ("publisher → Acme Corp", 1),
    ("Acme Corp, which is in record 3.", 1), ("The answer is Acme Corp, based on the record.", 1),
    ("Acme Corp is the publisher.", 1), ("It's Acme Corp", 1), ("Acme Corp, Acme Corp", 1), ("Acme Corp\nAcme Corp", 1),
    ("| publisher |\n| --- |\n| Acme Corp |", 1), ("[Acme Corp](https://example.org)", 1),
    ("* Acme Corp", 1), ("\\boxed{\\text{Acme Corp}}", 1), ("['Acme Corp']", 1), ("<think>Acme", 0),
    ("Acme\u00a0Corp", 1), ("The Acme Corp", 0), ("Acme Corp" + " " * 99, 1),
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
    ("4.5 10.2", 1), ("4.5\t10.2", 1), ("4,5 10,2", 1), ("4,5; 10,2", 1), ("4.5、10.2", 1), ("4.5，10.2", 1),
    ("٤٫٥، ١٠٫٢", 1), ("• 4.5 • 10.2", 1), ("4.5 and 10.2, respectively.", 1), ("4.5<br>10.2", 1),
    ("\\boxed{4.5}\n\\boxed{10.2}", 1), ("<answer>4.5</answer><answer>10.2</answer>", 1),
    ("Answer: 4.5\nAnswer: 10.2", 1), ("Answer 1: 4.5\nAnswer 2: 10.2", 1),
    ("The answer is 4.5.\nThe answer is 10.2.", 1),
    ("| magnitude | depth |\n|---|---|\n| 4.5 | 10.2 |", 1), ('[["magnitude", 4.5], ["depth", 10.2]]', 1),
    ("| field | value |\n|---|---|\n| magnitude | 4.5 |\n| depth | 10.2 |", 1), ("magnitude → 4.5\ndepth → 10.2", 1),
    ("<ul><li>4.5</li><li>10.2</li></ul>", 1), ("## Magnitude\n4.5\n## Depth\n10.2", 1),
    ("4.5\nunknown", 1 / 2), ("4.5,\n", 1 / 2), ("4.5\n4.5\n10.2", 1 / 3),
    ("| 4.5 | 10.2 |", 1), ("4.5 / 10.2", 1), ("1. 4.5 2. 10.2", 1), ("(1) 4.5, (2) 10.2", 1), ("2. 4.5 1. 10.2", 0),
    ("Values: 4.5 10.2", 1), ("The magnitude is 4.5, and the depth is 10.2 km.", 1), ("४.५, १०.२", 1),
    ("4.5\0, 10.2", 1), ("\x004\0, \x005\0", 0),
]  # fmt: skip
"""The answer is 4.5, then 10.2."""

RANKED = [
    ("md\nmb", 1), ("mb\nmd", 1), ("MB, MD", 1), ("md", 1 / 2), ("md\nmd", 1 / 2), ("md\nmb\nml", 2 / 3), ("ml\nmw", 0),
    ("- md (12 times)\n- mb (9 times)", 1), ('["mb", "md"]', 1), ("md and mb", 1), ("md, mb, ml, mw", 1 / 2),
    ("md: 12\nmb: 9", 1), ("1. md — 12\n2. mb — 9", 1), ("md=12, mb=9", 1), ('{"md": 12, "mb": 9}', 1),
    ('[["md", 12], ["mb", 9]]', 1), ("| value | count |\n|---|---|\n| md | 12 |\n| mb | 9 |", 1),
    ("md\t12\nmb\t9", 1), ("md×12\nmb×9", 1), ("md, followed by mb", 1), ("Both md and mb", 1), ("{'md', 'mb'}", 1),
    ("md (12), mb (9)", 1), ("md x12, mb x9", 0), ("md\\nmb", 0),
    ('"md" appears 12 times, "mb" appears 9 times', 1), ("12\n9", 0), ("md\nMD", 1 / 2),
]  # fmt: skip
"""The most frequent values are md and mb, in any order."""

ODD = [
    ("1. FC Köln", ["1. FC Köln"]), ("The answer is yes: a history", ["The answer is yes: a history"]),
    ("<div>", ["<div>"]), ("</s>", ["</s>"]), ("a<br>b", ["a<br>b"]), ("__proto__", ["__proto__"]),
    ("Path: foo__bar__baz", ["foo__bar__baz"]), ("Array<string>", ["Array<string>"]), ("C++", ["C++"]),
    ("$ref", ["$ref"]),
    ("/users/{id}", ["/users/{id}"]), ("E. coli K-12", ["<i>E. coli</i> K-12"]), ("# fff", ["# fff"]),
    ("东京都。", ["东京都"]), ("「东京都」", ["东京都"]), ("https://example.org/a?b=1", ["https://example.org/a?b=1"]),
    ("- a\n- b", ["- a", "- b"]), ("Smith, John and Doe, Jane", ["Smith, John", "Doe, Jane"]),
    ("Johnson & Johnson and Acme", ["Johnson & Johnson", "Acme"]),
    # as HTML and JSON write signs: agents read them so
    ("R&amp;D Café", ["R&D Café"]), ("R&#38;D Caf\\u00e9", ["R&D Café"]), ("R&amp;D", ["R&amp;D"]),
    ("\\ud83d\\ude00 Inc", ["😀 Inc"]),
    ("```\nmean :\nlatitude :\n```", ["mean :", "latitude :"]),
    ("Answer:\nMade with it\nmedia:", ["Made with it", "media:"]),
]  # fmt: skip
"""Values that look like formatting, or hold separators: right as they are."""

NEARLY = [
    ("2020-03-05", ["2020-03"]), ("CVE-2020-1234", ["CVE-2020"]), ("C", ["C++"]), ("ref it", ["$ref"]),
    ("1.234; 5.678", ["1234", "5678"]), ("Research & Development", ["Research and Development"]),
]  # fmt: skip
"""Near misses."""

MINUS = [
    ("-4.5", 1), ("−4.5", 1), ("–4.5", 1), ("－4.5", 1), ("minus 4.5", 1), ("negative 4.5", 1), ("-$4.50", 1),
    ("−4,5", 1),
    ("\\boxed{−4.5}", 1), ("- -4.5", 1), ("4.5", 0), ("- 4.5", 0), ("(4.5)", 0), ("4.5-", 0),
]  # fmt: skip
"""The answer is -4.5. A dash and a blank is a bullet."""

ZERO = [
    ("0", 1), ("zero", 1), ("none", 1), ("No records", 1), ("There are no such events.", 1), ("-0", 1), ("0 of 40", 0),
    ("null", 0), ("I have no information.", 0), ("No data found", 0), ("unknown", 0), ("I cannot tell", 0), ("", 0),
]  # fmt: skip
"""The answer is 0: to know nothing is not to count nothing."""

TABLES = {
    "number": (ONE_NUMBER, ["4.5"], "number", True),
    "great number": (GREAT_NUMBER, ["1234567"], "number", True),
    "count": (COUNT, ["3"], "number", True),
    "text": (TEXT, ["Acme Corp"], "text", True),
    "date": (DATE, ["2020-03-05"], "text", True),
    "ordered": (ORDERED, ["4.5", "10.2"], "number", True),
    "ranked": (RANKED, ["md", "mb"], "text", False),
    "minus": (MINUS, ["-4.5"], "number", True),
    "zero": (ZERO, ["0"], "number", True),
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


@pytest.mark.parametrize(("answer", "expected"), ODD)
def test_values_that_look_like_formatting(answer, expected):
    assert score_answer(answer, expected, "text", True)[1] == 1


@pytest.mark.parametrize(("answer", "expected"), NEARLY)
def test_near_misses_are_wrong(answer, expected):
    assert score_answer(answer, expected, "text", True)[1] == 0


LINES = st.text(min_size=1).filter(
    lambda text: len(text.split()) > 0 and len(text.splitlines()) == 1 and "<" not in text
)


@given(st.lists(LINES, min_size=1, max_size=4))
def test_the_values_alone_one_a_line_are_always_right(expected):
    assert score_answer("\n".join(expected), expected, "text", True)[1] == 1


def test_a_thousand_values_are_matched_as_well_as_they_can_be():
    """Each number is near two expected ones, so that one wrong choice would move all others."""
    said = "\n".join(f"{1000 + 0.9 * place:.1f}" for place in range(1000))
    expected = [f"{1000 + 0.9 * place + 0.5:.1f}" for place in range(1000)]
    assert score_answer(said, expected, "number", False)[1] == 1


@pytest.mark.parametrize("answer", ["a is ", "\\boxed{", "' '", "a: ", "x because ", "\n- ", "[", "4, ", "| a "])
def test_answers_that_repeat_themselves_to_the_limit_of_tokens_are_read_all_the_same(answer):
    assert score_answer(answer * (50_000 // len(answer)), ["Acme Corp", "Bolt Ltd"], "text", True)[1] == 0


def test_an_answer_longer_than_any_that_holds_the_values_alone_is_malformed():
    assert score_answer("x " * 30_000 + "\nThe answer is Acme Corp", ["Acme Corp"], "text", True) == (None, 0)


def test_values_in_lists_without_end_are_read_as_text():
    assert score_answer('{"a": ' * 900 + "4.5" + "}" * 900, ["4.5", "10.2"], "number", True)[1] == 1 / 2
