"""Cells as people read them, and tables as Markdown."""

import csv
from datetime import datetime
from urllib.parse import unquote

import pytest

from tasks.reporting import latex, query, writing
from tasks.reporting.arranging import arranged
from tasks.reporting.cells import Cell, Column, cell, number
from tasks.reporting.layouts import LAYOUTS
from tasks.reporting.significance import TESTED


def text(kind, value, **record):
    return cell(Column("x", "X", kind), {"x": value, **record}).text


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("percent", 37.5, "37.50"),
        ("percent", 0.0, "0.00"),
        ("gain", 1.8, "+1.80"),
        ("gain", -0.584, "−0.58"),
        ("gain", -0.001, "0.00"),
        ("count", 204_800, "204,800"),
        ("ratio", 1.0744, "1.074"),
        ("length", 8192, "8K"),
        ("length", None, "all lengths"),
        ("bytes", 12_345, "12.3 KB"),
        ("bytes", 999, "999 B"),
        ("bytes", 4_200_000_000, "4.2 GB"),
        ("time", datetime(2026, 3, 1, 12, 5, 9), "2026-03-01 12:05"),
        ("hash", "0123456789abcdef", "01234567"),
        ("values", '["4.2", "5"]', "4.2 · 5"),
        ("values", "[]", "–"),
        ("json", '{"a": 1, "b": {"c": [1, 2], "d": {}}}', "a 1; b.c 1, 2; b.d {}"),
        ("text", None, "–"),
        ("percent", None, "–"),
    ],
)
def test_cells(kind, value, shown):
    assert text(kind, value) == shown


def test_intervals_and_partial_counts():
    assert cell(Column("i", "I", "interval"), {"low": -9.41, "high": 84.41}) == Cell("[−9.41, 84.41]", -9.41)
    assert cell(Column("i", "I", "interval"), {"low": None, "high": None}).text == "–"
    assert cell(Column("done", "E", "done"), {"done": 19, "planned": 32}).text == "19 of 32"
    assert cell(Column("done", "E", "done"), {"done": 3200, "planned": 3200}).text == "3,200"


def test_only_web_addresses_become_links():
    column = Column("x", "X", link="url")
    assert cell(column, {"x": "USGS", "url": "https://example.org"}).href == "https://example.org"
    assert cell(column, {"x": "USGS", "url": "javascript:alert(1)"}).href == ""
    assert cell(column, {"x": "USGS", "url": None}).href == ""


def test_never_a_negative_zero():
    assert [number(-0.0, 2), number(-0.004, 2, signed=True), number(0.004, 1, signed=True)] == ["0.00", "0.00", "0.0"]


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_shown_column_is_there(pair, name):
    result = query.run(pair.con, name, {"runs": ["flat", "tree"], "builds": ["b1"], "agent_runs": []})
    known = {*result.columns, "interval"}
    if name == "paired_differences":
        known |= {"clustered"}
    if name in TESTED:
        known |= {"test", "p", "p_holm"}
    for column in LAYOUTS[name]:
        assert column.published or {column.key, column.link} - {""} <= known
    assert {"data"} <= {column.key for column in LAYOUTS[name]}


def test_every_query_has_a_layout():
    assert sorted(LAYOUTS) == query.names()


def test_setup_is_shown_only_where_it_tells_runs_apart(pair):
    def keys(*runs):
        shown = arranged(query.run(pair.con, "main_table", {"runs": list(runs)}))
        return [column.key for column in shown.columns]

    assert "setup" not in keys("flat", "tree")
    pair.run("longer", "b1", ["b1/count/8192/0"], [1.0], base_budget=1024)
    assert "setup" in keys("flat", "longer")


def test_one_dataset_needs_no_average_and_shows_only_its_published_numbers(pair):
    shown = arranged(query.run(pair.con, "main_table", {"runs": ["flat", "tree"]}))
    assert [column.key for column in shown.columns] == [
        "agent",
        "model",
        "method",
        "done",
        "json",
        "published_json",
        "data",
    ]
    assert shown.columns[5].head == "published\n±\N{NO-BREAK SPACE}1.73"
    assert [row[5].text for row in shown.rows] == ["35.48", "37.28"]
    assert "page 7" in shown.rows[0][5].title
    assert shown.sample


def test_markdown_escapes_what_would_break_it(pair):
    shown = arranged(query.run(pair.con, "examples", {"runs": ["flat"]}))
    lines = writing.markdown(shown).splitlines()
    assert lines[0].startswith("| Dataset | Task | Length | Question |")
    assert "M 0 \\| near \\<Anza> & Ocotillo?" in lines[2]
    bars = [line.replace("\\|", "").count("|") for line in lines]
    assert len(set(bars)) == 1


def test_few_runs_stand_side_by_side(pair):
    shown = arranged(query.run(pair.con, "runs", {"runs": ["flat", "tree"], "agent_runs": []}))
    assert shown.flipped
    assert "| Method | Flat | TreeAgent |\n" in writing.markdown(shown)


def test_empty_tables_say_why(pair):
    shown = arranged(query.run(pair.con, "paired_differences", {"runs": ["flat"]}))
    assert writing.markdown(shown).startswith("A difference needs a run under Flat")


def test_numbers_lead_to_their_examples(pair):
    def links(name, key):
        shown = arranged(query.run(pair.con, name, {"runs": ["flat", "tree"]}))
        place = [column.key for column in shown.columns].index(key)
        return [unquote(row[place].href) for row in shown.rows]

    setup = pair.con.execute("SELECT DISTINCT setup FROM run_setups").fetchone()[0]
    about = f"#examples?agent=memagent&model=embedded&setup={setup}&dataset=json"
    assert links("main_table", "json") == [f"{about}&method=flat", f"{about}&method=treeagent"]
    assert links("gains_by_task", "gain")[1] == f"{about}&task=count&method=flat,treeagent"
    assert links("gains_by_task", "flat")[1] == f"{about}&task=count&method=flat"
    assert links("by_length", "score")[0] == f"{about}&length=8192&method=flat"


def test_an_average_leads_to_the_examples_of_all_its_datasets(pair):
    pair.run("html", "h1", pair.build("h1", dataset="html"), [1.0] * 4, dataset="html")
    shown = arranged(query.run(pair.con, "main_table", {"runs": ["flat", "html"]}))
    place = [column.key for column in shown.columns].index("average")
    assert [unquote(row[place].href).partition("&setup")[0] for row in shown.rows] == [
        "#examples?agent=memagent&model=embedded"
    ]
    assert "dataset" not in shown.rows[0][place].href


def test_only_lengths_of_contexts_are_choices_of_lengths(pair):
    for name, facets in (("outcomes", False), ("by_length", True)):
        columns = arranged(query.run(pair.con, name, {"runs": ["flat", "tree"], "agent_runs": []})).columns
        assert all(column.facet is facets for column in columns if column.key == "length")


def test_what_says_what_a_row_is_about_stands_first(pair):
    parameters = {"runs": ["flat", "tree"], "agent_runs": []}
    leading = {name: arranged(query.run(pair.con, name, parameters)).leading for name in ("main_table", "by_length")}
    assert leading == {"main_table": 3, "by_length": 5}


def test_published_numbers_beside_sample_data_are_marked_as_no_comparison(pair):
    shown = arranged(query.run(pair.con, "main_table", {"runs": ["flat", "tree"]}))
    assert "cannot be compared" in shown.warning
    assert "cannot be compared" in latex.table(shown)
    assert arranged(query.run(pair.con, "by_task", {"runs": ["flat"]})).warning == ""
    pair.con.execute("UPDATE examples SET sample = false")
    pair.con.execute("UPDATE runs SET sample = false")
    assert arranged(query.run(pair.con, "main_table", {"runs": ["flat", "tree"]})).warning == ""


def test_a_row_over_agents_leads_to_the_examples_of_all(invented):
    ids = invented.build("b1")
    for agent in ("memagent", "infmem"):
        invented.run(agent, "b1", ids, [1.0] * 4, agent=agent)
    shown = arranged(query.run(invented.con, "main_table", {"runs": ["memagent", "infmem"]}))
    place = [column.key for column in shown.columns].index("json")
    assert shown.rows[-1][place].href == "#examples?dataset=json&method=flat"


def test_csv_is_for_programs(pair):
    lines = writing.csv(arranged(query.run(pair.con, "paired_differences", {"runs": ["flat", "tree"]}))).splitlines()
    row = dict(zip(lines[0].split(","), next(csv.reader([lines[1]])), strict=True))
    assert (row["difference"], row["interval"], row["pairs"]) == ("37.5", "[-9.41, 84.41]", "4")


def test_plain_is_aligned(pair):
    lines = writing.plain(arranged(query.run(pair.con, "main_table", {"runs": ["flat", "tree"]}))).splitlines()
    assert lines[0].split("  ")[0] == "Agent"
    assert lines[2].index("25.00") + 5 == lines[3].index("62.50") + 5 == lines[0].index("measured") + len("measured")
    assert lines[2].startswith("MemAgent  embedded  Flat")
