"""Time and memory of the whole report and of each documented question, at the paper's full size on two cores.

`python tests/benchmarks/reporting.py` makes a warehouse of 204,800 predictions and 11 million model calls (some GB
below --folder, deleted afterwards), and prints seconds, beside what one pass over the model calls takes in the same
run. It ends with status 1 where the report takes over 90 s or 4 GB, or a question over 2 s.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from tasks.home import PROJECT, Home
from tasks.warehouse import database

REPORT_SECONDS, REPORT_GB, QUESTION_SECONDS = 90, 4, 2
NEEDED_GB = 12
BASELINE = "SELECT run_id, count(*), sum(prompt_tokens), sum(completion_tokens) FROM model_calls GROUP BY run_id"


def main() -> int:
    """Make the warehouse, measure, print; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--examples", type=int, default=50, help="examples a cell; 50 is the full size")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where to make it")
    parser.add_argument("--warehouse", type=Path, help="use this one, made before by --keep")
    parser.add_argument("--keep", action="store_true", help="do not delete the warehouse")
    given = parser.parse_args()
    if given.warehouse:
        return measure(Home(given.warehouse))
    if shutil.disk_usage(given.folder).free < NEEDED_GB * 1e9:
        print(f"{given.folder} has less than {NEEDED_GB} GB free: name another --folder.", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix="treebench-benchmark-", dir=given.folder))
    try:
        home = Home(folder)
        began = time.perf_counter()
        child("make", str(home.snapshot), str(given.examples))
        size = home.snapshot.stat().st_size / 1e9
        print(f"warehouse made in {time.perf_counter() - began:.0f} s, {size:.1f} GB: {folder}", flush=True)
        return measure(home)
    finally:
        if not given.keep:
            shutil.rmtree(folder, ignore_errors=True)


def measure(home: Home) -> int:
    """Time the baseline, the report and the questions; 1 where a limit is passed."""
    baseline = fastest(home, BASELINE)
    print(f"\n{'baseline, one pass over the calls':60} {baseline:7.2f} s")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    before = spent.ru_utime + spent.ru_stime
    began = time.perf_counter()
    child("report", str(home.root))
    seconds = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)  # of the greatest child, in kilobytes; times of all of them
    gigabytes, computing = used.ru_maxrss / 1e6, used.ru_utime + used.ru_stime - before
    print(f"{'whole report':60} {seconds:7.2f} s {seconds / baseline:7.1f} x baseline, at most {gigabytes:.2f} GB")
    print(f"{'  of which computing, summed over cores':60} {computing:7.2f} s; the rest was waiting\n")
    late = [f"the report: {seconds:.0f} s"] if seconds > REPORT_SECONDS else []
    late += [f"the report: {gigabytes:.1f} GB"] if gigabytes > REPORT_GB else []
    text = (PROJECT / "sql" / "questions.md").read_text(encoding="utf-8")
    for title, sql in re.findall(r"^## (\d+\. .*?)$.*?^```sql\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        taken = fastest(home, sql)
        print(f"{title[:60]:60} {taken:7.2f} s {taken / baseline:7.1f} x baseline", flush=True)
        late += [f"question {title}: {taken:.1f} s"] if taken > QUESTION_SECONDS else []
    print("\nover the limit: " + "; ".join(late) if late else "\nall within the limits")
    return int(bool(late))


def fastest(home: Home, sql: str, times: int = 3) -> float:
    """Seconds that a query takes at best, each time on a connection of its own."""
    best = float("inf")
    for _ in range(times):
        with database.reading(home.snapshot) as con:
            con.execute("SET threads = 2")
            began = time.perf_counter()
            con.execute(sql).fetchall()
            best = min(best, time.perf_counter() - began)
    return best


def child(*arguments: str) -> None:
    """Do something in a process of its own, so that its memory is counted alone."""
    subprocess.run([sys.executable, __file__, "--as", *arguments], check=True)


def work(what: str, *arguments: str) -> None:
    """What a child process does, on two cores."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    if what == "make":
        from synthetic import write

        write(Path(arguments[0]), int(arguments[1]))
        return
    from tasks.reporting.render import render

    home = Home(Path(arguments[0]))
    with duckdb.connect(str(home.snapshot), read_only=True) as con:
        builds = [build for (build,) in con.execute("SELECT build_id FROM builds").fetchall()]
    render(home, builds)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as"]:
        work(*sys.argv[2:])
    else:
        sys.exit(main())
