"""Final answers as models write them, and the values a person would read from them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.scoring.extract import after_thinking, values

THINKING = [
    # none, both tags, closing tag only, opening tag only, empty block
    ("4.5", "4.5"),
    ("<think>\nIt says 4.5 or 5.1?\n</think>\n\n4.5", "4.5"),
    ("The record says 4.5.\n</think>\n4.5", "4.5"),
    ("<think>\nLet me look at the mem", None),
    ("<think>\n\n</think>\n\n4.5", "4.5"),
    ("<think>a</think>5.1<think>b</think>4.5", "4.5"),
    ("<think>a</think>4.5<think>and now", "4.5"),
    ("a </think> b </think> 4.5", "4.5"),
    ("<thinking>hm</thinking>\n4.5", "4.5"),
    ("<THINK>hm</THINK>4.5", "4.5"),
    ("4.5 <think>am I sure", "4.5"),
    ("</think>", ""),
    ("", ""),
    ("<think>only thoughts</think>", ""),
]


@pytest.mark.parametrize(("text", "rest"), THINKING)
def test_thinking_in_its_shapes(text: str, rest: str | None) -> None:
    assert after_thinking(text) == rest


ONE = [
    # the value alone
    ("4.5", ["4.5"]),
    ("  4.5\n", ["4.5"]),
    ("4.5.", ["4.5"]),
    ('"Acme Corp"', ["Acme Corp"]),
    ("'Acme Corp'", ["Acme Corp"]),
    ("“Acme Corp”", ["Acme Corp"]),
    ("`md`", ["md"]),
    ("**4.5**", ["4.5"]),
    ("*Acme Corp*", ["Acme Corp"]),
    ("- 4.5", ["4.5"]),
    ("-4.5", ["-4.5"]),
    ("• md", ["md"]),
    ("1. 4.5", ["4.5"]),
    ("2. Reno", ["2. Reno"]),
    ("10 km W of Cobb, CA", ["10 km W of Cobb, CA"]),
    ("Smith, Jones and Brown", ["Smith, Jones and Brown"]),
    ("Research and Development", ["Research and Development"]),
    ("1,234,567", ["1,234,567"]),
    ("md\nmd\nmd", ["md"]),
    # markers
    ("The answer is 4.5", ["4.5"]),
    ("the answer is: 4.5.", ["4.5"]),
    ("First it seems the answer is 3. No, the answer is **4.5**.", ["4.5"]),
    ("Answer: 4.5", ["4.5"]),
    ("**Answer:** 4.5", ["4.5"]),
    ("**Final Answer**: Acme Corp", ["Acme Corp"]),
    ("Final answer:\n4.5", ["4.5"]),
    ("FINAL ANSWER: 4.5", ["4.5"]),
    ("The correct answer would be 4.5", ["4.5"]),
    ("The requested value is 4.5.", ["4.5"]),
    ("<answer>4.5</answer>", ["4.5"]),
    ("I looked it up. <answer> md </answer> Done.", ["md"]),
    ("<answer>md", ["md"]),
    ("So the answer is $\\boxed{4.5}$.", ["4.5"]),
    ("\\boxed{\\text{Acme Corp}}", ["Acme Corp"]),
    ("\\boxed{a{b}c}", ["a{b}c"]),
    ("\\boxed 4.5$", ["4.5"]),
    ("\\fbox{4.5}", ["4.5"]),
    ("\\boxed{5\\%}", ["5%"]),
    ("First \\boxed{3}, then\nrather \\boxed{4.5}", ["4.5"]),
    ("\\boxed{4.5", ["\\boxed{4.5"]),
    # explanations
    ("4.5\n\nThe record with the identifier us7000abcd has this magnitude.", ["4.5"]),
    ("The answer is 4.5. This is the magnitude of the event.", ["4.5"]),
    ("The answer is 4.5.\nExplanation: see the second record.", ["4.5"]),
    ("4.5\n\nExplanation: second record", ["4.5"]),
    ("Answer: 4.5\n\n(Found in the second section.)", ["4.5"]),
    ("The depth is 10.5 km.", ["The depth is 10.5 km"]),
    # structures
    ('["4.5"]', ["4.5"]),
    ("[4.50]", ["4.50"]),
    ('{"magnitude": 4.5}', ["4.5"]),
    ('{"reasoning": "second record", "answer": "4.5"}', ["4.5"]),
    ('```json\n["4.5"]\n```', ["4.5"]),
    ("```\n4.5\n```", ["4.5"]),
    ("Here it is:\n```json\n{\"answer\": [4.5]}\n```\nDone.", ["4.5"]),
    ("['md']", ["md"]),
    ("Answer: ['md']", ["md"]),
    ("Volume 3 [second edition]", ["Volume 3 [second edition]"]),
    # nothing
    ("", None),
    ("   \n ", None),
    (None, None),
    ("<think>never ends", None),
    ("[]", None),
    # several values where one is wanted stay several
    ("4.5\n5.1", ["4.5", "5.1"]),
    ('["4.5", "5.1"]', ["4.5", "5.1"]),
]  # fmt: skip

SEVERAL = [
    # one a line
    ("4.5\n10.2", ["4.5", "10.2"]),
    ("4.5\n\n10.2", ["4.5", "10.2"]),
    ("- 4.5\n- 10.2", ["4.5", "10.2"]),
    ("* 4.5\n* 10.2", ["4.5", "10.2"]),
    ("1. 4.5\n2. 10.2", ["4.5", "10.2"]),
    ("1) 4.5\n2) 10.2", ["4.5", "10.2"]),
    ("(1) 4.5\n(2) 10.2", ["4.5", "10.2"]),
    ("a) 4.5\nb) 10.2", ["4.5", "10.2"]),
    ("Here are the values:\n4.5\n10.2", ["4.5", "10.2"]),
    ("The values are:\n\n- 4.5\n\n- 10.2", ["4.5", "10.2"]),
    ("Sure!\n\nThe answers are:\n1. **4.5**\n2. **10.2**\n\nI hope this helps!", ["4.5", "10.2"]),
    ("Magnitude: 4.5\nDepth: 10.2 km", ["Magnitude: 4.5", "Depth: 10.2 km"]),
    ('"a, b"\n"c"', ["a, b", "c"]),
    ("10 km W of Cobb, CA\n5 km E of Reno, NV", ["10 km W of Cobb, CA", "5 km E of Reno, NV"]),
    ("4.5,\n10.2,", ["4.5", "10.2"]),
    # on one line
    ("4.5, 10.2", ["4.5", "10.2"]),
    ("4.5,10.2", ["4.5", "10.2"]),
    ("4.5 and 10.2", ["4.5", "10.2"]),
    ("4.5; 10.2", ["4.5", "10.2"]),
    ("4.5 | 10.2", ["4.5", "10.2"]),
    ("4.5 / 10.2", ["4.5", "10.2"]),
    ("1,234, 5,678", ["1,234", "5,678"]),
    ("1,234 and 5,678.", ["1,234", "5,678"]),
    ("123,456", ["123,456"]),
    ('"Smith, John" and "Doe, Jane"', ["Smith, John", "Doe, Jane"]),
    ("Smith, John; Doe, Jane", ["Smith, John", "Doe, Jane"]),
    ("Johnson & Johnson, Acme", ["Johnson & Johnson", "Acme"]),
    ("The answers are 4.5 and 10.2.", ["4.5", "10.2"]),
    ("The answer is 4.5, 10.2.", ["4.5", "10.2"]),
    ("The values are 4.5 and 10.2", ["4.5", "10.2"]),
    ("\\boxed{4.5, 10.2}", ["4.5", "10.2"]),
    ("\\boxed{4.5} and \\boxed{10.2}", ["4.5", "10.2"]),
    ("\\boxed{4.5 \\\\ 10.2}", ["4.5", "10.2"]),
    ("<answer>\n4.5\n10.2\n</answer>", ["4.5", "10.2"]),
    ('["4.5", "10.2"]', ["4.5", "10.2"]),
    ("[4.5, 10.2].", ["4.5", "10.2"]),
    ("('4.5', '10.2')", ["4.5", "10.2"]),
    ('{"magnitude": 4.5, "depth": 10.2}', ["4.5", "10.2"]),
    ('{"answers": ["4.5", "10.2"]}', ["4.5", "10.2"]),
    ('The answer is: ["4.5", "10.2"]', ["4.5", "10.2"]),
    ("<think>4.5? 3?</think>4.5\n10.2", ["4.5", "10.2"]),
    # fewer or more than wanted are not made up or dropped
    ("4.5", ["4.5"]),
    ("4.5\n10.2\n7", ["4.5", "10.2", "7"]),
    ("4.5, 10.2, 7", ["4.5", "10.2", "7"]),
]

FOUR = [
    ("a, b, c and d", ["a", "b", "c", "d"]),
    ("a, b, c, and d", ["a", "b", "c", "d"]),
    ("a, b, c, d and e", ["a", "b", "c", "d and e"]),
    ("a\nb\nc\nd", ["a", "b", "c", "d"]),
    ("Acme: 1, Bolt: 2, Cog: 3, Dyn: 4", ["Acme: 1", "Bolt: 2", "Cog: 3", "Dyn: 4"]),
    ("a; b; c; d", ["a", "b", "c", "d"]),
    ("a, b, c", ["a", "b", "c"]),
]


@pytest.mark.parametrize(("text", "expected"), ONE)
def test_one_wanted_value(text: str | None, expected: list[str] | None) -> None:
    assert values(text, 1) == expected


@pytest.mark.parametrize(("text", "expected"), SEVERAL)
def test_two_wanted_values(text: str, expected: list[str]) -> None:
    assert values(text, 2) == expected


@pytest.mark.parametrize(("text", "expected"), FOUR)
def test_four_wanted_values(text: str, expected: list[str]) -> None:
    assert values(text, 4) == expected


PLAIN = st.text("abcdefghijk XYZ0123456789-", min_size=1, max_size=12).filter(
    lambda text: text.strip() == text and text[0].isalpha() and "  " not in text and " and " not in text
)


@given(st.lists(PLAIN, min_size=2, max_size=4, unique=True))
def test_the_same_values_in_every_layout(wanted: list[str]) -> None:
    layouts = [
        "\n".join(wanted),
        "\n".join(f"- {value}" for value in wanted),
        "\n".join(f"{number}. {value}" for number, value in enumerate(wanted, 1)),
        ", ".join(wanted),
        "; ".join(wanted),
        json.dumps(wanted),
        "The answer is:\n" + "\n".join(wanted),
        "\\boxed{" + ", ".join(wanted) + "}",
        "<think>so\n\nmany</think>\n" + "\n".join(wanted),
        "```json\n" + json.dumps(wanted, indent=1) + "\n```",
    ]
    for layout in layouts:
        assert values(layout, len(wanted)) == wanted


@given(st.text(max_size=300), st.integers(1, 4))
def test_no_text_breaks_it(text: str, wanted: int) -> None:
    found = values(text, wanted)
    assert found is None or (found and all(found))
