"""What sectioning costs and what other splitters lose: `make bench`. Every figure is a ratio to a baseline of this run.

Exit status 1 where a figure misses its limit. Times are wall times, the best of a few runs; on a busy machine both
sides of a ratio suffer, so repeat what misses by little.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from random import Random

from tokenizers import Tokenizer

from tasks.downloads import QWEN_VOCABULARY, require
from tasks.home import home
from tasks.sectioning.budget import search
from tasks.sectioning.partition import Partition
from tasks.sectioning.section import Sectioning, section, sections
from tasks.tokens.qwen import QwenTokenizer
from tasks.tokens.slices import SliceCounter
from tasks.trees.parse import FORMATS, parse
from tasks.trees.tree import Tree
from tests.benchmarks import baseline, texts
from tests.benchmarks.rivals import RIVALS, Cut, Losses, losses, missing

BASE_BUDGET = 5000
LONG, SHORT = 1_000_000, 8_000  # tokens
MOST_OF_AN_ENCODE = {"json": 0.5, "yaml": 1.5, "html": 1.5, "javascript": 1.5}
MOST_MEMORY_PER_BYTE, MOST_MEMORY_BESIDES = 12, 300_000_000
LEAST_ADVANTAGE = 6.0

_missed: list[str] = []


def qwen() -> QwenTokenizer:
    """A tokenizer that remembers nothing of the texts before."""
    return QwenTokenizer(require(QWEN_VOCABULARY, home()))


def best(run: Callable[[], object], times: int = 3) -> float:
    """Wall seconds of the fastest run."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        run()
        taken.append(time.perf_counter() - started)
    return min(taken)


def say(what: str, figure: float, unit: str = "", limit: float | None = None, least: bool = False) -> None:
    """Print a figure, and whether it keeps its limit."""
    verdict = ""
    if limit is not None:
        kept = figure >= limit if least else figure <= limit
        verdict = f"  limit {limit:g}: {'kept' if kept else 'MISSED'}"
        if not kept:
            _missed.append(what.strip())
    print(f"  {what:66}{figure:9.2f} {unit}{verdict}", flush=True)


def measure_format(format: str, text: str) -> None:
    """One long text: time against one plain encode, what the time goes into, peak memory."""
    counter = qwen()
    encoder = encode_baseline()
    ids = encoder.encode(text, add_special_tokens=False).ids
    if ids != counter.encode(text):
        raise SystemExit(f"The baseline gives other ids for {format}: its vocabulary is not the one counted with.")
    size = len(text.encode())
    print(f"\n{format}: {len(ids):,} tokens, {size / 1e6:.2f} MB")
    unit = best(lambda: encoder.encode(text, add_special_tokens=False), 2)
    say(f"one encode by tokenizers {version('tokenizers')} (= 1; {unit:.2f} s)", 1)
    say(f"one encode by tiktoken {version('tiktoken')}", best(lambda: qwen().encode(text)) / unit)
    made = section(text, format, qwen(), BASE_BUDGET)
    what = f"treebench: parse, search over {len(made.tried)} budgets, {len(made.sections)} sections"
    say(what, best(lambda: section(text, format, qwen(), BASE_BUDGET)) / unit, limit=MOST_OF_AN_ENCODE[format])
    stages = stage_times(text, format)
    total = sum(stages.values())
    print("    of it " + ", ".join(f"{name} {seconds / total:.0%}" for name, seconds in stages.items()))
    limit = MOST_MEMORY_PER_BYTE + MOST_MEMORY_BESIDES / size
    say(
        "peak memory of a process that does nothing else, for each byte of text",
        peak_memory(text, format) / size,
        "B",
        limit,
    )


def stage_times(text: str, format: str) -> dict[str, float]:
    """Seconds of each stage of `section`, in order."""
    taken: dict[str, float] = {}

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        taken[name] = time.perf_counter() - started

    tokenizer = qwen()
    with stage("parsing"):
        tree = parse(text, format)
    with stage("counting the text's parts"):
        counter = SliceCounter(text, tokenizer)
    with stage("search"):
        partition = Partition(tree, counter)
        flat_sections = -(-counter.count(0, len(text)) // BASE_BUDGET)
        found = search(lambda budget: len(partition.sections(budget)), BASE_BUDGET, flat_sections)
    pieces = partition.sections(found.budget)
    with stage("paths and links"):
        sections(tree, pieces)
    return taken


def peak_memory(text: str, format: str) -> int:
    """Peak resident bytes of a fresh process that sections the text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_text(text, "utf-8", newline="")
        command = [sys.executable, "-m", "tests.benchmarks.sectioning", "--memory-of", str(path), "--format", format]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def print_peak_memory(path: Path, format: str) -> None:
    """The other side of `peak_memory`. Linux counts from the start of the program, unlike `getrusage`."""
    section(path.read_bytes().decode("utf-8"), format, qwen(), BASE_BUDGET)
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    print(int(line.split()[1]) * 1024)


def measure_rivals(text: str) -> None:
    """The JSON text again, with what others make of it at one budget."""
    tree = parse(text, "json")
    tokenizer = qwen()
    records = whole_records(tree, tokenizer, BASE_BUDGET)
    print(f"\nOthers on the JSON text, one budget of {BASE_BUDGET}, the same counter; the full search for treebench")
    ours = best(lambda: section(text, "json", qwen(), BASE_BUDGET), 5)
    say(f"treebench (= 1; {ours:.2f} s)", 1)
    fastest = float("inf")
    lost: dict[str, Losses] = {}
    for name, cut in RIVALS.items():
        ratio = best(lambda cut=cut: cut(text, qwen(), BASE_BUDGET), 2) / ours
        say(f"{name} {version(name)}", ratio)
        lost[name] = losses(cut(text, qwen(), BASE_BUDGET), tree, records, tokenizer, BASE_BUDGET)
        if name in ("semchunk", "semantic-text-splitter"):
            fastest = min(fastest, ratio)
    say("the faster of semchunk and semantic-text-splitter", fastest, limit=LEAST_ADVANTAGE, least=True)
    one_budget = section(text, "json", tokenizer, BASE_BUDGET, budget=BASE_BUDGET)
    searched = section(text, "json", tokenizer, BASE_BUDGET)
    lost["treebench at this budget"] = own_losses(one_budget, tree, records, BASE_BUDGET)
    lost[f"treebench, searched ({searched.budget})"] = own_losses(searched, tree, records, searched.budget)
    print(f"\n  {'':38}{'chunks':>8}{'over budget':>13}{'characters lost':>17}{f'of {len(records)} records cut':>24}")
    for name, one in lost.items():
        print(f"  {name:38}{one.chunks:8}{one.over:13}{one.characters:17,}{one.cut:24}")
    print(
        "  Characters lost: non-blank ones in no chunk that is a slice of the text. treebench leaves out brackets,\n"
        "  keys and commas of what it takes apart, which the path of a section says. LangChain's splitter counts\n"
        f"  characters (here as many as make {BASE_BUDGET} tokens on average) and writes the JSON anew, with lists as\n"
        "  objects. Records: the outermost objects in arrays that fit the budget."
    )


def own_losses(made: Sectioning, tree: Tree, records: list[int], budget: int) -> Losses:
    """The same for sections of this project."""
    spans = [(part.start, part.end) for part in made.sections]
    return losses(Cut([tree.text[start:end] for start, end in spans], spans), tree, records, qwen(), budget)


def whole_records(tree: Tree, tokenizer: QwenTokenizer, budget: int) -> list[int]:
    """Objects in arrays that fit the budget, outermost ones alone."""
    counter = SliceCounter(tree.text, tokenizer)
    found, node = [], 0
    while node < len(tree):
        fits = counter.count(tree.starts[node], tree.ends[node]) <= budget
        if fits and isinstance(tree.identifiers[node], int) and tree.text[tree.value_starts[node]] == "{":
            found.append(node)
            node = tree.stops[node]
        else:
            node += 1
    return found


def measure_contexts(contexts: int) -> None:
    """Many short contexts, all different, the four formats in turn."""
    print(f"\n{contexts:,} contexts of {SHORT:,} tokens, the four formats in turn, full search")
    encoder = encode_baseline()
    sample = [context(number) for number in range(80)]
    started = time.perf_counter()
    for text, _ in sample:
        encoder.encode(text, add_special_tokens=False)
    baseline_rate = len(sample) / (time.perf_counter() - started)
    say(f"one encode each by tokenizers (= 1; {baseline_rate:.0f} a second, one process)", 1)
    for processes in (1, 2):
        with get_context("spawn").Pool(processes, section_context_ready) as pool:
            pool.map(section_contexts, [range(at, at + 1) for at in range(2 * processes)], chunksize=1)
            shares = [range(at, min(at + 100, contexts)) for at in range(0, contexts, 100)]
            started = time.perf_counter()
            done = sum(pool.imap_unordered(section_contexts, shares))
            rate = done / (time.perf_counter() - started)
        say(
            f"treebench, {processes} process{'es' * (processes > 1)}: {rate:.0f} contexts a second",
            rate / baseline_rate,
        )


def context(number: int) -> tuple[str, str]:
    """Text and format of a context, always the same for its number."""
    format = FORMATS[number % len(FORMATS)]
    units, sizes = units_with_sizes(format)
    draw = Random(number)
    taken: list[str] = []
    room = SHORT
    while room > 0:
        at = draw.randrange(len(units))
        taken.append(units[at])
        room -= sizes[at]
    return texts.joined(format, taken), format


@cache
def units_with_sizes(format: str) -> tuple[list[str], list[int]]:
    units = texts.records(format, most=12_000)
    return units, qwen().counts(units)


@cache
def encode_baseline() -> Tokenizer:
    """Qwen in the `tokenizers` library."""
    return baseline.tokenizer(require(QWEN_VOCABULARY, home()))


_tokenizer: QwenTokenizer | None = None


def section_context_ready() -> None:
    """Start of a worker: what every run has loaded before its first context."""
    global _tokenizer
    _tokenizer = qwen()
    for format in FORMATS:
        units_with_sizes(format)


def section_contexts(numbers: range) -> int:
    """Section some contexts with one tokenizer, as a run does."""
    assert _tokenizer is not None
    for number in numbers:
        section(*context(number), _tokenizer, BASE_BUDGET)
    return len(numbers)


def main() -> int:
    """Measure everything, or what is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", choices=FORMATS, help="measure this format alone")
    parser.add_argument("--contexts", type=int, default=10_000, help="number of short contexts; 0 leaves them out")
    parser.add_argument("--memory-of", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory_of:
        print_peak_memory(given.memory_of, given.format)
        return 0
    if absent := missing():
        parser.error(f"{', '.join(absent)} not installed: run `make bench`")
    folder = texts.recordings()
    origin = "recorded responses" if folder else "the built-in samples, since there are no recorded responses here"
    print(f"Texts: {origin}. {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}. Vocabulary: Qwen2.5 and Qwen3.")
    count = qwen().count
    for format in [given.format] if given.format else FORMATS:
        text = texts.filled(texts.responses(format), format, LONG, count)
        measure_format(format, text)
        if format == "json":
            measure_rivals(text)
    if given.contexts:
        measure_contexts(given.contexts)
    print(f"\nMissed: {'; '.join(_missed)}" if _missed else "\nEvery limit is kept.")
    return bool(_missed)


if __name__ == "__main__":
    sys.exit(main())
