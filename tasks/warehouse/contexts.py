r"""Contexts: the payloads of an example joined into the one text that agents read.

A context stays valid in its format. JSON payloads become the elements of one array; YAML payloads a stream of
documents, each behind its own `---`; HTML pages stand one after the other on lines of their own; JavaScript
declarations are set apart by an empty line. The payload texts themselves are never changed, but that a YAML
document which does not end in a line break gets one, and one that brings its own `---` gets no second.

`sql/views/context.sql` does the same in SQL.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import duckdb

from tasks.errors import Fault, UserError
from tasks.hashing import sha256

_MARKED = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*---(?:[ \t\r\n]|\Z)")
"""A YAML document that starts with its own marker, behind empty lines and comments at most."""


@dataclass(frozen=True)
class Frame:
    """What a context has around its payloads: before the first, between two, behind the last."""

    before: str
    between: str
    behind: str
    body: Callable[[str], str] = lambda text: text
    """A payload's text as it stands in a context."""


def frame_of(format: str) -> Frame:
    """The frame of a format. Raises `UserError` on an unknown one."""
    match format:
        case "json":
            return Frame("[\n", ",\n", "\n]")
        case "yaml":
            return Frame("", "", "", _document)
        case "html":
            return Frame("", "\n", "")
        case "javascript":
            return Frame("", "\n\n", "")
    raise UserError(f"There is no format {format}: choose json, html, yaml or javascript.")


def render(format: str, texts: Sequence[str]) -> str:
    """The context of these payload texts, in order. Raises `UserError` on an unknown format."""
    frame = frame_of(format)
    return frame.before + frame.between.join(map(frame.body, texts)) + frame.behind


def context(con: duckdb.DuckDBPyConnection, example_id: str) -> str:
    """The context of an example, checked against the hash that it was built with.

    Raises `UserError` where there is no such example and `Fault` where its payloads are not those it was built from.
    """
    example = con.execute("SELECT dataset, context_sha256 FROM examples WHERE example_id = ?", [example_id]).fetchone()
    if example is None:
        raise UserError(
            f"There is no example {example_id} in the database: `treebench sql 'FROM examples'` lists them."
        )
    texts = con.execute(
        "SELECT p.text FROM example_payloads e LEFT JOIN payloads p USING (payload_id) "
        "WHERE e.example_id = ? ORDER BY e.position",
        [example_id],
    ).fetchall()
    if not texts or any(text is None for (text,) in texts):
        raise Fault(f"Payloads of example {example_id} are missing: run `treebench recover`.")
    whole = render(example[0], [text for (text,) in texts])
    if sha256(whole) != example[1]:
        raise Fault(f"The context of example {example_id} has SHA-256 {sha256(whole)}, not the {example[1]} it was "
                    "built with: run `treebench recover`, or build the dataset anew.")  # fmt: skip
    return whole


def _document(text: str) -> str:
    marked = text if _MARKED.match(text) else "---\n" + text
    return marked if marked.endswith("\n") else marked + "\n"
