"""Two runs compared: what differs, by how much, which examples flipped, and what it cost."""

import json

import pytest
from lxml import html

from tasks.errors import UserError
from tasks.reporting import page
from tasks.reporting.command import compare_runs
from tasks.reporting.compare import compare
from tasks.reporting.comparison import jsonable


def cells(table):
    return [
        dict(zip([column.key for column in table.columns], [c.text for c in row], strict=True)) for row in table.rows
    ]


def test_a_pair(pair):
    found = compare(pair.con, "flat", "tree")
    assert cells(found.configuration) == [{"field": "method", "first_value": "flat", "second_value": "treeagent"}]
    scopes = {scope: cells(table) for scope, table in found.scopes}
    (dataset,) = scopes["dataset"]
    assert (dataset["first_score"], dataset["score"], dataset["difference"]) == ("25.00", "62.50", "+37.50")
    assert dataset["interval"] == "[−9.41, 84.41]"
    tasks = [(row["task"], row["difference"], row["test"], row["p"]) for row in scopes["task"]]
    assert tasks == [("1 field", "+50.00", "McNemar", "1.000"), ("conditional count", "+25.00", "normal", "0.317")]
    assert [row["length"] for row in scopes["length"]] == ["8K"]
    costs = {row["quantity"]: (row["first_amount"], row["second_amount"], row["ratio"]) for row in cells(found.costs)}
    assert costs["calls"] == ("12", "16", "1.333")
    assert costs["prompt tokens"] == ("1,200", "1,440", "1.200")
    flips = [(row["example"], row["difference"]) for row in found.flipped]
    assert flips == [("b1/fields_1/8192/1", 100.0), ("b1/count/8192/0", 50.0)]
    assert found.headline.startswith(
        "Second minus first: JSON +37.50 points, 95 % interval -9.41 to 84.41 (n = 4 pairs"
    )
    assert any("Sample data" in notice for notice in found.notices)


def test_missing_answers_count_and_are_said(pair):
    ids = [row[0] for row in pair.con.execute("SELECT example_id FROM run_examples WHERE run_id = 'flat'").fetchall()]
    pair.run("late", "b1", [*ids[:3], pair.example("b1", "json", "count", 8192, 9)], [1.0, None, "timeout"])
    found = compare(pair.con, "flat", "late")
    said = " ".join(found.notices)
    assert "1 planned examples of the first run are not in the other" in said
    assert "1 planned examples of the second run are not in the other" in said
    assert "1 pair lacks an answer" in said
    (dataset,) = cells(dict(found.scopes)["dataset"])
    assert dataset["pairs"] == "3"


def test_a_repeat_differs_in_nothing(pair):
    ids = [row[0] for row in pair.con.execute("SELECT example_id FROM run_examples WHERE run_id = 'flat'").fetchall()]
    pair.run("flat again", "b1", ids, [1.0, 0.0, 0.0, 0.0])
    found = compare(pair.con, "flat", "flat again")
    assert found.configuration.rows == ()
    assert found.flips.rows == ()
    assert "0 examples flipped" in found.headline
    shown = page.comparison(found)
    assert "one is a repeat of the other" in shown
    assert "No example is scored differently" in shown


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("nothing", "tree", "There is no run nothing"),
        ("", "tree", "The id of a run is empty"),
        ("flat", "flat", "are the same run flat"),
        ("t", "flat", "Several runs begin with t"),
        ("flat", "elsewhere", "no planned example in common"),
    ],
)
def test_what_cannot_be_compared(pair, first, second, said):
    pair.run("two", "b1", [], [])
    pair.run("elsewhere", "b2", pair.build("b2", dataset="html"), dataset="html")
    with pytest.raises(UserError, match=said):
        compare(pair.con, first, second)


def test_first_digits_are_enough(pair):
    assert compare(pair.con, "fl", "tr").second == "tree"


def test_every_flip_has_a_place_on_the_page(pair):
    shown = html.document_fromstring(page.comparison(compare(pair.con, "flat", "tree")))
    ids = shown.xpath("//@id")
    assert len(ids) == len(set(ids))
    links = shown.xpath("//section[@id='flips']//table//a/@href")
    assert len(links) == 2
    assert {link[1:] for link in links} <= set(ids)
    for code in shown.xpath("//figure//details[@class='sql']//code"):
        assert pair.con.execute(code.text_content()).fetchall()
    for code in shown.xpath("//article//details[@class='sql']//code"):
        pair.con.execute(code.text_content())


def test_missing_values_are_null_in_json(pair):
    pair.run("one", "b1", ["b1/count/8192/0"], [0.0])
    found = jsonable(compare(pair.con, "flat", "one"))
    assert found["dataset"][0]["interval"] is None
    assert {row["ratio"] for row in found["costs"]} == {1.0, None}
    assert "–" not in json.dumps(found, ensure_ascii=False)


def test_command(pair_home, capsys):
    compare_runs(pair_home, "flat", "tree", show=1)
    said = capsys.readouterr().out
    assert "Second minus first: JSON +37.50 points" in said
    assert "compare.html#example-b1/fields_1/" in said
    assert "and 1 more on the page" in said
    assert (pair_home.reports / "compare-flat-tree" / "compare.html").is_file()
    compare_runs(pair_home, "flat", "tree", "json")
    found = json.loads(capsys.readouterr().out)
    assert found["dataset"][0]["difference"] == 37.5
    assert found["dataset"][0]["interval"] == [-9.41, 84.41]
    assert [repr(row["pairs"]) for row in found["task"]] == ["2", "2"]
    assert repr(found["length"][0]["length"]) == "8192"
    assert [row["example"] for row in found["flips"]] == ["b1/field", "b1/count"]
    assert not (pair_home.reports / "latest").exists()
