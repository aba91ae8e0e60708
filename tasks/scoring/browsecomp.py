"""Measures of BrowseComp-Plus beside accuracy: recall of evidence, citations, and calibration."""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

BIN = 100
"""Answers in a bin of the calibration error."""

_CITED = re.compile(r"\[([^\[\]]*)\]|【([^【】]*)】")


def recall(retrieved: Collection[str], evidence: Collection[str]) -> float:
    """Share of the evidence documents that were retrieved; 0 where there is no evidence."""
    wanted = set(evidence)
    return len(wanted & set(retrieved)) / len(wanted) if wanted else 0.0


def citations(response: str) -> list[str]:
    """Docids, which are digits, cited in square or lenticular brackets, each once, in order."""
    found = [number for one, other in _CITED.findall(response) for number in re.findall(r"\d+", one or other)]
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Citations:
    """Citations of many responses. The means are over the responses that cite anything."""

    precision: float
    recall: float
    coverage: float
    """Share of the responses that cite anything."""


def cited(responses: Sequence[tuple[str, Collection[str]]]) -> Citations:
    """How responses, each with its relevant documents, cite."""
    pairs = [(set(citations(text)), set(relevant)) for text, relevant in responses]
    citing = [(found, relevant) for found, relevant in pairs if found]
    if not citing:
        return Citations(0.0, 0.0, 0.0)
    return Citations(
        sum(len(found & relevant) / len(found) for found, relevant in citing) / len(citing),
        sum(recall(found, relevant) for found, relevant in citing) / len(citing),
        len(citing) / len(pairs),
    )


def calibration_error(confidences: Sequence[float], correct: Sequence[bool], size: int = BIN) -> float:
    """L2 calibration error over bins of `size` answers sorted by confidence (0 to 100), from 0 to 1.

    As in the published evaluation, the last bin takes what the others leave but does not count: with fewer than twice
    `size` answers, such as those to 150 questions, the error is 0 whatever they are.
    """
    if len(confidences) < size:
        return 0.0
    ranked = sorted(zip(confidences, correct, strict=True), key=lambda pair: pair[0])
    bins = [(start, start + size) for start in range(0, len(ranked) // size * size, size)]
    bins[-1] = (bins[-1][0], len(ranked))
    total = 0.0
    for start, end in bins[:-1]:
        part = ranked[start:end]
        said = sum(confidence for confidence, _ in part) / len(part) / 100
        right = sum(good for _, good in part) / len(part)
        total += len(part) / len(ranked) * (said - right) ** 2
    return math.sqrt(total)
