"""The suites over what was collected find what is wrong, and nothing else."""

import shutil
from datetime import datetime

import pytest

from tasks.collecting.collect import collect
from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.home import Home
from tasks.validating.collected import subject, validate_collected, validate_records
from tasks.warehouse import journal
from tasks.warehouse.ingest import sync
from tasks.warehouse.snapshot import rows

GIVEN = ("yaml", ["apis_guru"], "sample")


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """A home with the sample documents."""
    home = Home(tmp_path_factory.mktemp("collected"))
    collect(home, "apis_guru", "sample")
    sync(home)
    return home


@pytest.fixture
def sampled(collected, tmp_path):
    """The same in a home that a test may spoil."""
    shutil.copytree(collected.root, tmp_path / "home")
    return Home(tmp_path / "home")


def test_sample_data_is_as_expected_and_checked_once(sampled):
    counts = validate_collected(sampled, *GIVEN)
    assert (counts["responses"], counts["payloads"]) == (120, 120)
    sync(sampled)
    assert validate_collected(sampled, *GIVEN)["skipped"]
    found = rows(sampled, "FROM validations WHERE build_id = ?", [subject("yaml", "sample")])
    assert len(found) == counts["expectations"]
    assert all(row["passed"] and row["suite"] == "collected" for row in found)
    checks = {(row["subject"], row["check_name"].split()[0]) for row in found}
    assert ("responses", "expect_column_values_to_be_unique") in checks
    assert ("payloads", "expect_column_pair_values_to_be_equal") in checks


FAULTS = [
    ({"licence": None}, "expect_column_values_to_not_be_null column=licence"),
    ({"licence": " "}, "expect_column_value_lengths_to_be_between column=licence"),
    ({"notice": None}, "expect_column_values_to_not_be_null column=notice"),
    ({"source_version": None}, "expect_column_values_to_not_be_null column=source_version"),
    ({"characters": 40}, "expect_column_pair_values_to_be_equal column_A=characters"),
    ({"text_sha256": "0" * 64}, "expect_column_pair_values_to_be_equal column_A=text_sha256"),
    ({"records": 0}, "expect_column_values_to_be_between column=records"),
    ({"sample": False}, "expect_column_values_to_be_in_set column=sample"),
    ({"response_id": "0" * 32}, "expect_column_values_to_not_be_null column=known_response"),
    ({"format": "json"}, "expect_column_pair_values_to_be_equal column_A=format"),
    ({"body_sha256": "abc"}, "expect_column_values_to_match_regex column=body_sha256"),
    ({"text": "too short"}, "expect_column_values_to_be_between column=characters"),
]
"""What is wrong about a payload, and the expectation that finds it."""


def test_each_fault_is_found_by_its_expectation_and_by_no_other(sampled):
    (one,) = rows(sampled, "FROM payloads ORDER BY payload_id LIMIT 1")
    spoilt, origins = [], []
    for number, (wrong, _) in enumerate(FAULTS):
        name = f"{number:032x}"
        text = wrong.get("text", f"openapi: 3.0.{number}\npaths: {{}}\ninfo: {{}}\n")
        sound = {"payload_id": name, "text": text, "characters": len(text), "text_sha256": sha256(text)}
        spoilt.append(dict(one) | sound | {"location": [[0, 9]], "parameters": {}} | wrong)
        origins.append({"payload_id": name, "response_id": one["response_id"], "location": [[0, 9]], "sample": True})
    journal.write(sampled, "payloads", spoilt)
    journal.write(sampled, "payload_origins", origins)
    sync(sampled)
    with pytest.raises(UserError, match=r"apis_guru-sample is not as expected: .* 1 of 132 rows fail"):
        validate_collected(sampled, *GIVEN)
    sync(sampled)
    failed = rows(sampled, "FROM validations WHERE NOT passed")
    found = {row["check_name"].split(",")[0]: row["failing"] for row in failed}
    assert len(failed) == len(FAULTS)
    for number, (_, check) in enumerate(FAULTS):
        assert f"{number:032x}" in found[check]


def test_a_failed_status_is_found(sampled):
    (one,) = rows(sampled, "FROM responses ORDER BY response_id LIMIT 1")
    row = dict(one) | {"response_id": "e" * 32, "status": 404, "parameters": {}}
    row["retrieved_at"] = datetime(2026, 1, 1)
    journal.write(sampled, "responses", [row])
    sync(sampled)
    with pytest.raises(UserError, match="column=status"):
        validate_collected(sampled, *GIVEN)


def test_records_are_checked_where_they_are_extracted(sampled):
    (payload,) = rows(sampled, "FROM payloads ORDER BY payload_id LIMIT 1")
    good = {
        "record_id": "a" * 32, "payload_id": payload["payload_id"], "kind": "operation", "label": "list parcels",
        "path": "paths", "span_start": 0, "span_end": 20, "fields": {}, "sample": True,
    }  # fmt: skip
    parameters = {"sources": ["apis_guru-sample"], "transport": "sample"}
    build = {
        "build_id": "b1", "dataset": "yaml", "parameters": parameters, "payloads_sha256": "0" * 64, "payloads": 1,
        "construction_tokenizer": "qwen", "sample": True, "created_at": datetime(2026, 1, 1),
    }  # fmt: skip
    journal.write(sampled, "builds", [build])
    journal.write(sampled, "records", [good])
    sync(sampled)
    assert validate_records(sampled, "b1")["records"] == 1
    journal.write(sampled, "records", [good | {"record_id": "b" * 32, "span_end": payload["characters"] + 1}])
    sync(sampled)
    with pytest.raises(UserError, match="column=behind"):
        validate_records(sampled, "b1")
