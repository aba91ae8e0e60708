"""A response body to text and to units, by format.

json        units of a few records, cut out of the response
html        the page, whole
yaml        the OpenAPI document, whole; its licence is the one that it states
javascript  initialisers with a static value, each with its declaration
"""

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tasks.collecting import cutting, initialisers
from tasks.collecting.cutting import Unit
from tasks.collecting.javascript_values import Rejected
from tasks.collecting.received import Received
from tasks.collecting.sources import Source
from tasks.errors import UserError
from tasks.hashing import content_id
from tasks.trees import decode as html_encoding
from tasks.trees.parse import decode, parse
from tasks.trees.tree import Tree

VERSION = 1
"""Raise it when the same response would give other units."""

MOST_CHARACTERS = 4_000_000
"""A longer page or document fits into no context."""

_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w:.-]+)", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z!/]")
_METHODS = frozenset(("get", "put", "post", "delete", "options", "head", "patch", "trace"))


@dataclass(frozen=True)
class Part:
    """A part of a response that was rejected, and why."""

    where: str
    reason: str
    detail: str


@dataclass(frozen=True)
class Reading:
    """What a response gives. `units` is None where it holds no records by its sort."""

    encoding: str
    units: Sequence[Unit] | None
    rejected: Sequence[Part] = field(default=())


def read(item: Received, spec: Source) -> Reading:
    """The units of a response. Raises `UserError` saying what stands there instead of the format."""
    if not item.body.strip():
        raise UserError("the body is empty.")
    match spec.format:
        case "json":
            text = _text(item, "json")
            if text.lstrip()[:1] == "<":
                raise UserError("the body is a page of markup.")
            return Reading("utf-8", cutting.units(parse(text, "json"), spec, item.sha256))
        case "html":
            return _page(item)
        case "yaml":
            return Reading("utf-8", [_document(parse(_text(item, "yaml"), "yaml"))])
        case "javascript":
            return _program(item)


def _text(item: Received, format: str) -> str:
    text = decode(item.body, format, "the body")
    if len(text) > MOST_CHARACTERS and format != "json":
        raise UserError(f"the body has {len(text)} characters, more than any context.")
    return text


def _page(item: Received) -> Reading:
    """A page, decoded as browsers do: byte-order mark, then what the server says, then what the page says."""
    charset = _CHARSET.search(item.media_type or "")
    marked = item.body.startswith(tuple(_MARKS))
    declaration = f'<meta charset="{charset[1]}">'.encode() if charset and not marked else b""
    body = declaration + item.body
    text = decode(body, "html")[len(declaration) :]
    if not _TAG.search(text):
        raise UserError("the body has no markup.")
    if len(text) > MOST_CHARACTERS:
        raise UserError(f"the page has {len(text)} characters, more than any context.")
    tree = parse(text, "html")
    if len(tree) < 3:
        raise UserError("the page has no elements.")
    return Reading(_encoding(body), [Unit(text, ((0, len(text)),), 1)])


def _encoding(body: bytes) -> str:
    """Name of the encoding that the page was read in."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if body.startswith(mark):
            return name
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return html_encoding.declared_encoding(body) or "windows-1252"
    return "utf-8"


def _document(tree: Tree) -> Unit:
    """An OpenAPI document, whole."""
    text = tree.text
    if cutting.find(tree, ["openapi"]) is None and cutting.find(tree, ["swagger"]) is None:
        raise UserError("the body is no OpenAPI document: openapi or swagger is missing at its top.")
    paths = cutting.find(tree, ["paths"])
    operations = 0
    for path in tree.children(paths) if paths is not None else ():
        operations += sum(tree.identifiers[child] in _METHODS for child in tree.children(path))
    if not operations:
        raise UserError("the document has no operations.")
    name = cutting.find(tree, ["info", "license", "name"])
    stated = _scalar(tree, name) if name is not None else ""
    whole = ((0, len(text)),)
    return Unit(text, whole, operations, licence=stated.strip() or None, canonical=_canonical(tree))


def _canonical(tree: Tree) -> str:
    """Hash of keys and scalars in order of the document, without layout, comments and kinds of quotes."""
    found = []
    for node in range(len(tree)):
        leaf = tree.stops[node] == node + 1
        found.append((tree.identifiers[node], tree.stops[node] - node, _scalar(tree, node) if leaf else None))
    return content_id(found)


def _scalar(tree: Tree, node: int) -> str:
    """A scalar without its quotes, blanks run together."""
    source = " ".join(tree.value_source(node).split())
    quoted = len(source) > 1 and source[0] == source[-1] and source[0] in "\"'" and "\\" not in source
    return source[1:-1] if quoted else source


def _program(item: Received) -> Reading:
    """A program file, or an initialiser that was cut out of one before (its row says what held it)."""
    text = _text(item, "javascript")
    if "initialiser" in item.parameters:
        try:
            return Reading("utf-8", [initialisers.of_literal(text, item.parameters["initialiser"])])
        except Rejected as rejected:
            return Reading("utf-8", [], [Part("", str(rejected), f"{len(text)} characters")])
    units, parts = [], []
    for found in initialisers.of_program(text):
        if isinstance(found, Unit):
            units.append(found)
        else:
            parts.append(Part(f":{found.line}:{found.column}", found.reason, f"{found.characters} characters"))
    return Reading("utf-8", units, parts)
