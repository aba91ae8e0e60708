import json
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest

from tasks.building.build import build
from tasks.collecting.collect import collect
from tasks.errors import Fault, UserError
from tasks.validating import dividing, javascript_reading
from tasks.validating.validate import EXAMPLES, require_valid, validate
from tasks.warehouse import journal
from tasks.warehouse.ingest import sync
from tasks.warehouse.snapshot import rows


def with_other_examples(version, change) -> str:
    """Another version, whose examples are those of `version` after `change(rows)` has spoiled the first of them."""
    home, spoiled = version.home, "f" * 32
    found = rows(
        home,
        "SELECT e.* FROM build_examples b JOIN examples e USING (example_id) WHERE build_id = ?",
        [version.build_id],
    )
    first = min(found, key=lambda row: row["example_id"])
    first["supporting"] = json.loads(first["supporting"])
    (question,) = rows(home, "FROM questions WHERE question_id = ?", [first["question_id"]])
    question["reference"], question["answer"] = json.loads(question["reference"]), json.loads(question["answer"])
    payloads = rows(home, "FROM example_payloads WHERE example_id = ?", [first["example_id"]])
    tokens = rows(home, "FROM context_tokens WHERE example_id = ?", [first["example_id"]])
    kept = [row["example_id"] for row in found if row is not first]
    example = dict(first, example_id="e" * 32, question_id="d" * 32)
    question["question_id"] = "d" * 32
    change(example, question)
    (build,) = rows(home, "FROM builds WHERE build_id = ?", [version.build_id])
    build |= {"build_id": spoiled, "parameters": json.loads(build["parameters"])}
    journal.write(home, "questions", [question])
    journal.write(home, "examples", [example])
    journal.write(home, "example_payloads", [dict(row, example_id="e" * 32) for row in payloads])
    journal.write(home, "context_tokens", [dict(row, example_id="e" * 32) for row in tokens])
    journal.write(home, "builds", [build])
    journal.write(home, "build_examples", [{"build_id": spoiled, "example_id": n} for n in [*kept, "e" * 32]])
    sync(home)
    return spoiled


def test_a_sound_version_is_valid_and_checked_once(copied):
    with pytest.raises(UserError, match="has not been validated"):
        require_valid(copied.home, copied.build_id)
    counts = validate(copied.home, copied.build_id)
    assert counts["examples"] == 16
    assert counts["failed"] == 0
    assert counts["checks"] > 16 * 10
    assert counts["expectations"] > 20
    sync(copied.home)
    require_valid(copied.home, copied.build_id)
    assert validate(copied.home, copied.build_id) == counts | {"skipped": True}
    found = rows(copied.home, "FROM validations")
    assert {row["suite"] for row in found} == {"independent", "expectations"}
    assert {row["subject"] for row in found if row["suite"] == "expectations"} == {"examples", "questions", "payloads"}


def test_five_examples_of_every_cell_are_there_to_be_read(copied):
    found = rows(copied.home, "FROM readings WHERE build_id = ? ORDER BY task, turn", [copied.build_id])
    assert [row["turn"] for row in found] == [1, 2] * 8  # the cells have two
    for row in found:
        answer = json.loads(row["answer"])
        assert row["question"]
        assert row["support"] >= 1
        places = rows(copied.home, "FROM reading_places WHERE example_id = ? ORDER BY number", [row["example_id"]])
        assert [place["value"] for place in places] == ([None] if row["task"] == "count" else answer)
        for place in places:
            assert place["source"].endswith("-sample")
            assert place["position"] < row["payloads"]
            assert (place["value"] or "") in place["excerpt"]


def test_several_processes_find_the_same_in_the_same_order(copied, monkeypatch):
    def wrong(example, question):
        question["answer"] = [value + "9" for value in question["answer"]]

    spoiled = with_other_examples(copied, wrong)
    (version,) = rows(copied.home, "FROM builds WHERE build_id = ?", [spoiled])
    examples = rows(copied.home, EXAMPLES, ["qwen", spoiled])
    found = []
    for small, workers in ((10**9, 1), (1, 2)):
        monkeypatch.setattr(dividing, "SMALL", small)
        found.append(list(dividing.examined(copied.home, version, examples, workers)))
    assert found[0] == found[1]
    assert [any(checks.values()) for _, checks in found[0]].count(True) == 1


def test_a_killed_process_is_said_in_one_sentence(copied, monkeypatch):
    def killed(*_):
        raise BrokenProcessPool

    monkeypatch.setattr(dividing, "SMALL", 1)
    monkeypatch.setattr(ProcessPoolExecutor, "map", killed)
    with pytest.raises(Fault, match=r"validates was ended from outside.*--workers"):
        validate(copied.home, copied.build_id, workers=2)


def test_one_rejected_example_stops_the_version_and_is_named_with_its_reasons(copied):
    def wrong(example, question):
        question["answer"] = [value + "9" for value in question["answer"]]

    spoiled = with_other_examples(copied, wrong)
    counts = validate(copied.home, spoiled)
    assert counts["failed"] >= 1
    sync(copied.home)
    with pytest.raises(
        UserError, match=rf"{spoiled} is not valid: example e{{32}} is rejected \(answer: the answer is"
    ):
        require_valid(copied.home, spoiled)
    failed = rows(copied.home, "FROM validations WHERE NOT passed AND suite = 'independent'")
    assert all(json.loads(row["failing"]) == ["e" * 32] for row in failed)


def test_expectations_over_tables_find_what_single_examples_do_not_show(copied):
    def odd(example, question):
        example["number"] = 1 - example["number"]
        question["text"] = question["text"][0].lower() + question["text"][1:-1]

    spoiled = with_other_examples(copied, odd)
    validate(copied.home, spoiled)
    sync(copied.home)
    failed = {row["check_name"]: row for row in rows(copied.home, "FROM validations WHERE NOT passed")}
    text = failed["expect_column_values_to_match_regex column=text"]
    assert json.loads(text["failing"]) == ["d" * 32]
    assert text["observed"].startswith("1 of")
    assert any(name.startswith("expect_compound_columns_to_be_unique") for name in failed)
    assert "examples are numbered" in failed


def test_a_cell_that_is_not_full_is_found(copied):
    def moved(example, question):
        example["length"] *= 2

    spoiled = with_other_examples(copied, moved)
    validate(copied.home, spoiled)
    sync(copied.home)
    failed = {row["check_name"] for row in rows(copied.home, "FROM validations WHERE NOT passed")}
    assert {"cells are full", "length"} <= failed


def test_a_question_that_another_split_asks_is_found(copied):
    def other_split(example, question):
        example["split"] = "train"
        example["number"] = 0

    spoiled = with_other_examples(copied, other_split)
    validate(copied.home, spoiled)
    validate(copied.home, copied.build_id)
    sync(copied.home)
    failed = rows(
        copied.home, "FROM validations WHERE NOT passed AND check_name = 'splits ask about different records'"
    )
    contexts = rows(copied.home, "FROM validations WHERE NOT passed AND check_name = 'splits have different contexts'")
    assert {row["build_id"] for row in contexts} == {spoiled, copied.build_id}
    (task,) = {row["task"] for row in rows(copied.home, "SELECT task FROM examples WHERE split = 'train'")}
    assert {row["build_id"] for row in failed} == (
        set() if task in ("count", "frequent", "extremum") else {spoiled, copied.build_id}
    )


def test_a_javascript_version_is_read_by_a_third_reader(copied, monkeypatch):
    collect(copied.home, "eslint", "sample")
    sync(copied.home)
    build_id = build(copied.home, "javascript", ["eslint"], "sample", ["fields_1"], [1024], 1)["build_id"]
    sync(copied.home)
    assert validate(copied.home, build_id)["failed"] == 0
    monkeypatch.setattr(javascript_reading, "otherwise", lambda text: "json5 reads x otherwise than pyjson5")
    monkeypatch.setattr("tasks.validating.validate.VERSION", 0)
    assert validate(copied.home, build_id)["failed"] == 1
    sync(copied.home)
    with pytest.raises(UserError, match=r"values are read alike: payload \w+: json5 reads x otherwise"):
        require_valid(copied.home, build_id)


def test_an_unknown_version_is_named(copied):
    with pytest.raises(UserError, match="nothing is not in the database"):
        validate(copied.home, "nothing")
