"""A context is one text, the same from Python and from SQL."""

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import Fault, UserError
from tasks.hashing import sha256
from tasks.warehouse import migrations
from tasks.warehouse.contexts import context, render
from tasks.warehouse.schema import SQL


@pytest.mark.parametrize(
    ("format", "texts", "whole"),
    [
        ("json", ['{"a":1}'], '[\n{"a":1}\n]'),
        ("json", ['{"a":1}', "[2, 3]"], '[\n{"a":1},\n[2, 3]\n]'),
        ("html", ["<p>1</p>", "<p>2</p>"], "<p>1</p>\n<p>2</p>"),
        ("javascript", ["const a = {};", "const b = {};"], "const a = {};\n\nconst b = {};"),
        ("yaml", ["a: 1", "b: 2\n"], "---\na: 1\n---\nb: 2\n"),
        ("yaml", ["---\na: 1\n", "# old\n\n---\nb: 2"], "---\na: 1\n# old\n\n---\nb: 2\n"),
        ("yaml", ["---a: 1", "text: |\n  ---\n"], "---\n---a: 1\n---\ntext: |\n  ---\n"),
    ],
)
def test_worked_examples(format: str, texts: list[str], whole: str) -> None:
    assert render(format, texts) == whole


def test_rendered_yaml_and_json_have_one_document_or_element_a_payload() -> None:
    import json

    from ruamel.yaml import YAML

    yaml = ["a: 1", "---\nb: 2\n", "# note\n---\nc: 3", "- 4\n"]
    assert list(YAML(typ="safe").load_all(render("yaml", yaml))) == [{"a": 1}, {"b": 2}, {"c": 3}, [4]]
    assert json.loads(render("json", ['{"a": 1}\n', " [2]"])) == [{"a": 1}, [2]]


def test_an_unknown_format() -> None:
    with pytest.raises(UserError, match="There is no format xml: choose json, html, yaml or javascript"):
        render("xml", [])


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        migrations.apply(made, SQL)
        yield made


def put(con: duckdb.DuckDBPyConnection, format: str, texts: list[str], digest: str | None = None) -> None:
    """Make the database hold one example, `e`, of these payloads."""
    con.execute("DELETE FROM examples; DELETE FROM example_payloads; DELETE FROM payloads")
    digest = digest or sha256(render(format, texts))
    con.execute("INSERT INTO examples VALUES ('e', ?, 'count', 1, 'test', 0, 'q', ?, 1, '[]', true)", [format, digest])
    for text in {*texts}:
        con.execute(
            "INSERT INTO payloads "
            "(payload_id, source, dataset, format, response_id, records, characters, sample, text) "
            "VALUES (?, 's', ?, ?, 'r', 1, 1, true, ?)",
            [sha256(text), format, format, text],
        )
    for position, text in reversed([*enumerate(texts)]):
        con.execute("INSERT INTO example_payloads VALUES ('e', ?, ?)", [position, sha256(text)])


pieces = st.text(st.sampled_from("ab-# \t\n\r\0é\U0001f600\u2028\x0b"), max_size=12) | st.sampled_from(
    ["---\n", "---", "--- ", "#\n---\n", "\n\n---\r\nx", "---x", "\r---", "# a # b\n\t \n---\t", "\x0b\n---\n", "\n"]
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["json", "html", "yaml", "javascript"]), st.lists(pieces, min_size=1, max_size=12))
def test_sql_gives_the_same_text(con: duckdb.DuckDBPyConnection, format: str, texts: list[str]) -> None:
    put(con, format, texts)
    assert context(con, "e") == render(format, texts)
    assert con.execute("FROM context('e')").fetchall() == [("e", format, render(format, texts))]


def test_an_example_that_is_not_there(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(UserError, match="There is no example nope in the database"):
        context(con, "nope")
    assert con.execute("FROM context('nope')").fetchall() == []


def test_payloads_that_changed_or_went(con: duckdb.DuckDBPyConnection) -> None:
    put(con, "json", ["1", "2"], digest="0" * 64)
    with pytest.raises(Fault, match=r"The context of example e has SHA-256 .*, not the 0000.* it was built with"):
        context(con, "e")
    put(con, "json", ["1", "2"])
    con.execute("DELETE FROM payloads WHERE text = '2'")
    with pytest.raises(Fault, match="Payloads of example e are missing"):
        context(con, "e")
