"""Questions in plain words, from templates in `datasets/wording/<dataset>.yaml`."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from random import Random
from typing import Any

from tasks.building.kinds import Description, FieldSpec, Kind
from tasks.building.naming import ordinary, wording_of
from tasks.building.reference import Condition, Path
from tasks.errors import Fault

NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}
TASKS = ("fields_1", "fields_2", "fields_4", "records_2", "records_4", "count", "frequent", "extremum")

_QUOTED = re.compile(r'"[^"]*"')
_WORD = re.compile(r"[\w#@$/-]+")
_PLAIN = re.compile(r"[A-Z]?[a-z]*|[0-9]+")


@cache
def templates(dataset: str) -> dict[str, list[str]]:
    """Templates by task (and variant). Raises `Fault` when one is missing."""
    found = wording_of(dataset)
    for task in (*TASKS, "frequent_1"):
        if not found.get(task):
            raise Fault(f"datasets/wording/{dataset}.yaml has no templates for {task}.")
    return found


def worded(dataset: str, task: str, rng: Random, **parts: Any) -> tuple[str, str]:
    """A question and the name of the template that it was made from."""
    choices = templates(dataset)[task]
    number = rng.randrange(len(choices))
    return choices[number].format(**parts), f"{task}.{number + 1}"


def coined(dataset: str, question: str) -> set[str]:
    """The words of a question that would name a key if its context held them: those no sentence of English has.

    Quoted words and what the dataset declares ordinary are left out.
    """
    return {word for word in _spoken(question) if not _PLAIN.fullmatch(word)} - ordinary(dataset)


def names_a_key(dataset: str, question: str, paths: Sequence[Path]) -> bool:
    """Whether a question says a key that it asks about, as it is written in the data."""
    keys = {key for path in paths for step in path for key in _keys(step)}
    return bool(_spoken(question) & keys - ordinary(dataset))


def refuse_names_that_are_keys(dataset: str, kinds: Iterable[Kind]) -> None:
    """Raise `Fault` for a field that could never be asked for, as its name says its key."""
    for kind in kinds:
        for name, spec in kind.fields.items():
            if spec.uses and names_a_key(dataset, spec.full_name, [spec.path, *spec.also]):
                raise Fault(
                    f"Field {name} of record kind {kind.kind} in datasets/{dataset}/ could never be asked for, as its "
                    f"name {spec.full_name!r} says its key as the data has it: give it another name or, where the key "
                    f"is an ordinary word, add it to ordinary_words in datasets/wording/{dataset}.yaml."
                )


def _keys(step: Any) -> tuple[str, ...]:
    if isinstance(step, dict):
        return (*step.keys(), *step.values())
    return (step,) if isinstance(step, str) else tuple(step) if isinstance(step, tuple) else ()


def _spoken(question: str) -> set[str]:
    return set(_WORD.findall(_QUOTED.sub(" ", question)))


def described(description: Description, records: Sequence[Sequence[str]]) -> str:
    """One record, or several, each by the values that tell it from all others."""
    shown = [[f'"{value}"' if description.quoted else value for value in values] for values in records]
    if description.many is None or len(shown) == 1:
        named = [description.one.format(*values, value=values[0]) for values in shown]
        return named[0] if len(named) == 1 else f"the following: {listed(named)}"
    return description.many.format(values=listed([values[0] for values in shown]))


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def scope(kind: Kind, conditions: Sequence[Condition]) -> str:
    """The records of a kind that meet conditions: `works whose year of publication is later than 1999`."""
    phrases = [_condition(kind.fields[condition.field.name], condition) for condition in conditions]
    return " and ".join([f"{kind.many}{kind.joint}{phrases[0]}", *phrases[1:]]) if phrases else kind.many


def _condition(spec: FieldSpec, condition: Condition) -> str:
    if spec.type == "flag":
        return f"that {spec.name if condition.value == 'true' else spec.negation}"
    if condition.operator == "equals":
        return f'whose {spec.name} is "{condition.value}"'
    more, less = spec.comparisons
    unit = f" {spec.unit}" if spec.unit else ""
    return f"whose {spec.name} is {more if condition.operator == 'above' else less} {condition.value}{unit}"
