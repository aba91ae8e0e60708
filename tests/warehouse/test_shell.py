"""`treebench sql`: statements, formats, errors, and the shell at a terminal."""

import io
import json
import os
import pty
import select
import subprocess
import sys
import time

import duckdb
import pytest

from tasks.errors import UserError
from tasks.home import Home
from tasks.warehouse import ingest, journal, shell


@pytest.fixture
def filled(fresh_home: Home, prediction) -> Home:
    journal.write(fresh_home, "predictions", [prediction("a", raw_answer='x,"y"\n'), prediction("b", "timeout")])
    ingest.sync(fresh_home)
    return fresh_home


QUERY = "SELECT example_id, raw_answer, model_calls, 0.5::DOUBLE AS half FROM predictions ORDER BY ALL"


def test_table(filled: Home, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run(filled, QUERY)
    assert capsys.readouterr().out.splitlines() == [
        "example_id  raw_answer  model_calls  half",
        "----------  ----------  -----------  ----",
        'a           x,"y"\\n               1   0.5',
        "b           NULL                  1   0.5",
        "(2 rows)",
    ]


def test_a_pivot_is_a_query(filled: Home, capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    pivot = "PIVOT predictions ON outcome USING count(*) GROUP BY run_id"
    shell.run(filled, f"SET threads = 1; {pivot}", "csv")
    head, row = capsys.readouterr().out.splitlines()
    assert (head, row.split(",")[1:]) == ("run_id,stop,timeout", ["1", "1"])
    shell.export(filled, pivot, "csv", tmp_path / "pivot.csv")
    assert (tmp_path / "pivot.csv").read_text().splitlines() == [head, row]


def test_csv_is_read_back_by_duckdb(filled: Home, capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    shell.run(filled, QUERY, "csv")
    path = tmp_path / "rows.csv"
    path.write_text(capsys.readouterr().out)
    assert duckdb.sql(f"FROM read_csv('{path}', header=true, quote='\"')").fetchall() == [
        ("a", 'x,"y"\n', 1, 0.5),
        ("b", None, 1, 0.5),
    ]


def test_json(filled: Home, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run(filled, QUERY, "json")
    assert json.loads(capsys.readouterr().out)[0] == {
        "example_id": "a", "raw_answer": 'x,"y"\n', "model_calls": 1, "half": 0.5
    }  # fmt: skip
    shell.run(
        filled,
        """SELECT '{"a": [1, null]}'::JSON AS j, ['nan'::DOUBLE, 1] AS l, {'t': DATE '2026-11-29'} AS s""",
        "json",
    )
    assert json.loads(capsys.readouterr().out) == [{"j": {"a": [1, None]}, "l": [None, 1.0], "s": {"t": "2026-11-29"}}]
    shell.run(filled, "FROM predictions WHERE false", "json")
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
def test_files_hold_the_rows(filled: Home, tmp_path, format: str) -> None:
    file = tmp_path / f"it's rows.{format}"
    shell.export(filled, f"{QUERY}; -- done", format, file)
    rows = duckdb.sql(
        f"SELECT example_id, raw_answer, half FROM '{str(file).replace(chr(39), chr(39) * 2)}' ORDER BY ALL"
    )
    assert rows.fetchall() == [("a", 'x,"y"\n', 0.5), ("b", None, 0.5)]
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [file.name]


@pytest.mark.parametrize(
    ("statement", "format", "said"),
    [
        (QUERY, "table", "csv, json or parquet"),
        ("", "csv", "needs one query"),
        ("SELECT 1; SELECT 2", "csv", "a single SELECT"),
        ("SET threads = 1", "csv", "a single SELECT"),
        ("SELEC", "csv", "syntax error"),
    ],
)
def test_what_cannot_be_a_file(filled: Home, tmp_path, statement: str, format: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        shell.export(filled, statement, format, tmp_path / "rows")
    with pytest.raises(UserError, match="cannot be written"):
        shell.export(filled, QUERY, "csv", tmp_path / "nowhere" / "rows.csv")
    assert not [path for path in tmp_path.iterdir() if path.is_file()]


def test_several_statements(filled: Home, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run(filled, "SET threads = 1; CREATE TEMP TABLE t AS SELECT 7 AS x; SELECT x FROM t; SELECT 8 AS y", "csv")
    assert capsys.readouterr().out == "x\n7\ny\n8\n"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("SELEC 1", 'SQL error: Parser Error: syntax error at or near "SELEC"'),
        ("FROM nowhere", "SQL error: Catalog Error: Table with name nowhere does not exist!"),
        ("SELECT nope FROM predictions", 'SQL error: Binder Error: Referenced column "nope" not found'),
        ("DROP TABLE predictions", "attached in read-only mode"),
        ("SELECT 'x'::INTEGER", "SQL error: Conversion Error: Could not convert string 'x' to INT32"),
        ("INSERT INTO stages VALUES ('a', 'b', '{}', now())", "attached in read-only mode"),
    ],
)
def test_errors_are_one_sentence(filled: Home, statement: str, said: str) -> None:
    with pytest.raises(UserError) as failed:
        shell.run(filled, statement)
    assert said in str(failed.value)
    assert "\n" not in str(failed.value)
    assert failed.value.exit_status == 2


def test_a_dot_command_is_a_statement_too(filled: Home, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run(filled, ".schema predictions", "csv")
    assert capsys.readouterr().out.splitlines()[1].startswith("run_id,VARCHAR,")


@pytest.mark.parametrize("nothing", ["", " \n"])
def test_no_statement_is_an_error(filled: Home, nothing: str) -> None:
    with pytest.raises(UserError, match="The statement is empty: write one"):
        shell.run(filled, nothing)


def piped(home: Home, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    shell.interact(home, "csv")


def test_statements_from_a_pipe(
    filled: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    piped(filled, "SELECT 1 AS a,\n';' AS b;\n-- note;\nSELECT 2 AS c; -- done\n\nSELECT 3 AS d", monkeypatch)
    assert capsys.readouterr().out == "a,b\n1,;\nc\n2\nd\n3\n"
    piped(filled, ".schema predictions\n.quit\nSELECT 1;", monkeypatch)
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["column,type,nullable,comment", "run_id,VARCHAR,False,The run"]
    assert len(said) == 8
    piped(filled, ".format json\nSELECT 7 AS a;\n.format table\n", monkeypatch)
    assert json.loads(capsys.readouterr().out) == [{"a": 7}]
    file = filled.root / "rows.parquet"
    piped(filled, f".export {file}\nSELECT 7\nAS a;\n", monkeypatch)
    assert duckdb.sql(f"FROM '{file}'").fetchall() == [(7,)]
    capsys.readouterr()
    with pytest.raises(UserError, match=r"There is no format 'xml'"):
        piped(filled, ".format xml", monkeypatch)
    piped(filled, ".tables\n", monkeypatch)
    assert 'predictions,table,2,"What an agent answered' in capsys.readouterr().out
    with pytest.raises(UserError, match="There is no table or view dreams"):
        piped(filled, ".schema dreams", monkeypatch)
    with pytest.raises(UserError, match=r"There is no command \.dance"):
        piped(filled, ".dance", monkeypatch)
    with pytest.raises(UserError, match="syntax error"):
        piped(filled, "SELECT 1 AS a;\nSELEC;\nSELECT 3 AS c;", monkeypatch)
    assert capsys.readouterr().out == "a\n1\n"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("", True),
        (".tables", True),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; -- note", True),
        ("SELECT ';", False),
        ("SELECT $$;", False),
        ("SELECT 'é';", True),
        ("SELECT 1 -- ;", False),
        ("SELECT 1 /* ;", False),
        ('SELECT ";', False),
    ],
)
def test_where_a_statement_ends(text: str, whole: bool) -> None:
    assert shell.complete(text) is whole


def test_the_shell_at_a_terminal_sees_what_is_published_meanwhile(filled: Home, prediction) -> None:
    keyboard, terminal = pty.openpty()
    code = "from tasks.home import home; from tasks.warehouse import shell; shell.interact(home())"
    environment = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    )
    os.close(terminal)
    shown = ""

    def expect(text: str) -> None:
        nonlocal shown
        deadline = time.monotonic() + 30
        while text not in shown:
            assert time.monotonic() < deadline, shown
            if select.select([keyboard], [], [], 0.1)[0]:
                shown += os.read(keyboard, 65536).decode("utf-8", "replace")
        shown = shown.split(text, 1)[1]

    def enter(text: str) -> None:
        os.write(keyboard, text.encode() + b"\r")

    expect("treebench>")
    enter("SELECT count(*) AS n,")
    enter("40 + 2 AS answer FROM predictions;")
    expect("     42")
    journal.write(filled, "predictions", [prediction("c"), prediction("d"), prediction("e")])
    ingest.sync(filled)
    enter("SELECT 'now ' || count(*) AS n FROM predictions;")
    expect("now 5")
    enter("SELEC;")
    expect("SQL error: Parser Error")
    os.write(keyboard, b"SELECT count(*) FROM predic\t")
    expect("tions")  # what the completion adds
    enter(";")
    expect("(1 row)")
    enter(".quit")
    assert process.wait(timeout=30) == 0
    os.close(keyboard)
    assert "SELECT 'now '" in (filled.root / "sql_history").read_text()
