"""Tables and figures of HyMem: from invented runs by hand, and from the published cells to the published averages."""

import pytest
from lxml import html

from tasks.errors import UserError
from tasks.reporting import labels, long_horizon, page, published, query
from tasks.reporting.contents import gather
from tasks.reporting.selection import select

TASKS = [("t1", "1"), ("t2", "2"), ("t3", "3")]
NAMES = ("long_horizon_scores", "ablation", "resources", "context_density", "context_growth")

CUT = {("react", "DeepSeek-V4"), ("summary", "Qwen3-32B")}
"""Averages that the paper cuts instead of rounding them, on one benchmark or on both."""
MISPRINTS = {
    ("base", "Qwen3-32B", "gaia"): 11.8,
    ("thread", "DeepSeek-V4", "gaia"): 36.2,
    ("hymem", "Qwen3-32B", "gaia"): 33.1,
}
"""Averages that the printed levels do not give, with what they give."""


def records(invented, name, *runs):
    return query.run(invented.con, name, {"agent_runs": list(runs), "runs": [], "builds": []}).records()


def test_trials_are_averaged_first_and_missing_tasks_score_zero(invented):
    invented.solve("first", TASKS, [1.0, "timeout"])
    invented.solve("second", TASKS, [1.0, 1.0, 0.0], trial=2)
    (row,) = records(invented, "long_horizon_scores", "first", "second")
    assert (row["first_level"], row["second_level"], row["third_level"], row["score"]) == (100.0, 50.0, 0.0, 50.0)
    assert (row["trials"], row["planned"], row["done"]) == (2, 3, 2)
    assert row["deviation"] == 23.57  # of 1/3 and 2/3


def test_each_scorer_has_a_row_of_its_own(invented):
    invented.solve("r", TASKS, [1.0, 0.0, 0.0])
    invented.con.execute("INSERT INTO scores SELECT run_id, example_id, 'judge', '1', NULL, 1, recorded_at FROM scores")
    rows = records(invented, "long_horizon_scores", "r")
    assert [(row["scorer"], row["score"], row["planned"]) for row in rows] == [
        ("answers", 33.33, 3),
        ("judge", 100.0, 3),
    ]


@pytest.mark.parametrize("name", ["long_horizon_scores", "ablation", "resources"])
def test_recall_is_no_score(invented, name):
    invented.solve("r", TASKS, [1.0, 0.0, 0.0])
    invented.con.execute("INSERT INTO scores SELECT * REPLACE ('evidence recall' AS scorer) FROM scores")
    assert [row["scorer"] for row in records(invented, name, "r")] == ["answers"]


def test_a_judge_is_no_agent(invented):
    invented.solve("r", TASKS, [1.0, 0.0, 0.0])
    invented.run("judge", "tasks of gaia", ["t1"], [1.0], agent="judge", method="judge", dataset="gaia", sample=False)
    assert [row["agent"] for row in records(invented, "long_horizon_scores", "r", "judge")] == ["hymem"]
    assert select(invented.con).agent_runs == ("r",)


def test_ablation(invented):
    invented.solve("full", TASKS, [1.0, 1.0, 0.0], turns=3, confidence=0.8)
    invented.solve("less", TASKS, [1.0, 0.0, 0.0], method="without_memory", turns=2, confidence=0.6)
    invented.solve("react", TASKS, [1.0, 0.0, 0.0], agent="react")
    full, less = records(invented, "ablation", "full", "less", "react")
    assert (full["method"], full["difference"], full["planner_turns"], full["confidence"]) == ("full", None, 3.0, 0.8)
    assert (less["method"], less["score"], less["difference"]) == ("without_memory", 33.33, -33.33)
    assert (less["planner_turns"], less["confidence"], less["low"]) == (2.0, 0.6, -98.67)


def test_variants_are_held_against_the_full_framework_of_their_own_settings(invented):
    def settings(run_id, turns, memory):
        said = f'{{"trial": 1, "settings": {{"planner_turns": {turns}, "memory": {memory}, "isolated": true}}}}'
        invented.con.execute("UPDATE runs SET decoding = $1 WHERE run_id = $2", [said, run_id])

    for run_id, scores, turns in (("short", [1.0, 0.0, 0.0], 3), ("long", [1.0, 1.0, 1.0], 12)):
        invented.solve(run_id, TASKS, scores)
        settings(run_id, turns, "true")
        invented.solve(f"{run_id} less", TASKS, [1.0, 0.0, 0.0], method="without_memory")
        settings(f"{run_id} less", turns, "false")
    found = records(invented, "ablation", "short", "short less", "long", "long less")
    assert sorted((row["score"], row["difference"]) for row in found if row["method"] == "without_memory") == [
        (33.33, -66.67), (33.33, 0.0),
    ]  # fmt: skip
    assert len({row["setup"] for row in found}) == 2


def test_tasks_are_listed_with_what_became_of_them(invented):
    invented.solve("one", TASKS, [1.0, "timeout", 0.0])
    invented.solve("two", TASKS, [1.0, 1.0, None], trial=2)
    invented.con.execute("UPDATE agent_tasks SET question = 'Q ' || task_id, answer = 'A', gated = task_id = 't1'")
    first, second, third = records(invented, "solved_tasks", "one", "two")
    assert (first["score"], first["trials"], first["outcome"]) == (100.0, 2, "stop")
    assert (second["score"], second["outcome"]) == (50.0, "stop, timeout")
    assert (third["score"], third["outcome"]) == (0.0, "skipped, stop")
    assert (first["question"], first["expected"]) == (None, None)
    assert (second["question"], second["expected"]) == ("Q t2", "A")


def test_scores_lead_to_their_tasks(invented):
    invented.solve("r", TASKS, [1.0, 0.0, 0.0])
    shown = html.document_fromstring(page.html(gather(invented.con)))
    links = shown.xpath("//figure[@id='table-long_horizon_scores']//a/@href")
    assert all(link.startswith("#table-solved_tasks?dataset=gaia&") for link in links)
    assert "level=1,easy" in links[0]
    (target,) = shown.xpath("//figure[@id='table-solved_tasks']//table")
    assert (target.get("data-view"), target.get("data-runs")) == ("agent_task_scores", '["r"]')


def test_resources_are_means_over_tasks(invented):
    invented.solve("r", TASKS, [1.0, 0.0, 0.0], turns=3, tools=2)
    (row,) = records(invented, "resources", "r")
    assert (row["tokens"], row["calls"], row["tool_calls"], row["folds"]) == (3 * 110, 4.0, 2.0, 0.0)


def test_density_and_growth(invented):
    invented.solve("r", TASKS[:1], [1.0], turns=3)
    invented.solve("flat", TASKS[:1], [1.0], agent="react", turns=1, tools=0)
    rows = records(invented, "context_density", "r", "flat")
    assert [(row["agent"], row["turn"], row["density"], row["context_tokens"]) for row in rows] == [
        ("react", 1, 50.0, 100), ("hymem", 1, 50.0, 100), ("hymem", 2, 50.0, 200), ("hymem", 3, 50.0, 300),
    ]  # fmt: skip
    growth = {(row["agent"], row["progress"]): row for row in records(invented, "context_growth", "r", "flat")}
    # four calls: planner 100, executor 1000, planner 200, planner 300
    assert growth["hymem", 30]["persistent_tokens"] == growth["hymem", 30]["total_tokens"] == 100
    assert (growth["hymem", 50]["persistent_tokens"], growth["hymem", 50]["total_tokens"]) == (100, 1100)
    assert (growth["hymem", 100]["persistent_tokens"], growth["hymem", 100]["total_tokens"]) == (300, 1300)
    assert growth["react", 100]["total_tokens"] == 100


def test_figures_have_a_curve_for_each_framework(invented):
    invented.solve("r", TASKS, [1.0, 0.0, 0.0])
    invented.solve("react", TASKS, [0.0, 0.0, 1.0], agent="react")
    results = {name: query.run(invented.con, name, {"agent_runs": ["r", "react"]}) for name in NAMES}
    found = {figure.name: figure for figure in long_horizon.figures(results)}
    assert {name: len(figure.panels) for name, figure in found.items()} == {
        "resources": 2, "context_density": 1, "context_growth": 1,
    }  # fmt: skip
    assert not any(figure.sample for figure in found.values())


@pytest.mark.parametrize("others", [False, True])
def test_a_run_that_no_server_answered_breaks_no_figure(invented, others):
    """Planned and interrupted before its first reply: there is no score and nothing was used."""
    invented.solve("dead", TASKS, [None, None, None], agent="base")
    if others:
        invented.solve("r", TASKS, [1.0, 0.0, 0.0], agent="react")
    found = page.html(gather(invented.con))
    assert "resources" in found


def test_a_home_with_long_horizon_runs_alone_has_a_report(invented):
    invented.solve("r", TASKS, [1.0, 1.0, None], sample=True, benchmark="sample")
    report = gather(invented.con)
    assert report.headline == "HyMem on sample tasks: 66.7 % Pass@1 (n = 3 planned tasks, 1 without an answer yet)"
    assert {notice.kind for notice in report.selection.notices} == {"sample", "partial", "prompts"}
    text = page.html(report)
    assert "figure-context_growth" in text
    assert "1 of 3 planned tasks have no answer yet" in text


def test_tasks_ended_by_errors_are_said_and_can_be_seen(invented):
    invented.solve("first", TASKS, [1.0, "timeout", "length"])
    invented.solve("second", TASKS, [1.0, 1.0, None], trial=2)
    report = gather(invented.con)
    said = [notice.text for notice in report.selection.notices]
    assert "1 task was ended by an error and scores zero: see Outcomes." in said
    assert 'id="table-outcomes"' in page.html(report)
    (row,) = records(invented, "outcomes", "first", "second")
    assert [row[key] for key in ("runs", "planned", "stop", "length", "timeout", "skipped")] == [2, 6, 3, 1, 1, 1]
    invented.run("r", "b1", invented.build("b1"), [1.0, "timeout", "aborted", None])
    said = " ".join(notice.text for notice in gather(invented.con).selection.notices)
    assert "2 examples and 1 task were ended by errors and score zero: see Outcomes." in said
    assert "2 of 3 runs are not finished; 1 of 4 planned examples and 1 of 6 planned tasks have no answer" in said


def test_only_the_newest_tasks_of_a_benchmark_are_chosen(pair):
    pair.solve("old", TASKS, [1.0] * 3)
    pair.con.execute(
        "UPDATE runs SET build_id = 'older tasks', recorded_at = recorded_at - INTERVAL 1 DAY WHERE run_id = 'old'"
    )
    pair.solve("new", TASKS, [1.0] * 3)
    chosen = select(pair.con)
    assert (chosen.runs, chosen.agent_runs, chosen.benchmarks) == (("flat", "tree"), ("new",), ("gaia",))
    assert select(pair.con, runs=["old"]).agent_runs == ("old",)
    assert select(pair.con, runs=["old"]).runs == ()
    assert select(pair.con, runs=["flat"]).agent_runs == ()
    with pytest.raises(UserError, match="no run nothing"):
        select(pair.con, runs=["nothing", "old"])


LEVEL_SIZES = {"gaia": (42, 66, 19), "browsecomp_plus": (50, 50, 50)}


@pytest.fixture(scope="module")
def table_1(fresh_invented):
    """The query of Table 1 over runs whose tasks score the printed cells of their level."""
    invented = fresh_invented()
    cells = [n for n in published.numbers() if (n.paper, n.place) == ("HyMem", "Table 1") and n.task]
    runs = []
    invented.con.execute("BEGIN")
    for benchmark, sizes in LEVEL_SIZES.items():
        for agent in labels.FRAMEWORKS:
            for model in ("Qwen3-32B", "DeepSeek-V4"):
                levels = [n for n in cells if (n.dataset, n.agent, n.checkpoint) == (benchmark, agent, model)]
                if not levels:
                    continue
                assert tuple(n.task for n in levels) == published.LEVELS[benchmark]
                run = f"{benchmark} {agent} {model}"
                runs.append(run)
                invented.insert(
                    "runs", run_id=run, build_id="b", dataset=benchmark, agent=agent, method="full", model=model,
                    endpoint="", server="{}", prompts="", prompts_sha256="", tokenizer="", tokenizer_sha256="",
                    base_budget=0, decoding='{"trial": 1}', code_version="", sample=False, recorded_at="2026-03-01",
                )  # fmt: skip
                for level, size in zip(levels, sizes, strict=True):
                    given = [run, benchmark, level.task, level.value / 100, size]
                    for statement in _FILL:
                        invented.con.execute(statement, given)
    invented.con.execute("COMMIT")
    found = published.beside(query.run(invented.con, "long_horizon_scores", {"agent_runs": runs}))
    return {(row["agent"], row["model"], row["dataset"]): row for row in found}


_FILL = (
    "INSERT OR IGNORE INTO agent_tasks SELECT concat_ws(' ', $2, $3, n), $2, n::VARCHAR, $3, '[]', '', NULL, NULL, "
    "NULL, TRUE, FALSE FROM range($5) t(n) WHERE $1 <> '' AND $4 >= 0",
    "INSERT INTO run_examples (run_id, example_id) SELECT $1, concat_ws(' ', $2, $3, n) FROM range($5) t(n) "
    "WHERE $4 >= 0",
    "INSERT INTO predictions SELECT $1, concat_ws(' ', $2, $3, n), 'stop', '', 1, NULL, now()::TIMESTAMP "
    "FROM range($5) t(n) WHERE $4 >= 0",
    "INSERT INTO scores SELECT $1, concat_ws(' ', $2, $3, n), 'gaia', '1', NULL, $4, now()::TIMESTAMP "
    "FROM range($5) t(n)",
)


def test_the_printed_cells_give_the_printed_averages(table_1):
    assert len(table_1) == 21
    for (agent, model, benchmark), row in table_1.items():
        levels = published.LEVELS[benchmark]
        for key, level in zip(("first_level", "second_level", "third_level"), levels, strict=True):
            assert row[f"published_{key}"].task == level
            assert row[key] == row[f"published_{key}"].value
        printed = row["published_score"]
        if (agent, model, benchmark) in MISPRINTS:
            assert f"{row['score']:.1f}" == str(MISPRINTS[agent, model, benchmark]) != printed.printed
        elif (agent, model) in CUT and f"{row['score']:.1f}" != printed.printed:
            assert int(row["score"] * 10) == int(printed.value * 10)
            assert "cut, not rounded" in printed.note
        else:
            assert f"{row['score']:.1f}" == printed.printed


def test_table_2_subtracts_to_its_differences():
    for benchmark in LEVEL_SIZES:
        full = published.find(paper="HyMem", place="Table 2", dataset=benchmark, method="full", quantity="score")
        for method in ("without_isolated_reasoning", "without_memory"):
            about = {"paper": "HyMem", "place": "Table 2", "dataset": benchmark, "method": method}
            difference = published.find(**about, quantity="difference")
            assert published.find(**about, quantity="score").value - full.value == pytest.approx(difference.value)


@pytest.mark.parametrize(
    ("model", "checkpoint"),
    [("qwen3-32b", "Qwen3-32B"), ("Qwen/Qwen3-32B", "Qwen3-32B"), ("deepseek-v4", "DeepSeek-V4"), ("embedded", "")],
)
def test_which_models_have_published_numbers(model, checkpoint):
    assert published.checkpoint(model) == checkpoint
