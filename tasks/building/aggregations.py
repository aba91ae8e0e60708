"""Questions over all records of a context: how many meet a condition, what is frequent, what is the extreme."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from random import Random

from tasks.building import wording
from tasks.building.answering import alike, clear, meets, ranking, separable, told, worth_asking
from tasks.building.drafts import Question
from tasks.building.extracting import Record
from tasks.building.kinds import Kind, Use
from tasks.building.reference import Condition, Count, Extremum, Frequent

FEWEST = 4
"""Records that a question is asked over at least."""

NARROWED = 12
"""From this many records on, a question may be about a part of them."""

MOST_TOP = 3

TWOS = 0.25
"""Share of the contexts with nothing to count but twos that are asked for one: else a guess would often hit."""

FEWEST_OTHERS = 2
"""Values beside the most frequent ones, at least: of two values in all, a guess hits every other time."""


def suits(kind: Kind, task: str) -> bool:
    """Whether a kind has fields for such a task."""
    uses: dict[str, Use] = {"count": "filter", "frequent": "frequent", "extremum": "rank"}
    return kind.countable and bool(kind.used(uses[task]))


def question(dataset: str, kind: Kind, task: str, records: Sequence[Record], rng: Random) -> Question | None:
    """A question of the task over these records, which are all of their kind in the context; None if none is fair."""
    if len(records) < FEWEST:
        return None
    makers = {"count": _counts, "frequent": _frequents, "extremum": _extremes}
    for made in makers[task](dataset, kind, records, rng):
        if not told(made.answer, made.text) and not wording.names_a_key(dataset, made.text, made.paths):
            return made
    return None


def asked_about(made: Question, record: Record) -> bool:
    """Whether an aggregation question is about this record: it meets the conditions and has what is asked for."""
    if record.kind != made.kind.name or not meets(record, getattr(made.reference, "conditions", ())):
        return False
    return not isinstance(made.reference, Frequent | Extremum) or made.reference.field.name in record.values


def _counts(dataset: str, kind: Kind, records: Sequence[Record], rng: Random) -> Iterator[Question]:
    """Questions for numbers of records, each number as likely as any other, but two less so, and not always where it
    is the only one: most values are held by two records, and a guess would often hit.
    """
    found: dict[int, list[Question]] = {}
    for condition in _conditions(kind, records, rng, records):
        conditions = [condition]
        if len(records) >= NARROWED and rng.random() < 0.35:
            met = [record for record in records if meets(record, conditions)]
            second = next(_conditions(kind, met, rng, records, condition.field.name), None)
            conditions += [second] if second else []
        number = sum(meets(record, conditions) for record in records)
        text, template = wording.worded(dataset, "count", rng, scope=wording.scope(kind, conditions))
        reference = Count(scope=kind.scope, conditions=tuple(conditions))
        if 1 < number < len(records):
            made = Question("count", kind, text, template, reference, (str(number),), "number", False)
            found.setdefault(number, []).append(made)
    if found.keys() == {2} and rng.random() > TWOS:
        return
    draws = {number: rng.random() * (2 if number == 2 else 1) for number in sorted(found)}
    for number in sorted(draws, key=draws.__getitem__):
        yield from found[number]


def _frequents(dataset: str, kind: Kind, records: Sequence[Record], rng: Random) -> Iterator[Question]:
    for name in _shuffled(_held(kind, "frequent", records), rng):
        if not clear(kind, records, name):
            continue
        spec = kind.fields[name]
        for conditions in _narrowings(kind, records, rng, name):
            if any(condition.field.name in spec.within for condition in conditions):
                continue
            inside = [record for record in records if meets(record, conditions)]
            ranked = ranking(inside, name)
            for top in _shuffled(range(1, MOST_TOP + 1), rng):
                if len(ranked) < top + FEWEST_OTHERS or ranked[top - 1][1] == ranked[top][1] or ranked[0][1] < 2:
                    continue
                answer = tuple(value for value, _ in ranked[:top])
                values = {record.values[name].text: record.values[name] for record in inside if name in record.values}
                if not all(worth_asking(values[text], spec) for text in answer):
                    continue
                if not all(values[text].presentable and (top == 1 or separable(values[text])) for text in answer):
                    continue
                text, template = wording.worded(
                    dataset,
                    "frequent_1" if top == 1 else "frequent",
                    rng,
                    scope=wording.scope(kind, conditions),
                    top=wording.NUMBERS.get(top, str(top)),
                    plural=spec.plural,
                )
                reference = Frequent(
                    scope=kind.scope, conditions=tuple(conditions), field=kind.reference(name), top=top
                )
                yield Question("frequent", kind, text, template, reference, answer, "text", False)


def _extremes(dataset: str, kind: Kind, records: Sequence[Record], rng: Random) -> Iterator[Question]:
    for name in _shuffled(_held(kind, "rank", records), rng):
        if not clear(kind, records, name):
            continue
        spec = kind.fields[name]
        for conditions in _narrowings(kind, records, rng, name):
            inside = [record for record in records if name in record.values and meets(record, conditions)]
            ordered = sorted(inside, key=lambda record: Decimal(record.values[name].text))
            if len(ordered) < 3:
                continue
            for largest in _shuffled([True, False], rng):
                first, second = (ordered[-1], ordered[-2]) if largest else (ordered[0], ordered[1])
                value = first.values[name]
                if alike(value.text, second.values[name].text, spec.answer_type) or not worth_asking(value, spec, True):
                    continue
                text, template = wording.worded(
                    dataset,
                    "extremum",
                    rng,
                    extreme=spec.extremes[0 if largest else 1],
                    field=spec.full_name,
                    scope=wording.scope(kind, conditions),
                )
                reference = Extremum(
                    scope=kind.scope,
                    conditions=tuple(conditions),
                    field=kind.reference(name),
                    direction="greatest" if largest else "smallest",
                )
                yield Question("extremum", kind, text, template, reference, (value.text,), spec.answer_type, False)


def _narrowings(kind: Kind, records: Sequence[Record], rng: Random, field: str) -> Iterator[list[Condition]]:
    """Conditions that a question is narrowed by: now and then one on a category, else none."""
    if len(records) >= NARROWED and rng.random() < 0.5:
        for condition in _conditions(kind, records, rng, records, field):
            if condition.operator == "equals" and sum(meets(record, [condition]) for record in records) >= FEWEST:
                yield [condition]
                break
    yield []


def _conditions(
    kind: Kind, records: Sequence[Record], rng: Random, everything: Sequence[Record], barred: str | None = None
) -> Iterator[Condition]:
    """Conditions that at least two but not all of the records meet, one for each field, in random order.

    A field must be clear over everything in the context, and no value may stand on a boundary.
    """
    for name in _shuffled(_held(kind, "filter", records), rng):
        if name == barred or not clear(kind, everything, name):
            continue
        holding = [record for record in records if name in record.values]
        reference = kind.reference(name)
        if reference.type == "flag":
            values = [value for value, count in ranking(holding, name) if 2 <= count < len(records)]
            if values:
                yield Condition(field=reference, operator="equals", value=rng.choice(values))
            continue
        if reference.type == "text":
            counted: dict[int, list[str]] = {}
            for value, count in ranking(holding, name):
                if 2 <= count < len(records) and _shown(holding, name, value):
                    counted.setdefault(count, []).append(value)
            if counted:  # a number first: of all values, most are held by two records
                number = rng.choice([*counted])
                yield Condition(field=reference, operator="equals", value=rng.choice(counted[number]))
            continue
        numbers = sorted(Decimal(record.values[name].text) for record in holding)
        if all(high - low == 1 for low, high in pairwise(numbers)):
            continue  # numbered one by one: a bound tells how many lie beyond it
        gaps = [at for at in range(2, len(numbers) - 1) if numbers[at - 1] < numbers[at]]
        if gaps:
            at = rng.choice(gaps)
            bound = between(numbers[at - 1], numbers[at])
            everywhere = {Decimal(record.values[name].text) for record in everything if name in record.values}
            if bound not in everywhere:
                yield Condition(field=reference, operator=rng.choice(["above", "below"]), value=format(bound, "f"))


def _shown(records: Sequence[Record], name: str, text: str) -> bool:
    return next(record.values[name] for record in records if record.values[name].text == text).presentable


def between(low: Decimal, high: Decimal) -> Decimal:
    """A round number strictly between two others; where they lie far apart, not far from the smaller one."""
    middle = low * 10 if 0 < low * 100 < high else (low + high) / 2
    for decimals in range(min(0, -middle.adjusted()), 20):
        rounded = round(middle, decimals)
        if low < rounded < high:
            return rounded
    return middle


def _held(kind: Kind, use: Use, records: Sequence[Record]) -> list[str]:
    """Fields for a use that some of the records have: a field of other documents changes no choice."""
    held = set().union(*(record.values.keys() for record in records))
    return [name for name in kind.used(use) if name in held]


def _shuffled(things: Sequence | range, rng: Random) -> list:
    return rng.sample(list(things), len(things))
