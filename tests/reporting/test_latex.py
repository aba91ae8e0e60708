"""LaTeX: nothing in a table breaks the document around it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.reporting import latex, query
from tasks.reporting.arranging import arranged
from tasks.reporting.cells import Cell, Column
from tasks.reporting.tables import Table


@pytest.mark.parametrize("name", ["main_table", "examples", "calls_and_tokens", "gains_by_task"])
def test_every_row_has_every_column(pair, name):
    text = latex.table(arranged(query.run(pair.con, name, {"runs": ["flat", "tree"]})))
    columns = re.search(r"\\begin\{(?:tabular|longtable)\}\{([lr]+)\}", text)[1]
    rows = [line for line in text.splitlines() if line.endswith(r"\\") and "caption" not in line]
    assert len(rows) >= 3
    for row in rows:
        spanned = sum(int(width) - 1 for width in re.findall(r"\\multicolumn\{(\d+)\}", row))
        assert len(re.findall(r"(?<!\\)&", row)) + 1 + spanned == len(columns)
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    assert "Sample data: supports no claims." in text


def test_means_stand_below_a_rule(invented):
    ids = invented.build("b1")
    for agent in ("memagent", "infmem"):
        invented.run(agent, "b1", ids, [1.0] * 4, agent=agent)
    lines = latex.table(arranged(query.run(invented.con, "main_table", {"runs": ["memagent", "infmem"]}))).splitlines()
    assert lines[next(i for i, line in enumerate(lines) if line.startswith("mean of 2")) - 1] == r"\midrule"


@given(st.text(alphabet="ab\\{}$&#%_^~<>−– ", max_size=20))
def test_special_signs_are_escaped(text):
    bare = re.sub(
        r"\\(?:textbackslash|textasciicircum|textasciitilde|textless|textgreater)\{\}|\\[{}$&#%_]|\$-\$",
        "",
        latex.escaped(text),
    )
    assert not set(bare) & set("\\{}$&#%_^<>")


def test_a_row_is_never_taken_for_an_option_of_the_line_above():
    shown = Table(query.load("main_table"), "", (Column("agent", "Agent"),), ((Cell("[x]"),), (Cell("*x"),)), False)
    text = latex.table(shown)
    assert "\n{}[x] \\\\\n{}*x \\\\\n" in text


def test_letters_that_pdflatex_lacks_are_said():
    def note(text):
        shown = Table(query.load("main_table"), "", (Column("agent", "Agent"),), ((Cell(text),),), False)
        return latex.table(shown).splitlines()[0]

    assert "XeLaTeX" in note("東京都")
    assert "XeLaTeX" not in note("Kozāni → “Ōfunato” – 5 × 10 °")


@given(st.text(max_size=20))
def test_only_what_can_be_printed_is_left(text):
    assert all(sign.isprintable() for sign in latex.escaped(text))
