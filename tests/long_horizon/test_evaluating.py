"""Whole runs through the shard runner: tables, resume after kill -9, scores and judges."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tasks import downloads
from tasks.errors import Fault, UserError
from tasks.home import Home, home
from tasks.long_horizon import planning, run_files
from tasks.long_horizon.benchmarks import source as sources
from tasks.long_horizon.benchmarks.source import Source
from tasks.long_horizon.evaluating import Serving, evaluate
from tasks.long_horizon.frameworks import NAMES
from tasks.long_horizon.judging import Judge, judge
from tasks.long_horizon.scoring import score
from tasks.serving.chat import Message
from tasks.warehouse import snapshot
from tests.long_horizon.model_server import model_server
from tests.long_horizon.solving import plan, run
from tests.stand_in import StandIn

SOLVING = Path(__file__).parent / "solving.py"
TABLES = ("agent_events", "memory_folds", "model_calls", "predictions", "runs", "run_examples", "agent_tasks", "scores")
TIMES = "recorded_at", "seconds", "started_at", "latency_s", "endpoint"

pytestmark = pytest.mark.skipif(
    not downloads.path_of(downloads.SMOLLM2, home()).exists(), reason="run `treebench models fetch`"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    """One server for all tests that do not disturb it."""
    with model_server(tmp_path_factory.mktemp("server")) as made:
        yield made


def rows(at: Home, sql: str) -> list[dict]:
    with snapshot.fresh(at, TABLES) as con:
        return snapshot.fetch(con, sql)


def contents(at: Home, table: str) -> list[tuple]:
    found = rows(at, f"FROM {table}")
    return sorted((tuple(v for name, v in row.items() if name not in TIMES) for row in found), key=repr)


@pytest.mark.parametrize("name", [*NAMES, "hymem code"])
def test_every_framework_through_the_runner(server: StandIn, fresh_home: Home, name: str) -> None:
    framework, _, calls = name.partition(" ")
    made = plan(framework, 2, calls or "json", choices={"thread_calls": 12})
    run_id, counts = run(fresh_home, server.url, made)
    asked = len(server.rows())
    assert sum(counts.values()) == 2
    assert set(counts) <= {"stop", "parse_error", "budget"}
    assert run(fresh_home, server.url, made) == (run_id, counts)
    assert len(server.rows()) == asked
    events = rows(fresh_home, "SELECT task_id, count(*) AS n, max(event) AS last FROM agent_events GROUP BY ALL")
    assert all(row["n"] == row["last"] for row in events)
    calls_made = rows(fresh_home, "SELECT count(*) AS n FROM model_calls")[0]["n"]
    assert rows(fresh_home, "SELECT count(*) AS n FROM agent_events WHERE position IS NOT NULL")[0]["n"] == calls_made
    counted = "SELECT count(*) AS n FROM agent_events e JOIN model_calls c ON c.run_id = e.run_id AND "
    counted += "c.example_id = e.task_id AND c.position = e.position WHERE e.context_tokens = c.prompt_tokens"
    assert rows(fresh_home, counted)[0]["n"] == calls_made  # what a context holds is what was sent
    if framework in ("react", "hymem"):
        assert counts == {"stop": 2}
        tools = rows(fresh_home, "SELECT count(*) AS n FROM agent_events WHERE action = 'tool' AND status = 'ok'")
        assert tools[0]["n"] >= 2


def start(at: Home, url: str) -> subprocess.Popen:
    command = [sys.executable, str(SOLVING), url, "hymem", "4", "json"]
    environment = {**os.environ, "PYTHONPATH": str(SOLVING.parents[2]), "TREEBENCH_HOME": str(at.root)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_killed_it_goes_on_at_the_last_finished_turn(tmp_path: Path, fresh_home: Home) -> None:
    kills, chance = 2, random.Random(5)
    with model_server(tmp_path, "--delay", "0.05") as server:
        tools: dict[tuple, object] = {}
        for _ in range(kills):
            wanted = len(server.rows("answered")) + chance.randrange(10, 20)
            victim = start(fresh_home, server.url)
            until = time.monotonic() + 60
            while len(server.rows("answered")) < wanted and victim.poll() is None:
                assert time.monotonic() < until
                time.sleep(0.01)
            victim.send_signal(signal.SIGKILL)
            victim.communicate()
            known = rows(fresh_home, "SELECT task_id, event, recorded_at FROM agent_events WHERE action = 'tool'")
            for row in known:  # a tool that was called is not called again: its row stays the same
                key = (row["task_id"], row["event"])
                assert tools.setdefault(key, row["recorded_at"]) == row["recorded_at"]
        assert tools
        last = start(fresh_home, server.url)
        assert "{'stop': 4}" in last.communicate(timeout=100)[0]
        answered = len(server.rows("answered"))
        twice = "SELECT request_id FROM model_calls WHERE outcome = 'stop' GROUP BY request_id HAVING count(*) > 1"
        assert rows(fresh_home, twice) == []
        undisturbed = Home(fresh_home.root.parent / "undisturbed")
        undisturbed.root.mkdir()
        undisturbed.downloads.symlink_to(fresh_home.downloads.resolve())
        run(undisturbed, server.url, plan("hymem", 4))
        assert answered - (len(server.rows("answered")) - answered) <= kills * 4  # what was in flight at the kills
    for table in ("agent_events", "memory_folds", "predictions"):
        assert contents(fresh_home, table) == contents(undisturbed, table)


def test_scores_and_judges_side_by_side(server: StandIn, fresh_home: Home) -> None:
    made = plan("react", 9, source=Source(levels=("1",), most=9))
    run_id, _ = run(fresh_home, server.url, made)
    tasks = sources.tasks(made.source, fresh_home)
    counts = score(fresh_home, run_id, tasks)
    assert (counts["planned"], counts["answered"], counts["scored"]) == (9, 9, 9)
    assert counts["mean_score"] == pytest.approx(1 / 9, abs=1e-6)
    assert score(fresh_home, run_id, tasks)["scored"] == 0
    asked = len(server.rows())
    args = (fresh_home, run_id, tasks, Judge("gaia", "embedded"), server.url, {}, Serving(server.url), None)
    assert judge(*args)["mean_score"] == pytest.approx(1 / 9, abs=1e-6)
    assert len(server.rows()) == asked + 9
    judge(*args)
    assert len(server.rows()) == asked + 9  # judging again costs nothing
    other = judge(fresh_home, run_id, tasks, Judge("browsecomp_plus", "embedded"), server.url, {},
                  Serving(server.url), None)  # fmt: skip
    assert other["unreadable"] == 9
    scorers = rows(fresh_home, "SELECT scorer, count(*) AS n, sum(score) AS s FROM scores GROUP BY ALL ORDER BY ALL")
    assert [tuple(row.values()) for row in scorers] == [
        ("gaia", 9, 1.0), ("judge browsecomp_plus by embedded", 9, 0.0), ("judge gaia by embedded", 9, 1.0),
    ]  # fmt: skip


def test_run_files_and_recall_of_a_collection(server: StandIn, fresh_home: Home) -> None:
    made = plan("react", 2, source=Source(levels=("1",)))
    run_id, _ = run(fresh_home, server.url, made)
    tasks = sources.tasks(made.source, fresh_home)
    score(fresh_home, run_id, tasks)
    summary = run_files.write(fresh_home, run_id, tasks)
    assert (summary["Queries"], summary["Accuracy (%)"]) == (2, 50.0)
    assert summary["avg_tool_stats"] == {"search": 2.0}
    written = json.loads((fresh_home.root / "run_files" / run_id / "c01.json").read_text())
    assert (written["query_id"], written["status"], written["tool_call_counts"]) == ("c01", "completed", {"search": 2})
    assert written["result"][-1] == {"type": "output_text", "tool_name": None, "arguments": None,
                                     "output": "Nils Lundqvist"}  # fmt: skip
    assert [item["type"] for item in written["result"]] == ["reasoning", "tool_call"] * 2 + ["reasoning", "output_text"]
    assert "mount-brae" in written["retrieved_docids"]
    recalls = rows(fresh_home, "SELECT score FROM scores WHERE scorer = 'evidence recall' ORDER BY score")
    assert [row["score"] for row in recalls] == [0.0, 1.0]
    assert summary["Recall (%)"] == 50.0


def test_how_sure_an_answer_is_stands_in_its_response(server: StandIn, fresh_home: Home, monkeypatch) -> None:
    """BrowseComp-Plus's evaluation reads confidence out of the response, and measures calibration by it."""
    made = plan("hymem", 1, source=Source(levels=("1",), subset="listed", ids=_ids(fresh_home, "c01")))
    run_id, _ = run(fresh_home, server.url, made)
    tasks = sources.tasks(made.source, fresh_home)
    asked: list[str] = []
    monkeypatch.setattr(
        "tasks.long_horizon.judging.Message", lambda role, text: asked.append(text) or Message(role, text)
    )
    for prompt in ("gaia", "browsecomp_plus"):
        judge(fresh_home, run_id, tasks, Judge(prompt, "embedded"), server.url, {}, Serving(server.url), None)
    assert ["Confidence: 70%" in text for text in asked] == [False, True]
    run_files.write(fresh_home, run_id, tasks)
    written = json.loads((fresh_home.root / "run_files" / run_id / "c01.json").read_text())
    assert written["result"][-1]["output"] == "Nils Lundqvist\n\nConfidence: 70%"


def _ids(at: Home, *names: str) -> str:
    (at.root / "ids").write_text("\n".join(names))
    return str(at.root / "ids")


def test_an_auxiliary_model_that_fails_first(tmp_path: Path, server: StandIn, fresh_home: Home) -> None:
    """A broken auxiliary server stops the run; afterwards it gets the auxiliary calls, and no others."""
    before = len(server.rows())
    made = plan("hymem", 1, auxiliary_model="embedded")
    with model_server(tmp_path, "--fault", "html:first=100", log="auxiliary.jsonl") as helper:
        with pytest.raises(Fault, match="web page came instead of JSON"):
            run(fresh_home, server.url, made, auxiliary_url=helper.url)
        helper.faults()
        failed = len(helper.rows())
        assert run(fresh_home, server.url, made, auxiliary_url=helper.url)[1] == {"stop": 1}
        found = rows(fresh_home, "SELECT role, count(*) AS n FROM model_calls WHERE outcome = 'stop' GROUP BY role")
        roles = {row["role"]: row["n"] for row in found}
        assert len(helper.rows()) - failed == roles["distill"]
    assert len(server.rows()) - before == sum(roles.values()) - roles["distill"]


def test_trials_frameworks_and_settings_are_runs_of_their_own(fresh_home: Home) -> None:
    tasks = sources.tasks(Source(), fresh_home)
    plans = [
        plan("hymem", 27, source=Source()), plan("hymem", 27, source=Source(), trial=2),
        plan("hymem", 27, source=Source(), variant="without_memory"), plan("react", 27, source=Source()),
        plan("hymem", 27, "code", source=Source()),
        plan("hymem", 27, source=Source(), search=planning.Search(get_document=True)),
    ]  # fmt: skip
    assert len({made.run_id(fresh_home, tasks) for made in plans}) == len(plans)
    assert planning.Plan.of(plans[0].plain()) == plans[0]
    with pytest.raises(UserError, match="no variant"):
        _ = plan("react", 1, variant="without_memory").settings


def test_a_plan_that_changed_is_refused(fresh_home: Home) -> None:
    with pytest.raises(UserError, match="start a new run with `treebench solve`"):
        evaluate(fresh_home, plan("react", 1), "another", 0, [], Serving("http://127.0.0.1:1"))


def test_gated_texts_stay_in_the_home(fresh_home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tasks.long_horizon.benchmarks.task import Task

    gated = Task("gaia", "x", "SECRET question", "SECRET answer", "1", gated=True)
    assert "SECRET" not in str(gated.row())
    planning.check_place(fresh_home, [gated])
    monkeypatch.setenv("TREEBENCH_JOURNAL", str(tmp_path / "elsewhere"))
    planning.check_place(fresh_home, sources.tasks(Source(), fresh_home))
    for outside in (str(tmp_path / "elsewhere"), f"{fresh_home.root}-of-others/journal", f"file://{tmp_path}/x",
                    f"{fresh_home.root}/../x", "s3://bucket/journal"):  # fmt: skip
        monkeypatch.setenv("TREEBENCH_JOURNAL", outside)
        with pytest.raises(UserError, match="must not leave TREEBENCH_HOME"):
            planning.check_place(fresh_home, [gated])
    for inside in (str(fresh_home.root / "elsewhere"), f"file://{fresh_home.root}/x"):
        monkeypatch.setenv("TREEBENCH_JOURNAL", inside)
        planning.check_place(fresh_home, [gated])


@pytest.mark.parametrize("status", [400, 500, 503, 200])
@pytest.mark.parametrize("judging", [False, True])
def test_a_server_that_echoes_a_gated_prompt_is_not_quoted(
    tmp_path: Path, server: StandIn, fresh_home: Home, monkeypatch: pytest.MonkeyPatch, status: int, judging: bool
) -> None:
    monkeypatch.setattr("tasks.serving.retrying.Patience.pause", lambda *given: None)
    (tmp_path / "metadata.jsonl").write_text(json.dumps({"task_id": "x", "Question": "QUAGGA?", "Level": "1",
                                                         "Final answer": "ZORILLA", "file_name": ""}))  # fmt: skip
    made = plan("base", 1, source=Source("gaia", str(tmp_path)))
    tasks = sources.tasks(made.source, fresh_home)
    with echoing(status) as url:
        if judging:
            run_id, _ = run(fresh_home, server.url, made)
            args = (fresh_home, run_id, tasks, Judge("gaia", "embedded"), url, {}, Serving(url), None)
            attempt = lambda: judge(*args)  # noqa: E731
        else:
            attempt = lambda: run(fresh_home, url, made)  # noqa: E731
        with pytest.raises((Fault, UserError)) as failed:
            attempt()
    assert "QUAGGA" not in str(failed.value)
    assert "ZORILLA" not in str(failed.value)
    named = f"tatus {status}" if status != 200 else "the reply is not JSON"
    assert f"{named}, whose words are in model_calls.error" in str(failed.value)
    assert str(failed.value).endswith(".")
    words = rows(fresh_home, "SELECT error FROM model_calls WHERE error IS NOT NULL")
    assert "QUAGGA" in words[0]["error"]


@contextlib.contextmanager
def echoing(status: int) -> Iterator[str]:
    """A server that fails every request and says the prompt."""

    class Echo(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = asked["messages"][-1]["content"][-120:]
            said = prompt.encode() if status == 200 else json.dumps({"error": {"message": prompt}}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def do_GET(self) -> None:
            self.send_error(404)

    made = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_address[1]}/v1"
    made.shutdown()
