"""Faults in what a question says, and in the form of its answer."""

import re

from tests.validating.planting import fault


@fault("plain wording")
def leaked_path(subject, rng):
    kind = subject.question["reference"]["scope"]["records"]
    path = "$." + ".".join(str(step) for step in kind if isinstance(step, str))
    subject.question["text"] = f"{subject.question['text'][:-1]} at {path}[{rng.randrange(9)}]?"


@fault("plain wording")
def leaked_position(subject, rng):
    subject.question["text"] = f"Look at index {rng.randrange(9)}. {subject.question['text']}"


@fault("plain wording")
def leaked_key(subject, rng):
    """The question calls a field by its key."""
    keys = sorted(key for unit in subject.units for key in unit.keys if re.fullmatch(r"[a-z]+[A-Z]\w+", key))
    if not keys:
        return False
    subject.question["text"] = f"By its {rng.choice(keys)}: {subject.question['text']}"


@fault("not guessable")
def told_answer(subject, rng):
    subject.question["text"] = f"{subject.question['text'][:-1]}, such as {rng.choice(subject.question['answer'])}?"


@fault("answer form")
def empty_answer(subject, rng):
    subject.question["answer"][rng.randrange(len(subject.question["answer"]))] = rng.choice(["", " ", "null"])


@fault("answer form")
def missing_value(subject, rng):
    subject.question["answer"].pop()


@fault("order")
def order_not_said(subject, rng):
    if "order" not in subject.question["text"] or not subject.question["ordered"]:
        return False
    subject.question["text"] = subject.question["text"].replace("order", "way")


@fault("order")
def order_demanded_in_vain(subject, rng):
    subject.question["ordered"] = not subject.question["ordered"]


@fault("answer type")
def unknown_type(subject, rng):
    subject.question["answer_type"] = "date"


@fault("different values")
def values_that_scoring_confuses(subject, rng):
    answer = subject.question["answer"]
    if len(answer) < 2:
        return False
    number = subject.question["answer_type"] == "number"
    near = str(float(answer[0]) + 0.005) if number else answer[0].swapcase()
    subject.question["answer"] = [answer[0], near, *answer[2:]]


@fault("not guessable")
def masked_answer(subject, rng):
    subject.question["answer"][0] = rng.choice(
        ["redacted@example.org", "JWT.REDACTED", "000 0000 0000", "Pati\ufffdnt"]
    )


@fault("not guessable")
def address_that_the_question_ends_in(subject, rng):
    subject.question["text"] = f'{subject.question["text"][:-1]} of "Traditions"?'
    subject.question["answer"][0] = f"/pages/traditions{rng.choice(['', '.php', '.html', '/'])}"
