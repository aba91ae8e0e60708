"""Texts to measure with: recorded responses where there are some, else the built-in sample sources."""

import json
import os
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from tasks.collecting.sample import receive
from tasks.errors import UserError
from tasks.home import PROJECT
from tasks.trees.parse import FORMATS, decode, parse

_JSON_FOLDERS = ("clinicaltrials", "contracts_finder", "crossref", "gbif", "nih_reporter", "nvd", "usaspending", "usgs")
_SAMPLES = ("usgs", "nvd", "crossref")


def recordings() -> Path | None:
    """The folder of recorded responses, if there is one."""
    folder = Path(os.environ.get("TREEBENCH_RECORDINGS") or PROJECT.parent / "shared" / "recordings")
    return folder if folder.is_dir() else None


def joined(format: str, units: Sequence[str]) -> str:
    """One document of the format that holds the units in order."""
    if format == "json":
        return "[" + ",\n".join(units) + "]"
    if format == "javascript":
        return "".join(f"const item{index} = {unit};\n" for index, unit in enumerate(units))
    return ("\n---\n" if format == "yaml" else "\n").join(units)


def responses(format: str) -> list[str]:
    """Whole responses, pages, documents or initialisers of the format, always in the same random order."""
    folder = recordings()
    found = list(_sampled(format) if folder is None else _recorded(format, folder))
    random.Random(format).shuffle(found)
    return found


def records(format: str, most: int) -> list[str]:
    """Smaller units, of at most `most` characters: records of JSON responses, and whole responses of other formats."""
    found = responses(format)
    if format == "json":
        found = [json.dumps(record, ensure_ascii=False) for text in found for record in _objects(json.loads(text))]
    return [unit for unit in found if len(unit) <= most]


def filled(units: Sequence[str], format: str, tokens: int, count: Callable[[str], int]) -> str:
    """A document of about so many tokens; the units are repeated where they are too few."""
    taken: list[str] = []
    total = 0
    while total < tokens:
        unit = units[len(taken) % len(units)]
        taken.append(unit)
        total += count(unit)
    return joined(format, taken)


def _recorded(format: str, folder: Path) -> Iterator[str]:
    if format == "javascript":
        for path in sorted((folder / "javascript").glob("*.jsonl")):
            for line in path.read_text("utf-8").splitlines():
                yield from _sound(json.loads(line)["text"], "javascript", "const item = {};")
        return
    places = {"json": _JSON_FOLDERS, "yaml": ("yaml_openapi",), "html": ("html",)}[format]
    for place in places:
        for path in sorted((folder / place).rglob(f"*.{format}")):
            try:
                yield from _sound(decode(path.read_bytes(), format, path.name), format)
            except UserError:
                continue  # in another encoding


def _sampled(format: str) -> Iterator[str]:
    """Invented responses, for other formats than JSON written in those."""
    for source in _SAMPLES:
        for received in receive(source):
            text = received.body.decode("utf-8")
            if format == "json":
                yield text
            elif format == "yaml":
                yield yaml.safe_dump(json.loads(text), allow_unicode=True, sort_keys=False)
            elif format == "html":
                yield f"<html><body>{_as_table(json.loads(text))}</body></html>"
            else:
                yield json.dumps(json.loads(text), indent=2)


def _sound(text: str, format: str, around: str = "{}") -> Iterator[str]:
    """`text`, if it parses."""
    assert format in FORMATS
    try:
        parse(around.replace("{}", text), format)
    except UserError:
        return
    yield text


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in arrays, outermost ones alone."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield item
            else:
                yield from _objects(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _objects(item)


def _as_table(value: Any) -> str:
    if isinstance(value, dict):
        rows = (f"<tr><th>{key}</th><td>{_as_table(item)}</td></tr>\n" for key, item in value.items())
        return f"<table>{''.join(rows)}</table>"
    if isinstance(value, list):
        return "<ul>" + "".join(f"<li>{_as_table(item)}</li>\n" for item in value) + "</ul>"
    return str(value).replace("&", "&amp;").replace("<", "&lt;")
