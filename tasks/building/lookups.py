"""Questions about described records: one, two or four fields of one record, one field of two or four records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from tasks.building import wording
from tasks.building.answering import alike, differ, separable, told, worth_asking
from tasks.building.candidates import Candidates
from tasks.building.drafts import Question
from tasks.building.extracting import Record
from tasks.building.kinds import Description, Kind
from tasks.building.naming import worked_out
from tasks.building.pool import Pool
from tasks.building.reference import Condition, Lookup
from tasks.building.streams import Stream
from tasks.building.views import Value

SHAPES = {"fields_1": (1, 1), "fields_2": (1, 2), "fields_4": (1, 4), "records_2": (2, 1), "records_4": (4, 1)}
"""Task to records and fields that it asks about."""

SHARED_LENGTH = 8192
"""From this length on, an example asks the same whatever its length; shorter contexts cannot hold every record."""

LONGEST = 1500
"""Characters of a question."""

ATTEMPTS = 120
"""Candidates of one kind that a question is tried to be made about."""

MOST_FEW = 2
"""Fields of few different values in one question."""

DRAWS = 8
"""Choices of fields that are tried for a record: of a row of small numbers, many hold two that scoring confuses."""

PATIENCE = 2
"""Times that no question can be made about a candidate before a cell leaves it alone."""


@dataclass(frozen=True)
class Asked:
    """A lookup question and the payloads that it needs."""

    question: Question
    needed: tuple[int, ...]
    banned: frozenset[int]
    """Payloads that would make a description fit twice, or that hold a coined word of the question as a key."""
    entities: tuple[str, ...]


@dataclass(frozen=True)
class _Making:
    """What a question about records of one kind is made with: candidates in their order, and draws from `rng`."""

    pool: Pool
    dataset: str
    task: str
    found: Candidates
    order: np.ndarray
    kind: Kind
    rng: Random
    budget: int


def questions(
    pool: Pool,
    dataset: str,
    task: str,
    found: Candidates,
    order: np.ndarray,
    failed: np.ndarray,
    stream: Stream,
    budget: int,
) -> Iterator[Asked]:
    """Lookup questions of a task about candidates in their order; the payloads fit into `budget` tokens.

    `failed` counts for every candidate of `found` how often there was no question about it; it is kept up here.
    """
    records, fields = SHAPES[task]
    tried: dict[str, int] = {}
    for index in order[failed[order] < PATIENCE].tolist():
        candidate = found.all[index]
        tried[candidate.kind.name] = tried.get(candidate.kind.name, 0) + 1
        if tried[candidate.kind.name] > ATTEMPTS:
            continue
        rng = stream.random("lookup", candidate.record.entity)
        making = _Making(pool, dataset, task, found, order, candidate.kind, rng, budget)
        asked = _about_one(making, index, fields) if records == 1 else _about_several(making, index, records)
        if asked:
            yield asked
        else:
            failed[index] += 1


def _about_one(making: _Making, index: int, fields: int) -> Asked | None:
    kind, rng, record = making.kind, making.rng, making.found.all[index].record
    for description in _descriptions(making, index):
        values = _told(record, description)
        shown = wording.described(description, [values])
        for sort in rng.sample(["text", "number"], 2):
            names = [
                name
                for name in _askable(making, record, description, sort, (1, fields))
                if not told([_text(record, name)], shown, kind.fields[name].hollow)
            ]
            if len(names) < fields:
                continue
            draws = (rng.sample(names, fields) for _ in range(DRAWS))
            chosen = next((draw for draw in draws if _go_together(kind, record, draw, sort)), None)
            if chosen is None:
                continue
            answer = tuple(_text(record, name) for name in chosen)
            phrases = [kind.fields[name].full_name for name in chosen]
            text, template = wording.worded(
                making.dataset, making.task, rng, description=shown, field=phrases[0], fields=wording.listed(phrases)
            )
            if told(answer, text):
                continue
            reference = Lookup(
                scope=kind.scope,
                targets=(_conditions(kind, description, values),),
                fields=tuple(kind.reference(name) for name in chosen),
            )
            question = Question(making.task, kind, text, template, reference, answer, sort, fields > 1)
            asked = _asked(making, question, [index], description)
            if asked:
                return asked
    return None


def _go_together(kind: Kind, record: Record, names: Sequence[str], sort: str) -> bool:
    """Whether one question may ask for these fields: values that scoring tells apart, none that another gives away."""
    specs = [kind.fields[name] for name in names]
    return (
        differ([_text(record, name) for name in names], sort)
        and sum(spec.few for spec in specs) <= MOST_FEW
        and not any(spec.follows & {*names} for spec in specs)
    )


def _about_several(making: _Making, first: int, records: int) -> Asked | None:
    kind, rng, all_found = making.kind, making.rng, making.found.all
    fellows = making.found.fellows(making.order, first)
    if len(fellows) < records:
        return None
    for description in _descriptions(making, first):
        names = [
            name
            for name in _askable(making, all_found[first].record, description, None, (records, 1))
            if making.pool.different(kind, name) >= records
        ]
        for name in rng.sample(names, min(len(names), 4)):
            chosen = _gathered(making, description, name, first, fellows, records, spread=True)
            if len(chosen) < records:
                chosen = _gathered(making, description, name, first, fellows, records, spread=False)
            if len(chosen) < records:
                continue
            rng.shuffle(chosen)
            values = [_told(all_found[index].record, description) for index in chosen]
            answer = tuple(_text(all_found[index].record, name) for index in chosen)
            spec = kind.fields[name]
            described = wording.described(description, values)
            text, template = wording.worded(
                making.dataset,
                making.task,
                rng,
                description=described,
                field=spec.full_name,
            )
            if told(answer, text) or told(answer, described, spec.hollow):
                continue
            reference = Lookup(
                scope=kind.scope,
                targets=tuple(_conditions(kind, description, value) for value in values),
                fields=(kind.reference(name),),
            )
            question = Question(making.task, kind, text, template, reference, answer, spec.answer_type, True)
            asked = _asked(making, question, chosen, description)
            if asked:
                return asked
    return None


def _gathered(
    making: _Making,
    description: Description,
    name: str,
    first: int,
    fellows: np.ndarray,
    records: int,
    spread: bool,
) -> list[int]:
    """`first` and the next candidates that fit, each with another value of the field; fewer if the budget is too small.

    Spread, each new payload takes at most an equal share of the tokens that are left, so that later ones still fit;
    otherwise records that stand beside `first` come first.
    """
    pool, found, kind = making.pool, making.found, making.kind
    home = found.all[first].payload
    chosen, inside, barred = [first], {home}, pool.rivals(home)
    values = [_text(found.all[first].record, name)]
    sort = kind.fields[name].answer_type
    left = making.budget - pool.costs[home]

    def fits(index: int) -> bool:
        held = found.all[index].record.values.get(name)
        if held is None or not _worth(kind, name, held, (records, 1)) or not _unique(found, index, description):
            return False
        return not _follows(kind, name, found.all[index].record, description)

    fitting = fellows[found.eligible(kind, name, description, fits)[fellows]]
    beside = found.payloads[fitting] == home
    fitting, beside = (each[beside | (found.costs[fitting] <= left)] for each in (fitting, beside))
    if not spread:
        fitting = np.concatenate([fitting[beside], fitting[~beside]])
    for index in fitting.tolist():
        if len(chosen) == records:
            break
        candidate = found.all[index]
        cost = 0 if candidate.payload in inside else pool.costs[candidate.payload]
        if cost > (left // (records - len(chosen)) if spread else left) or candidate.payload in barred:
            continue
        value = _text(candidate.record, name)
        if any(alike(value, other, sort) for other in values) or found.namesakes(index, description) & inside:
            continue
        if any(candidate.payload in found.namesakes(other, description) for other in chosen):
            continue
        chosen.append(index)
        inside.add(candidate.payload)
        barred |= pool.rivals(candidate.payload)
        values.append(value)
        left -= cost
    return chosen


def _asked(making: _Making, question: Question, chosen: Sequence[int], description: Description) -> Asked | None:
    if len(question.text) > LONGEST or wording.names_a_key(making.dataset, question.text, question.paths):
        return None
    candidates = [making.found.all[index] for index in chosen]
    needed = tuple(sorted({candidate.payload for candidate in candidates}))
    banned = making.pool.coined(wording.coined(making.dataset, question.text))
    for index in chosen:
        banned |= making.found.namesakes(index, description)
    if banned & set(needed):
        return None
    banned |= making.pool.declaring(question.kind) - set(needed)
    entities = tuple(candidate.record.entity for candidate in candidates)
    return Asked(question, needed, frozenset(banned), entities)


def _descriptions(making: _Making, index: int) -> Iterator[Description]:
    """The descriptions that fit this record and stand nowhere else in its payload, in random order."""
    values = making.found.all[index].record.values
    held = [each for each in making.kind.descriptions if all(name in values for name in each.fields)]
    for description in making.rng.sample(held, len(held)):
        if _unique(making.found, index, description):
            yield description


def _unique(found: Candidates, index: int, description: Description) -> bool:
    """Whether what describes a record fits nothing else in its own payload."""
    candidate = found.all[index]
    values = [candidate.record.values.get(name) for name in description.fields]
    if not all(value and value.presentable and any(map(str.isalnum, value.text)) for value in values):
        return False
    return candidate.payload not in found.namesakes(index, description)


def _askable(
    making: _Making, record: Record, description: Description, sort: str | None, shape: tuple[int, int]
) -> Iterator[str]:
    """Fields (of one answer type, if `sort` is given) that may be asked of a record described so."""
    kind = making.kind
    told_by = {kind.fields[name].name for name in description.fields}
    for name in kind.used("ask"):
        spec = kind.fields[name]
        value = record.values.get(name)
        if value is None or (sort and spec.answer_type != sort) or worked_out(making.dataset, spec.name) & told_by:
            continue
        if name in description.reveals or name in description.fields or not _worth(kind, name, value, shape):
            continue
        if not _follows(kind, name, record, description):
            yield name


def _follows(kind: Kind, name: str, record: Record, description: Description) -> bool:
    """Whether a description has the value of a field that gives another away, as a hospital's name has its town."""
    given = [_text(record, other) for other in kind.fields[name].follows if other in record.values]
    return bool(given) and told(given, wording.described(description, [_told(record, description)]))


def _worth(kind: Kind, name: str, value: Value, shape: tuple[int, int]) -> bool:
    """Whether a value may be asked for in a question about so many records and fields."""
    spec, alone = kind.fields[name], shape == (1, 1)
    if spec.few and shape != (1, 4):
        return False
    return worth_asking(value, spec, alone) and (alone or separable(value))


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
