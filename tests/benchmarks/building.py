"""Building and validating dataset versions: seconds, peak memory, and size of the database.

Run as `python -m tests.benchmarks.building [FOLDER] [--datasets json,yaml] [--lengths 8192,1048576] [--examples 5]
[--splits test,train,development] [--workers 2]`, or as `make bench-building BENCH_ARGS="..."`. FOLDER holds recorded
responses; without it, the sample data is built from. The paper's grid is `--examples 50` with the eight lengths from
8192 to 1048576, and `--lengths 32768` with `--splits train --examples 2000` and `--splits development --examples 50`.
The named baseline is encoding every context once with the construction tokenizer, on one core, estimated from contexts
of the longest; ratios are to it. Exit status 1 where a bound is missed: every cell full, nothing found, validation at
least half as fast as the build, 6 GB of memory, contexts not stored.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT))

from tasks.building.build import build  # noqa: E402
from tasks.building.wording import TASKS  # noqa: E402
from tasks.collecting.collect import collect  # noqa: E402
from tasks.collecting.sources import names, source  # noqa: E402
from tasks.errors import UserError  # noqa: E402
from tasks.home import Home, home  # noqa: E402
from tasks.tokens.tokenizer import load  # noqa: E402
from tasks.validating.validate import validate  # noqa: E402
from tasks.warehouse import snapshot  # noqa: E402
from tasks.warehouse.contexts import context  # noqa: E402
from tasks.warehouse.ingest import sync  # noqa: E402

MEMORY = 6.0
"""Gigabytes, over all processes."""


def main() -> int:
    """Print the figures of every dataset and split; 1 where a bound is missed."""
    given = arguments()
    if given.folder and not given.folder.is_dir():
        raise SystemExit(f"There is no folder {given.folder}: name the one with the recorded responses.")
    print(f"from {given.folder or 'the sample data'}")
    import great_expectations.expectations  # noqa: F401  (a start of many seconds, whatever is validated)

    missed = 0
    with tempfile.TemporaryDirectory() as place:
        made = Home(Path(place) / "home")
        made.root.mkdir()
        made.downloads.symlink_to(home().downloads.resolve())
        for name in names():
            if source(name).dataset in given.datasets:
                collect(made, name, given.transport, str(given.folder))
        sync(made)
        for dataset in given.datasets:
            for split in given.splits:
                missed += figures(made, dataset, split, given)
        memory = peak(given.workers)
        print(f"peak memory of all processes at most {memory:.2f} GB; bound {MEMORY:.0f} GB")
        missed += memory > MEMORY
        missed += stored(made)
    return int(missed > 0)


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    recorded = PROJECT.parent / "shared" / "recordings"
    parser.add_argument("folder", nargs="?", type=Path, default=recorded if recorded.is_dir() else None)
    parser.add_argument("--datasets", type=lambda text: text.split(","), default=["json", "html", "yaml", "javascript"])
    parser.add_argument("--lengths", type=lambda text: [int(part) for part in text.split(",")])
    parser.add_argument("--splits", type=lambda text: text.split(","), default=["test"])
    parser.add_argument("--examples", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    given.transport = "mirror" if given.folder else "sample"
    given.lengths = given.lengths or [8192, 131_072 if given.folder else 32_768]
    return given


def figures(made: Home, dataset: str, split: str, given: argparse.Namespace) -> int:
    """Build and validate one version; 1 where validation is too slow or finds something."""
    sources = [name for name in names() if source(name).dataset == dataset]
    begin = time.perf_counter()
    try:
        counts = build(
            made, dataset, sources, given.transport, TASKS, given.lengths, given.examples,
            split=split, workers=given.workers,
        )  # fmt: skip
    except UserError as error:
        print(f"{dataset} {split}: {error}")
        return 1
    built = time.perf_counter() - begin
    sync(made)
    begin = time.perf_counter()
    found = validate(made, counts["build_id"], given.workers)
    validated = time.perf_counter() - begin
    sync(made)
    seconds = encoding(made, counts["build_id"])
    print(
        f"{dataset} {split}: {counts['examples']} examples from {counts['payloads']} payloads; built in {built:.1f} s, "
        f"validated in {validated:.1f} s ({found['failed']} findings); encoding every context once: {seconds:.1f} s; "
        f"ratios {built / seconds:.2f} and {validated / seconds:.2f}; validation at {built / validated:.2f} of the "
        "build's speed",
        flush=True,
    )
    for row in snapshot.rows(made, "SELECT subject, check_name, observed FROM validations WHERE NOT passed LIMIT 9"):
        print(f"  {row['subject']}, {row['check_name']}: {row['observed']}")
    return int(validated > 2 * built or found["failed"] > 0)


def encoding(made: Home, build_id: str) -> float:
    """Seconds that encoding all contexts of a version would take, from a few of its longest."""
    tokenizer = load("qwen", made)
    listed = snapshot.rows(
        made,
        "SELECT example_id, tokens FROM build_examples JOIN examples USING (example_id) "
        "JOIN context_tokens USING (example_id) WHERE build_id = ? ORDER BY tokens DESC, example_id",
        [build_id],
    )
    tokens = seconds = 0.0
    with snapshot.reader(made) as connection:
        for row in listed[:3]:
            text = context(connection, row["example_id"])
            begin = time.perf_counter()
            tokens += tokenizer.count(text)
            seconds += time.perf_counter() - begin
    return sum(row["tokens"] for row in listed) * seconds / tokens


def peak(workers: int) -> float:
    """Gigabytes: the peak of this process and that of its largest worker, as often as there are workers."""
    own, child = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return (own + workers * child) * 1024 / 1e9


def stored(made: Home) -> int:
    """Sizes; 1 where the database is larger than the texts of its contexts would be."""
    (row,) = snapshot.rows(
        made,
        "SELECT coalesce(sum(characters), 0) AS contexts, (SELECT sum(characters) FROM payloads) AS payloads, "
        "(SELECT count(*) FROM example_payloads) AS places FROM examples",
    )
    size, journal = made.snapshot.stat().st_size, sum(p.stat().st_size for p in Path(made.journal).rglob("*.*"))
    print(
        f"database {size / 1e6:.0f} MB, journal {journal / 1e6:.0f} MB; payloads {row['payloads'] / 1e6:.0f} million "
        f"characters, contexts {row['contexts'] / 1e6:.0f} million, held as {row['places']} places of payloads"
    )
    return int(size > row["payloads"] + row["contexts"] / 20)


if __name__ == "__main__":
    sys.exit(main())
