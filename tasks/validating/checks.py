"""What is checked of one example, each check by itself; a finding is a sentence, no finding is None."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations

from tasks.hashing import sha256
from tasks.validating.executing import Unfair, scoped, values_of
from tasks.validating.phrasing import (
    answer_is_not_told,
    order_is_said,
    values_stand_in_the_context,
    wording_is_plain,
)
from tasks.validating.reading import Unit, folded
from tasks.validating.subjects import Identity, Subject
from tasks.validating.values import DECIMAL

LEAST, MOST = 0.95, 1.0
"""Share of its length that a context reaches."""

OPERATIONS = {
    "fields_1": "lookup",
    "fields_2": "lookup",
    "fields_4": "lookup",
    "records_2": "lookup",
    "records_4": "lookup",
    "count": "count",
    "frequent": "frequent",
    "extremum": "extremum",
}
ANSWERS = {"fields_1": 1, "fields_2": 2, "fields_4": 4, "records_2": 2, "records_4": 4, "count": 1, "extremum": 1}


Check = Callable[[Subject], str | None]


def context_is_what_it_was(subject: Subject) -> str | None:
    """The rendered context has the recorded hash and length and reads as its payloads, one after the other."""
    if sha256(subject.context) != subject.example["context_sha256"]:
        return "the context has another hash than recorded"
    if len(subject.context) != subject.example["characters"]:
        return f"the context has {len(subject.context)} characters, not {subject.example['characters']}"
    for unit in subject.units:
        if not isinstance(unit.value, dict | list):
            return f"payload {unit.payload_id} is neither an object nor an array"
    return None


def payloads_are_themselves(subject: Subject) -> str | None:
    """Every payload's id is the hash of its text, and none stands twice."""
    ids = [payload["payload_id"] for payload in subject.payloads]
    if len(set(ids)) < len(ids):
        return "a payload stands twice in the context"
    for payload, unit in zip(subject.payloads, subject.units, strict=True):
        if unit.payload_id != payload["payload_id"]:
            return f"payload {payload['payload_id']} has another text than its id says"
    return None


def length_is_right(subject: Subject) -> str | None:
    """The tokens, counted anew, lie between 95 % and 100 % of the length and equal the recorded count."""
    length = subject.example["length"]
    if not LEAST * length <= subject.tokens <= MOST * length:
        return f"{subject.tokens} tokens are not 95 to 100 % of {length}"
    if subject.recorded_tokens != subject.tokens:
        return f"{subject.tokens} tokens were counted, {subject.recorded_tokens} recorded"
    return None


def answer_is_right(subject: Subject) -> str | None:
    """The reference, executed over the whole context by other code, gives the answer."""
    found, answer = subject.found.answer, subject.question["answer"]
    if subject.question["task"] == "frequent":
        same = Counter(found) == Counter(answer)
    else:
        same = len(found) == len(answer) and all(map(_equal, found, answer))
    return None if same else f"the answer is {answer}, the context says {found}"


def _equal(found: str, given: str) -> bool:
    """Whether two values are the same; numbers may be spelt in two ways, since some readers do not keep spellings."""
    number = DECIMAL.fullmatch(found) and DECIMAL.fullmatch(given)
    return found == given or (number is not None and float(found) == float(given))


def answer_is_an_answer(subject: Subject) -> str | None:
    """There are as many values as the task asks for, and none is empty."""
    answer, task = subject.question["answer"], subject.question["task"]
    wanted = ANSWERS.get(task) or subject.question["reference"].get("top")
    if not isinstance(answer, list) or len(answer) != wanted:
        return f"{len(answer)} values answer a question for {wanted}"
    if any(not isinstance(value, str) or not value.strip() or value == "null" for value in answer):
        return "a value of the answer is empty"
    if OPERATIONS.get(task) != subject.question["reference"]["operation"]:
        return f"task {task} has a reference for {subject.question['reference']['operation']}"
    return None


def values_differ(subject: Subject) -> str | None:
    """No two values of an answer would be taken for each other: numbers within 0.01 or 0.1 %, texts but for case."""
    answer, number = subject.question["answer"], subject.question["answer_type"] == "number"
    for one, other in combinations(answer, 2):
        near = number and abs(float(one) - float(other)) <= max(0.01, abs(float(one)) / 1000, abs(float(other)) / 1000)
        if near or folded(one) == folded(other):
            return f"scoring would take {one!r} and {other!r} of the answer for each other"
    return None


def answer_type_fits(subject: Subject) -> str | None:
    """Values that are compared as numbers are numbers."""
    if subject.question["answer_type"] not in ("text", "number"):
        return f"answer type {subject.question['answer_type']!r} is unknown"
    number = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
    if subject.question["answer_type"] == "number":
        wrong = [value for value in subject.question["answer"] if not number.fullmatch(value)]
        return f"{wrong[0]!r} is compared as a number" if wrong else None
    return None


def description_is_unique(subject: Subject) -> str | None:
    """A text that alone describes a record stands, whatever its case, nowhere outside that record.

    What else describes records was held against all records of the scope when the reference was executed.
    """
    reference = subject.question["reference"]
    if reference["operation"] != "lookup":
        return None
    positions = sorted(subject.found.responses)
    for target, record in zip(reference["targets"], subject.found.records, strict=True):
        for condition in target:
            if condition["value"] not in subject.question["text"]:
                return f"{condition['value']!r} is not in the question"
        asked = target[0]["field"]
        alone = len(target) == 1 and asked["type"] == "text" and asked["path"][-1:] != ["#"]
        if not alone or reference["scope"].get("single"):
            continue
        value = folded(target[0]["value"])
        units = (subject.units[position] for position in positions)
        holder = next(unit for unit in units if record in scoped(unit, reference["scope"]))
        everywhere = sum(unit.strings[value] for unit in subject.units)
        if everywhere != holder.inside(record.value)[value]:
            return f"{target[0]['value']!r} also stands outside the record that it describes"
    return None


def scope_is_alone(subject: Subject) -> str | None:
    """What a single scope is called by is a key once in the context: what is declared so, and nothing inside."""
    scope = subject.question["reference"]["scope"]
    if not scope.get("single"):
        return None
    name = scope["records"][0]
    declared = sum(isinstance(unit.value, dict) and name in unit.value for unit in subject.units)
    standing = sum(unit.named[name] for unit in subject.units)
    return None if declared == standing == 1 else f"{standing} keys are {name!r}, {declared} of them declared"


def no_entity_stands_twice(subject: Subject) -> str | None:
    """No two records of the context are about the same entity: they might contradict each other."""
    for kind, identity in subject.identities.items():
        seen: set[tuple[str, ...]] = set()
        for unit in subject.units:
            known = ("entities", kind)
            if known not in unit.found:
                unit.found[known] = list(_entities(unit, identity))
            for entity in unit.found[known]:
                if entity in seen:
                    return f"{kind} {' '.join(entity)} stands twice in the context"
                seen.add(entity)
    return None


def _entities(unit: Unit, identity: Identity) -> Iterator[tuple[str, ...]]:
    for record in scoped(unit, identity.scope):
        values = [values_of(record, asked) for asked in identity.fields]
        if all(len(found) == 1 for found in values):
            yield tuple(found[0] for found in values)


def supporting_is_right(subject: Subject) -> str | None:
    """The recorded positions are those of the responses with the asked-about records."""
    recorded = subject.example["supporting"]
    if sorted(subject.found.responses) != recorded:
        return f"the records stand in responses {sorted(subject.found.responses)}, recorded are {recorded}"
    return None


def provenance_is_known(subject: Subject) -> str | None:
    """Every payload names a source that there is, and a licence."""
    for payload in subject.payloads:
        if payload["source_sample"] is None:
            return f"payload {payload['payload_id']} names source {payload['source']!r}, which does not exist"
        if not (payload["licence"] or "").strip():
            return f"payload {payload['payload_id']} of {payload['source']} has no licence"
    return None


def sample_is_labelled(subject: Subject) -> str | None:
    """Sample data is labelled as such in example, question, payloads and sources, and never mixed with other data."""
    wanted = bool(subject.example["sample"])
    if bool(subject.question["sample"]) != wanted:
        return "example and question differ in their sample label"
    for payload in subject.payloads:
        labels = {bool(payload["sample"]), bool(payload["source_sample"]), payload["source"].endswith("-sample")}
        if labels != {wanted}:
            return f"payload {payload['payload_id']} of {payload['source']} is labelled otherwise"
    return None


CHECKS: dict[str, Check] = {
    "context": context_is_what_it_was,
    "payloads": payloads_are_themselves,
    "length": length_is_right,
    "answer": answer_is_right,
    "answer form": answer_is_an_answer,
    "answer type": answer_type_fits,
    "different values": values_differ,
    "order": order_is_said,
    "unique description": description_is_unique,
    "scope": scope_is_alone,
    "one record an entity": no_entity_stands_twice,
    "verbatim": values_stand_in_the_context,
    "not guessable": answer_is_not_told,
    "plain wording": wording_is_plain,
    "supporting payloads": supporting_is_right,
    "provenance": provenance_is_known,
    "sample label": sample_is_labelled,
}


def examine(subject: Subject) -> dict[str, str | None]:
    """Every check with what it found; a check that cannot be carried out has found that."""
    found: dict[str, str | None] = {}
    for name, check in CHECKS.items():
        try:
            found[name] = check(subject)
        except Unfair as unfair:
            found[name] = str(unfair)
        except (ValueError, KeyError, TypeError, ArithmeticError) as error:
            found[name] = f"cannot be checked: {type(error).__name__}: {error}"
    return found
