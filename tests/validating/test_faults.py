"""Two hundred faults and more, planted into sound examples of every dataset and task: the validator finds each."""

import copy
import random
from collections import Counter

import pytest

from tasks.building.examples import Column
from tasks.building.wording import TASKS
from tasks.validating.checks import CHECKS, examine
from tasks.validating.subjects import Subject
from tests.building.conftest import bench_of, material_of
from tests.validating import context_faults, question_faults
from tests.validating.planting import FAULTS, Fault

PLANTED = (context_faults, question_faults)
"""The modules that list faults."""

DATASETS = ["json", "html", "yaml", "javascript"]


@pytest.fixture(scope="module")
def sound() -> list[Subject]:
    """An example of every dataset and task, which the validator accepts."""
    found = []
    for dataset in DATASETS:
        material, bench = material_of(dataset), bench_of(dataset)
        for task in TASKS:
            (example,) = material.made(bench, Column(dataset, task, (4096,), "test", 11), 1)
            found.append(material.subject(example))
    return found


def spoiled(subject: Subject, plant: Fault, seed: str) -> Subject | None:
    """A copy with a fault, or None where the fault does not apply."""
    made = Subject(
        example=copy.deepcopy(subject.example),
        question=copy.deepcopy(subject.question),
        payloads=subject.payloads,
        context=subject.context,
        tokens=subject.tokens,
        recorded_tokens=subject.recorded_tokens,
        identities=subject.identities,
        ordinary_words=subject.ordinary_words,
        library=subject.library,
    )
    applies = plant(made, random.Random(seed))
    for name in ("units", "found"):
        made.__dict__.pop(name, None)
    return None if applies is False else made


def test_all_of_two_hundred_planted_faults_are_found(sound):
    assert len(sound) == 32
    for subject in sound:
        assert not any(examine(subject).values()), (subject.question, examine(subject))
    planted: Counter[str] = Counter()
    missed = []
    for name, (plant, check) in FAULTS.items():
        for number, subject in enumerate(sound):
            made = spoiled(subject, plant, f"{name} {number}")
            if made is not None:
                planted[name] += 1
                if not examine(made)[check]:
                    missed.append((name, subject.question["text"], subject.question["answer"]))
    assert missed == []
    assert planted.keys() == FAULTS.keys(), "every fault applies to some example"
    assert planted.total() >= 200
    assert {check for _, check in FAULTS.values()} >= CHECKS.keys() - {"verbatim", "one record an entity"}
