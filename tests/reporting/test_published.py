"""The papers' numbers against their own arithmetic, through the queries that measured numbers go through."""

from decimal import Decimal

import pytest

from tasks.errors import UserError
from tasks.reporting import labels, published, query

HALVES_ROUNDED_UP = {("mean", "tree", "average"): "41.34", ("mean", "treeagent", "yaml"): "48.12"}
"""Means of the printed cells that end in an exact half; the paper, with more digits at hand, printed 0.01 more."""

DATASETS = ("json", "html", "yaml", "javascript")


def table_1(agent, method, dataset):
    return published.find(
        paper="TreeAgent", place="Table 1", agent=agent, method=method, dataset=dataset, quantity="score"
    )


@pytest.fixture(scope="module")
def main_table(fresh_invented):
    """The main table over runs whose scores are the printed cells of Table 1."""
    invented = fresh_invented()
    runs = []
    for dataset in DATASETS:
        ids = invented.build(f"b-{dataset}", dataset=dataset, tasks=["count"], examples=1, sample=False)
        for agent in labels.AGENTS:
            for method in labels.METHODS:
                score = table_1(agent, method, dataset).value / 100
                name = f"{agent} {method} {dataset}"
                runs.append(
                    invented.run(
                        name, f"b-{dataset}", ids, [score], agent=agent, method=method, dataset=dataset, sample=False
                    )
                )
    result = query.run(invented.con, "main_table", {"runs": runs})
    return {(row["agent"].replace("mean of 4 agents", "mean"), row["method"]): row for row in published.beside(result)}


def test_the_two_exceptions_are_exact_halves():
    for agent, method, column in HALVES_ROUNDED_UP:
        datasets = DATASETS if column == "average" else (column,)
        cells = [Decimal(table_1(name, method, dataset).printed) for name in labels.AGENTS for dataset in datasets]
        printed = Decimal(table_1(agent, method, column).printed)
        assert printed - sum(cells) / len(cells) == Decimal("0.005")


@pytest.mark.parametrize("method", labels.METHODS)
@pytest.mark.parametrize("agent", [*labels.AGENTS, "mean"])
def test_the_printed_cells_give_the_printed_averages(main_table, agent, method):
    row = main_table[agent, method]
    for column in (*DATASETS, "average"):
        printed = table_1(agent, method, column).printed
        assert f"{row[column]:.2f}" == HALVES_ROUNDED_UP.get((agent, method, column), printed)
        assert row[f"published_{column}"] == table_1(agent, method, column)


def test_table_4_is_table_1_subtracted():
    for agent in labels.AGENTS:
        difference = table_1(agent, "treeagent", "json").value - table_1(agent, "flat", "json").value
        assert published.find(place="Table 4", agent=agent).value == pytest.approx(difference, abs=1e-9)


def test_table_5_averages_its_lengths():
    for checkpoint in ("InfMem-4B", "InfMem-4B, trained with GRPO"):
        cells = [
            n for n in published.numbers() if (n.place, n.checkpoint, n.quantity) == ("Table 5", checkpoint, "score")
        ]
        lengths = [n.value for n in cells if n.length]
        (overall,) = [n.value for n in cells if not n.length]
        assert len(lengths) == 8
        assert sum(lengths) / 8 == pytest.approx(overall, abs=0.001)


def test_figure_3_averages_to_table_4():
    gains = {n.task: n.value for n in published.numbers() if n.place == "Figure 3" and n.agent == "mean"}
    overall = (3 * gains["fields"] + 2 * gains["records"] + 3 * gains["aggregation"]) / 8
    table_4 = [n.value for n in published.numbers() if n.place == "Table 4"]
    assert overall == pytest.approx(sum(table_4) / 4, abs=0.005)


def test_every_number_says_where_it_is_printed():
    for number in published.numbers():
        assert number.page is None if number.paper == "HyMem" else number.page > 0
        assert number.note
        assert float(number.printed) == number.value


@pytest.mark.parametrize(
    ("name", "key", "printed"),
    [
        ("paired_differences", "published", "1.80"),
        ("calls_and_tokens", "published_calls", "1.074"),
        ("calls_and_tokens", "published_input", "1.038"),
        ("main_table", "published_json", "37.28"),
    ],
)
def test_published_numbers_stand_beside_measured_ones(pair, name, key, printed):
    rows = published.beside(query.run(pair.con, name, {"runs": ["flat", "tree"]}))
    assert rows[-1][key].printed == printed


def test_numbers_about_other_things_are_not_shown(pair):
    rows = published.beside(query.run(pair.con, "by_length", {"runs": ["flat", "tree"]}))
    assert [row["published"] for row in rows] == [None, None]


@pytest.mark.parametrize("fault", ["one too many,", "x"])
def test_a_broken_line_is_named(tmp_path, monkeypatch, fault):
    file = tmp_path / "broken.csv"
    head, first, *_ = (published.PUBLISHED / "treeagent_table_4.csv").read_text(encoding="utf-8").splitlines()
    broken = f"{first},more" if fault != "x" else first.replace("1.80", "x")
    file.write_text(f"{head}\n{broken}\n", encoding="utf-8")
    monkeypatch.setattr(published, "PUBLISHED", tmp_path)
    published.numbers.cache_clear()
    with pytest.raises(UserError, match=r"broken\.csv, line 2 is not a published number"):
        published.numbers()
    published.numbers.cache_clear()
