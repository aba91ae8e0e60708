from tasks.reporting import query
from tasks.reporting.headline import headline


def line(invented, *runs):
    return headline(query.run(invented.con, "main_table", {"runs": list(runs)}))


def test_flat_and_treeagent(pair):
    assert line(pair, "flat", "tree") == (
        "MemAgent on JSON sample data: Flat 25.00 %, TreeAgent 62.50 % (+37.50, n = 4 planned examples each)"
    )


def test_a_single_run(pair):
    assert line(pair, "tree") == "MemAgent on JSON sample data: TreeAgent 62.50 % (n = 4 planned examples)"


def test_no_run(invented):
    assert line(invented) == "No run to report on yet"


def test_a_loss_and_missing_answers(invented):
    ids = invented.build("b1", sample=False)
    invented.run("flat", "b1", ids, [1.0, 1.0, 0.0, 0.0], sample=False)
    invented.run("tree", "b1", ids, [1.0, None, None], method="treeagent", sample=False)
    assert line(invented, "flat", "tree") == (
        "MemAgent on JSON data: Flat 50.00 %, TreeAgent 25.00 % (-25.00, n = 4 planned examples each, "
        "3 without an answer yet)"
    )


def test_all_zero(invented):
    ids = invented.build("b1")
    for method in ("flat", "treeagent"):
        invented.run(method, "b1", ids, [0.0] * 4, method=method)
    assert line(invented, "flat", "treeagent").endswith(
        "Flat 0.00 %, TreeAgent 0.00 % (0.00, n = 4 planned examples each)"
    )


def test_the_mean_of_several_agents(pair):
    ids = [row[0] for row in pair.con.execute("SELECT example_id FROM run_examples WHERE run_id = 'flat'").fetchall()]
    for method in ("flat", "treeagent"):
        pair.run(f"infmem {method}", "b1", ids, [1.0] * 4, agent="infmem", method=method)
    runs = ["flat", "tree", "infmem flat", "infmem treeagent"]
    assert line(pair, *runs) == (
        "Mean of 2 agents on JSON sample data: Flat 62.50 %, TreeAgent 81.25 % (+18.75, n = 8 planned examples each)"
    )
    assert line(pair, *runs[:3]).startswith("Mean of 2 agents on JSON sample data: Flat 62.50 % (n = 8")
