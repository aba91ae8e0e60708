"""Faults planted into built examples: each must be found, by the check that is there for it."""

import copy
import json
import random
from pathlib import Path

import pytest

from tasks.hashing import content_id, sha256
from tasks.tokens.tokenizer import load
from tasks.validating.checks import CHECKS, examine
from tasks.validating.subjects import Subject
from tasks.validating.subjects import subjects as subjects_of
from tasks.validating.validate import EXAMPLES
from tasks.warehouse import snapshot
from tasks.warehouse.contexts import render


@pytest.fixture(scope="module")
def subjects(built) -> list[Subject]:
    tokenizer = load("qwen", built.home)
    with snapshot.reader(built.home) as connection:
        examples = snapshot.fetch(connection, EXAMPLES, ["qwen", built.build_id])
        return list(subjects_of(connection, built.build_id, "json", examples, tokenizer))


def of(subjects, *tasks) -> Subject:
    """A copy of the first example of one of the tasks, which a test may spoil."""
    found = next(subject for subject in subjects if subject.question["task"] in tasks)
    plain = {name: copy.deepcopy(getattr(found, name)) for name in Subject.__dataclass_fields__}
    return Subject(**plain)


def rebuilt(subject: Subject, texts: list[str]) -> Subject:
    """The subject over other payload texts, with everything recorded anew as if a builder had made it so."""
    tokens = subject.tokens
    subject.payloads = [
        dict(payload, text=text, payload_id=content_id("json", text))
        for payload, text in zip(subject.payloads, texts, strict=True)
    ]
    subject.context = render("json", texts)
    subject.example = dict(subject.example) | {
        "context_sha256": sha256(subject.context),
        "characters": len(subject.context),
    }
    subject.tokens = subject.recorded_tokens = tokens
    return subject


def findings(subject: Subject) -> dict[str, str]:
    return {name: found for name, found in examine(subject).items() if found}


def test_what_was_built_passes(subjects):
    assert len(subjects) == 16
    for subject in subjects:
        assert findings(subject) == {}, subject.question


@pytest.mark.parametrize("task", ["fields_1", "fields_4", "records_2", "count", "frequent", "extremum"])
def test_a_wrong_answer_is_found(subjects, task):
    subject = of(subjects, task)
    answer = subject.question["answer"]
    wrong = [str(float(answer[0]) + 1) if subject.question["answer_type"] == "number" else answer[0] + "x", *answer[1:]]
    subject.question = dict(subject.question, answer=wrong)
    assert "answer" in findings(subject)


def test_values_that_scoring_does_not_tell_apart_are_found(subjects):
    subject = of(subjects, "records_4")
    for answer_type, answer in [("number", ["1366", "12", "7", "1365"]), ("text", ["high", "low", "HIGH", "no"])]:
        subject.question = dict(subject.question, answer=answer, answer_type=answer_type)
        assert "different values" in findings(subject)
    subject.question = dict(subject.question, answer=["0.02", "0.04", "13", "14"], answer_type="number")
    assert "different values" not in findings(subject)


@pytest.mark.parametrize("task", ["fields_2", "fields_4", "records_2", "records_4"])
def test_a_swapped_order_is_found(subjects, task):
    subject = of(subjects, task)
    answer = subject.question["answer"]
    subject.question = dict(subject.question, answer=answer[::-1])
    assert "answer" in findings(subject)


def test_an_altered_value_in_the_context_is_found(subjects):
    for subject in [of(subjects, task) for task in ("fields_1", "fields_4", "records_4", "extremum")]:
        value = subject.question["answer"][0]
        number = subject.question["answer_type"] == "number"
        new = value + "1" if number else value + " too"
        texts = [payload["text"].replace(value, new) for payload in subject.payloads]
        assert findings(rebuilt(subject, texts))


def test_a_second_matching_record_is_found(subjects):
    for subject in [of(subjects, task) for task in ("fields_1", "records_2")]:
        (position, *_) = subject.example["supporting"]
        other = next(at for at in range(len(subject.payloads)) if at not in subject.example["supporting"])
        texts = [payload["text"] for payload in subject.payloads]
        texts[other] = texts[position].replace('"status":"', '"status":"x')
        found = findings(rebuilt(subject, texts))
        assert "unique description" in found
        assert "one record an entity" in found or "payloads" in found


def test_a_description_that_stands_elsewhere_too_is_found(subjects):
    subject = of(subjects, "fields_1")
    value = subject.question["reference"]["targets"][0][0]["value"]
    other = next(at for at in range(len(subject.payloads)) if at not in subject.example["supporting"])
    texts = [payload["text"] for payload in subject.payloads]
    document = json.loads(texts[other])
    document["remark"] = value.upper()
    texts[other] = json.dumps(document)
    assert "unique description" in findings(rebuilt(subject, texts))


def test_a_record_added_to_an_aggregation_is_found(subjects):
    subject = of(subjects, "count")
    (position, *_) = subject.example["supporting"]
    texts = [payload["text"] for payload in subject.payloads]
    texts.append(texts[position])
    subject.payloads = [*subject.payloads, subject.payloads[position]]
    found = findings(rebuilt(subject, texts))
    assert {"answer", "supporting payloads", "payloads"} <= found.keys()


@pytest.mark.parametrize("share", [0.9, 1.01])
def test_a_wrong_length_is_found(subjects, share):
    subject = of(subjects, "extremum")
    subject.tokens = subject.recorded_tokens = int(2048 * share)
    assert list(findings(subject)) == ["length"]


def test_a_wrong_recorded_count_is_found(subjects):
    subject = of(subjects, "extremum")
    subject.recorded_tokens = subject.tokens - 1
    assert list(findings(subject)) == ["length"]
    subject.recorded_tokens = None
    assert list(findings(subject)) == ["length"]


@pytest.mark.parametrize("addition", [" ", "\n"])
def test_another_context_than_recorded_is_found(subjects, addition):
    subject = of(subjects, "count")
    subject.context += addition
    assert "context" in findings(subject)


def test_a_payload_text_that_is_not_what_its_id_says_is_found(subjects):
    subject = of(subjects, "frequent")
    changed = dict(subject.payloads[0], text=subject.payloads[0]["text"] + " ")
    subject.payloads = [changed, *subject.payloads[1:]]
    assert "payloads" in findings(subject)


@pytest.mark.parametrize(
    ("leak", "check"),
    [
        ("Look at $.features[3] and state its magnitude.", "plain wording"),
        ("What is properties.mag.value of the event?", "plain wording"),
        ("What is the is-referenced-by-count of the work?", "plain wording"),
        ("What is the magType of the event?", "plain wording"),
        ("What is the base_score of the entry?", "plain wording"),
        ("What stands at index 4 of the list?", "plain wording"),
    ],
)
def test_a_leaked_path_key_or_index_is_found(subjects, leak, check):
    mixed = next(
        subject for subject in subjects if "magType" in subject.context and "is-referenced-by-count" in subject.context
    )
    subject = of([mixed], mixed.question["task"])
    subject.question = dict(subject.question, text=leak)
    assert check in findings(subject)


def test_a_question_that_tells_its_answer_is_found(subjects):
    subject = of(subjects, "fields_1")
    told = f"{subject.question['text'][:-1]}, which is {subject.question['answer'][0]}?"
    subject.question = dict(subject.question, text=told)
    assert "not guessable" in findings(subject)


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"answer": []}, "answer form"),
        ({"answer": [""]}, "answer form"),
        ({"answer": ["null"]}, "answer form"),
        ({"answer": ["many"], "answer_type": "number"}, "answer type"),
        ({"answer_type": "date"}, "answer type"),
        ({"ordered": True}, "order"),
        ({"task": "fields_2"}, "answer form"),
        ({"sample": False}, "sample label"),
    ],
)
def test_a_form_that_does_not_fit_is_found(subjects, changes, check):
    subject = of(subjects, "fields_1")
    subject.question = dict(subject.question) | changes
    assert check in findings(subject)


def test_an_order_that_is_not_said_is_found(subjects):
    subject = of(subjects, "records_2")
    subject.question = dict(subject.question, text=subject.question["text"].replace("order", "way"))
    assert "order" in findings(subject)


def test_wrong_supporting_positions_are_found(subjects):
    for task in ("fields_1", "records_4", "count", "extremum"):
        subject = of(subjects, task)
        subject.example = dict(subject.example, supporting=[len(subject.payloads)])
        assert list(findings(subject)) == ["supporting payloads"]


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"licence": None}, "provenance"),
        ({"licence": " "}, "provenance"),
        ({"source_sample": None}, "provenance"),
        ({"sample": False}, "sample label"),
        ({"source_sample": False}, "sample label"),
        ({"source": "usgs"}, "sample label"),
    ],
)
def test_payloads_without_provenance_or_label_are_found(subjects, changes, check):
    subject = of(subjects, "count")
    subject.payloads = [dict(subject.payloads[0]) | changes, *subject.payloads[1:]]
    assert check in findings(subject)


def test_a_context_that_is_no_json_is_found_and_not_a_traceback(subjects):
    subject = of(subjects, "count")
    texts = [payload["text"] for payload in subject.payloads]
    texts[0] = texts[0][:-1]
    found = findings(rebuilt(subject, texts))
    assert "cannot be checked" in found["answer"]


def test_a_repeated_key_is_found(subjects):
    subject = of(subjects, "count")
    texts = [payload["text"] for payload in subject.payloads]
    texts[0] = '{"status":1,"status":2,' + texts[0][1:]
    assert "stands twice in an object" in findings(rebuilt(subject, texts))["context"]


def test_faults_planted_at_random_are_all_found(subjects):
    """Whatever record of the answer is changed in the context, or dropped from it, shows."""
    rng = random.Random(7)
    planted = 0
    for subject in subjects * 3:
        spoiled = of([subject], subject.question["task"])
        texts = [payload["text"] for payload in spoiled.payloads]
        position = rng.choice(spoiled.example["supporting"])
        others = [at for at in range(len(texts)) if at not in spoiled.example["supporting"]]
        if spoiled.question["reference"]["operation"] == "lookup" and others:
            texts[position], texts[others[0]] = texts[others[0]], texts[position]
        else:
            texts[position] = "{}"
        assert findings(rebuilt(spoiled, texts)), spoiled.question["text"]
        planted += 1
    assert planted == 48


def test_every_check_has_a_fault_here_that_it_finds():
    source = Path(__file__).read_text("utf-8")
    assert all(f'"{name}"' in source or f"['{name}']" in source for name in CHECKS if name not in ("verbatim", "scope"))


def test_a_value_that_is_written_otherwise_is_found(subjects):
    subject = of(subjects, "fields_1")
    value = subject.question["reference"]["targets"][0][0]["value"]
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in value)
    texts = [payload["text"].replace(f'"{value}"', f'"{escaped}"') for payload in subject.payloads]
    assert "verbatim" in findings(rebuilt(subject, texts))


def test_a_backslash_that_the_context_writes_twice_is_not_verbatim(subjects):
    subject = of(subjects, "fields_1")
    subject.question["answer"] = ["\\u{1F600}"]
    subject.context += '{"mark": "\\u{1F600}"}'
    assert "verbatim" not in findings(subject)
    subject.context = subject.context.replace("\\u{1F600}", "\\\\u{1F600}")
    assert "does not stand" in findings(subject)["verbatim"]
