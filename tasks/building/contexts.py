"""Which payloads stand together in a context, in which order, so that it has the wanted length."""

from collections.abc import Collection, Sequence

from tasks.building.filling import fill, least
from tasks.building.pool import Pool
from tasks.building.streams import Stream

SOURCES = 3
"""Sources that a context mixes where that many are there.

One more source changes hardly any example that takes nothing of it.
"""


def slack(length: int) -> int:
    """Tokens by which the sum of costs may differ from the context's.

    Its last payload has nothing behind it, and payloads that begin with blanks may lose a token to the joint.
    """
    return max(3, min(64, length // 256))


MOST_CANDIDATES = 4000


def compose(
    pool: Pool, needed: Collection[int], banned: Collection[int], stream: Stream, length: int
) -> list[int] | None:
    """The needed payloads and others, in random order, that fill the length; None where nothing fits.

    Never two payloads with copies of one entity, none of `banned`. The others come from the sources of the needed
    ones and from as many more as make `SOURCES`; from all, if those hold too little.
    """
    taken = pool.frame + sum(pool.costs[index] for index in needed)
    low, high = least(length) + slack(length) - taken, length - slack(length) - taken
    if high < 0:
        return None
    own = {pool.payloads[index].source for index in needed}
    ordered = [*stream.named(own), *stream.named(pool.sources.keys() - own)]

    def others(sources: Sequence[str]) -> list[int] | None:
        candidates = _others(pool, needed, banned, stream, sources, length)
        filled = fill([pool.costs[index] for index in candidates], low, high)
        return None if filled is None else [candidates[index] for index in filled]

    mixed, chosen = list(ordered), others(ordered[:SOURCES])
    while chosen is not None and len(mixed) > SOURCES:
        idle = set(mixed[:SOURCES]) - own - {pool.payloads[index].source for index in chosen}
        if not idle:
            break
        mixed.remove(max(idle, key=mixed.index))  # as if it were not there: the next one takes its place
        chosen = others(mixed[:SOURCES])
    if chosen is None:
        chosen = others(ordered)
    if chosen is None:
        return None
    context = [*sorted(needed), *chosen]
    stream.random("order", length).shuffle(context)
    return context


def _others(
    pool: Pool, needed: Collection[int], banned: Collection[int], stream: Stream, sources: Sequence[str], length: int
) -> list[int]:
    """Payloads that may stand beside the needed ones and beside each other, by rank."""
    closed = set(banned) | set(needed) | pool.unusable
    for index in needed:
        closed |= pool.rivals(index)
    found = []
    everything = (index for source in sources for index in pool.sources[source])
    for index in pool.ranked(everything, stream, length):
        if index in closed:
            continue
        found.append(index)
        closed |= pool.rivals(index)
        if len(found) == MOST_CANDIDATES and length < 262_144:
            break
    return found
