from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.building import filling
from tasks.building.filling import fill, least


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(1, 60), max_size=9), st.integers(0, 200), st.integers(0, 30))
def test_a_subset_is_found_exactly_where_one_exists(costs, low, width):
    high = low + width
    sums = {sum(chosen) for size in range(len(costs) + 1) for chosen in combinations(costs, size)}
    found = fill(costs, low, high)
    assert (found is not None) == any(low <= total <= high for total in sums)
    if found is not None:
        assert len(set(found)) == len(found)
        assert low <= sum(costs[index] for index in found) <= high


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(200, 2000), min_size=200, max_size=300), st.sampled_from([8192, 32768, 65536]), st.randoms()
)
def test_long_contexts_are_filled_by_rank_and_end_in_the_window(costs, length, rng):
    found = fill(costs, least(length), length)
    assert found is not None
    total = sum(costs[index] for index in found)
    assert least(length) <= total <= length
    # What is filled by rank are the first candidates, all but those too large at the end.
    by_rank = [index for index in found if sum(costs[:index]) < length - 2 * filling.EXACT]
    assert by_rank == list(range(len(by_rank)))


def test_a_large_payload_of_high_rank_is_not_passed_over_where_nothing_else_is_left():
    """By rank, 900 small ones would leave too little room for the large one, and too few tokens without it."""
    costs = [100] * 9000 + [190_000]
    found = fill(costs, 996_148, 1_048_576)
    assert found is not None
    assert 9000 in found
    assert found == sorted(found)
    assert 996_148 <= sum(costs[index] for index in found) <= 1_048_576


def test_few_large_payloads_fill_where_the_first_by_rank_would_not():
    """6,000 first leaves 3,000 that nothing fills; 4,500 twice does it."""
    assert fill([6000, 4500, 4480, 7000], 8700, 9100) == [1, 2]


def test_too_little_is_no_fill():
    assert fill([10, 20, 30], 61, 70) is None
    assert fill([], 1, 5) is None
    assert fill([], 0, 5) == []
    assert fill([3], -5, -1) is None


def test_least_is_95_percent_rounded_up():
    assert [least(length) for length in (100, 1024, 8192, 1_048_576)] == [95, 973, 7783, 996_148]
