"""Rebuilds in processes of their own, for tests that compare, disturb and kill them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tasks.home import Home
from tasks.warehouse import snapshot

TIMES = {"recorded_at", "retrieved_at", "started_at", "created_at", "latency_s", "endpoint", "server", "flow_run_id"}
"""Columns that differ between two runs of the same thing."""

TABLES = (
    "sources responses payloads records questions examples example_payloads context_tokens builds build_examples "
    "validations budgets sections links runs run_examples memories predictions scores model_calls"
).split()


def start(home: Home, url: str, *more: str, output: Any = subprocess.PIPE) -> subprocess.Popen[str]:
    """A demo rebuild in `home` against the chat server at `url`."""
    command = [sys.executable, "-m", "flows.command_line", "rebuild", "--endpoint", url, "--concurrency", "4"]
    command += ["--datasets", "json", "--long-horizon-tasks", "0", *more]
    environment = {**os.environ, "TREEBENCH_HOME": str(home.root), "TREEBENCH_SERVER_LINGER": "20"}
    environment.pop("PREFECT_API_URL", None)
    return subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT, text=True)


def finish(process: subprocess.Popen[str]) -> str:
    """What a rebuild printed; fails unless it ended well."""
    output, _ = process.communicate(timeout=280)
    assert process.returncode == 0, output
    return output


def another_home(home: Home, folder: Path) -> Home:
    """An empty home with the downloads of `home`."""
    other = Home(folder)
    folder.mkdir()
    other.downloads.symlink_to(home.downloads.resolve())
    return other


def contents(home: Home) -> dict[str, list[tuple]]:
    """The rows of every table, without times, sorted: what two equal rebuilds agree on."""
    found = {}
    with snapshot.reader(home) as con:
        for table in TABLES:
            columns = [row[0] for row in con.execute(f"DESCRIBE {table}").fetchall() if row[0] not in TIMES]
            if table == "model_calls":
                columns = ["request_id", "prompt_sha256", "response"]
                query = f"SELECT {', '.join(columns)} FROM model_calls WHERE outcome IN ('stop', 'length')"
            else:
                query = f"SELECT {', '.join(columns)} FROM {table}"
            found[table] = sorted(con.execute(query).fetchall(), key=repr)
    return found
