"""kill -9 at 20 moments of a rebuild, some of them aimed into ingest and checkpoint, then the same command again."""

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from tasks.home import Home
from tests.flows.rebuilding import another_home, contents, finish, start
from tests.stand_in import stand_in

KILLS = 20
pytestmark = pytest.mark.timeout(900)


def ingesting(home: Home) -> bool:
    """Whether a new generation of the database is being made: a copy, its checkpoint, the snapshot."""
    folder = home.root / "warehouse" / "generations"
    return folder.is_dir() and len(os.listdir(folder)) > 1


def journalled(home: Home) -> Counter[str]:
    """Finished calls on disk, by prompt."""
    found: Counter[str] = Counter()
    for folder in (home.root / "journal", home.root / "spool"):
        for path in (folder / "model_calls").glob("*.jsonl"):
            for line in path.read_text().splitlines(keepends=True):
                if line.endswith("\n") and (row := json.loads(line))["outcome"] in ("stop", "length"):
                    found[row["prompt_sha256"]] += 1
    return found


def kill_once(home: Home, url: str, number: int, moment: random.Random) -> bool:
    """Start the rebuild and kill it; whether it was still alive then."""
    process = start(home, url, output=subprocess.DEVNULL)
    if number % 3 == 0:
        deadline = time.monotonic() + 25
        while not ingesting(home) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(moment.uniform(0, 0.03))
    else:
        time.sleep(moment.uniform(2, 14))
    alive = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    return alive


def test_killed_at_any_moment_and_run_again(fresh_home: Home, tmp_path: Path) -> None:
    undisturbed = another_home(fresh_home, tmp_path / "undisturbed")
    with stand_in(tmp_path, "--count-as", "embedded", log="undisturbed.jsonl") as server:
        finish(start(undisturbed, server.url))
        expected = Counter(row["prompt_sha256"] for row in server.rows("answered"))
    moment = random.Random(20261130)
    with stand_in(tmp_path, "--count-as", "embedded", "--delay", "0.3") as server:
        alive, finished_twice = 0, []
        for number in range(KILLS):
            alive += kill_once(fresh_home, server.url, number, moment)
            known, when = journalled(fresh_home), time.time()
            finished_twice.append((known, when))
        finish(start(fresh_home, server.url))
        rows = server.rows("received")
    assert contents(fresh_home) == contents(undisturbed)
    for known, when in finished_twice:
        later = Counter(row["prompt_sha256"] for row in rows if row["at"] > when)
        again = [prompt for prompt, count in known.items() if count == expected[prompt] and later[prompt]]
        assert not again, f"{len(again)} finished calls were made again"
    assert alive >= KILLS // 2, f"only {alive} of {KILLS} kills hit a running rebuild"
