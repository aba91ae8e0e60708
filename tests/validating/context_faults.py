"""Faults in what a context holds, and in what was recorded of it."""

import re

from tasks.validating.subjects import Subject
from tests.validating.planting import beside, fault, lookup, recorded, texts


@fault("answer")
def wrong_answer(subject, rng):
    at = rng.randrange(len(subject.question["answer"]))
    subject.question["answer"][at] += "7" if subject.question["answer_type"] == "number" else " Quux"


@fault("answer")
def answer_of_another_record(subject, rng):
    """A value that stands in the context, but belongs to something else."""
    if subject.question["answer_type"] == "number":
        return False
    said = subject.units[-1].strings
    others = [text for text in said if text.isalpha() and len(text) > 3 and text not in subject.question["answer"]]
    if not others:
        return False
    subject.question["answer"][0] = rng.choice(sorted(others))


@fault("answer")
def swapped_order(subject, rng):
    answer = subject.question["answer"]
    if not subject.question["ordered"] or answer[0] == answer[-1]:
        return False
    answer[0], answer[-1] = answer[-1], answer[0]


@fault("answer")
def altered_value(subject, rng):
    """The context says something else than when the question was made."""
    if not lookup(subject):
        return False
    value = subject.question["answer"][0]
    pattern = rf"(?<![\w.]){re.escape(value)}(?![\w.])"
    new = value + ("1" if subject.question["answer_type"] == "number" else "x")
    recorded(subject, [re.sub(pattern, lambda _: new, text) for text in texts(subject)])


@fault("answer")
def second_matching_record(subject, rng):
    """A payload with the described record stands a second time, in slightly other words."""
    spare = beside(subject)
    if not lookup(subject) or not spare:
        return False
    found = texts(subject)
    found[rng.choice(spare)] = found[subject.example["supporting"][0]] + "\n"
    recorded(subject, found)


@fault("supporting payloads")
def missing_record(subject, rng):
    found = texts(subject)
    if len(found) < 2:
        return False
    del found[subject.example["supporting"][0]]
    recorded(subject, found)


@fault("payloads")
def record_counted_twice(subject, rng):
    if lookup(subject):
        return False
    found = texts(subject)
    recorded(subject, [*found, found[subject.example["supporting"][0]]])


@fault("unique description")
def description_stands_elsewhere(subject, rng):
    """What should tell the record from all others is said by another payload too."""
    asked = subject.question["reference"].get("targets", [[]])[0]
    spare = beside(subject)
    if len(asked) != 1 or asked[0]["field"]["type"] != "text" or asked[0]["field"]["path"][-1:] == ["#"]:
        return False
    if not spare or subject.question["reference"]["scope"].get("single"):
        return False
    value = asked[0]["value"]
    extra = {"json": '"%s"', "yaml": '- "%s"\n', "html": "<p>%s</p>", "javascript": 'const other = ["%s"];'}
    found = texts(subject)
    found[rng.choice(spare)] = extra[subject.payloads[0]["format"]] % value.upper()
    recorded(subject, found)


@fault("length")
def too_short(subject, rng):
    spare = beside(subject)
    if not spare:
        return False
    subject.tokens = subject.recorded_tokens = int(subject.example["length"] * rng.uniform(0.3, 0.949))


@fault("length")
def too_long(subject, rng):
    subject.tokens = subject.recorded_tokens = subject.example["length"] + rng.randrange(1, 400)


@fault("length")
def wrong_count_of_tokens(subject, rng):
    subject.recorded_tokens = subject.tokens + rng.choice([-2, -1, 1, 2])


@fault("payloads")
def payload_twice(subject, rng):
    again = rng.choice(subject.payloads)
    recorded(subject, [*texts(subject), again["text"]])


@fault("supporting payloads")
def wrong_support(subject, rng):
    subject.example["supporting"] = [len(subject.payloads)]


@fault("context")
def other_context_than_recorded(subject, rng):
    at = rng.randrange(len(subject.context))
    subject.context = subject.context[:at] + "~" + subject.context[at:]


@fault("context")
def other_order_of_payloads(subject, rng):
    if len(subject.payloads) < 2:
        return False
    subject.payloads = [*subject.payloads[1:], subject.payloads[0]]


@fault("payloads")
def other_text_than_the_id(subject, rng):
    payload = dict(subject.payloads[0], payload_id="0" * 32)
    subject.payloads = [payload, *subject.payloads[1:]]


@fault("provenance")
def no_licence(subject, rng):
    subject.payloads = [*subject.payloads[:-1], dict(subject.payloads[-1], licence=rng.choice([None, " "]))]


@fault("provenance")
def unknown_source(subject, rng):
    subject.payloads = [*subject.payloads[:-1], dict(subject.payloads[-1], source="nowhere", source_sample=None)]


@fault("sample label")
def unlabelled_sample(subject, rng):
    subject.payloads = [dict(subject.payloads[0], sample=False), *subject.payloads[1:]]


@fault("answer")
def value_on_the_boundary(subject, rng):
    conditions = subject.question["reference"].get("conditions", [])
    numbers = [condition for condition in conditions if condition["operator"] in ("above", "below")]
    if not numbers:
        return False
    from tasks.validating.executing import scoped, values_of

    asked = numbers[0]["field"]
    scope = subject.question["reference"]["scope"]
    found = [value for unit in subject.units for record in scoped(unit, scope) for value in values_of(record, asked)]
    numbers[0]["value"] = rng.choice(found)


@fault("answer")
def count_of_everything(subject, rng):
    if subject.question["task"] != "count":
        return False
    everything = subject.found.scope
    subject.question["reference"]["conditions"] = []
    subject.question["answer"] = [str(everything)]


@fault("answer")
def tied_at_the_boundary(subject, rng):
    """As many values as there are: nothing tells the last of them from the next."""
    if subject.question["task"] != "frequent":
        return False
    subject.question["reference"]["top"] = 50


def declared_as_well(subject: Subject, declaration: str) -> bool:
    """Add a declaration that holds the name of the list or table asked about."""
    scope = subject.question["reference"]["scope"]
    if not scope.get("single"):
        return False
    recorded(subject, [*texts(subject), declaration.format(scope["records"][0])])
    return True


@fault("scope")
def list_declared_twice(subject, rng):
    """Two declarations have the name that the question calls its list or table by."""
    return declared_as_well(subject, "var {} = [];")


@fault("scope")
def list_of_the_same_name_inside(subject, rng):
    """Something inside another declaration has the name that the question calls its list or table by."""
    return declared_as_well(subject, "var another = [{{{}: []}}];")


@fault("answer")
def described_record_in_other_letters(subject, rng):
    """A second record whose description differs by case and blanks only."""
    spare = beside(subject)
    asked = subject.question["reference"].get("targets", [[]])[0]
    if not spare or not asked or asked[0]["field"]["path"][-1:] == ["#"]:
        return False
    value = asked[0]["value"]
    if asked[0]["field"]["type"] != "text" or value == value.upper() or subject.payloads[0]["format"] == "html":
        return False
    found = texts(subject)
    again = found[subject.example["supporting"][0]].replace(value, value.upper())
    if again == found[subject.example["supporting"][0]]:
        return False
    found[rng.choice(spare)] = again
    recorded(subject, found)


@fault("answer")
def tie_for_the_extreme(subject, rng):
    """Another payload with the extreme value: two records share it."""
    if subject.question["task"] != "extremum" or subject.question["reference"]["scope"].get("single"):
        return False
    found = texts(subject)
    holders = [
        at for at in subject.example["supporting"] if f"{subject.question['answer'][0]}" in subject.payloads[at]["text"]
    ]
    recorded(subject, [*found, found[holders[0]] + ("\n" if subject.payloads[0]["format"] != "yaml" else "\n\n")])


@fault("context")
def context_that_does_not_parse(subject, rng):
    found = texts(subject)
    at = rng.choice(subject.example["supporting"])
    broken = {"json": found[at][:-1], "yaml": found[at] + "\n  : [", "javascript": found[at] + " }"}
    if subject.payloads[0]["format"] not in broken:
        return False  # a page never fails to parse
    found[at] = broken[subject.payloads[0]["format"]]
    recorded(subject, found)
