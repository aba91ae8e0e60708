"""The documented questions: each runs, and what it says is what the other tables say."""

import re
from datetime import datetime

import duckdb
import pytest

from tasks.home import PROJECT
from tasks.warehouse import ingest, journal

START = datetime(2026, 3, 1)
TEXT = (PROJECT / "sql" / "questions.md").read_text(encoding="utf-8")
QUESTIONS = dict(re.findall(r"^## (\d+\. .*?)$.*?^```sql\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def asked(fresh_invented, fill_pair):
    """Columns and rows of each answer, over a pair of runs, a repeat, a budget search, a memory and a HyMem run."""
    invented = fresh_invented()
    fill_pair(invented)
    ids = [
        row[0] for row in invented.con.execute("SELECT example_id FROM run_examples WHERE run_id = 'flat'").fetchall()
    ]
    invented.run("again", "b1", ids, [0.0, "timeout", 0.0, 0.0])
    invented.run("other flat", "b1", ids[:1], [1.0], agent="infmem")
    invented.run("other tree", "b1", ids[:1], [0.0], agent="infmem", method="tree")
    invented.budget(ids[0], 3, 3)
    for position, text in enumerate(("nothing yet", "the magnitude is 4.2", "forgotten"), start=1):
        invented.insert("memories", run_id="flat", example_id=ids[0], position=position, text=text)
    invented.insert(
        "validations", build_id="b1", suite="independent", subject=ids[0], check_name="answer", passed=False,
        recorded_at="2026-03-01",
    )  # fmt: skip
    invented.solve("hymem", [("t1", "1"), ("t2", "2")], [1.0, 0.0])
    answers = {}
    for title, sql in QUESTIONS.items():
        found = invented.con.execute(sql)
        answers[title.split(".")[0]] = ([column[0] for column in found.description], found.fetchall())
    return {number: [dict(zip(names, row, strict=True)) for row in rows] for number, (names, rows) in answers.items()}


def test_there_are_fifteen_in_order():
    assert [int(title.split(".")[0]) for title in QUESTIONS] == list(range(1, 16))
    assert all(title.endswith("?") for title in QUESTIONS)
    assert TEXT.count("```") == 30


def test_every_question_has_an_answer(asked):
    assert [number for number, rows in asked.items() if not rows] == []


def test_answers(asked):
    assert sorted((row["method"], row["score"]) for row in asked["1"] if row["agent"] == "memagent") == [
        ("flat", 0.0), ("flat", 25.0), ("treeagent", 62.5),
    ]  # fmt: skip
    # Repeats under Flat are averaged: 0.125 against 0.625.
    assert [(row["agent"], row["points"], row["pairs"]) for row in asked["2"]] == [
        ("memagent", 50.0, 4), ("infmem", -100.0, 1),
    ]  # fmt: skip
    assert [(row["method"], row["task"], row["points"]) for row in asked["3"]] == [
        ("tree", "fields_1", -100.0), ("treeagent", "fields_1", 75.0), ("treeagent", "count", 25.0),
    ]  # fmt: skip
    assert [(row["agent"], row["method"]) for row in asked["6"]] == [("infmem", "tree")]
    assert {(row["outcome"], row["examples"]) for row in asked["5"]} == {("timeout", 1)}
    assert [row["values_in_it"] for row in asked["8"]] == [[], ["4.2"], []]
    assert sum(row["calls"] for row in asked["10"]) == 12 + 16 + 12 + 6 + 6
    assert [(row["equal"], row["examples"]) for row in asked["11"]] == [(100.0, 1)]
    assert [(row["runs"], row["mean"]) for row in asked["12"]] == [(2, 12.5)]
    assert asked["14"][0]["failed"] == 1
    assert [(row["pass_at_1"], row["tasks"]) for row in asked["15"]] == [(50.0, 2)]


def test_the_snapshot_and_parquet_open_as_described(fresh_home):
    row = {"run_id": "r", "outcome": "stop", "model_calls": 1, "recorded_at": START}
    journal.write(fresh_home, "predictions", [{"example_id": name, **row} for name in ("a", "b")])
    ingest.sync(fresh_home)
    with duckdb.connect(str(fresh_home.snapshot), read_only=True) as con:
        assert len(con.sql("FROM predictions").df()) == 2
        assert con.execute("SELECT count(*) FROM duckdb_views() WHERE NOT internal AND comment IS NULL").fetchone() == (
            0,
        )
        (version,) = con.execute("SELECT tags['storage_version'] FROM duckdb_databases() WHERE NOT internal").fetchone()
        assert version.startswith("v1.5")
    assert len(duckdb.read_parquet(str(fresh_home.parquet / "predictions.parquet")).fetchall()) == 2


def test_every_view_that_the_readme_names_is_there(invented):
    text = (PROJECT / "sql" / "README.md").read_text(encoding="utf-8")
    named = {name for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    views = {
        name for (name,) in invented.con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
    }
    assert named <= views
