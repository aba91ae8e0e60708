from datetime import timedelta

import pytest

from tasks.errors import UserError
from tasks.reporting.selection import select
from tests.reporting.invented import START


def kinds(invented, **chosen):
    return [notice.kind for notice in select(invented.con, **chosen).notices]


def texts(invented, **chosen):
    return " ".join(notice.text for notice in select(invented.con, **chosen).notices)


def test_all_runs_of_the_newest_version_by_default(pair):
    selection = select(pair.con)
    assert (selection.builds, selection.runs, selection.datasets) == (("b1",), ("flat", "tree"), ("json",))
    assert selection.lengths == (8192,)
    assert selection.sample
    assert kinds(pair) == ["sample", "prompts"]


def test_the_newest_version_of_every_dataset_by_default(pair):
    pair.build("h1", dataset="html")
    pair.build("h2", dataset="html", tasks=["extremum"], created_at=START + timedelta(days=1))
    for build in ("h1", "h2"):
        pair.run(f"on {build}", build, [])
    assert select(pair.con).builds == ("b1", "h2")
    assert select(pair.con).runs == ("flat", "on h2", "tree")


def test_a_newer_version_without_runs_hides_no_results(pair):
    pair.build("b2", tasks=["extremum"], created_at=START + timedelta(days=1))
    pair.build("h1", dataset="html")
    assert select(pair.con).builds == ("b1",)
    pair.run("on b2", "b2", [])
    assert select(pair.con).builds == ("b2",)


def test_real_data_is_not_mixed_with_sample_data_by_default(pair):
    pair.build("h1", dataset="html", sample=False, created_at=START + timedelta(days=1))
    pair.run("on h1", "h1", [], sample=False)
    assert select(pair.con).builds == ("h1",)
    assert select(pair.con, builds=["b1", "h1"]).builds == ("b1", "h1")


def test_just_some_runs(pair):
    assert select(pair.con, runs=["tree"]).runs == ("tree",)
    assert select(pair.con, runs=["tree"]).builds == ("b1",)


def test_nothing_to_report_on(invented):
    with pytest.raises(UserError, match="run `treebench build` first"):
        select(invented.con)


def test_unknown_ids_are_named(pair):
    with pytest.raises(UserError, match="no dataset version nothing"):
        select(pair.con, builds=["nothing"])
    with pytest.raises(UserError, match="no run x and y"):
        select(pair.con, runs=["x", "y", "flat"])


def test_two_versions_of_a_dataset_are_not_mixed(pair):
    pair.build("b2", tasks=["extremum"])
    with pytest.raises(UserError, match="b1 and b2 are both versions of dataset json"):
        select(pair.con, builds=["b1", "b2"])


def test_no_run_yet(invented):
    invented.build("b1", sample=False)
    assert kinds(invented) == ["empty"]
    invented.solve("r", [("t1", "1")], [1.0])
    assert "empty" in kinds(invented)
    assert "No run of a memory agent on dataset version b1 yet" in texts(invented)
    assert "select others by `--builds`" in texts(invented)
    assert "empty" not in kinds(invented, runs=["r"])


def test_what_is_missing_failed_or_unscored_is_said(invented):
    ids = invented.build("b1", sample=False)
    invented.run("r", "b1", ids, [1.0, "timeout", "length"], sample=False)
    invented.run("s", "b1", ids, [1.0] * 4, method="tree", sample=False)
    invented.con.execute("DELETE FROM scores WHERE run_id = 's' AND example_id = $1", [ids[0]])
    said = texts(invented)
    assert "1 of 2 runs are not finished; 1 of 8 planned examples have no answer yet and score zero" in said
    assert "1 example was ended by an error" in said
    assert "1 answer is not scored yet and count zero: run `treebench score`" in said
    invented.solve("a", [("t1", "1"), ("t2", "1")], [1.0, 1.0])
    invented.con.execute("DELETE FROM scores WHERE run_id = 'a' AND example_id = 't1'")
    assert "1 answer is not scored yet and count zero: run the same `treebench solve` again" in texts(invented)
    invented.run("t", "b1", ids, [1.0] * 4, method="tree_path", sample=False)
    invented.con.execute("UPDATE scores SET scorer_version = 'older' WHERE run_id IN ('a', 't')")
    invented.solve("b", [("t1", "1"), ("t2", "1")], [1.0, 1.0])
    assert "that reason alone: run the same `treebench solve` again" in texts(invented)
    assert "that reason alone: run `treebench score`" in texts(invented)


def test_checks_that_did_not_hold_are_said(pair):
    pair.insert(
        "validations",
        build_id="b1",
        suite="independent",
        subject="b1/count/8192/0",
        check_name="answer",
        passed=False,
        recorded_at="2026-03-01 12:00:00",
    )
    assert "1 of 1 checks of the dataset did not hold" in texts(pair)


def test_the_origin_of_the_wording_is_said(pair):
    pair.run("gone", "b1", [], agent="infmem", prompts="no-such-pack")
    said = texts(pair)
    assert "treebench's own wording for MemAgent (pack default, c0ffee00)" in said
    assert "wording that is no longer here for InfMem (pack no-such-pack" in said


def test_scores_of_several_versions_of_a_scorer_are_said(pair):
    assert "side by side" not in texts(pair)
    pair.con.execute("UPDATE scores SET scorer_version = '2' WHERE run_id = 'tree'")
    assert "versions 1 and 2 of scorer answers" in texts(pair)
    assert "side by side" not in texts(pair, runs=["tree"])
