"""Budget search (appendix A.2): the budget whose section count is closest to that of Flat."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Search:
    """The budget chosen, and every pair of budget and section count in the order tried."""

    budget: int
    tried: list[tuple[int, int]] = field(default_factory=list)


def search(count: Callable[[int], int], base_budget: int, flat_sections: int) -> Search:
    """Search `[C, 2C-1]` with C = `base_budget`; `count(B)` is n(B), `flat_sections` is N. Each B is counted once."""
    found = Search(base_budget)
    known: dict[int, int] = {}

    def n(budget: int) -> int:
        if budget not in known:
            known[budget] = count(budget)
            found.tried.append((budget, known[budget]))
        return known[budget]

    def key(budget: int) -> tuple[int, bool, int]:
        return abs(n(budget) - flat_sections), n(budget) < flat_sections, budget

    if n(base_budget) <= flat_sections:
        return found
    last = 2 * base_budget - 1
    goal = max(flat_sections, n(last))
    low, high = base_budget, last
    while low < high:
        middle = (low + high) // 2
        if n(middle) <= goal:
            high = middle
        else:
            low = middle + 1
    found.budget = low
    if n(last) <= flat_sections and low > base_budget:
        found.budget = min(low, low - 1, key=key)
    return found
