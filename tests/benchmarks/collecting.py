"""Collecting the whole recorded mirror: seconds and peak memory, and the counts of each source beside its SOURCES file.

Run as `python tests/benchmarks/collecting.py [FOLDER]`. The named baseline is reading the same bytes with the standard
library's JSON parser where the format is JSON, and once as text where it is not.
"""

import json
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT))

from tasks.collecting import mirror  # noqa: E402
from tasks.collecting.collect import collect  # noqa: E402
from tasks.collecting.sources import names, source  # noqa: E402
from tasks.home import Home  # noqa: E402
from tasks.warehouse.ingest import sync  # noqa: E402

BOUND = 60.0
"""Seconds on two cores."""

EXPLAINED = {
    "usgs": (-5, "5 responses are the details of one event, which stands in a list too"),
    "crossref": (-45, "11 single works, 2 journals, 2 members and 30 types are no lists of works"),
    "apis_guru": (59, "the document that SOURCES.md calls a trap has 59 operations, which it does not count"),
    "html": (-36, "36 of the counted records are rows of question tables (CSV), not pages"),
}


def described(folder: Path) -> int | None:
    """Records that SOURCES.md counts; None where it counts none."""
    found = re.search(r"(\d+) (?:records|operations|pages)\.", (folder / "SOURCES.md").read_text("utf-8"))
    return int(found[1]) if found else None


def baseline(recordings: Path) -> float:
    """Seconds to read every file once, JSON parsed."""
    begin = time.perf_counter()
    for name in names():
        for item in mirror.receive(source(name), str(recordings)):
            if source(name).format == "json":
                json.loads(item.body)
            else:
                item.body.decode("utf-8", "replace")
    return time.perf_counter() - begin


def main(recordings: Path) -> int:
    """Print the figures; 1 where a count is not explained or the bound is missed."""
    read = baseline(recordings)
    wrong = 0
    counted: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as place:
        home = Home(Path(place))
        begin, busy = time.perf_counter(), time.process_time()
        for name in names():
            counts = collect(home, name, "mirror", str(recordings))
            folder = source(name).mirror.folder
            counted[folder] = counted.get(folder, 0) + counts["records"]
            print("  ".join(f"{key} {value}" for key, value in counts.items() if key not in ("transport", "skipped")))
        sync(home)
        seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    for folder, records in counted.items():
        expected = described(recordings / folder)
        if expected is None:
            continue
        key = "apis_guru" if folder == "yaml_openapi" else folder
        difference, why = EXPLAINED.get(key, (0, ""))
        fits = records == expected + difference
        wrong += not fits
        verdict, because = "ok" if fits else "NO", f" ({why})" if why else ""
        print(f"{folder}: {records} records, {expected} in SOURCES.md{because}: {verdict}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"collected and ingested in {seconds:.1f} s ({busy:.1f} s of CPU), {seconds / read:.1f} times reading alone")
    print(f"peak memory {memory:.0f} MiB; bound {BOUND:.0f} s: {'kept' if seconds <= BOUND else 'MISSED'}")
    return int(bool(wrong) or seconds > BOUND)


if __name__ == "__main__":
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT.parent / "shared" / "recordings"
    if not given.is_dir():
        print(f"skipped: there is no folder {given}; name the recorded responses")
        sys.exit(0)
    sys.exit(main(given))
