"""Natural names for keys that programmers chose: `maxLength` reads as `maximum length`."""

import re
from functools import cache
from typing import Any

from tasks.errors import Fault
from tasks.home import PROJECT

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
LONGEST = 3
"""Words of a name."""

_TECHNICAL = {"index", "json", "idx"}
"""Words that would say where something stands, or in which notation."""
_LEGIBLE = re.compile(r"[A-Za-z$_][A-Za-z0-9$_-]*")


def natural(dataset: str, key: str) -> str | None:
    """How people would say a key; None where it says nothing to them, or would have to be named as it is."""
    if not _LEGIBLE.fullmatch(key):
        return None
    known: dict[str, str] = _glossary(dataset)
    if key in known:
        return known[key]
    words = [word.lower() for word in _WORD.findall(key)]
    if not 0 < len(words) <= LONGEST or _TECHNICAL & set(words):
        return None
    if len(words) == 1:
        return words[0] if words[0] in ordinary(dataset) else known.get(words[0])
    if not all(len(word) > 1 and (word in known or word in ordinary(dataset)) for word in words):
        return None
    return " ".join(str(known.get(word, word)) for word in words)


def plural(name: str) -> str:
    """The plural of a natural name that ends in its noun."""
    if re.search(r"[^aeiou]y$", name):
        return f"{name[:-1]}ies"
    return f"{name}es" if re.search(r"(s|x|z|ch|sh)$", name) else f"{name}s"


@cache
def ordinary(dataset: str) -> frozenset[str]:
    """Keys of the data that are ordinary words as well. Raises `Fault` where the file of wording lacks them."""
    return frozenset(wording_of(dataset).get("ordinary_words") or ())


def worked_out(dataset: str, name: str) -> frozenset[str]:
    """The natural names of the fields from each of which people can work out the one of this name."""
    found: dict[str, list[str]] = wording_of(dataset).get("worked_out") or {}
    return frozenset(found.get(name, ()))


@cache
def well_known(dataset: str) -> frozenset[str]:
    """Names of tables whose entries people know by heart, or read off their labels."""
    return frozenset(wording_of(dataset).get("well_known") or ())


@cache
def _glossary(dataset: str) -> dict[str, str]:
    return dict(wording_of(dataset).get("glossary") or {})


@cache
def wording_of(dataset: str) -> dict[str, Any]:
    """The file of wording of a dataset. Raises `Fault` where there is none."""
    from ruamel.yaml import YAML

    path = PROJECT / "datasets" / "wording" / f"{dataset}.yaml"
    if not path.is_file():
        raise Fault(f"datasets/wording/{dataset}.yaml is missing: it holds the question templates of the dataset.")
    return YAML(typ="safe", pure=True).load(path.read_text("utf-8"))
