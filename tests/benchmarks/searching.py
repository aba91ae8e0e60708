"""The local search index over a corpus as large as BrowseComp-Plus's: 100,195 documents of 5,179 words on average.

    python -m tests.benchmarks.searching [--documents N] [--words N]

Documents are made up of 200,000 words with Zipf's frequencies, always the same. The baseline is splitting the same
texts into lower-case words with `str.split`, in the same run. Exit status 1 where the whole corpus takes longer than 15
minutes or more than 6 GB of memory or disk; a part of it is held to its share of the time.
"""

import argparse
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tasks.long_horizon.searching.corpus import Document, build

DOCUMENTS, WORDS = 100_195, 5_179
MOST_SECONDS, MOST_BYTES = 15 * 60, 6e9
QUERIES = 200


class Texts:
    """Made-up documents; counts the time that making them takes."""

    def __init__(self, words: int):
        self._chance = np.random.default_rng(7)
        letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
        lengths = self._chance.integers(3, 11, 200_000)
        self.vocabulary = np.array(["".join(self._chance.choice(letters, size)) for size in lengths], dtype=object)
        weights = 1 / np.arange(1, len(self.vocabulary) + 1) ** 1.05
        self._shares = np.cumsum(weights / weights.sum())
        self._words = words
        self.seconds = 0.0
        self.characters = 0

    def some(self, count: int) -> list[str]:
        """That many texts, of half to one and a half times the wanted length."""
        began = time.perf_counter()
        sizes = self._chance.integers(self._words // 2, self._words * 3 // 2 + 1, count)
        places = np.searchsorted(self._shares, self._chance.random(int(sizes.sum())))
        places = np.minimum(places, len(self.vocabulary) - 1)
        parts = np.split(self.vocabulary[places], np.cumsum(sizes)[:-1])
        made = [" ".join(part.tolist()) for part in parts]
        self.characters += sum(map(len, made))
        self.seconds += time.perf_counter() - began
        return made

    def documents(self, count: int) -> Iterator[Document]:
        """That many documents, made in small lots."""
        for start in range(0, count, 100):
            for number, text in enumerate(self.some(min(100, count - start)), start=start):
                yield Document(str(number), f"https://corpus.example/{number}", text)


def main() -> int:
    """Print the figures; 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--words", type=int, default=WORDS, help="words of a document on average")
    parser.add_argument("--folder", type=Path, help="where the index is made; by default where temporary files go")
    given = parser.parse_args()
    texts = Texts(given.words)
    lot = texts.some(200)
    began = time.perf_counter()
    split = sum(len(text.lower().split()) for text in lot)
    baseline = (time.perf_counter() - began) / split
    texts.seconds, texts.characters = 0.0, 0
    folder = Path(tempfile.mkdtemp(prefix="treebench-", dir=given.folder))
    try:
        began = time.perf_counter()
        corpus = build(folder / "index", texts.documents(given.documents), "benchmark")
        seconds = time.perf_counter() - began - texts.seconds
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        queries = [" ".join(texts.vocabulary[texts._chance.integers(50, 50_000, 6)]) for _ in range(QUERIES)]
        began = time.perf_counter()
        for query in queries:
            corpus.find(query, 5)
        query_seconds = (time.perf_counter() - began) / QUERIES
    finally:
        shutil.rmtree(folder)
    words = given.documents * given.words
    share = min(1.0, words / (DOCUMENTS * WORDS))
    print(f"{given.documents:,} documents, {words:,} words, {texts.characters / 1e9:.2f} GB of text")
    limit = MOST_SECONDS * max(share, 0.05)
    times = seconds / words / baseline
    print(f"indexing: {seconds:.0f} s, {times:.1f} times splitting the words (limit {limit:.0f} s)")
    print(f"memory: {memory / 1e9:.2f} GB at most (limit {MOST_BYTES / 1e9:.0f} GB)")
    print(f"index: {size / 1e9:.2f} GB, {size / texts.characters:.2f} of the text (limit {MOST_BYTES / 1e9:.0f} GB)")
    print(f"a query: {query_seconds * 1000:.1f} ms, as long as splitting {query_seconds / baseline:,.0f} words")
    missed = seconds > limit or max(memory, size) > MOST_BYTES
    print("missed" if missed else "within the limits")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
