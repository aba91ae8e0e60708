"""Two long-horizon agents compared: task by task, over trials, by level, with their costs."""

import pytest
from lxml import html

from tasks.errors import UserError
from tasks.reporting import command, page
from tasks.reporting.compare import compare

TASKS = [("t1", "1"), ("t2", "1"), ("t3", "2")]


def cells(table):
    return [
        dict(zip([column.key for column in table.columns], [c.text for c in row], strict=True)) for row in table.rows
    ]


@pytest.fixture
def agents(invented):
    """ReAct once and HyMem in two trials: 1, 0, 0 against the mean of 1, 1, 0 and 1, 0, 1."""
    invented.solve("react", TASKS, [1.0, 0.0, 0.0], agent="react")
    invented.solve("hymem-1", TASKS, [1.0, 1.0, 0.0], tools=4, turns=5)
    invented.solve("hymem-2", TASKS, [1.0, 0.0, 1.0], trial=2, tools=4, turns=3)
    return invented


def test_trials_are_averaged_task_by_task(agents):
    found = compare(agents.con, "react", "hymem-2")
    scopes = {scope: cells(table) for scope, table in found.scopes}
    (overall,) = scopes["dataset"]
    assert (overall["first_score"], overall["score"], overall["difference"]) == ("33.33", "66.67", "+33.33")
    assert (overall["better"], overall["equal"], overall["worse"], overall["pairs"]) == ("2", "1", "0", "3")
    assert overall["interval"] == "[0.67, 66.00]"  # 0, 0.5, 0.5: 1/3 and 1.96 times 1/6
    assert [(row["level"], row["difference"]) for row in scopes["level"]] == [("1", "+25.00"), ("2", "+50.00")]
    assert any("1 of the first and 2 of the second" in notice for notice in found.notices)
    assert "GAIA +33.33 points" in found.headline
    assert "3 pairs, 2 tasks flipped" in found.headline


def test_costs_are_means_over_trials(agents):
    costs = {row["quantity"]: row for row in cells(compare(agents.con, "react", "hymem-1").costs)}
    assert (costs["calls"]["first_amount"], costs["calls"]["second_amount"]) == ("9", "12")
    assert (costs["tool calls"]["first_amount"], costs["tool calls"]["ratio"]) == ("6", "2.000")


def test_two_trials_of_one_setup_are_compared_alone(agents):
    found = compare(agents.con, "hymem-1", "hymem-2")
    (overall,) = cells(dict(found.scopes)["dataset"])
    assert (overall["difference"], overall["test"], overall["better"], overall["worse"]) == (
        "0.00",
        "McNemar",
        "1",
        "1",
    )
    assert not any("Trials" in notice for notice in found.notices)
    assert {row["field"] for row in cells(found.configuration)} == {"decoding seed", "decoding trial"}


def test_the_page_has_a_place_for_every_flip_and_its_sql_runs(agents):
    shown = html.document_fromstring(page.comparison(compare(agents.con, "react", "hymem-1")))
    links = shown.xpath("//section[@id='flips']//table//a/@href")
    assert {link[1:] for link in links} == set(shown.xpath("//article/@id")) == {"example-t2", "example-t3"}
    for code in shown.xpath("//details[@class='sql']//code"):
        agents.con.execute(code.text_content())


def test_settings_that_differ_stand_one_a_row(agents):
    for run_id, limit in (("react", 9), ("hymem-1", 8)):
        changed = f'{{"limits": {{"turns": {limit}, "calls": 7, "stops": ["a"]}}}}'
        agents.con.execute(
            "UPDATE runs SET decoding = json_merge_patch(decoding, $2::JSON) WHERE run_id = $1", [run_id, changed]
        )
    found = cells(compare(agents.con, "react", "hymem-1").configuration)
    settings = [tuple(row.values()) for row in found if row["field"].startswith("decoding")]
    assert settings == [("decoding limits.turns", "9", "8")]


def test_tasks_are_called_tasks(agents):
    shown = html.document_fromstring(page.comparison(compare(agents.con, "react", "hymem-1")))
    assert "Tasks" in [head.text_content().strip() for head in shown.xpath("//section[@id='costs']//th")]
    assert shown.xpath("//section[@id='flips']/h2/text()") == ["Flipped tasks"]


def test_missing_tasks_count_zero_and_are_said(agents):
    agents.solve("late", [*TASKS[:2], ("t4", "3")], [1.0, None, 1.0], agent="resum")
    found = compare(agents.con, "react", "late")
    said = " ".join(found.notices)
    assert "1 planned tasks of the first run are not in the other" in said
    assert "1 planned tasks of the second run are not in the other" in said
    assert "1 pair lacks an answer" in said
    (overall,) = cells(dict(found.scopes)["dataset"])
    assert (overall["pairs"], overall["score"]) == ("2", "50.00")


def test_what_cannot_be_compared(agents):
    agents.run("memory", "b1", agents.build("b1"))
    agents.solve("elsewhere", [("x", "easy")], [1.0], agent="react", benchmark="browsecomp_plus")
    agents.solve("unscored", TASKS, ["timeout"], agent="thread")
    for first, second, said in (
        ("memory", "react", "of a long-horizon agent and run memory of a memory agent"),
        ("react", "elsewhere", "no planned task in common"),
        ("react", "unscored", "no scorer in common"),
    ):
        with pytest.raises(UserError, match=said):
            compare(agents.con, first, second)


def test_answers_of_a_gated_benchmark_are_not_shown(agents):
    """One side of a flip is right: its answer is the expected one."""
    agents.con.execute("UPDATE agent_tasks SET gated = true, question = NULL, answer = NULL")
    agents.con.execute("UPDATE predictions SET raw_answer = 'ZORILLA'")
    found = page.comparison(compare(agents.con, "react", "hymem-1"))
    assert "ZORILLA" not in found
    assert "must not be published" in found
    agents.con.execute("UPDATE agent_tasks SET gated = false")
    assert "ZORILLA" in page.comparison(compare(agents.con, "react", "hymem-1"))


def test_a_task_that_flips_for_two_scorers_is_one_task(agents):
    agents.con.execute(
        "INSERT INTO scores BY NAME SELECT * REPLACE ('judge' AS scorer) FROM scores WHERE example_id IN ('t1', 't3')"
    )
    found = compare(agents.con, "react", "hymem-1")
    assert found.flipped_in_all == 2
    assert {rows[0]["example"]: len(rows) for rows in found.by_example} == {"t2": 1, "t3": 2}
    text = "\n".join(command._text(found, "file:///page.html", 1))
    assert "Flipped tasks: 2\n" in text
    assert "and 1 more on the page" in text
    shown = html.document_fromstring(page.comparison(found))
    assert len(shown.xpath("//article/@id")) == len(set(shown.xpath("//article/@id"))) == 2
