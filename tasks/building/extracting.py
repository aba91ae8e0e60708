"""Payloads into records: each with its span, its path, and the exact source of every field."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tasks.building.kinds import Kind
from tasks.building.reference import EVERY, Path
from tasks.hashing import content_id
from tasks.trees.tree import Tree

LONGEST = 160
"""Characters of a value that a question may quote or ask for."""


@dataclass(frozen=True)
class Value:
    """One value: as the text writes it, and as it reads. Numbers keep their spelling: `1.0` is not `1`."""

    type: str
    raw: str
    text: str

    @property
    def presentable(self) -> bool:
        """Whether people can see it in the text exactly as a question or answer says it."""
        if self.type == "number":
            return True
        return (
            self.raw[1:-1] == self.text
            and 0 < len(self.text) <= LONGEST
            and self.text == " ".join(self.text.split())
            and '"' not in self.text
        )


@dataclass(frozen=True)
class Record:
    """One entity in a payload. `ambiguous` names the fields for which it holds several different values."""

    kind: str
    payload_id: str
    node: int
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
        label = next((self.values[d.field].text for d in kind.descriptions if d.field in self.values), self.identity)
        fields = {name: json.loads(value.raw) for name, value in self.values.items()}
        return {
            "record_id": self.record_id,
            "payload_id": self.payload_id,
            "kind": self.kind,
            "label": label,
            "path": self.path,
            "span_start": self.start,
            "span_end": self.end,
            "fields": fields,
            "sample": sample,
        }


def records(tree: Tree, payload_id: str, known: Iterable[Kind]) -> list[Record]:
    """The records in a payload, of every kind whose response it is, in document order."""
    found = []
    for kind in known:
        if kind.format == tree.format and _is_response(tree, kind.response):
            trie = _trie(kind)
            for node in _reached(tree, tree.root, kind.records):
                found.append(_record(tree, node, payload_id, kind, trie))
    return found


def _is_response(tree: Tree, wanted: dict[str, str]) -> bool:
    top = {tree.identifiers[child]: child for child in tree.children(tree.root)}
    return all(key in top and _text(tree, top[key]) == value for key, value in wanted.items())


def _reached(tree: Tree, node: int, path: Path) -> list[int]:
    nodes = [node]
    for step in path:
        nodes = [child for parent in nodes for child in _entered(tree, parent, step)]
    return nodes


def _entered(tree: Tree, node: int, step: Any) -> list[int]:
    children = tree.children(node)
    array = _is_array(tree, node)
    if step == EVERY:
        return children if array else []
    if isinstance(step, dict):
        return [child for child in children if array and _matches(tree, child, step)]
    return [child for child in children if array == isinstance(step, int) and tree.identifiers[child] == step]


def _is_array(tree: Tree, node: int) -> bool:
    return tree.text[tree.value_starts[node]] == "["


def _matches(tree: Tree, node: int, wanted: dict[str, str]) -> bool:
    if tree.text[tree.value_starts[node]] != "{":
        return False
    found = {tree.identifiers[child]: child for child in tree.children(node)}
    return all(key in found and _text(tree, found[key]) == value for key, value in wanted.items())


def _text(tree: Tree, node: int) -> str | None:
    """The string of a node, or None if it is something else."""
    raw = tree.value_source(node) if tree.leaf(node) else ""
    if not raw.startswith('"'):
        return None
    return json.loads(raw) if "\\" in raw else raw[1:-1]


@dataclass
class _Branch:
    """Fields that share the beginning of their path, so that a record is walked once."""

    keys: dict[str | int, "_Branch"] = field(default_factory=dict)
    selections: list[tuple[dict[str, str], "_Branch"]] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)

    def enter(self, step: Any) -> "_Branch":
        """The branch behind a step, made if it is not there."""
        if isinstance(step, dict):
            for wanted, branch in self.selections:
                if wanted == step:
                    return branch
            self.selections.append((step, _Branch()))
            return self.selections[-1][1]
        return self.keys.setdefault(step, _Branch())


def _trie(kind: Kind) -> _Branch:
    top = _Branch()
    for name, spec in kind.fields.items():
        branch = top
        for step in spec.path:
            branch = branch.enter(step)
        branch.fields.append(name)
    return top


def _record(tree: Tree, node: int, payload_id: str, kind: Kind, trie: _Branch) -> Record:
    found: dict[str, dict[str, Value]] = {}
    _walk(tree, node, trie, kind, found)
    values, ambiguous = {}, []
    for name in kind.fields:
        distinct = found.get(name, {})
        if len(distinct) == 1:
            values[name] = next(iter(distinct.values()))
        elif distinct:
            ambiguous.append(name)
    source = tree.value_source(node)
    identity = values[kind.identity].text if kind.identity in values else content_id(source)
    return Record(
        kind=kind.kind,
        payload_id=payload_id,
        node=node,
        start=tree.value_starts[node],
        end=tree.ends[node],
        path=tree.path(node),
        identity=identity,
        values=values,
        ambiguous=frozenset(ambiguous),
    )


def _walk(tree: Tree, node: int, branch: _Branch, kind: Kind, found: dict[str, dict[str, Value]]) -> None:
    for name in branch.fields:
        value = _value(tree, node, kind.fields[name].type)
        if value:
            found.setdefault(name, {})[value.text] = value
    if branch.keys:
        array = _is_array(tree, node)
        for child in tree.children(node):
            inner = branch.keys.get(tree.identifiers[child])
            if inner and array == isinstance(tree.identifiers[child], int):
                _walk(tree, child, inner, kind, found)
    for wanted, inner in branch.selections:
        for child in _entered(tree, node, wanted):
            _walk(tree, child, inner, kind, found)


def _value(tree: Tree, node: int, wanted: str) -> Value | None:
    """The value of a leaf if it has the wanted type and is not empty."""
    if not tree.leaf(node):
        return None
    raw = tree.value_source(node)
    if raw[0] == '"':
        text = json.loads(raw) if "\\" in raw else raw[1:-1]
        return Value("text", raw, text) if wanted == "text" and text.strip() else None
    if raw[0] in "-0123456789":
        return Value("number", raw, raw) if wanted == "number" else None
    return None
