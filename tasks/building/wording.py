"""Questions in plain words, from templates in `datasets/wording/<dataset>.yaml`."""

import re
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from tasks.building.kinds import Description, FieldSpec, Kind
from tasks.building.reference import Condition
from tasks.errors import Fault
from tasks.home import PROJECT

NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}
TASKS = ("fields_1", "fields_2", "fields_4", "records_2", "records_4", "count", "frequent", "extremum")


@cache
def templates(dataset: str) -> dict[str, list[str]]:
    """Templates by task (and variant). Raises `Fault` when one is missing."""
    from ruamel.yaml import YAML

    path = PROJECT / "datasets" / "wording" / f"{dataset}.yaml"
    found = YAML(typ="safe", pure=True).load(path.read_text("utf-8")) if path.is_file() else {}
    for task in (*TASKS, "frequent_1"):
        if not found.get(task):
            raise Fault(f"datasets/wording/{dataset}.yaml has no templates for {task}.")
    return found


def worded(dataset: str, task: str, rng: Random, **parts: Any) -> tuple[str, str]:
    """A question and the name of the template that it was made from."""
    choices = templates(dataset)[task]
    number = rng.randrange(len(choices))
    return choices[number].format(**parts), f"{task}.{number + 1}"


def spoken(dataset: str, question: str) -> set[str]:
    """The words of a question that may not be keys of its context: all but quoted ones and ordinary words."""
    plain = re.sub(r'"[^"]*"', " ", question)
    return set(re.findall(r"[\w#@$/-]+", plain)) - set(templates(dataset)["ordinary_words"])


def described(description: Description, values: Sequence[str]) -> str:
    """One record, or several, by the value that tells each from all others."""
    shown = [f'"{value}"' if description.quoted else value for value in values]
    if len(shown) == 1:
        return description.one.format(value=shown[0])
    return description.many.format(values=listed(shown))


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def scope(kind: Kind, conditions: Sequence[Condition]) -> str:
    """The records of a kind that meet conditions: `works whose year of publication is later than 1999`."""
    phrases = [_condition(kind.fields[condition.field.name], condition) for condition in conditions]
    return " and ".join([f"{kind.many} {phrases[0]}", *phrases[1:]]) if phrases else kind.many


def _condition(spec: FieldSpec, condition: Condition) -> str:
    if condition.operator == "equals":
        return f'whose {spec.name} is "{condition.value}"'
    more, less = spec.comparisons
    unit = f" {spec.unit}" if spec.unit else ""
    return f"whose {spec.name} is {more if condition.operator == 'above' else less} {condition.value}{unit}"
