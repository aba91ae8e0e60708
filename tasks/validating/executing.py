"""A second executor of reference specifications, over the whole context, on plain Python values.

It follows the description of the reference language (head of `tasks/building/reference.py`) and shares no code with
the builder, so an error in one of them shows as a difference.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tasks.validating.reading import Unit, folded
from tasks.validating.values import Number


class Unfair(ValueError):
    """The question has no single right answer in this context."""


Chain = tuple[tuple[Any, Any], ...]
"""A value with what holds it: pairs of key and value, from the unit (whose key is None) down to the value itself."""


@dataclass(eq=False)
class Record:
    """A record with what holds it, and what was read of its fields."""

    chain: Chain
    known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def value(self) -> Any:
        """The record itself."""
        return self.chain[-1][1]


@dataclass
class Found:
    """The answer, and where it comes from."""

    answer: list[str]
    responses: set[int]
    """Positions in the context of the units with the records that the question is about."""
    records: list[Record]
    """Those records."""
    scope: int
    """Records of the kind in the context."""


def execute(reference: dict[str, Any], context: Sequence[Unit]) -> Found:
    """Carry out a reference. Raises `Unfair` where description, count, rank or extreme is not unique or trivial."""
    scope = reference["scope"]
    inside = [(position, record) for position, unit in enumerate(context) for record in scoped(unit, scope)]
    if scope.get("single") and len({position for position, _ in inside}) > 1:
        raise Unfair("the records of the question lie in several payloads")
    if reference["operation"] == "lookup":
        answer, chosen = _lookup(reference, context)
        return Found(answer, {position for position, _ in chosen}, [record for _, record in chosen], len(inside))
    operations = {"count": _count, "frequent": _frequent, "extremum": _extremum}
    if reference["operation"] not in operations:
        raise Unfair(f"operation {reference['operation']!r} is unknown")
    answer, chosen = operations[reference["operation"]](reference, inside)
    return Found(answer, {position for position, _ in chosen}, [record for _, record in chosen], len(inside))


def scoped(unit: Unit, scope: dict[str, Any]) -> list[Record]:
    """The records of a scope in a unit; remembered by the unit."""
    places = [{"response": scope["response"], "records": scope["records"]}, *scope.get("also", ())]
    known = json.dumps(places, sort_keys=True)
    if known not in unit.found:
        start: Chain = ((None, unit.value),)
        unit.found[known] = [
            Record(chain)
            for place in places
            if _same(unit.value, place["response"]) or not place["response"]
            for chain in follow(start, place["records"])
        ]
    return unit.found[known]


def reach(value: Any, path: Sequence[Any]) -> list[Any]:
    """Everything that a path leads to from a value."""
    return [chain[-1][1] for chain in follow(((None, value),), path)]


def follow(start: Chain, path: Sequence[Any]) -> list[Chain]:
    """Everything that a path leads to, with what holds it; behind `#` stands the key itself."""
    reached = [start]
    for step in path:
        reached = [following for chain in reached for following in _entered(chain, step)]
    return reached


def _entered(chain: Chain, step: Any) -> list[Chain]:
    value = chain[-1][1]
    if step == "^":
        return [chain[:-1]] if len(chain) > 1 else []
    if step == "#":
        key = chain[-1][0]
        return [(*chain, ("#", key))] if isinstance(key, str) else []
    members = list(value.items()) if isinstance(value, dict) else []
    children = members or (list(enumerate(value)) if isinstance(value, list) else [])
    if step == "*":
        return [(*chain, child) for child in children]
    if isinstance(step, dict):
        return [(*chain, child) for child in children if _same(child[1], step)]
    if isinstance(step, list):
        return [(*chain, child) for child in members if child[0] in step]
    if isinstance(step, int):
        return [(*chain, child) for child in children if not members and child[0] == step]
    return [(*chain, (step, value[step]))] if isinstance(value, dict) and step in value else []


def _same(value: Any, wanted: dict[str, str]) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(
            key in value and (text == "*" or (type(value[key]) is str and value[key] == text))
            for key, text in wanted.items()
        )
    )


def values_of(record: Record, asked: dict[str, Any]) -> tuple[str, ...]:
    """The different values of a field."""
    known = _name(asked)
    if known not in record.known:
        sort = {"number": Number, "text": str, "flag": bool}[asked["type"]]
        found = {
            chain[-1][1]
            for path in (asked["path"], *asked.get("also", ()))
            for chain in follow(record.chain, path)
            if type(chain[-1][1]) is sort and str(chain[-1][1]).strip()
        }
        record.known[known] = tuple(str(value).lower() if sort is bool else str(value) for value in found)
    return record.known[known]


def value_of(record: Record, asked: dict[str, Any]) -> str | None:
    """The one value of a field, or None. Raises `Unfair` for several."""
    found = values_of(record, asked)
    if len(found) > 1:
        raise Unfair(f"a record holds {len(found)} different values of {asked['name']}")
    return found[0] if found else None


def _name(asked: dict[str, Any]) -> str:
    """What a field is remembered by."""
    return repr((asked["type"], asked["path"], asked.get("also")))


def _meets(record: Record, conditions: list[dict[str, Any]]) -> bool:
    near = None
    for condition in conditions:
        value = value_of(record, condition["field"])
        if value is None:
            return False
        if condition["operator"] == "equals":
            if value != condition["value"]:
                if folded(value) != folded(condition["value"]):
                    return False
                near = f"{value!r} and {condition['value']!r} differ in case or blanks only"
            continue
        number, bound = Decimal(value), Decimal(condition["value"])
        if number == bound:
            raise Unfair(f"{condition['field']['name']} of a record stands on the boundary {bound}")
        if (number > bound) != (condition["operator"] == "above"):
            return False
    if near:
        raise Unfair(near)
    return True


Inside = list[tuple[int, Record]]
Chosen = tuple[list[str], Inside]


def _lookup(reference: dict[str, Any], context: Sequence[Unit]) -> Chosen:
    answer: list[str] = []
    chosen: Inside = []
    for target in reference["targets"]:
        met = [
            (position, record)
            for position, unit in enumerate(context)
            for record in _candidates(unit, reference["scope"], target[0])
            if _meets(record, target)
        ]
        if len(met) != 1:
            described = ", ".join(condition["value"] for condition in target)
            raise Unfair(f"the description {described!r} fits {len(met)} records")
        if any(record is met[0][1] for _, record in chosen):
            raise Unfair("two descriptions mean the same record")
        chosen += met
        for asked in reference["fields"]:
            value = value_of(met[0][1], asked)
            if value is None:
                raise Unfair(f"{asked['name']} has no value")
            answer.append(value)
    return answer, chosen


def _candidates(unit: Unit, scope: dict[str, Any], condition: dict[str, Any]) -> list[Record]:
    """The records of a unit that may meet an equality: those with the value, whatever its case."""
    asked = condition["field"]
    known = json.dumps(["index", scope, _name(asked)], sort_keys=True)
    if known not in unit.found:
        index: dict[str, list[Record]] = {}
        for record in scoped(unit, scope):
            for value in values_of(record, asked):
                index.setdefault(folded(value), []).append(record)
        unit.found[known] = index
    return unit.found[known].get(folded(condition["value"]), [])


def _count(reference: dict[str, Any], inside: Inside) -> Chosen:
    met = [(position, record) for position, record in inside if _meets(record, reference["conditions"])]
    if not met or len(met) == len(inside):
        raise Unfair(f"{len(met)} of {len(inside)} records are counted")
    return [str(len(met))], met


def _frequent(reference: dict[str, Any], inside: Inside) -> Chosen:
    met = [(position, record) for position, record in inside if _meets(record, reference["conditions"])]
    met = [(position, record) for position, record in met if value_of(record, reference["field"]) is not None]
    counts = Counter(str(value_of(record, reference["field"])) for _, record in met)
    if len({folded(value) for value in counts}) < len(counts):
        raise Unfair(f"values of {reference['field']['name']} differ in case or blanks only")
    ranked, top = counts.most_common(), reference["top"]
    if len(ranked) <= top:
        raise Unfair(f"there are only {len(ranked)} values to choose {top} from")
    if ranked[top - 1][1] == ranked[top][1]:
        raise Unfair(f"{ranked[top - 1][0]!r} and {ranked[top][0]!r} are equally frequent")
    return [value for value, _ in ranked[:top]], met


def _extremum(reference: dict[str, Any], inside: Inside) -> Chosen:
    met = [(position, record) for position, record in inside if _meets(record, reference["conditions"])]
    met = [(position, record) for position, record in met if value_of(record, reference["field"]) is not None]
    values = [str(value_of(record, reference["field"])) for _, record in met]
    ordered = sorted(values, key=Decimal, reverse=reference["direction"] == "greatest")
    if len(ordered) < 2:
        raise Unfair(f"there are only {len(ordered)} values")
    if Decimal(ordered[0]) == Decimal(ordered[1]):
        raise Unfair(f"the extreme {ordered[0]} stands twice")
    return ordered[:1], met
