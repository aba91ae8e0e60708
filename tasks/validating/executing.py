"""A second executor of reference specifications, over the whole context, on plain Python values.

It follows the description of the reference language (head of `tasks/building/reference.py`) and shares no code with
the builder, so an error in one of them shows as a difference.
"""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tasks.validating.reading import Number


class Unfair(ValueError):
    """The question has no single right answer in this context."""


@dataclass
class Found:
    """The answer, and where it comes from."""

    answer: list[str]
    responses: set[int]
    """Positions in the context of the responses with the records that the question is about."""
    records: list[Any]
    """Those records."""
    scope: int
    """Records of the kind in the context."""


def execute(reference: dict[str, Any], context: list[Any]) -> Found:
    """Carry out a reference. Raises `Unfair` where description, count, rank or extreme is not unique or trivial."""
    inside = [
        (position, record)
        for position, response in enumerate(context)
        if _same(response, reference["scope"]["response"])
        for record in reach(response, reference["scope"]["records"])
    ]
    operations = {"lookup": _lookup, "count": _count, "frequent": _frequent, "extremum": _extremum}
    if reference["operation"] not in operations:
        raise Unfair(f"operation {reference['operation']!r} is unknown")
    answer, chosen = operations[reference["operation"]](reference, inside)
    return Found(answer, {position for position, _ in chosen}, [record for _, record in chosen], len(inside))


def reach(value: Any, path: list[Any]) -> list[Any]:
    """Everything that a path leads to from a value."""
    reached = [value]
    for step in path:
        following = []
        for item in reached:
            if step == "*":
                following += item if isinstance(item, list) else []
            elif isinstance(step, dict):
                following += [each for each in item if _same(each, step)] if isinstance(item, list) else []
            elif isinstance(step, int):
                following += item[step : step + 1] if isinstance(item, list) else []
            elif isinstance(item, dict) and step in item:
                following.append(item[step])
        reached = following
    return reached


def _same(value: Any, wanted: dict[str, str]) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(key), str) and not isinstance(value[key], Number) and value[key] == text
        for key, text in wanted.items()
    )


def value_of(record: Any, field: dict[str, Any]) -> str | None:
    """The one value of a field, or None. Raises `Unfair` for several."""
    sort = Number if field["type"] == "number" else str
    found = {item for item in reach(record, field["path"]) if type(item) is sort and item.strip()}
    if len(found) > 1:
        raise Unfair(f"a record holds {len(found)} different values of {field['name']}")
    return str(found.pop()) if found else None


def _meets(record: Any, conditions: list[dict[str, Any]]) -> bool:
    for condition in conditions:
        value = value_of(record, condition["field"])
        if value is None:
            return False
        if condition["operator"] == "equals":
            if value != condition["value"]:
                if value.casefold() == condition["value"].casefold():
                    raise Unfair(f"{value!r} and {condition['value']!r} differ in case only")
                return False
            continue
        number, bound = Decimal(value), Decimal(condition["value"])
        if number == bound:
            raise Unfair(f"{condition['field']['name']} of a record stands on the boundary {bound}")
        if (number > bound) != (condition["operator"] == "above"):
            return False
    return True


Inside = list[tuple[int, Any]]


def _lookup(reference: dict[str, Any], inside: Inside) -> tuple[list[str], Inside]:
    answer, chosen = [], []
    for target in reference["targets"]:
        met = [(position, record) for position, record in inside if _meets(record, target)]
        if len(met) != 1:
            described = ", ".join(condition["value"] for condition in target)
            raise Unfair(f"the description {described!r} fits {len(met)} records")
        if any(record is met[0][1] for _, record in chosen):
            raise Unfair("two descriptions mean the same record")
        chosen += met
        for field in reference["fields"]:
            value = value_of(met[0][1], field)
            if value is None:
                raise Unfair(f"{field['name']} has no value")
            answer.append(value)
    return answer, chosen


def _count(reference: dict[str, Any], inside: Inside) -> tuple[list[str], Inside]:
    met = [(position, record) for position, record in inside if _meets(record, reference["conditions"])]
    if not met or len(met) == len(inside):
        raise Unfair(f"{len(met)} of {len(inside)} records are counted")
    return [str(len(met))], met


def _frequent(reference: dict[str, Any], inside: Inside) -> tuple[list[str], Inside]:
    met = [(position, record) for position, record in inside if _meets(record, reference["conditions"])]
    values = [value for _, record in met if (value := value_of(record, reference["field"])) is not None]
    counts = Counter(values)
    if len({value.casefold() for value in counts}) < len(counts):
        raise Unfair(f"values of {reference['field']['name']} differ in case only")
    ranked, top = counts.most_common(), reference["top"]
    if len(ranked) <= top:
        raise Unfair(f"there are only {len(ranked)} values to choose {top} from")
    if ranked[top - 1][1] == ranked[top][1]:
        raise Unfair(f"{ranked[top - 1][0]!r} and {ranked[top][0]!r} are equally frequent")
    return [value for value, _ in ranked[:top]], met


def _extremum(reference: dict[str, Any], inside: Inside) -> tuple[list[str], Inside]:
    met = [(position, record) for position, record in inside if _meets(record, reference["conditions"])]
    values = [value for _, record in met if (value := value_of(record, reference["field"])) is not None]
    ordered = sorted(values, key=Decimal, reverse=reference["direction"] == "greatest")
    if len(ordered) < 2:
        raise Unfair(f"there are only {len(ordered)} values")
    if Decimal(ordered[0]) == Decimal(ordered[1]):
        raise Unfair(f"the extreme {ordered[0]} stands twice")
    return ordered[:1], met
