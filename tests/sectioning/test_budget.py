"""Budget search as the contract prints it (appendix A.2)."""

from hypothesis import given
from hypothesis import strategies as st

from tasks.sectioning.budget import search


def test_worked_example() -> None:
    counts = {budget: 12 if budget < 13 else 9 if budget < 17 else 7 for budget in range(10, 20)}
    found = search(counts.__getitem__, 10, 8)
    assert found.tried == [(10, 12), (19, 7), (14, 9), (17, 7), (16, 9)]
    assert found.budget == 16
    assert search(lambda budget: 8, 10, 8).tried == [(10, 8)]
    assert search(lambda budget: 3, 1, 2) == search(lambda budget: 3, 1, 2)
    assert search(lambda budget: 3, 1, 2).budget == 1


def printed(n: dict[int, int], c: int, flat: int) -> tuple[int, list[int]]:
    """The contract's lines, with every budget asked for, in order."""
    asked: list[int] = []

    def ask(budget: int) -> int:
        asked.append(budget)
        return n[budget]

    if ask(c) <= flat:
        return c, asked
    goal = max(flat, ask(2 * c - 1))
    lo, hi = c, 2 * c - 1
    while lo < hi:
        mid = (lo + hi) // 2
        if ask(mid) <= goal:
            hi = mid
        else:
            lo = mid + 1
    b = lo
    if ask(2 * c - 1) <= flat and b > c:
        b = sorted([b, b - 1], key=lambda one: (abs(ask(one) - flat), ask(one) < flat, one))[0]
    return b, asked


@given(c=st.integers(1, 40), flat=st.integers(1, 12), data=st.data())
def test_any_counts_even_where_they_go_up_and_down(c: int, flat: int, data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(1, 16), min_size=c, max_size=c))
    n = dict(zip(range(c, 2 * c), counts, strict=True))
    budget, asked = printed(n, c, flat)
    found = search(n.__getitem__, c, flat)
    assert found.budget == budget
    assert found.tried == [(one, n[one]) for one in dict.fromkeys(asked)]


@given(c=st.integers(1, 40), flat=st.integers(1, 12), data=st.data())
def test_falling_counts_give_the_best_budget_of_all(c: int, flat: int, data: st.DataObject) -> None:
    """The paper's aim: no budget comes closer to Flat, and none that is as close is on the better side."""
    counts = sorted(data.draw(st.lists(st.integers(1, 16), min_size=c, max_size=c)), reverse=True)
    n = dict(zip(range(c, 2 * c), counts, strict=True))
    found = search(n.__getitem__, c, flat).budget
    if n[c] <= flat:
        assert found == c
    else:
        assert (abs(n[found] - flat), n[found] < flat) == min((abs(n[b] - flat), n[b] < flat) for b in n)
