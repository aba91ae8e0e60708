"""Questions about described records: one, two or four fields of one record, one field of two or four records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from tasks.building import wording
from tasks.building.answering import separable, told, worth_asking
from tasks.building.drafts import Question
from tasks.building.extracting import Record
from tasks.building.kinds import Description, Kind
from tasks.building.pool import Pool
from tasks.building.reference import Condition, Lookup
from tasks.building.streams import Stream
from tasks.hashing import content_id

SHAPES = {"fields_1": (1, 1), "fields_2": (1, 2), "fields_4": (1, 4), "records_2": (2, 1), "records_4": (4, 1)}
"""Task to records and fields that it asks about."""

SHARES = {"test": 60, "train": 30, "development": 10}
"""Percentage of entities that each split may ask about: no entity is asked about in two splits."""

SHARED_LENGTH = 8192
"""From this length on, an example asks the same whatever its length; shorter contexts cannot hold every record."""

ATTEMPTS = 120
"""Candidates that a question is tried to be made about."""


@dataclass(frozen=True)
class Asked:
    """A lookup question and the payloads that it needs."""

    question: Question
    needed: tuple[int, ...]
    banned: frozenset[int]
    """Payloads that would make a description fit twice, or that hold a word of the question as a key."""
    entities: tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A record that may be asked about, and its payload."""

    payload: int
    record: Record

    @property
    def rank_id(self) -> str:
        """Hash that ranks it in a stream."""
        return content_id(self.record.entity)


def split_of(entity: str) -> str:
    """The split that an entity may be asked about in."""
    point = int(content_id("split", entity)[:8], 16) % 100
    for split, share in SHARES.items():
        if point < share:
            return split
        point -= share
    raise AssertionError("shares add up to 100")


def candidates(pool: Pool, kind: Kind, split: str) -> list[Candidate]:
    """The records of a kind that a split may ask about."""
    return [
        Candidate(index, record)
        for index in pool.by_kind.get(kind.kind, ())
        if index not in pool.unusable
        for record in pool.payloads[index].records
        if record.kind == kind.kind and split_of(record.entity) == split
    ]


def questions(
    pool: Pool, dataset: str, kind: Kind, task: str, ranked: Sequence[Candidate], stream: Stream, budget: int
) -> Iterator[Asked]:
    """Lookup questions of a task about one kind, the first candidates first; the payloads fit into `budget` tokens."""
    records, fields = SHAPES[task]
    fitting = (candidate for candidate in ranked if pool.payloads[candidate.payload].cost <= budget)
    for candidate in islice(fitting, ATTEMPTS):
        rng = stream.random("lookup", candidate.record.entity)
        if records == 1:
            asked = _about_one(pool, dataset, kind, task, candidate, fields, rng)
        else:
            asked = _about_several(pool, dataset, kind, task, candidate, ranked, records, rng, budget)
        if asked:
            yield asked


def _about_one(
    pool: Pool, dataset: str, kind: Kind, task: str, candidate: Candidate, fields: int, rng: Random
) -> Asked | None:
    record = candidate.record
    for description in _descriptions(pool, kind, candidate, rng):
        value = record.values[description.field].text
        shown = wording.described(description, [value])
        for sort in rng.sample(["text", "number"], 2):
            names = [
                name
                for name in _askable(kind, record, description, sort, fields > 1)
                if not told([_text(record, name)], shown)
            ]
            if len(names) < fields:
                continue
            chosen = rng.sample(names, fields)
            answer = tuple(_text(record, name) for name in chosen)
            if len(set(answer)) < min(fields, 3):
                continue
            phrases = [kind.fields[name].full_name for name in chosen]
            text, template = wording.worded(
                dataset, task, rng, description=shown, field=phrases[0], fields=wording.listed(phrases)
            )
            if told(answer, text):
                continue
            reference = Lookup(
                scope=kind.scope,
                targets=((_condition(kind, description, value),),),
                fields=tuple(kind.reference(name) for name in chosen),
            )
            question = Question(task, kind.kind, text, template, reference, answer, sort, fields > 1)
            return _asked(pool, dataset, question, [candidate], description)
    return None


def _about_several(
    pool: Pool,
    dataset: str,
    kind: Kind,
    task: str,
    first: Candidate,
    ranked: Sequence[Candidate],
    records: int,
    rng: Random,
    budget: int,
) -> Asked | None:
    for description in _descriptions(pool, kind, first, rng):
        names = list(_askable(kind, first.record, description, None, True))
        for name in rng.sample(names, min(len(names), 4)):
            wish = _Wish(kind, description, name, records, budget)
            chosen = _gathered(pool, wish, first, ranked, spread=True)
            if len(chosen) < records:
                chosen = _gathered(pool, wish, first, ranked, spread=False)
            if len(chosen) < records:
                continue
            rng.shuffle(chosen)
            values = [candidate.record.values[description.field].text for candidate in chosen]
            answer = tuple(_text(candidate.record, name) for candidate in chosen)
            spec = kind.fields[name]
            text, template = wording.worded(
                dataset, task, rng, description=wording.described(description, values), field=spec.full_name
            )
            if told(answer, text):
                continue
            reference = Lookup(
                scope=kind.scope,
                targets=tuple((_condition(kind, description, value),) for value in values),
                fields=(kind.reference(name),),
            )
            question = Question(task, kind.kind, text, template, reference, answer, spec.answer_type, True)
            return _asked(pool, dataset, question, chosen, description)
    return None


@dataclass(frozen=True)
class _Wish:
    """Several records described in one way, to be asked for one field, in payloads of at most `budget` tokens."""

    kind: Kind
    description: Description
    name: str
    records: int
    budget: int


def _gathered(pool: Pool, wish: _Wish, first: Candidate, ranked: Sequence[Candidate], spread: bool) -> list[Candidate]:
    """`first` and the next candidates that fit, each with another value of the field; fewer if the budget is too small.

    Spread, each new payload takes at most an equal share of the tokens that are left, so that later ones still fit;
    otherwise records that stand beside `first` come first.
    """
    chosen, inside = [first], {first.payload}
    barred = pool.rivals(first.payload)
    values = {_text(first.record, wish.name).casefold()}
    left = wish.budget - pool.payloads[first.payload].cost
    ordered = ranked if spread else sorted(ranked, key=lambda candidate: candidate.payload != first.payload)
    for candidate in ordered:
        if len(chosen) == wish.records:
            break
        record, index = candidate.record, candidate.payload
        cost = 0 if index in inside else pool.payloads[index].cost
        if cost > (left // (wish.records - len(chosen)) if spread else left) or index in barred:
            continue
        if wish.name not in _askable(wish.kind, record, wish.description, None, True):
            continue
        value = _text(record, wish.name).casefold()
        if value in values or not _unique(pool, candidate, wish.description, inside):
            continue
        if any(index in _namesakes(pool, other, wish.description) for other in chosen):
            continue
        chosen.append(candidate)
        inside.add(index)
        barred |= pool.rivals(index)
        values.add(value)
        left -= cost
    return chosen


def _asked(
    pool: Pool, dataset: str, question: Question, chosen: Sequence[Candidate], description: Description
) -> Asked | None:
    needed = tuple(sorted({candidate.payload for candidate in chosen}))
    banned = pool.keyed(wording.spoken(dataset, question.text))
    for candidate in chosen:
        banned |= _namesakes(pool, candidate, description)
    if banned & set(needed):
        return None
    entities = tuple(candidate.record.entity for candidate in chosen)
    return Asked(question, needed, frozenset(banned), entities)


def _descriptions(pool: Pool, kind: Kind, candidate: Candidate, rng: Random) -> Iterator[Description]:
    """The descriptions that fit this record and stand nowhere else in its payload, in random order."""
    for description in rng.sample(kind.descriptions, len(kind.descriptions)):
        value = candidate.record.values.get(description.field)
        if value and value.presentable and _unique(pool, candidate, description, {candidate.payload}):
            yield description


def _unique(pool: Pool, candidate: Candidate, description: Description, inside: set[int]) -> bool:
    """Whether the value that describes a record stands in none of the payloads outside this record."""
    value = candidate.record.values.get(description.field)
    if value is None or not value.presentable:
        return False
    return not pool.namesakes(candidate.record, value.text) & (inside | {candidate.payload})


def _namesakes(pool: Pool, candidate: Candidate, description: Description) -> set[int]:
    """Payloads that would make the description of a record fit twice."""
    return pool.namesakes(candidate.record, _text(candidate.record, description.field))


def _askable(kind: Kind, record: Record, description: Description, sort: str | None, several: bool) -> Iterator[str]:
    """Fields (of one answer type, if `sort` is given) that may be asked of a record described so."""
    for name in kind.used("ask"):
        spec = kind.fields[name]
        value = record.values.get(name)
        if (
            value is None
            or (sort and spec.answer_type != sort)
            or name in description.reveals
            or name == description.field
        ):
            continue
        if worth_asking(value, spec) and not (several and not separable(value)):
            yield name


def _condition(kind: Kind, description: Description, value: str) -> Condition:
    return Condition(field=kind.reference(description.field), operator="equals", value=value)


def _text(record: Record, name: str) -> str:
    return record.values[name].text
