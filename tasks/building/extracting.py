"""Payloads into records: each with its span, its path, and the exact source of every field."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tasks.building.html_view import HtmlView
from tasks.building.kinds import FieldSpec, Kind
from tasks.building.reference import EVERY, KEY, UP, Path, Place
from tasks.building.views import TreeView, Value, View
from tasks.hashing import content_id
from tasks.trees.parse import parse


@dataclass(frozen=True, slots=True)
class Record:
    """One entity in a payload. `ambiguous` names the fields for which it holds several different values."""

    kind: str
    payload_id: str
    start: int
    end: int
    path: str
    identity: str
    values: dict[str, Value]
    ambiguous: frozenset[str] = field(default=frozenset())

    @property
    def record_id(self) -> str:
        """Key of the row in table `records`."""
        return content_id(self.payload_id, self.kind, self.path)

    @property
    def entity(self) -> str:
        """The same for all records about the same thing."""
        return f"{self.kind}:{self.identity}"

    def row(self, kind: Kind, sample: bool) -> dict[str, Any]:
        """Row of table `records`."""
        named = (d.fields[0] for d in kind.descriptions if d.fields[0] in self.values)
        label = next((self.values[name].text for name in named), self.identity)
        return {
            "record_id": self.record_id,
            "payload_id": self.payload_id,
            "kind": kind.kind,
            "label": label,
            "path": self.path,
            "span_start": self.start,
            "span_end": self.end,
            "fields": {
                kind.fields[name].name if kind.derived else name: _plain(value) for name, value in self.values.items()
            },
            "sample": sample,
        }


def _plain(value: Value) -> Any:
    return value.text if value.type == "text" else json.loads(value.text)


def view_of(text: str, format: str) -> View:
    """A payload as a value. Raises `UserError` where it does not parse."""
    tree = parse(text, format)
    return HtmlView(tree) if format == "html" else TreeView(tree)


def records(view: View, payload_id: str, known: Iterable[Kind]) -> list[Record]:
    """The records in a payload, of every kind whose response it is, kind by kind in document order."""
    return [
        _record(view, node, payload_id, kind)
        for kind in known
        for place in kind.places
        if is_response(view, place)
        for node in follow(view, view.root, place.records)
    ]


def is_response(view: View, place: Place) -> bool:
    """Whether a payload is one that records may lie in."""
    return not place.response or _matches(view, view.root, place.response)


def follow(view: View, node: int, path: Path) -> list[int]:
    """The nodes that a path without a final `#` leads to."""
    nodes = [node]
    for step in path:
        if not nodes:
            break
        nodes = [reached for parent in nodes for reached in _entered(view, parent, step)]
    return nodes


def _entered(view: View, node: int, step: Any) -> list[int]:
    if step == EVERY:
        return view.children(node)
    if step == UP:
        return [view.parent(node)] if node != view.root else []
    if isinstance(step, str):
        member = view.members(node).get(step)
        return [] if member is None else [member]
    if isinstance(step, int):
        return [child for child in view.children(node) if view.identifier(child) == step]
    if isinstance(step, dict):
        return [child for child in view.children(node) if _matches(view, child, step)]
    members = view.members(node)
    return [child for name, child in members.items() if name in step]


def _matches(view: View, node: int, wanted: dict[str, str]) -> bool:
    members = view.members(node)
    if not members:
        return False
    for name, text in wanted.items():
        if name not in members:
            return False
        value = view.value(members[name])
        if text != EVERY and not (value and value.type == "text" and value.text == text):
            return False
    return True


def _record(view: View, node: int, payload_id: str, kind: Kind) -> Record:
    values: dict[str, Value] = {}
    ambiguous = []
    for name, spec in kind.fields.items():
        distinct = _values(view, node, spec)
        if len(distinct) == 1:
            values[name] = next(iter(distinct.values()))
        elif distinct:
            ambiguous.append(name)
    start, end = view.span(node)
    path = view.path(node)
    told = [values[name].text for name in kind.identity if name in values]
    known = told and len(told) == len(kind.identity)
    identity = "\n".join(told) if known else content_id(payload_id, path)
    return Record(kind.name, payload_id, start, end, path, identity, values, frozenset(ambiguous))


def _values(view: View, node: int, spec: FieldSpec) -> dict[str, Value]:
    """The different values of a field, by what they say."""
    found: dict[str, Value] = {}
    for path in (spec.path, *spec.also):
        key = path[-1:] == (KEY,)
        for reached in follow(view, node, path[:-1] if key else path):
            value = view.key(reached) if key else view.value(reached)
            if value and value.type == spec.type and value.text.strip():
                found.setdefault(value.text, value)
    return found
