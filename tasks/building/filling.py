"""Which payloads fill a context to the wanted length: some by rank, the last ones so that the sum comes out right."""

from collections.abc import Sequence

LEAST = 95
"""A context reaches at least this percentage of its length."""

EXACT = 3000
"""Tokens that are left for the exact part of the fill; what is above goes by rank alone."""

WIDE = 10 * EXACT
"""The same where that fails, as it may among few large payloads."""

POOL = 160
"""Payloads that the exact part chooses from."""


def least(length: int) -> int:
    """Fewest tokens of a context of this length."""
    return -(-length * LEAST // 100)


def fill(costs: Sequence[int], low: int, high: int) -> list[int] | None:
    """Indices into `costs` (tokens of candidates, in order of rank) whose sum lies in `low..high`.

    None where no subset found does. Candidates must be free to stand together. Those of low rank are preferred; where
    too little would be left for a large one of high rank without which the sum falls short, the largest are.
    """
    if sum(costs) < low:
        return None
    found = (_filled(costs, low, high, left) for left in (EXACT, WIDE))
    return next((chosen for chosen in found if chosen is not None), None)


def _filled(costs: Sequence[int], low: int, high: int, left: int) -> list[int] | None:
    """The same, with so many tokens left for the exact part."""
    order = list(range(len(costs)))
    chosen, position = _by_rank(costs, order, high, left)
    if position == len(costs) and high - sum(costs[index] for index in chosen) > left:
        order.sort(key=lambda index: (-costs[index], index))
        chosen, position = _by_rank(costs, order, high, left)
    taken = sum(costs[index] for index in chosen)
    if low <= taken <= high:
        return sorted(chosen)
    room = high - taken
    for start in range(position, max(position + 1, len(costs)), POOL):
        rest = [index for index in order[start:] if costs[index] <= room][:POOL]
        exact = _subset([costs[index] for index in rest], low - taken, room)
        if exact is not None:
            return sorted([*chosen, *(rest[index] for index in exact)])
    return None


def _by_rank(costs: Sequence[int], order: Sequence[int], high: int, left: int) -> tuple[list[int], int]:
    """The first that fit, in this order, until `left` tokens are left, and how many of the order were looked at."""
    chosen: list[int] = []
    position = taken = 0
    while position < len(order) and high - taken > left:
        if costs[order[position]] <= high - taken - left // 2:
            chosen.append(order[position])
            taken += costs[order[position]]
        position += 1
    return chosen, position


def _subset(costs: Sequence[int], low: int, high: int) -> list[int] | None:
    """Indices of costs whose sum lies in `low..high`; the earliest candidates that allow any such sum are used."""
    if high < 0:
        return None
    mask = (1 << (high + 1)) - 1
    wanted = mask & ~((1 << max(low, 0)) - 1)
    reachable = [1]
    for cost in costs:
        if reachable[-1] & wanted:
            break
        reachable.append((reachable[-1] | reachable[-1] << cost) & mask)
    if not reachable[-1] & wanted:
        return None
    total = (reachable[-1] & wanted).bit_length() - 1
    chosen = []
    for index in range(len(reachable) - 1, 0, -1):
        if not reachable[index - 1] >> total & 1:
            chosen.append(index - 1)
            total -= costs[index - 1]
    return chosen[::-1]
