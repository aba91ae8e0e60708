"""Every query of `sql/reports/`, over rows whose results are computed by hand."""

from datetime import datetime

import pytest

from tasks.errors import UserError
from tasks.reporting import query

NOW = datetime(2026, 3, 1)
BOTH = {"runs": ["flat", "tree"], "builds": ["b1"], "agent_runs": []}


def records(invented, name, **parameters):
    return query.run(invented.con, name, {**BOTH, **parameters}).records()


@pytest.mark.parametrize("name", query.names())
def test_every_query_runs_explains_itself_and_runs_as_written_out(pair, name):
    result = query.run(pair.con, name, BOTH)
    assert result.query.title
    assert result.query.what.endswith(".")
    assert "data" in result.columns
    assert pair.con.execute(result.runnable).fetchall() == list(result.rows)


@pytest.mark.parametrize("name", query.names())
def test_every_query_gives_no_rows_of_nothing(invented, name):
    assert query.run(invented.con, name, {"runs": [], "builds": [], "agent_runs": []}).rows == ()


def test_unknown_query_is_refused():
    with pytest.raises(UserError, match=r"no query 'nothing'.*known are .*main_table"):
        query.load("nothing")


def test_calls_and_tokens(pair):
    pair.run("late", "b1", ["b1/count/8192/1"], agent="infmem")
    flat, tree = records(pair, "calls_and_tokens", runs=["flat", "tree", "late"])
    assert (flat["calls"], flat["input_tokens"], flat["output_tokens"], flat["cached"]) == (3.0, 300, 30, 50.0)
    assert (flat["calls_ratio"], flat["compared"], flat["call_seconds"]) == (None, None, 2.0)
    assert (tree["calls"], tree["calls_ratio"], tree["input_ratio"], tree["compared"]) == (4.0, 1.333, 1.2, 4)


def test_ratios_compare_only_examples_that_both_finished(invented):
    ids = invented.build("b1")
    invented.run("flat", "b1", ids, [1.0, 1.0, 1.0, 1.0], calls=2)
    invented.run("tree", "b1", ids, [1.0, None], method="treeagent", calls=3)
    invented.call("tree", ids[1], 1, 100)
    _, tree = records(invented, "calls_and_tokens")
    assert (tree["examples"], tree["compared"], tree["calls_ratio"]) == (2, 1, 1.5)


def test_outcomes_add_up_to_the_planned_examples(invented):
    ids = invented.build("b1")
    invented.run("flat", "b1", ids, [1.0, "server_error", "parse_error", None])
    invented.con.execute("DELETE FROM scores")
    (row,) = records(invented, "outcomes")
    counted = {key: row[key] for key in ("planned", "stop", "server_error", "parse_error", "skipped", "unscored")}
    assert counted == {"planned": 4, "stop": 1, "server_error": 1, "parse_error": 1, "skipped": 1, "unscored": 1}


def test_budget_matching_by_length_and_over_all(invented):
    ids = invented.build("b1", tasks=["count"], lengths=[8192, 16384], examples=2)
    for example_id, sections in zip(ids, (3, 4, 2, 3), strict=True):
        invented.budget(example_id, flat_sections=3, sections=sections)
    rows = records(invented, "budget_matching")
    assert [(r["length"], r["examples"], r["equal_share"], r["more"], r["fewer"], r["surplus"]) for r in rows] == [
        (8192, 2, 50.0, 1, 0, 0.5),
        (16384, 2, 50.0, 0, 1, -0.5),
        (None, 4, 50.0, 1, 1, 0.0),
    ]


def test_budget_matching_is_averaged_over_tokenizers(invented):
    ids = invented.build("b1", tasks=["count"], examples=4)
    for example_id, sections in zip(ids, (3, 3, 3, 4), strict=True):
        invented.budget(example_id, flat_sections=3, sections=sections)
    invented.con.execute(
        "INSERT INTO budgets SELECT * REPLACE ('other' AS tokenizer) FROM budgets ORDER BY example_id LIMIT 2"
    )
    rows = records(invented, "budget_matching")
    found = [(row["tokenizer"], row["equal_share"], row["examples"]) for row in rows if row["length"] is None]
    assert found == [("other", 100.0, 2), ("smollm2", 75.0, 4), ("mean of 2 tokenizers", 87.5, 6)]


def test_sources_are_those_that_contexts_draw_on(pair):
    pair.build("b2", dataset="html")
    (row,) = records(pair, "sources")
    assert (row["source"], row["responses"], row["bytes"], row["payloads"], row["records"]) == (
        "usgs-json-sample", 1, 12_345, 1, 7,
    )  # fmt: skip
    assert (row["used_payloads"], row["examples"], row["transports"], row["data"]) == (1, 4, "sample", "sample")


def test_validation_sums_up_and_expectations_are_listed(pair):
    for example, passed in (("b1/count/8192/0", True), ("b1/count/8192/1", False)):
        pair.insert(
            "validations", build_id="b1", suite="independent", subject=example, check_name="answer", passed=passed,
            observed=None if passed else "5 instead of 4", recorded_at=NOW,
        )  # fmt: skip
    for name, failing in (("expect_column_values_to_not_be_null column=licence", '["p1"]'), ("expect_table x=1", None)):
        pair.insert(
            "validations", build_id="b1", suite="expectations", subject="payloads", check_name=name,
            passed=failing is None, observed="1 of 7 rows fail", failing=failing, recorded_at=NOW,
        )  # fmt: skip
    for transport in ("sample", "live"):
        pair.insert(
            "validations", build_id=f"collected json {transport}", suite="collected", subject="responses",
            check_name=f"expect_{transport} y=2", passed=True, observed="0 of 9 rows fail", recorded_at=NOW,
        )  # fmt: skip
    rows = records(pair, "validation")
    assert [(r["suite"], r["subject"], r["checked"], r["passed"], r["failed"], r["observed"]) for r in rows] == [
        ("independent", "each example", 2, 1, 1, "5 instead of 4"),
        ("expectations", "table payloads", 2, 1, 1, "1 of 7 rows fail"),
    ]
    assert rows[0]["first_failed"] == "b1/count/8192/1"
    listed = records(pair, "expectations")
    assert [(r["expectation"], r["arguments"], r["result"], r["failing"]) for r in listed] == [
        ("column values to not be null", "column=licence", "failed", '["p1"]'),
        ("table", "x=1", "held", None),
        ("sample", "y=2", "held", None),
    ]


def test_rejections_by_stage_and_reason(invented):
    invented.build("b1")
    for number, (stage, reason) in enumerate(
        [("validate", "answer differs"), ("build", "no records"), ("collect", "not JSON"), ("build", "no records")]
    ):
        invented.insert(
            "rejections", rejection_id=str(number), stage=stage, subject=f"s{number}", reason=reason, detail="line 3",
            recorded_at=NOW,
        )  # fmt: skip
    rows = records(invented, "rejections")
    assert [(r["stage"], r["reason"], r["rejected"], r["subject"], r["data"]) for r in rows] == [
        ("collect", "not JSON", 1, "s2", "sample"),
        ("build", "no records", 2, "s1", "sample"),
        ("validate", "answer differs", 1, "s0", "sample"),
    ]


def test_runs_say_all_that_defines_them(pair):
    flat, tree = records(pair, "runs")
    assert flat["setup"] == tree["setup"]
    assert (flat["base_budget"], flat["prompts"], flat["planned"], flat["done"]) == (512, "default", 4, 4)


def test_examples_are_the_first_of_each_cell(pair):
    rows = records(pair, "examples")
    assert [(r["task"], r["method"], r["expected"], r["score"]) for r in rows] == [
        ("fields_1", "flat", '["4.2"]', 100.0),
        ("fields_1", "treeagent", '["4.2"]', 100.0),
        ("count", "flat", '["4.2"]', 0.0),
        ("count", "treeagent", '["4.2"]', 50.0),
    ]


def test_limits_of_generation(invented):
    ids = invented.build("b1")
    invented.run("r", "b1", ids, decoding='{"temperature": 0, "top_p": 1, "memory_tokens": 64, "answer_tokens": 32}')
    (row,) = records(invented, "generation_limits", runs=["r"])
    assert (row["memory_tokens"], row["answer_tokens"], row["controller_tokens"], row["top_p"]) == (64, 32, None, 1.0)
