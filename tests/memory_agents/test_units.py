"""InfMem's unit retrieval in its three variants (agents.md, section 4.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.errors import UserError
from tasks.memory_agents.units import Units, mixed
from tests.memory_agents.scripted import Reading


def find(variant: str, texts: list[str], query: str, top_k: object = 8, current: int = 1, tokens: int = 2) -> list[str]:
    return Units(Reading(texts).observations, variant, tokens).find(query, top_k, "owl", current)


FOXES = [f"fox{number} runs in field{number} now" for number in range(1, 4)]


def test_legacy_gives_four_whatever_the_model_wants() -> None:
    assert find("legacy", FOXES, "FIELD2 fox9", top_k=20) == ["in field2 ", "fox1 runs ", "in field1 ", "now"]
    assert find("legacy", ["a b"], "x") == ["a b"]


def test_legacy_does_not_leave_the_current_section_out() -> None:
    assert find("legacy", FOXES, "fox1", current=1)[0] == "fox1 runs "


def test_enhanced_overlaps_and_leaves_the_current_section_out() -> None:
    texts = ["a b c d e f", "g h i j k l"]
    units = Units(Reading(texts).observations, "enhanced", 5)
    assert [units.text(number) for number in range(4)] == ["a b c d e ", "e f", "g h i j k ", "k l"]
    assert units.find("a", 3, "P", 1) == ["g h i j k ", "k l"]
    assert units.find("a", 3, "P", 2) == ["a b c d e ", "e f"]


@pytest.mark.parametrize(("top_k", "count"), [(1, 3), (5, 5), ("4", 4), ("many", 8), (None, 8), (99, 20)])
def test_enhanced_keeps_top_k_within_bounds(top_k: object, count: int) -> None:
    texts = [f"w{number} x{number}" for number in range(30)]
    assert len(find("enhanced", texts, "w3", top_k, current=30)) == count


def test_enhanced_spreads_over_sections_before_it_fills_up() -> None:
    texts = ["fox a1 fox a2 fox a3 fox a4", "fox b1", "owl c1", "x y"]
    found = find("enhanced", texts, "fox", 4, current=4)
    assert [text[:3] for text in found].count("fox") >= 3
    assert sum(text.startswith("fox a") for text in found[:3]) == 2
    assert "fox b1" in found[:3]


def test_enhanced_skips_what_is_nearly_chosen_already() -> None:
    texts = ["fox runs", "fox runs", "fox naps", "owl sits", "cat sits"]
    found = find("enhanced", texts, "fox runs", 3, current=5)
    assert found[:2] == ["fox runs", "fox naps"]
    assert found.count("fox runs") == 1


def test_enhanced_without_any_word_finds_nothing_and_an_empty_query_means_the_problem() -> None:
    assert find("enhanced", FOXES, "!?", 3, current=3) == []
    assert find("enhanced", ["a owl", "b c", "d e", "f g"], " \n ", 3, current=4)[0] == "a owl"


def test_rl_indexes_characters() -> None:
    # a whole word is no character: only one-letter words of the query find anything
    assert find("rl", ["bc", "de", "x y"], "x", 2, tokens=9) == ["x y", "bc"]
    assert find("rl", ["bc", "de", "x y"], "xy", 2, tokens=9) == ["bc", "de"]
    assert len(find("rl", ["a"] * 9, "a", "bad")) == 5


def test_rl_cuts_the_block() -> None:
    units = Units(Reading(["a"]).observations, "rl", 2)
    assert units.block(["a" * 11_999, "b"]) == "a" * 11_999 + "\n"
    assert len(Units(Reading(["a"]).observations, "legacy", 2).block(["a" * 13_000])) == 13_000


def test_words_of_the_enhanced_variant() -> None:
    assert mixed("Fox_1, über 日本語!") == ["fox_1", "ber", "日", "本", "語", "日本", "本語"]


def test_unknown() -> None:
    with pytest.raises(UserError, match="There is no retrieval 'tall': choose legacy, enhanced, rl"):
        find("tall", ["a"], "a")


@given(st.lists(st.text("ab ", max_size=30), max_size=4), st.integers(1, 6))
def test_units_tile_each_section(texts: list[str], tokens: int) -> None:
    reading = Reading(texts).observations
    units = list(reading.units(tokens, tokens))
    for position, text in enumerate(texts, start=1):
        assert "".join(text[start:end] for section, start, end in units if section == position) == text
