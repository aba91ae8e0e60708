"""Views: every one explained, and their numbers against hand computation."""

from datetime import datetime

import pytest

NOW = datetime(2026, 3, 1)


def test_every_view_column_and_macro_has_a_comment(invented):
    silent = invented.con.execute(
        "SELECT view_name FROM duckdb_views() WHERE NOT internal AND comment IS NULL "
        "UNION ALL SELECT table_name || '.' || column_name FROM duckdb_columns() "
        "WHERE NOT internal AND comment IS NULL "
        "UNION ALL SELECT function_name FROM duckdb_functions() "
        "WHERE NOT internal AND function_type LIKE '%macro%' AND comment IS NULL"
    ).fetchall()
    assert silent == []


@pytest.mark.parametrize(
    ("fraction", "printed"),
    [
        (0.61865, 61.86),
        (0.43995, 44.0),
        (0.40465, 40.46),
        (0.27265, 27.26),
        (1 / 3, 33.33),
        (2 / 3, 66.67),
        (0, 0),
        (1, 100),
        (-0.00125, -0.12),
        (None, None),
    ],
)
def test_percent_rounds_a_decimal_half_to_the_even_digit(invented, fraction, printed):
    assert invented.con.execute("SELECT percent($1::DOUBLE)", [fraction]).fetchone() == (printed,)


def test_half_width_is_that_of_the_normal_interval(invented):
    # 0, 1, 0.5, 0: mean 0.375, sample variance 0.6875 / 3, so 1.96 sqrt(0.6875 / 12) = 0.46912
    found = invented.con.execute(
        "SELECT weighted_mean(x, 1), half_width(x, 1), half_width(x, 0.25) FROM unnest([0, 1, 0.5, 0]) t(x)"
    ).fetchone()
    assert found == pytest.approx((0.375, 0.469124, 0.469124), abs=1e-5)


@pytest.mark.parametrize("values", [[], [0.5], [0.1] * 30, [0, 0, 0]])
def test_no_interval_without_two_different_values(invented, values):
    found = invented.con.execute("SELECT half_width(x, 0.1) FROM unnest($1::DOUBLE[]) t(x)", [values]).fetchone()
    assert found == (None,)


def test_what_is_missing_scores_zero_and_counts_as_skipped(invented):
    ids = invented.build("b1", tasks=["fields_1"], examples=4)
    invented.run("r1", "b1", ids, [1.0, "timeout", None])
    rows = invented.con.execute(
        "SELECT done, outcome, scored, score, weight FROM example_scores ORDER BY number"
    ).fetchall()
    assert rows == [
        (True, "stop", True, 1.0, 0.25),
        (True, "timeout", False, 0.0, 0.25),
        (False, "skipped", False, 0.0, 0.25),
        (False, "skipped", False, 0.0, 0.25),
    ]
    assert invented.con.execute(
        "SELECT planned, done, scored, stopped, failed, missing, score, sample FROM cells"
    ).fetchall() == [(4, 2, 1, 1, 1, 2, 0.25, True)]
    assert invented.con.execute("SELECT outcome, examples, score FROM cell_outcomes ORDER BY outcome").fetchall() == [
        ("stop", 1, 1.0),
        ("timeout", 1, 0.0),
        ("skipped", 2, 0.0),
    ]


def test_cells_count_equally_whatever_their_size(invented):
    ids = invented.build("b1", tasks=["fields_1"], examples=1) + [
        invented.example("b1", "json", "count", 8192, number) for number in range(3)
    ]
    invented.run("r1", "b1", ids, [1.0, 0.0, 0.0, 0.0])
    assert invented.con.execute("SELECT cells, planned, percent(score) FROM run_scores").fetchall() == [(2, 4, 50.0)]


def test_one_scorer_counts_for_a_run(invented):
    ids = invented.build("b1", tasks=["fields_1"], examples=2)
    invented.run("r1", "b1", ids, [1.0, 1.0])
    invented.con.execute(
        "INSERT INTO scores SELECT run_id, example_id, 'a-judge', '1', NULL, 0, recorded_at FROM scores LIMIT 1"
    )
    assert invented.con.execute("SELECT scorer, scored, scorers FROM run_scorers").fetchall() == [("answers", 2, 2)]
    assert invented.con.execute("SELECT score FROM run_scores").fetchall() == [(1.0,)]


def test_costs_are_sums_over_calls(invented):
    ids = invented.build("b1", tasks=["fields_1"], examples=2)
    invented.run("r1", "b1", ids, [1.0, 0.0], calls=2)
    invented.call("r1", ids[0], 3, 70, outcome="timeout")
    invented.call("r1", ids[0], 3, 70, attempt=2)
    row = invented.con.execute(
        "SELECT examples, calls, retries, failed_calls, prompt_tokens, completion_tokens, cached_tokens, "
        "calls_per_example, prompt_tokens_per_example, cached_share, latency_s FROM run_costs"
    ).fetchone()
    assert row == (2, 5, 1, 1, 470, 50, 235, 2.5, 235.0, 0.5, 12.0)


def test_costs_of_a_run_without_calls(invented):
    ids = invented.build("b1", tasks=["fields_1"], examples=1)
    invented.run("r1", "b1", ids)
    row = invented.con.execute("SELECT examples, calls, prompt_tokens, calls_per_example, cached_share FROM run_costs")
    assert row.fetchall() == [(0, 0, 0, None, None)]


def test_pairs_share_everything_but_the_method(pair):
    pair.run("other tokenizer", "b1", ["b1/fields_1/8192/0"], [0.0], method="tree", tokenizer_sha256="f" * 64)
    rows = pair.con.execute("SELECT method, flat_score, score, difference FROM paired ORDER BY example_id").fetchall()
    assert rows == [
        ("treeagent", 0.0, 0.5, 0.5),
        ("treeagent", 0.0, 0.0, 0.0),
        ("treeagent", 1.0, 1.0, 0.0),
        ("treeagent", 0.0, 1.0, 1.0),
    ]


def test_repeats_are_averaged_before_pairing(pair):
    ids = [row[0] for row in pair.con.execute("SELECT example_id FROM run_examples WHERE run_id = 'flat'").fetchall()]
    pair.run("flat again", "b1", ids, [0.0, 1.0, 0.0, 0.0])
    rows = pair.con.execute("SELECT flat_score, difference FROM paired WHERE task = 'fields_1' ORDER BY example_id")
    assert rows.fetchall() == [(0.5, 0.5), (0.5, 0.5)]


def test_budget_matches_count_only_tree_searches(invented):
    ids = invented.build("b1", tasks=["fields_1"], examples=2)
    invented.budget(ids[0], flat_sections=3, sections=3)
    invented.budget(ids[1], flat_sections=3, sections=4)
    invented.con.execute(
        "INSERT INTO budgets SELECT example_id, tokenizer, 'flat', base_budget, base_budget, tokens, flat_sections, "
        "flat_sections, '[]' FROM budgets"
    )
    rows = invented.con.execute("SELECT equal, surplus, tried FROM budget_matches ORDER BY example_id").fetchall()
    assert rows == [(True, 0, 2), (False, 1, 2)]


def test_a_run_is_sample_data_when_any_of_its_examples_is(invented):
    ids = invented.build("b1", tasks=["fields_1"], examples=1, sample=False)
    ids.append(invented.example("b1", "json", "count", 8192, 0, sample=True))
    invented.run("r1", "b1", ids, [1.0, 1.0], sample=False)
    assert invented.con.execute("SELECT DISTINCT sample FROM example_scores").fetchall() == [(True,)]
    assert invented.con.execute("SELECT sample FROM run_scores").fetchall() == [(True,)]


def test_rejections_of_a_home_with_sample_data_only_are_sample(invented):
    invented.build("b1")
    invented.insert(
        "rejections", rejection_id="1", stage="build", subject="json count 8192", reason="no records", recorded_at=NOW
    )
    assert invented.con.execute("SELECT rejected, sample FROM rejection_overview").fetchall() == [(1, True)]
    invented.build("b2", dataset="html", sample=False)
    assert invented.con.execute("SELECT sample FROM rejection_overview").fetchall() == [(None,)]


def test_cells_of_a_difference_weigh_equally_whatever_else_was_planned(invented):
    ids = invented.build("b1", tasks=["fields_1", "count"], examples=3)
    invented.run("flat", "b1", [*ids[:3], ids[3]], [0.0, 0.0, 0.0, 1.0])
    invented.run("tree", "b1", ids, [1.0, 1.0, 1.0, 0.0, 1.0, 1.0], method="tree")
    difference = "SELECT weighted_mean(difference, weight) FROM paired"
    assert invented.con.execute(difference).fetchone() == pytest.approx(
        (0.0,)
    )  # +1 in one cell of three pairs, -1 in one of one
