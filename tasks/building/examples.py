"""One example of one cell: a question over a context of the wanted length."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tasks.building import aggregations, lookups, wording
from tasks.building.contexts import compose
from tasks.building.drafts import Draft
from tasks.building.kinds import Kind
from tasks.building.lookups import SHAPES, SHARED_LENGTH, Candidate
from tasks.building.pool import Pool
from tasks.building.streams import Stream

TRIES = 40
"""Questions of one kind that are tried for a lookup example before the next kind is."""

CONTEXTS = 12
"""Contexts that are tried for an aggregation example with one kind before the next kind is."""


@dataclass(frozen=True)
class Cell:
    """Examples of one task, length and split; `seed` starts all their streams."""

    dataset: str
    task: str
    length: int
    split: str
    seed: int

    @property
    def name(self) -> str:
        """How messages call it."""
        return f"{self.dataset}/{self.task}/{self.length}/{self.split}"


@dataclass
class Used:
    """What earlier examples of a cell ask about, so that later ones ask something else."""

    entities: set[str] = field(default_factory=set)
    questions: set[str] = field(default_factory=set)


def draft(pool: Pool, kinds: Mapping[str, Kind], cell: Cell, number: int, used: Used) -> Draft | None:
    """Example `number` of a cell, or None where the pool holds none; `used` takes note of it."""
    make = _lookup if cell.task in SHAPES else _aggregation
    made = make(pool, kinds, cell, number, used)
    if made:
        used.entities.update(made.entities)
        used.questions.add(made.question.question_id)
    return made


def _lookup(pool: Pool, kinds: Mapping[str, Kind], cell: Cell, number: int, used: Used) -> Draft | None:
    """Targets come from a stream without the length, so that an example asks the same at every length."""
    asking = Stream(cell.seed, cell.dataset, cell.task, cell.split, number)
    filling = Stream(cell.seed, cell.dataset, cell.task, cell.split, number, cell.length)
    budget = min(cell.length, SHARED_LENGTH) * 9 // 10 - pool.frame
    for name in asking.named(pool.by_kind.keys() & kinds.keys()):
        candidates = [
            c for c in lookups.candidates(pool, kinds[name], cell.split) if c.record.entity not in used.entities
        ]
        ranked = asking.ordered(candidates, _rank_id)
        questions = lookups.questions(pool, cell.dataset, kinds[name], cell.task, ranked, asking, budget)
        for _, asked in zip(range(TRIES), questions, strict=False):
            context = compose(pool, asked.needed, asked.banned, filling, cell.length)
            if context is not None:
                supporting = [position for position, index in enumerate(context) if index in asked.needed]
                return Draft(asked.question, context, supporting, asked.entities)
    return None


def _rank_id(candidate: Candidate) -> str:
    return candidate.rank_id


def _aggregation(pool: Pool, kinds: Mapping[str, Kind], cell: Cell, number: int, used: Used) -> Draft | None:
    """The context is filled first, with a good part of one kind; the question is then found in it."""
    stream = Stream(cell.seed, cell.dataset, cell.task, cell.split, number, cell.length)
    for name in stream.named(pool.by_kind.keys() & kinds.keys()):
        for attempt in range(CONTEXTS):
            trial = Stream(cell.seed, cell.dataset, cell.task, cell.split, number, cell.length, name, attempt)
            needed = _main_part(pool, name, trial, cell.length)
            context = compose(pool, needed, (), trial, cell.length)
            if context is None:
                continue
            records = [r for index in context for r in pool.payloads[index].records if r.kind == name]
            made = aggregations.question(cell.dataset, kinds[name], cell.task, records, trial.random("question"))
            if made is None or made.question_id in used.questions:
                continue
            if pool.keyed(wording.spoken(cell.dataset, made.text)) & set(context):
                continue
            supporting = [
                position
                for position, index in enumerate(context)
                if any(aggregations.asked_about(made, record) for record in pool.payloads[index].records)
            ]
            return Draft(made, context, supporting)
    return None


def _main_part(pool: Pool, kind: str, stream: Stream, length: int) -> list[int]:
    """Payloads of one kind, by rank, that take 40 to 75 % of the length."""
    wanted = length * stream.random("share").randrange(40, 76) // 100
    chosen: list[int] = []
    closed = set(pool.unusable)
    taken = 0
    for index in stream.ordered(pool.by_kind[kind], lambda index: pool.payloads[index].payload_id):
        cost = pool.payloads[index].cost
        if index in closed or taken + cost > wanted or cost > length // 3:
            continue
        chosen.append(index)
        closed |= pool.rivals(index)
        taken += cost
        if wanted - taken < 64:
            break
    return chosen
