"""Classes of characters hold what the proof takes for granted; cuts lie where it says."""

import unicodedata

import numpy as np
import pytest

from tasks.tokens.boundaries import CLASSES, OTHER, STEADY, Rule, classify, cuts
from tasks.tokens.rules import qwen

EVERY_PAIR = np.ones((CLASSES, CLASSES), dtype=bool)
EVERY_PAIR[OTHER] = EVERY_PAIR[:, OTHER] = False
EVERYTHING = "".join(map(chr, range(0x110000)))
CLASSIFIED = [chr(point) for point in np.flatnonzero(classify(EVERYTHING) != OTHER).tolist()]


def composing() -> set[str]:
    """Characters that may merge with the one before them, or are sorted among the marks of one."""
    found = {chr(point) for point in range(0x110000) if unicodedata.combining(chr(point))}
    found |= set(map(chr, [*range(0x1160, 0x1200), *range(0xD7B0, 0xD800)]))
    for point in range(0x110000):
        parts = unicodedata.decomposition(chr(point)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            found.add(chr(int(parts[1], 16)))
    return found


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_no_classified_character_joins_what_stands_before_it(form: str) -> None:
    joining = composing()
    assert [c for c in CLASSIFIED if c in joining or unicodedata.normalize(form, c)[0] in joining] == []


def test_classified_characters_are_their_own_nfc_and_assigned() -> None:
    assert all(unicodedata.is_normalized("NFC", c) for c in CLASSIFIED)
    assert all(unicodedata.category(c)[0] in "LNPS" or c in " \t\r\n" for c in CLASSIFIED)
    assert list(STEADY) == sorted(STEADY)


def test_nothing_unclassified_stands_beside_a_cut() -> None:
    rule = Rule(EVERY_PAIR)
    assert cuts("ab c", rule).tolist() == [1, 2, 3]
    assert cuts("ab\u0301cdef", rule).tolist() == [5, 6]
    assert cuts("\x00abcd", rule).tolist() == [3, 4]
    assert cuts("", rule).tolist() == cuts("a", rule).tolist() == []


def test_no_cut_lies_inside_an_added_token() -> None:
    rule = Rule(EVERY_PAIR, ("abab",))
    assert cuts("xababab-abab", rule).tolist() == [1, 7, 8]


def test_cuts_of_json_under_the_pattern_of_qwen() -> None:
    text = '{"id": 12, "name": "größe"}'
    parts = np.split(np.array(list(text)), cuts(text, Rule(qwen())))
    assert ["".join(part) for part in parts] == [
        '{"id', '":', " 1", "2", ",", ' "name', '":', ' "größe', '"}',
    ]  # fmt: skip
