"""The shard runner against real servers: outcomes, stopping, resuming, and calls counted at the server."""

import os
import random
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tasks.errors import Fault
from tasks.home import Home
from tasks.running.resume import load
from tasks.serving.endpoint import Endpoint
from tasks.serving.retrying import Patience
from tasks.warehouse import snapshot
from tasks.warehouse.journal import write
from tests.running.chains import run
from tests.stand_in import stand_in

CHAINS = Path(__file__).with_name("chains.py")


def rows(at: Home, sql: str) -> list[dict]:
    with snapshot.fresh(at, ("predictions", "model_calls", "memories")) as con:
        return snapshot.fetch(con, sql)


def counted(at: Home, sql: str) -> dict:
    return dict(tuple(row.values()) for row in rows(at, sql))


def test_chains_are_worked_through_and_recorded(tmp_path: Path, fresh_home: Home) -> None:
    told: list[tuple[int, int, int]] = []
    with stand_in(tmp_path) as server:
        progress = lambda *counts: told.append(counts)  # noqa: E731
        assert run(fresh_home, server.url, 5, 3, progress=progress) == {"stop": 5}
        assert len(server.rows()) == 20
    assert (told[0], told[-1]) == ((0, 5, 0), (5, 5, 20))
    assert [counts[2] for counts in told] == sorted(counts[2] for counts in told)
    assert {counts[:2] for counts in told} == {(done, 5) for done in range(6)}
    calls = rows(fresh_home, "FROM model_calls WHERE example_id = 'e0' ORDER BY position")
    assert [(call["role"], call["position"], call["attempt"]) for call in calls] == [
        ("memory", 1, 1), ("memory", 2, 1), ("memory", 3, 1), ("answer", 4, 1),
    ]  # fmt: skip
    assert [call["outcome"] for call in calls] == ["stop"] * 4
    memories = rows(fresh_home, "FROM memories WHERE example_id = 'e0' ORDER BY position")
    assert [row["text"] for row in memories] == [call["response"] for call in calls[:3]]
    predictions = rows(fresh_home, "FROM predictions WHERE example_id = 'e0'")
    assert (predictions[0]["raw_answer"], predictions[0]["model_calls"]) == (calls[3]["response"], 4)
    asked = {row["prompt_sha256"] for row in rows(fresh_home, "FROM model_calls")}
    assert asked == {row["prompt_sha256"] for row in server.rows()}


def test_a_second_run_asks_nothing(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path) as server:
        run(fresh_home, server.url, 5, 3)
        before = rows(fresh_home, "FROM predictions ORDER BY ALL")
        assert run(fresh_home, server.url, 5, 3) == {"stop": 5}
        assert len(server.rows()) == 20
    assert rows(fresh_home, "FROM predictions ORDER BY ALL") == before


def test_retried_attempts_are_counted_and_the_limit_yields(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--fault", "429:first=3") as server:
        assert run(fresh_home, server.url, 4, 2) == {"stop": 4}
    outcomes = counted(fresh_home, "SELECT outcome, count(*) FROM model_calls GROUP BY outcome")
    assert outcomes == {"stop": 12, "server_error": 3}
    finished = "SELECT request_id FROM model_calls WHERE outcome = 'stop' GROUP BY request_id HAVING count(*) > 1"
    assert rows(fresh_home, finished) == []


@pytest.mark.parametrize(("fault", "outcome", "retried"), [
    ("400", "server_error", True), ("notjson", "server_error", True), ("abort", "aborted", True),
    ("overflow", "overflow", False),
])  # fmt: skip
def test_a_failed_example_goes_on_where_it_failed(tmp_path, fresh_home, fault, outcome, retried) -> None:
    with stand_in(tmp_path, "--fault", f"{fault}:at=3") as server:
        counts = run(fresh_home, server.url, 1, 4, on_error="continue")
        assert counts == {outcome: 1}
        prediction = rows(fresh_home, "FROM predictions")[0]
        assert (prediction["outcome"], prediction["raw_answer"], prediction["model_calls"]) == (outcome, None, 3)
        assert prediction["error"]
        again = run(fresh_home, server.url, 1, 4)
        assert again == ({"stop": 1} if retried else {outcome: 1})
        assert len(server.rows()) == (6 if retried else 3)
        assert server.repeated() == {}


def test_a_hang_is_a_timeout_and_the_rest_goes_on(tmp_path: Path, fresh_home: Home) -> None:
    endpoint = lambda url: Endpoint(url, "m", deadline=3.0)  # noqa: E731
    with stand_in(tmp_path, "--fault", "hang:at=1") as server:
        counts = run(fresh_home, server.url, 4, 2, endpoint=endpoint, on_error="continue")
        assert counts == {"timeout": 1, "stop": 3}


def test_stop_on_the_first_failure_keeps_what_is_done(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--fault", "400:at=7", "--delay", "0.05") as server:
        with pytest.raises(
            Fault, match=r"Example e\d of run r ended with server_error \(status 400: .* --on-error"
        ) as one:
            run(fresh_home, server.url, 8, 3, concurrency=2)
        assert "\n" not in str(one.value)
        seen = len(server.rows())
        assert seen < 12
        answered = rows(fresh_home, "SELECT count(*) AS n FROM model_calls WHERE outcome = 'stop'")[0]["n"]
        assert answered == len(server.rows("answered"))
        assert run(fresh_home, server.url, 8, 3) == {"stop": 8}
        assert len(server.rows()) == 8 * 4 + 1
        assert server.repeated() == {}


def test_an_endpoint_that_dies_in_the_middle(tmp_path: Path, fresh_home: Home) -> None:
    patience = Patience(attempts=3, first_pause=0.05)
    endpoint = lambda url: Endpoint(url, "m", patience=patience)  # noqa: E731
    with (
        stand_in(tmp_path, "--fault", "die:at=40") as server,
        pytest.raises(Fault, match=r"No connection to .*: everything finished is kept") as raised,
    ):
        run(fresh_home, server.url, 8, 20, endpoint=endpoint, on_error="continue")
    assert "\n" not in str(raised.value)
    assert rows(fresh_home, "FROM predictions") == []
    kept = rows(fresh_home, "SELECT count(*) AS n FROM model_calls WHERE outcome = 'stop'")[0]["n"]
    assert kept > 8
    with stand_in(tmp_path, log="second.jsonl") as server:
        assert run(fresh_home, server.url, 8, 20) == {"stop": 8}
        assert len(server.rows()) == 8 * 21 - kept


def test_something_else_answers(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--fault", "html:at=5") as server:
        with pytest.raises(Fault, match="A web page came instead of JSON"):
            run(fresh_home, server.url, 3, 3, on_error="continue")
        assert run(fresh_home, server.url, 3, 3) == {"stop": 3}
        assert server.repeated() == {}


def test_an_answer_cut_off_by_the_limit_is_an_outcome_and_can_be_asked_again(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--fault", "length:at=3") as server:
        assert run(fresh_home, server.url, 1, 2) == {"length": 1}
        assert run(fresh_home, server.url, 1, 2) == {"length": 1}
        assert len(server.rows()) == 3
        assert run(fresh_home, server.url, 1, 2, retry=("length",)) == {"stop": 1}
        assert len(server.rows()) == 4


def test_a_truncated_memory_is_a_memory(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--fault", "length:at=1") as server:
        assert run(fresh_home, server.url, 1, 2) == {"stop": 1}
        assert len(server.rows()) == 3


def test_another_token_count_stops_the_run(tmp_path: Path, fresh_home: Home) -> None:
    endpoint = lambda url: Endpoint(url, "m", count=lambda messages, arguments: 7)  # noqa: E731
    with (
        stand_in(tmp_path, "--prompt-tokens", "8") as server,
        pytest.raises(Fault, match=r"counts 8 prompt tokens .* give 7: another model or template is served"),
    ):
        run(fresh_home, server.url, 3, 3, endpoint=endpoint, on_error="continue")
    assert load(fresh_home, "r", ["e0", "e1", "e2"]).replies == {}


def test_a_full_disk_while_journalling(tmp_path: Path, fresh_home: Home) -> None:
    # RLIMIT_FSIZE makes writes beyond a size fail with EFBIG, as a full disk fails them with ENOSPC.
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
        "from tests.running.chains import run; from tasks.home import home; from tasks.errors import Fault\n"
        "try:\n    run(home(), sys.argv[1], 8, 20)\nexcept Fault as error:\n    print(error)"
    )
    with stand_in(tmp_path) as server:
        done = subprocess.run(
            [sys.executable, "-c", code, server.url], capture_output=True, text=True, cwd=CHAINS.parents[2], timeout=60
        )
        assert "Journal file" in done.stdout, done.stderr
        assert done.stdout.count("\n") == 1
        kept = rows(fresh_home, "SELECT count(*) AS n FROM model_calls")[0]["n"]
        assert kept > 10
        assert run(fresh_home, server.url, 8, 20) == {"stop": 8}
        assert rows(fresh_home, "SELECT count(DISTINCT request_id) AS n FROM model_calls")[0]["n"] == 8 * 21
        assert sum(count - 1 for count in server.repeated().values()) <= 8


def start(url: str, *numbers: int) -> subprocess.Popen:
    command = [sys.executable, str(CHAINS), url, *map(str, numbers)]
    environment = {**os.environ, "PYTHONPATH": str(CHAINS.parents[2])}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def finished_twice(at: Home) -> list[dict]:
    return rows(at, "SELECT request_id FROM model_calls WHERE outcome = 'stop' GROUP BY request_id HAVING count(*) > 1")


def test_kill_in_the_middle_of_chains_repeats_no_finished_call(tmp_path: Path, fresh_home: Home) -> None:
    examples, steps, concurrency, kills = 6, 60, 4, 20
    chance = random.Random(7)
    environment = {**os.environ, "PYTHONPATH": str(CHAINS.parents[2])}
    forks = subprocess.Popen(
        [sys.executable, str(CHAINS)], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert forks.stdin
    assert forks.stdout
    with stand_in(tmp_path, "--delay", "0.01") as server:
        for kill in range(kills + 1):
            before = len(server.rows("answered"))
            forks.stdin.write(f"{server.url} {examples} {steps} {concurrency}\n")
            forks.stdin.flush()
            victim = int(forks.stdout.readline())
            if kill < kills:
                wanted = before + chance.randrange(4, 14)
                while len(server.rows("answered")) < wanted:
                    time.sleep(0.01)
                os.kill(victim, signal.SIGKILL)
        assert "'stop': 6" in forks.stdout.readline()
        forks.stdin.close()
        forks.stdout.close()
        forks.wait(timeout=10)
        calls = examples * (steps + 1)
        assert finished_twice(fresh_home) == []
        assert calls <= len(server.rows("answered")) <= calls + kills * concurrency
        again = server.repeated()
        assert sum(count - 1 for count in again.values()) <= kills * concurrency
    undisturbed = fresh_home.root.parent / "undisturbed"
    with stand_in(tmp_path, log="undisturbed.jsonl") as server:
        run(Home(undisturbed), server.url, examples, steps)
    for table in ("memories", "predictions"):
        sql = f"SELECT * EXCLUDE (recorded_at) FROM {table} ORDER BY ALL"
        assert rows(fresh_home, sql) == rows(Home(undisturbed), sql)


def test_a_retry_counts_though_the_clock_was_set_back(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--fault", "400:at=2") as server:
        assert run(fresh_home, server.url, 1, 3, on_error="continue") == {"server_error": 1}
        ahead = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=1)
        for table in ("predictions", "memories"):
            found = rows(fresh_home, f"FROM {table}")
            write(fresh_home, table, [row | {"recorded_at": ahead} for row in found])
        assert run(fresh_home, server.url, 1, 3) == {"stop": 1}
    assert [row["outcome"] for row in rows(fresh_home, "FROM predictions")] == ["stop"]
    assert all(row["recorded_at"] > ahead for row in rows(fresh_home, "FROM memories"))


def test_a_killed_retry_repeats_no_finished_call(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--delay", "0.1", "--fault", "400:at=3") as server:
        assert run(fresh_home, server.url, 1, 20, on_error="continue") == {"server_error": 1}
        victim = start(server.url, 1, 20, 1)
        while not len(rows(fresh_home, "FROM model_calls WHERE outcome = 'stop'")) >= 8:
            time.sleep(0.02)
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
        assert run(fresh_home, server.url, 1, 20) == {"stop": 1}
    assert finished_twice(fresh_home) == []
    assert rows(fresh_home, "SELECT count(*) AS n FROM memories")[0]["n"] == 20


def test_two_at_once_do_the_work_once(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--delay", "0.02") as server:
        both = [start(server.url, 4, 10, 4) for _ in range(2)]
        outputs = [process.communicate(timeout=60)[0] for process in both]
        assert outputs == ["{'stop': 4}\n"] * 2
        assert len(server.rows()) == 4 * 11


def test_many_chains_fill_a_wide_server(tmp_path: Path, fresh_home: Home) -> None:
    with stand_in(tmp_path, "--delay", "0.2", "--slots", "64") as server:
        assert run(fresh_home, server.url, 96, 3, concurrency=256) == {"stop": 96}
        assert server.stats()["most_busy"] > 12  # it starts with eight and grows; how far depends on the machine
        assert len(server.rows()) == 96 * 4
