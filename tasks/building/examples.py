"""The examples of one column: a question over contexts of every wanted length."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

import numpy as np

from tasks.building import aggregations, lookups, wording
from tasks.building.candidates import Candidates
from tasks.building.contexts import compose
from tasks.building.drafts import Draft, Question
from tasks.building.kinds import Kind
from tasks.building.lookups import SHAPES, SHARED_LENGTH, Asked
from tasks.building.pool import Pool
from tasks.building.streams import Stream

TRIES = 40
"""Questions of one family of kinds that are tried for a lookup example before the next family is."""

KINDS = 48
"""Kinds of one family that are tried for an aggregation example."""

CONTEXTS = {True: 48, False: 240}
"""Contexts that are tried with one family before the next family is: for what is new, and, later, for what is not."""

LARGE = 6
"""Payloads of more than this part of a length, on average, are large."""

MOST = 95
"""Percentage of a length that the payloads with the kind asked about take at most."""

RARE = 4
"""A kind in fewer payloads may fill most of a context with one of them."""


@dataclass(frozen=True)
class Column:
    """Examples of one task and split at several lengths; `seed` starts all their streams."""

    dataset: str
    task: str
    lengths: tuple[int, ...]
    split: str
    seed: int

    def cell(self, length: int) -> str:
        """How messages call its examples of one length."""
        return f"{self.dataset}/{self.task}/{length}/{self.split}"


@dataclass
class Used:
    """What earlier examples of a cell ask about, so that later ones ask something else."""

    questions: set[str] = field(default_factory=set)
    contexts: set[tuple[int, ...]] = field(default_factory=set)
    fresh: dict[str, np.ndarray] = field(default_factory=dict)
    """Family of kinds to whether each of its candidates is one that none has asked about."""
    failed: dict[tuple[str, bool], np.ndarray] = field(default_factory=dict)
    """Family of kinds, and whether of its fresh candidates, to how often no question could be made about each."""

    @classmethod
    def by_none(cls, candidates: Mapping[str, Candidates]) -> "Used":
        """Nothing is used yet of these candidates."""
        sizes = {family: len(found.all) for family, found in candidates.items()}
        return cls(
            fresh={family: np.ones(size, dtype=bool) for family, size in sizes.items()},
            failed={
                (family, fresh): np.zeros(size, dtype=np.int64)
                for family, size in sizes.items()
                for fresh in (True, False)
            },
        )


def drafts(pool: Pool, column: Column, examples: int) -> Iterator[tuple[int, int, Draft | None]]:
    """Length, number and draft of every example of a column; None in the place of what the pool does not hold."""
    if column.task not in SHAPES:
        for length in column.lengths:
            used = Used()
            for number in range(examples):
                yield length, number, _aggregation(pool, column, number, length, used)
        return
    groups: list[tuple[int, ...]] = [(length,) for length in column.lengths if length < SHARED_LENGTH]
    groups.append(tuple(length for length in column.lengths if length >= SHARED_LENGTH))
    candidates = {family: Candidates(pool, family, column.split) for family in pool.families}
    for lengths in filter(None, groups):
        used = Used.by_none(candidates)
        for number in range(examples):
            made = _lookup(pool, column, number, lengths, used, candidates)
            for length in lengths:
                yield length, number, made.get(length)


def _lookup(
    pool: Pool,
    column: Column,
    number: int,
    lengths: Sequence[int],
    used: Used,
    candidates: Mapping[str, Candidates],
) -> dict[int, Draft]:
    """The same question at all `lengths`. Targets come from a stream without the length.

    A question that has no context at one of the lengths is passed over. Where all records are used up, a record may
    be asked about again, but not the same question.
    """
    asking = Stream(column.seed, column.dataset, column.task, column.split, number)
    filling = {
        length: Stream(column.seed, column.dataset, column.task, column.split, number, length) for length in lengths
    }
    budget = min([*lengths, SHARED_LENGTH]) * 9 // 10 - pool.frame
    for fresh in (True, False):
        for family in asking.named(pool.families):
            found = candidates[family]
            order = found.ranked(asking, used.fresh[family] == fresh, budget)
            failed = used.failed[family, fresh]
            questions = lookups.questions(pool, column.dataset, column.task, found, order, failed, asking, budget)
            for _, asked in zip(range(TRIES), questions, strict=False):
                if asked.question.question_id in used.questions:
                    continue
                contexts = _composed(pool, asked, filling)
                if contexts:
                    used.fresh[family][found.about(asked.entities)] = False
                    used.questions.add(asked.question.question_id)
                    return {length: _draft(asked, context) for length, context in contexts.items()}
    return {}


def _composed(pool: Pool, asked: Asked, filling: Mapping[int, Stream]) -> dict[int, list[int]] | None:
    """A context for every length, or None if there is none for one of them."""
    found = {}
    for length, stream in filling.items():
        context = compose(pool, asked.needed, asked.banned, stream, length)
        if context is None:
            return None
        found[length] = context
    return found


def _draft(asked: Asked, context: Sequence[int]) -> Draft:
    supporting = [position for position, index in enumerate(context) if index in asked.needed]
    return Draft(asked.question, context, supporting, asked.entities)


def _aggregation(pool: Pool, column: Column, number: int, length: int, used: Used) -> Draft | None:
    """A question over all records of one kind in a context, which is filled with a good part of them first.

    Where no other is left, a question may be asked again over other payloads, or another one over the same payloads.
    """
    name = (column.seed, column.dataset, column.task, column.split, number, length)
    stream = Stream(*name)
    for fresh, family in product((True, False), stream.named(pool.families)):
        kinds = [kind for kind in pool.families[family] if aggregations.suits(kind, column.task)]
        ranked = stream.named(kind.name for kind in kinds if _fits(pool, kind, length))[:KINDS]
        for attempt, kind_name in islice(product(range(CONTEXTS[fresh]), ranked), CONTEXTS[fresh]):
            made = _aggregated(pool, column, pool.kinds[kind_name], Stream(*name, kind_name, attempt), length)
            if made is None:
                continue
            question, context = made.question.question_id, tuple(sorted(made.payloads))
            new = (question not in used.questions, context not in used.contexts)
            if all(new) if fresh else any(new):
                used.questions.add(question)
                used.contexts.add(context)
                return made
    return None


def _fits(pool: Pool, kind: Kind, length: int) -> bool:
    """Whether a payload with records of a kind fits into a context."""
    return pool.cheapest[kind.name] <= length * MOST // 100


def _aggregated(pool: Pool, column: Column, kind: Kind, trial: Stream, length: int) -> Draft | None:
    """A question about a kind, if the context that `trial` draws allows one."""
    needed = _main_part(pool, kind, trial, length)
    if not needed:
        return None
    made = _question(pool, column, kind, needed, trial) if kind.single else None
    if kind.single and made is None:
        return None
    banned = pool.coined(wording.coined(column.dataset, made.text)) if made else set()
    if banned & set(needed):
        return None
    context = compose(pool, needed, banned | pool.declaring(kind) - set(needed), trial, length)
    if context is None:
        return None
    made = made or _question(pool, column, kind, context, trial)
    if made is None or pool.coined(wording.coined(column.dataset, made.text)) & set(context):
        return None
    supporting = [
        position
        for position, index in enumerate(context)
        if any(aggregations.asked_about(made, record) for record in pool.payloads[index].records)
    ]
    return Draft(made, context, supporting)


def _question(pool: Pool, column: Column, kind: Kind, payloads: Iterable[int], trial: Stream) -> Question | None:
    records = [record for index in payloads for record in pool.payloads[index].records if record.kind == kind.name]
    return aggregations.question(column.dataset, kind, column.task, records, trial.random("question"))


def _main_part(pool: Pool, kind: Kind, stream: Stream, length: int) -> list[int]:
    """Payloads of one kind, by rank, that take 40 to 75 % of the length.

    Of a rare kind, and now and then of one in large payloads, a single payload may take up to `MOST`.
    """
    share = stream.random("share")
    wanted = length * share.randrange(40, 76) // 100
    largest = share.choice([length // 3, wanted])
    holding = pool.by_kind[kind.name]
    large = sum(pool.costs[index] for index in holding) > len(holding) * length // LARGE
    if len(holding) < RARE or (large and share.random() < 0.5):
        wanted = largest = length * MOST // 100
    chosen: list[int] = []
    closed = set(pool.unusable)
    taken = 0
    for index in pool.ranked(holding, stream, largest):
        cost = pool.costs[index]
        if index in closed or taken + cost > wanted:
            continue
        chosen.append(index)
        closed |= pool.rivals(index)
        taken += cost
        if wanted - taken < 64:
            break
    return chosen
