"""Native bytes and text to trees; every format has a module of its own with `parse(text) -> Tree`.

`html_tree` also has `decode(data: bytes) -> str`, since HTML names its encoding itself.
"""

import codecs
import importlib
from pathlib import Path
from types import ModuleType

from tasks.errors import UserError
from tasks.trees.tree import Tree

FORMATS = ("json", "yaml", "html", "javascript")

_SUFFIXES = {
    ".json": "json",
    ".geojson": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
}


def parse(text: str, format: str) -> Tree:
    """The tree of `text`. Raises `UserError` with line and column where the text does not parse.

    A byte-order mark at the very start must have been dropped before (`decode` does): it is not part of the text.
    """
    return _module(format).parse(text)


def decode(data: bytes, format: str, name: str = "input") -> str:
    """The text of a file: UTF-8 without its byte-order mark; HTML in the encoding that it declares.

    Raises `UserError` naming `name` and the byte where the data is not UTF-8.
    """
    if format == "html":
        return _module(format).decode(data)
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{name} is not UTF-8 at byte {error.start}: convert it to UTF-8 first.") from None


def format_of(path: Path) -> str:
    """The format that the file's suffix names; `UserError` where it names none."""
    format = _SUFFIXES.get(path.suffix.lower())
    if format is None:
        raise UserError(f"{path} has no suffix that names a format: add `--format {'|'.join(FORMATS)}`.")
    return format


def position(text: str, offset: int) -> str:
    """`line L, column C` (both from 1, columns in code points) of `offset`, for messages."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"


def _module(format: str) -> ModuleType:
    if format not in FORMATS:
        raise UserError(f"{format} is not a known format: use one of {', '.join(FORMATS)}.")
    return importlib.import_module(f"tasks.trees.{format}_tree")
