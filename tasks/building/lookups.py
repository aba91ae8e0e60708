"""Questions about described records: one, two or four fields of one record, one field of two or four records."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tasks.building import wording
from tasks.building.answering import separable, told, worth_asking
from tasks.building.drafts import Question
from tasks.building.extracting import Record
from tasks.building.kinds import Description, Kind
from tasks.building.pool import Pool
from tasks.building.reference import Condition, Lookup
from tasks.building.streams import Stream
from tasks.building.views import Value
from tasks.hashing import content_id

SHAPES = {"fields_1": (1, 1), "fields_2": (1, 2), "fields_4": (1, 4), "records_2": (2, 1), "records_4": (4, 1)}
"""Task to records and fields that it asks about."""

SHARES = {"test": 60, "train": 30, "development": 10}
"""Percentage of entities that each split may ask about: no entity is asked about in two splits."""

SHARED_LENGTH = 8192
"""From this length on, an example asks the same whatever its length; shorter contexts cannot hold every record."""

LONGEST = 1500
"""Characters of a question."""

ATTEMPTS = 120
"""Candidates of one kind that a question is tried to be made about."""


@dataclass(frozen=True)
class Asked:
    """A lookup question and the payloads that it needs."""

    question: Question
    needed: tuple[int, ...]
    banned: frozenset[int]
    """Payloads that would make a description fit twice, or that hold a coined word of the question as a key."""
    entities: tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A record that may be asked about, its kind and its payload."""

    payload: int
    record: Record
    kind: Kind
    rank_id: str
    """Hash that ranks it in a stream."""


def split_of(entity: str) -> str:
    """The split that an entity may be asked about in."""
    point = int(content_id("split", entity)[:8], 16) % 100
    for split, share in SHARES.items():
        if point < share:
            return split
        point -= share
    raise AssertionError("shares add up to 100")


def candidates(pool: Pool, family: str, split: str) -> list[Candidate]:
    """The records of a family of kinds that a split may ask about."""
    return [
        Candidate(index, record, kind, content_id(record.entity))
        for kind in pool.families.get(family, ())
        for index in pool.by_kind[kind.name]
        if index not in pool.unusable
        for record in pool.payloads[index].records
        if record.kind == kind.name and split_of(record.entity) == split
    ]


def ranked(found: Iterable[Candidate], stream: Stream) -> list[Candidate]:
    """Candidates by the rank of their kind, then by their own, so that a large table does not outvote small ones."""
    kinds: dict[str, int] = {}
    for candidate in found:
        name = candidate.kind.name
        if name not in kinds:
            kinds[name] = stream.rank(content_id("kind", name))
    return sorted(found, key=lambda candidate: (kinds[candidate.kind.name], stream.rank(candidate.rank_id)))


def questions(
    pool: Pool, dataset: str, task: str, ranked: Sequence[Candidate], stream: Stream, budget: int
) -> Iterator[Asked]:
    """Lookup questions of a task, the first candidates first; the payloads fit into `budget` tokens."""
    records, fields = SHAPES[task]
    tried: dict[str, int] = {}
    fellows: dict[str, list[Candidate]] = {}
    for candidate in ranked:
        fellows.setdefault(candidate.kind.name, []).append(candidate)
    for candidate in ranked:
        if pool.payloads[candidate.payload].cost > budget:
            continue
        kind = candidate.kind
        tried[kind.name] = tried.get(kind.name, 0) + 1
        if tried[kind.name] > ATTEMPTS:
            continue
        rng = stream.random("lookup", candidate.record.entity)
        if records == 1:
            asked = _about_one(pool, dataset, kind, task, candidate, fields, rng)
        else:
            asked = _about_several(pool, dataset, kind, task, candidate, fellows[kind.name], records, rng, budget)
        if asked:
            yield asked


def _about_one(
    pool: Pool, dataset: str, kind: Kind, task: str, candidate: Candidate, fields: int, rng: Random
) -> Asked | None:
    record = candidate.record
    for description in _descriptions(pool, kind, candidate, rng):
        values = _told(record, description)
        shown = wording.described(description, [values])
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
                targets=(_conditions(kind, description, values),),
                fields=tuple(kind.reference(name) for name in chosen),
            )
            question = Question(task, kind, text, template, reference, answer, sort, fields > 1)
            asked = _asked(pool, dataset, question, [candidate], description)
            if asked:
                return asked
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
        names = [
            name
            for name in _askable(kind, first.record, description, None, True)
            if pool.different(kind, name) >= records
        ]
        for name in rng.sample(names, min(len(names), 4)):
            wish = _Wish(kind, description, name, records, budget)
            chosen = _gathered(pool, wish, first, ranked, spread=True)
            if len(chosen) < records:
                chosen = _gathered(pool, wish, first, ranked, spread=False)
            if len(chosen) < records:
                continue
            rng.shuffle(chosen)
            values = [_told(candidate.record, description) for candidate in chosen]
            answer = tuple(_text(candidate.record, name) for candidate in chosen)
            spec = kind.fields[name]
            text, template = wording.worded(
                dataset, task, rng, description=wording.described(description, values), field=spec.full_name
            )
            if told(answer, text):
                continue
            reference = Lookup(
                scope=kind.scope,
                targets=tuple(_conditions(kind, description, value) for value in values),
                fields=(kind.reference(name),),
            )
            question = Question(task, kind, text, template, reference, answer, spec.answer_type, True)
            asked = _asked(pool, dataset, question, chosen, description)
            if asked:
                return asked
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
        held = record.values.get(wish.name)
        if held is None or held.text.casefold() in values or not _worth(wish.kind, wish.name, held, True):
            continue
        value = held.text.casefold()
        if not _unique(pool, candidate, wish.description, inside):
            continue
        if any(index in pool.namesakes(other.record, other.kind, wish.description) for other in chosen):
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
    if len(question.text) > LONGEST or wording.names_a_key(dataset, question.text, question.paths):
        return None
    needed = tuple(sorted({candidate.payload for candidate in chosen}))
    banned = pool.coined(wording.coined(dataset, question.text))
    for candidate in chosen:
        banned |= pool.namesakes(candidate.record, candidate.kind, description)
    if banned & set(needed):
        return None
    banned |= pool.declaring(question.kind) - set(needed)
    entities = tuple(candidate.record.entity for candidate in chosen)
    return Asked(question, needed, frozenset(banned), entities)


def _descriptions(pool: Pool, kind: Kind, candidate: Candidate, rng: Random) -> Iterator[Description]:
    """The descriptions that fit this record and stand nowhere else in its payload, in random order."""
    held = [each for each in kind.descriptions if all(name in candidate.record.values for name in each.fields)]
    for description in rng.sample(held, len(held)):
        if _unique(pool, candidate, description, {candidate.payload}):
            yield description


def _unique(pool: Pool, candidate: Candidate, description: Description, inside: set[int]) -> bool:
    """Whether what describes a record fits nothing else in these payloads."""
    values = [candidate.record.values.get(name) for name in description.fields]
    if not all(value and value.presentable and any(map(str.isalnum, value.text)) for value in values):
        return False
    namesakes = pool.namesakes(candidate.record, candidate.kind, description)
    return not namesakes & (inside | {candidate.payload})


def _askable(kind: Kind, record: Record, description: Description, sort: str | None, several: bool) -> Iterator[str]:
    """Fields (of one answer type, if `sort` is given) that may be asked of a record described so."""
    for name in kind.used("ask"):
        spec = kind.fields[name]
        value = record.values.get(name)
        if value is None or (sort and spec.answer_type != sort):
            continue
        if name not in description.reveals and name not in description.fields and _worth(kind, name, value, several):
            yield name


def _worth(kind: Kind, name: str, value: Value, several: bool) -> bool:
    """Whether a value may be asked for, alone or among several."""
    return worth_asking(value, kind.fields[name]) and not (several and not separable(value))


def _conditions(kind: Kind, description: Description, values: Sequence[str]) -> tuple[Condition, ...]:
    """The conditions that a description puts on a record."""
    return tuple(
        Condition(field=kind.reference(name), operator="equals", value=value)
        for name, value in zip(description.fields, values, strict=True)
    )


def _told(record: Record, description: Description) -> list[str]:
    """The values that a description names."""
    return [_text(record, name) for name in description.fields]


def _text(record: Record, name: str) -> str:
    return record.values[name].text
