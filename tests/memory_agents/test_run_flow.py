"""The run flow over a small database: from the tables of sections to predictions that the snapshot shows."""

from pathlib import Path

import pytest

from flows.parameters import RunParameters, ScoreParameters
from tasks.errors import Fault, UserError
from tasks.home import Home
from tasks.memory_agents.agents import agent
from tasks.memory_agents.decoding import decoding
from tasks.memory_agents.evaluating import evaluate
from tasks.memory_agents.planning import Run, record, shards
from tasks.warehouse import snapshot
from tasks.warehouse.ingest import sync
from tests.memory_agents.conftest import BUDGET, BUILD
from tests.stand_in import stand_in

LIMITS = {"memory_tokens": 48, "answer_tokens": 16}
DECODING = decoding(agent("memagent"), "demo", 8192, LIMITS)
FLAT = Run(BUILD, "memagent", "flat", "embedded", BUDGET, DECODING)


def parameters(url: str, **more: object) -> RunParameters:
    return RunParameters(**{"build": BUILD, "base_budget": BUDGET, "endpoint": url, **LIMITS, **more})


def killed_before_publishing(at: Home, folder: Path) -> tuple[str, str]:
    """The run_id and server address of a run whose answers are in the journal only."""
    with stand_in(folder, "--count-as", "embedded") as server:
        run_id = record(at, FLAT, server.url, {}, None)
        sync(at)
        evaluate(at, run_id, 0, shards(at, FLAT)[0], server.url)
    assert snapshot.rows(at, "FROM predictions") == []
    return run_id, server.url


@pytest.mark.usefixtures("prefect")
def test_two_methods_then_nothing_to_do(tmp_path: Path, built: Home) -> None:
    from flows.run import run

    with stand_in(tmp_path, "--count-as", "embedded") as server:
        run_ids = run(parameters(server.url))
        asked = len(server.rows())
        assert len(set(run_ids)) == 2
        assert server.repeated() == {}
    counted = snapshot.rows(
        built, "SELECT run_id, count(*) AS n FROM predictions WHERE outcome = 'stop' GROUP BY run_id"
    )
    assert {row["run_id"]: row["n"] for row in counted} == dict.fromkeys(run_ids, 3)
    assert snapshot.rows(built, "SELECT count(*) AS n FROM model_calls")[0]["n"] == asked
    # nothing listens at that address any more, and nobody asks
    assert run(parameters(server.url)) == run_ids


@pytest.mark.usefixtures("prefect")
def test_answers_of_a_run_that_was_killed_before_it_published_them_are_shown(tmp_path: Path, built: Home) -> None:
    from flows.run import run

    run_id, url = killed_before_publishing(built, tmp_path)
    assert run(parameters(url, methods=["flat"])) == [run_id]
    assert len(snapshot.rows(built, "FROM predictions")) == 3


@pytest.mark.usefixtures("prefect")
def test_they_are_scored_without_running_again(tmp_path: Path, built: Home) -> None:
    from flows.score import score

    run_id, _ = killed_before_publishing(built, tmp_path)
    (counts,) = score(ScoreParameters(runs=[run_id]))
    assert (counts["planned"], counts["answered"], counts["missing"]) == (3, 3, 0)


@pytest.mark.usefixtures("prefect")
def test_what_was_finished_before_a_failure_is_published(tmp_path: Path, built: Home) -> None:
    from flows.run import run

    with stand_in(tmp_path, "--count-as", "embedded", "--fault", "400:at=12") as server:
        with pytest.raises(Fault, match="ended with server_error"):
            run(parameters(server.url, methods=["treeagent"], concurrency=2))
        kept = snapshot.rows(built, "SELECT count(*) AS n FROM model_calls WHERE response IS NOT NULL")[0]["n"]
        assert kept == len(server.rows("answered"))
        run(parameters(server.url, methods=["treeagent"]))
        assert server.repeated() == {}


@pytest.mark.usefixtures("prefect")
def test_shards_side_by_side_end_at_the_limit_of_tokens_and_go_on(tmp_path: Path, built: Home) -> None:
    from flows.run import run

    spec = tmp_path / "slow.yaml"
    spec.write_text(
        "title: x\nkind: openai\nmodel: m\ntokenizer: smollm2\nchat_template: smollm2\nwindow: 8192\n"
        "tokens_per_second: 1\n"
    )
    more = {"methods": ["flat"], "agents": ["infmem"], "model": str(spec), "shards_at_once": 3}
    with stand_in(tmp_path, "--count-as", "embedded", "--model", "m") as server:
        run_ids = run(parameters(server.url, **more, limit_tokens=2000))
        asked = len(server.rows())
        first = snapshot.rows(built, "SELECT count(*) AS n FROM predictions")[0]["n"]
        assert first < 3
        assert run(parameters(server.url, **more)) == run_ids
        assert len(server.rows()) > asked
        assert server.repeated() == {}
    counted = snapshot.rows(built, "SELECT run_id, count(*) AS n FROM predictions GROUP BY run_id")
    assert {row["run_id"]: row["n"] for row in counted} == dict.fromkeys(run_ids, 3)


@pytest.mark.usefixtures("prefect")
def test_released_prompts_that_are_not_imported(built: Home) -> None:
    from flows.run import run

    with pytest.raises(UserError, match="treebench prompts import memagent --from"):
        run(parameters("http://127.0.0.1:9", prompts="released"))
