"""The flow solve: from parameters to scored and judged runs in the snapshot; and where gated texts do not go."""

import json
import logging
from pathlib import Path

import pytest

from flows.overrides import overrides_of, parameters
from flows.solving import SolveParameters
from tasks import downloads
from tasks.errors import Fault, UserError
from tasks.home import Home, home
from tasks.warehouse import snapshot
from tests.long_horizon.model_server import model_server

weights = pytest.mark.skipif(
    not downloads.path_of(downloads.SMOLLM2, home()).exists(), reason="run `treebench models fetch`"
)


@weights
@pytest.mark.usefixtures("prefect")
def test_trials_and_a_judge_then_nothing_to_do(tmp_path: Path, fresh_home: Home, monkeypatch) -> None:
    import flows.solve
    from flows.solve import solve

    done = "SELECT count(*) AS n FROM predictions JOIN runs USING (run_id) WHERE agent = 'hymem'"
    published: list[int] = []

    def shard(*given: object, **more: object) -> None:
        published.append(snapshot.rows(fresh_home, done)[0]["n"])
        solve_shard(*given, **more)

    solve_shard = flows.solve.solve_shard
    monkeypatch.setattr(solve_shard, "with_options", lambda **options: shard)
    monkeypatch.setattr(flows.solve, "SYNC_SECONDS", 0.0)
    with model_server(tmp_path) as server:
        chosen = SolveParameters(frameworks=["hymem"], trials=2, tasks=1, judge="gaia", endpoint=server.url)
        made = solve(chosen)
    assert published == [0, 1]  # what is finished can be queried while the rest goes on
    assert solve(chosen) == [{**row, "scored": 0} for row in made]  # nothing listens there any more
    columns = ("trial", "planned", "answered", "scored")
    assert [tuple(row[column] for column in columns) for row in made] == [(1, 1, 1, 1), (2, 1, 1, 1)]
    levels = "SELECT scorer, trials FROM agent_levels WHERE level = 'all' ORDER BY scorer"
    assert [tuple(row.values()) for row in snapshot.rows(fresh_home, levels)] == [
        ("evidence recall", 2), ("gaia", 2), ("judge gaia by embedded", 2)]  # fmt: skip
    assert snapshot.rows(fresh_home, "SELECT count(*) AS n FROM agent_contexts")[0]["n"] > 0
    seeds = snapshot.rows(fresh_home, "SELECT DISTINCT decoding ->> '$.seed' AS s FROM runs WHERE agent <> 'judge'")
    assert {row["s"] for row in seeds} == {"42", "43"}


@weights
@pytest.mark.usefixtures("prefect")
def test_gated_texts_are_in_the_home_alone(
    tmp_path: Path, fresh_home: Home, caplog: pytest.LogCaptureFixture, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Neither logs, nor Prefect's database, nor the table of tasks hold a question or an answer."""
    from flows.solve import solve

    copy = tmp_path / "copy"
    copy.mkdir()
    row = {"task_id": "x1", "Question": "What is QUAGGA-1?", "Final answer": "ZORILLA-2", "Level": "1", "file_name": ""}
    (copy / "metadata.jsonl").write_text(json.dumps(row))
    with caplog.at_level(logging.DEBUG), model_server(tmp_path) as server:
        made = solve(SolveParameters(
            benchmark="gaia", data=str(copy), frameworks=["react"], search="searxng", search_url="http://127.0.0.1:9",
            endpoint=server.url, judge="gaia", flat_turns=3,
        ))  # fmt: skip
    assert (made[0]["planned"], made[0]["answered"]) == (1, 1)
    (task,) = snapshot.rows(fresh_home, "FROM agent_tasks")
    assert (task["question"], task["answer"], task["gated"]) == (None, None, True)
    texts = (b"QUAGGA-1", b"ZORILLA-2")
    assert not any(text.decode() in caplog.text for text in texts)
    places = [path for path in tmp_path.rglob("*") if fresh_home.root not in path.parents and copy not in path.parents]
    places += tmp_path_factory.getbasetemp().glob("prefect*/**/*")
    leaks = [path for path in places if path.is_file() and any(text in path.read_bytes() for text in texts)]
    assert leaks == []


def test_parameters_say_what_is_missing() -> None:
    flags = overrides_of(SolveParameters)
    for given, said in (({"benchmark": "gaia"}, "set data"), ({"subset": "listed"}, "set ids"),
                        ({"ids": "x"}, "set subset to listed too"), ({"data": "x"}, "set benchmark too"),
                        ({"frameworks": ["react"], "variants": ["without_memory"]}, "add hymem to frameworks"),
                        ({"auxiliary_endpoint": "http://x"}, "set auxiliary_model too"),
                        ({"judge_model": "embedded"}, "set judge too"), ({"search_url": "http://x"}, "search searxng"),
                        ({"benchmark": "gaia", "data": "x"}, "set search to searxng, ddgs or serper"),
                        ({"trials": 0}, "greater than or equal to 1"), ({"levels": "1"}, "list")):  # fmt: skip
        with pytest.raises((UserError, ValueError), match=said):
            parameters(SolveParameters, "demo", flags(**given))


def test_every_field_is_described_and_the_limits_are_those_of_the_paper() -> None:
    for name, field in SolveParameters.model_fields.items():
        assert field.description, name
        assert field.description.endswith("."), name
    made = SolveParameters()
    assert (made.planner_turns, made.executor_turns, made.isolated_sessions, made.isolated_turns) == (12, 10, 5, 3)
    assert made.flat_turns == 100
    plans = SolveParameters(frameworks=["hymem", "react"], variants=["full", "without_memory"], trials=3).plans()
    assert len(plans) == 3 * (2 + 1)


def test_what_a_run_lacks_is_said_before_a_model_starts(tmp_path: Path, fresh_home: Home, monkeypatch) -> None:
    """Search keys, a corpus, models of judges: `unsolved` and the flow look for them first."""
    from tasks.long_horizon.steps import unsolved

    monkeypatch.delenv("SERPER_API_KEY", raising=False)
    row = {"task_id": "x", "Question": "q", "Final answer": "a", "Level": "1", "file_name": ""}
    (tmp_path / "metadata.jsonl").write_text(json.dumps(row))
    gaia = {"benchmark": "gaia", "data": str(tmp_path)}
    (tmp_path / "browsecomp_plus_decrypted.jsonl").write_text(
        json.dumps({"query_id": "1", "query": "q", "answer": "a", "evidence_docs": [{"docid": "1"}]})
    )
    for given, said in (
        ({**gaia, "search": "serper"}, "SERPER_API_KEY"),
        ({**gaia, "search": "searxng"}, "set --search-url"),
        ({"benchmark": "browsecomp_plus", "data": str(tmp_path)}, "There is no corpus in"),
    ):
        (plan,) = SolveParameters(frameworks=["react"], **given).plans()
        with pytest.raises(UserError, match=said):
            unsolved(plan, [])


@pytest.mark.parametrize(("role", "said"), [("", " --endpoint"), ("judge-", " --judge-endpoint"),
                                            ("auxiliary-", " --auxiliary-endpoint")])  # fmt: skip
def test_a_server_that_does_not_answer_is_named_with_its_own_parameter(role: str, said: str) -> None:
    from flows.solve import _endpoint

    with (
        pytest.raises(Fault, match=rf"No model server answers at http://127\.0\.0\.1:9/v1 .* with{said}\.$"),
        _endpoint("embedded", "http://127.0.0.1:9/v1", 5.0, role),
    ):
        pass
