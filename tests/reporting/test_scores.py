"""Every query of `sql/reports/`, over rows whose results are computed by hand."""

from datetime import datetime

from tasks.reporting import query

NOW = datetime(2026, 3, 1)
BOTH = {"runs": ["flat", "tree"], "builds": ["b1"], "agent_runs": []}


def records(invented, name, **parameters):
    return query.run(invented.con, name, {**BOTH, **parameters}).records()


def test_main_table(pair):
    rows = records(pair, "main_table")
    assert [(r["method"], r["json"], r["html"], r["average"], r["planned"], r["done"], r["data"]) for r in rows] == [
        ("flat", 25.0, None, 25.0, 4, 4, "sample"),
        ("treeagent", 62.5, None, 62.5, 4, 4, "sample"),
    ]


def test_main_table_weighs_datasets_and_agents_equally(invented):
    for dataset, examples, score in (("json", 2, 1.0), ("html", 6, 0.0)):
        ids = invented.build(f"b-{dataset}", dataset=dataset, tasks=["count"], examples=examples)
        for agent in ("memagent", "infmem"):
            won = score if agent == "memagent" else 0.5
            invented.run(f"{agent}-{dataset}", f"b-{dataset}", ids, [won] * examples, agent=agent, dataset=dataset)
    runs = [row[0] for row in invented.con.execute("SELECT run_id FROM runs").fetchall()]
    rows = records(invented, "main_table", runs=runs)
    assert [(r["agent"], r["json"], r["html"], r["average"], r["planned"]) for r in rows] == [
        ("memagent", 100.0, 0.0, 50.0, 8),
        ("infmem", 50.0, 50.0, 50.0, 8),
        ("mean of 2 agents", 75.0, 25.0, 50.0, 16),
    ]


def test_no_mean_of_agents_where_one_lacks_a_method(invented):
    ids = invented.build("b1")
    for agent, method in (("memagent", "flat"), ("memagent", "treeagent"), ("infmem", "flat")):
        invented.run(f"{agent} {method}", "b1", ids, [1.0] * 4, agent=agent, method=method)
    rows = records(invented, "main_table", runs=["memagent flat", "memagent treeagent", "infmem flat"])
    assert [(r["agent"], r["method"]) for r in rows][3:] == [("mean of 2 agents", "flat")]


def test_real_and_sample_data_are_never_averaged(invented):
    for dataset, sample in (("json", True), ("html", False)):
        ids = invented.build(f"b-{dataset}", dataset=dataset, sample=sample)
        invented.run(f"r-{dataset}", f"b-{dataset}", ids, [1.0] * 4, dataset=dataset, sample=sample)
    rows = records(invented, "main_table", runs=["r-json", "r-html"])
    assert sorted((r["data"], r["datasets"]) for r in rows) == [("real", 1), ("sample", 1)]
    assert {r["dataset"] for r in records(invented, "by_length", runs=["r-json", "r-html"])} == {"json", "html"}


def test_dataset_scores_have_intervals_within_bounds(pair):
    flat, tree = records(pair, "dataset_scores")
    # 1, 0, 0, 0: mean 0.25, sample variance 0.25, half width 1.96 * 0.25 = 0.49
    assert (flat["score"], flat["low"], flat["high"]) == (25.0, 0.0, 74.0)
    # 1, 1, 0.5, 0: mean 0.625, sample variance 0.6875 / 3
    assert (tree["score"], tree["low"], tree["high"]) == (62.5, 15.59, 100.0)


def test_no_interval_where_all_score_alike(invented):
    ids = invented.build("b1")
    invented.run("flat", "b1", ids, [0.0] * 4)
    for name in ("dataset_scores", "by_length", "by_task"):
        assert {(r["score"], r["low"], r["high"]) for r in records(invented, name)} == {(0.0, None, None)}


def test_by_length_averages_datasets_equally(invented):
    for dataset, examples, score in (("json", 1, 1.0), ("html", 3, 0.0)):
        ids = invented.build(f"b-{dataset}", dataset=dataset, tasks=["count"], lengths=[8192, 16384], examples=examples)
        invented.run(f"r-{dataset}", f"b-{dataset}", ids, [score] * len(ids), dataset=dataset)
    rows = records(invented, "by_length", runs=["r-json", "r-html"])
    assert [(r["dataset"], r["length"], r["score"], r["planned"]) for r in rows] == [
        ("json", 8192, 100.0, 1),
        ("json", 16384, 100.0, 1),
        ("html", 8192, 0.0, 3),
        ("html", 16384, 0.0, 3),
        ("mean", 8192, 50.0, 4),
        ("mean", 16384, 50.0, 4),
    ]


def test_scores_and_gains_by_task(pair):
    scores = [(r["task"], r["method"], r["score"]) for r in records(pair, "by_task")]
    assert scores == [
        ("fields_1", "flat", 50.0),
        ("fields_1", "treeagent", 100.0),
        ("count", "flat", 0.0),
        ("count", "treeagent", 25.0),
    ]
    gains = [(r["task"], r["flat"], r["score"], r["gain"], r["pairs"]) for r in records(pair, "gains_by_task")]
    assert gains == [("fields_1", 50.0, 100.0, 50.0, 2), ("count", 0.0, 25.0, 25.0, 2)]


def test_paired_differences(pair):
    (row,) = records(pair, "paired_differences")
    # 0, 1, 0.5, 0: mean 0.375, half width 0.46912
    assert (row["difference"], row["low"], row["high"]) == (37.5, -9.41, 84.41)
    assert (row["better"], row["equal"], row["worse"], row["pairs"], row["done"]) == (2, 2, 0, 4, 4)


def test_no_difference_without_a_run_under_flat(pair):
    assert records(pair, "paired_differences", runs=["tree"]) == []
    assert records(pair, "gains_by_task", runs=["flat"]) == []


def test_repeats_are_one_example_each_and_have_a_spread(pair):
    ids = [row[0] for row in pair.con.execute("SELECT example_id FROM run_examples WHERE run_id = 'flat'").fetchall()]
    pair.run("flat again", "b1", ids, [0.0, 0.0, 0.0, 0.0], decoding='{"temperature": 0, "seed": 43}')
    runs = ["flat", "flat again", "tree"]
    (spread,) = records(pair, "repeats", runs=runs)
    assert (spread["method"], spread["repeats"], spread["score"]) == ("flat", 2, 12.5)
    assert (spread["lowest"], spread["highest"], spread["deviation"]) == (0.0, 25.0, 17.68)
    assert (spread["planned"], spread["changed"]) == (4, 25.0)
    flat, _ = records(pair, "dataset_scores", runs=runs)
    # 0.5, 0, 0, 0: mean 0.125, sample variance 0.0625
    assert (flat["score"], flat["high"], flat["planned"], flat["repeats"]) == (12.5, 37.0, 4, 2)


def test_only_chosen_repeats_are_paired(pair):
    ids = [row[0] for row in pair.con.execute("SELECT example_id FROM run_examples WHERE run_id = 'flat'").fetchall()]
    pair.run("flat again", "b1", ids, [1.0] * 4)
    assert records(pair, "paired_differences")[0]["flat"] == 25.0


def test_two_models_by_length(invented):
    ids = invented.build("b1", tasks=["count"], lengths=[8192, 16384], examples=2)
    invented.run("fixed", "b1", ids, [1.0, 0.0, 0.0, 0.0], model="infmem")
    invented.run("trained", "b1", ids, [1.0, 1.0, 0.0, 0.5], model="infmem-grpo", recorded_at=datetime(2026, 4, 1))
    rows = records(invented, "models_by_length", runs=["fixed", "trained"])
    found = [(r["length"], r["model"], r["other_model"], r["first_score"], r["score"], r["difference"]) for r in rows]
    assert found == [
        (8192, "infmem", "infmem-grpo", 50.0, 100.0, 50.0),
        (16384, "infmem", "infmem-grpo", 0.0, 25.0, 25.0),
        (None, "infmem", "infmem-grpo", 25.0, 62.5, 37.5),
    ]


def test_agents_are_pooled_with_equal_weight_where_they_answered_the_same(invented):
    ids = invented.build("b1")
    for agent, gains in (("memagent", [1.0, 0.0, 0.0, 0.0]), ("infmem", [1.0, 1.0, 1.0, 0.0])):
        invented.run(f"{agent} flat", "b1", ids, [0.0] * 4, agent=agent)
        invented.run(f"{agent} tree", "b1", ids, gains, agent=agent, method="treeagent")
    runs = [row[0] for row in invented.con.execute("SELECT run_id FROM runs").fetchall()]
    rows = records(invented, "paired_differences", runs=runs)
    assert [(r["agent"], r["model"], r["difference"], r["pairs"], r["contexts"]) for r in rows] == [
        ("memagent", "embedded", 25.0, 4, 2),
        ("infmem", "embedded", 75.0, 4, 2),
        ("mean of 2 agents", None, 50.0, 8, 2),
    ]
    assert len(records(invented, "paired_differences", runs=runs[:3])) == 1
