"""InfMem's retrieval: the whole context in small units, searched at every step, in one of three variants.

    variant    units              terms                                 units given           clean-up
    legacy     side by side       split at blanks, lower case           4 always              none
    enhanced   a fifth overlaps   letters, digits, _; Chinese singles   top_k in [3, 20]      of the query; see below
               with the next      and pairs
    rl         side by side       every character; the query at blanks  top_k, 5 if bad       block cut at 12,000
                                                                                              characters

`enhanced` leaves out units of the section that is being read, and at first units like one chosen already (Jaccard
index of their terms above 0.8) and a third unit of one section, among the best max(40, 6 top_k); then it fills up by
rank. `legacy` is the default: it is the likelier basis of the published numbers.

Under each observation method units are cut inside the sections that are read, from their text alone: paths and
retrieved spans are no part of them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from tasks.errors import UserError
from tasks.memory_agents.observations import Observations
from tasks.memory_agents.okapi import Okapi

VARIANTS = ("legacy", "enhanced", "rl")

LEGACY_K = 4
OVERLAP = 5
"""enhanced: one `OVERLAP`-th of a unit is repeated in the next."""
FEWEST, MOST, USUAL = 3, 20, 8
"""enhanced: bounds and default of top_k."""
RL_USUAL = 5
RL_BLOCK_CHARACTERS = 12_000
PER_SECTION = 2
ALIKE = 0.8
CANDIDATES, CANDIDATES_PER_K = 40, 6

_WORD = re.compile(r"[a-z0-9_]+")


class Unit(NamedTuple):
    """A unit: its section (from 1) and its characters there."""

    section: int
    start: int
    end: int


class Units:
    """The units of one example."""

    def __init__(self, observations: Observations, variant: str, tokens: int):
        if variant not in VARIANTS:
            raise UserError(f"There is no retrieval {variant!r}: choose {', '.join(VARIANTS)}.")
        self._observations = observations
        self._variant = variant
        stride = max(1, tokens - tokens // OVERLAP) if variant == "enhanced" else tokens
        self._units = [Unit(*unit) for unit in observations.units(tokens, stride)]
        self._index = Okapi(self._documents())

    def find(self, query: str, top_k: Any, problem: str, current: int) -> list[str]:
        """Texts of the units found, best first, as a model asked for them with `top_k` while reading section `current`.

        `problem` is searched for where the query is empty (enhanced).
        """
        if self._variant == "legacy":
            chosen = self._index.ranked(query.lower().split())[:LEGACY_K]
        elif self._variant == "rl":
            chosen = self._index.ranked(query.split())[: _whole(top_k, RL_USUAL, at_least=1)]
        else:
            words = mixed(" ".join(query.split()) or problem)
            chosen = self._diverse(words, min(MOST, _whole(top_k, USUAL, at_least=FEWEST)), current) if words else []
        return [self.text(number) for number in chosen]

    def block(self, found: Iterable[str]) -> str:
        """The units found as one text, apart by empty lines."""
        text = "\n\n".join(found)
        return text[:RL_BLOCK_CHARACTERS] if self._variant == "rl" else text

    def text(self, number: int) -> str:
        """The text of a unit."""
        section, start, end = self._units[number]
        return self._observations.text(section)[start:end]

    def _documents(self) -> Iterable[Sequence[str]]:
        section, text = 0, ""
        for unit in self._units:
            if unit.section != section:
                section, text = unit.section, self._observations.text(unit.section)
            yield self._terms(text[unit.start : unit.end])

    def _terms(self, text: str) -> Sequence[str]:
        return {"legacy": lambda: text.lower().split(), "enhanced": lambda: mixed(text), "rl": lambda: text}[
            self._variant
        ]()

    def _diverse(self, words: Sequence[str], top_k: int, current: int) -> list[int]:
        allowed = [n for n in self._index.ranked(words)[: self._candidates(top_k)] if self._units[n].section != current]
        chosen: list[int] = []
        sets: list[set[str]] = []
        taken: Counter[int] = Counter()
        for number in allowed:
            if len(chosen) == top_k:
                return chosen
            section, terms = self._units[number].section, set(mixed(self.text(number)))
            if taken[section] < PER_SECTION and all(_jaccard(terms, other) <= ALIKE for other in sets):
                chosen.append(number)
                sets.append(terms)
                taken[section] += 1
        texts = {self.text(number) for number in chosen}
        for number in self._index.ranked(words):
            if len(chosen) >= top_k:
                break
            if self._units[number].section != current and self.text(number) not in texts:
                chosen.append(number)
                texts.add(self.text(number))
        return chosen

    def _candidates(self, top_k: int) -> int:
        return max(CANDIDATES, CANDIDATES_PER_K * top_k)


def mixed(text: str) -> list[str]:
    """Runs of letters, digits and underscores in lower case; Chinese characters, and pairs of neighbours among them."""
    text = text.lower()
    chinese = [character for character in text if "\u4e00" <= character <= "\u9fff"]
    return [*_WORD.findall(text), *chinese, *map("".join, pairwise(chinese))]


def _jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _whole(value: Any, usual: int, at_least: int) -> int:
    """A whole number out of what a model wrote for one."""
    try:
        return max(at_least, int(value))
    except (TypeError, ValueError, OverflowError):
        return max(at_least, usual)
