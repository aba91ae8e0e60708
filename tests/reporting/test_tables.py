"""Cells as people read them, and tables as Markdown."""

import csv
from datetime import datetime
from urllib.parse import unquote

import pytest

from tasks.reporting import query, writing
from tasks.reporting.layouts import LAYOUTS, arranged
from tasks.reporting.significance import TESTED
from tasks.reporting.tables import Cell, Column, cell, number


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
        "json",
        "published_json",
        "done",
        "data",
    ]
    assert shown.columns[4].head == "published\n±\N{NO-BREAK SPACE}1.73"
    assert [row[4].text for row in shown.rows] == ["35.48", "37.28"]
    assert "page 7" in shown.rows[0][4].title
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
    assert (row["difference"], row["interval"], row["pairs"]) == ("37.5", "[−9.41, 84.41]", "4.0")


def test_plain_is_aligned(pair):
    lines = writing.plain(arranged(query.run(pair.con, "main_table", {"runs": ["flat", "tree"]}))).splitlines()
    assert lines[0].split("  ")[0] == "Agent"
    assert lines[2].index("25.00") + 5 == lines[3].index("62.50") + 5 == lines[0].index("measured") + len("measured")
    assert lines[2].startswith("MemAgent  embedded  Flat")
