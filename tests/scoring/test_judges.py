"""What judges say, in all the spellings in which they say it."""

import pytest

from tasks.scoring.judges import Verdict, read


@pytest.mark.parametrize(("reply", "correct", "readable"), [
    ("Correct", True, True), ("correct.", True, True), ("**Correct**", True, True), ("A", True, True),
    ("A: CORRECT", True, True), ("Incorrect", False, True), ("B", False, True), ("incorrect, because", False, True),
    ("<think>Incorrect? no</think>Correct", True, True), ("The answer is correct", False, False), ("", False, False),
    ("<think>never ends", False, False), (None, False, False), ("Correctly", False, False),
])  # fmt: skip
def test_one_word(reply: str | None, correct: bool, readable: bool) -> None:
    assert read(reply, "gaia") == Verdict(correct, readable)


@pytest.mark.parametrize("form", ["{}: {}", "**{}:** {}", "**{}**: {}", "{}:{}"])
def test_labelled_lines_in_three_spellings(form: str) -> None:
    fields = {"extracted_final_answer": "Vik", "correct_answer": "Vik", "reasoning": "the same", "CORRECT": "Yes",
              "confidence": "85%"}  # fmt: skip
    reply = "\n".join(form.format(name, value) for name, value in fields.items())
    assert read(reply, "browsecomp_plus") == Verdict(True, True, "Vik", 85.0)


def test_the_field_correct_is_not_that_of_the_correct_answer() -> None:
    reply = "correct_answer: yes\nreasoning: it is not correct: the year differs\ncorrect: no\nconfidence: 300"
    assert read(reply, "browsecomp_plus") == Verdict(False, True, None, 100.0)
    assert read("correct_answer: yes", "browsecomp_plus") == Verdict(False, readable=False)
    assert read("**correct:** maybe", "browsecomp_plus").readable is False
