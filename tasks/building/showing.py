"""An example for a reader: its question and answer, and where the answer stands in the context."""

import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate, groupby
from typing import Any

from tasks.building.build import TOKENIZER
from tasks.building.extracting import follow, is_response, view_of
from tasks.building.reference import KEY, READER, Condition, Count, Extremum, FieldReference, Lookup, Reference
from tasks.building.views import Value, View
from tasks.errors import UserError
from tasks.home import Home
from tasks.warehouse import contexts, snapshot

AROUND = 2
"""Lines that are shown before and behind the one that is meant."""

WIDTH = 160
"""Characters of a line that are shown around what is meant."""

MOST = 8
"""Records that are shown of those an aggregation is about."""


@dataclass(frozen=True)
class Place:
    """A value in the context: what it is, where it stands, and what stands around it."""

    name: str
    value: str
    path: str
    payload: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Shown:
    """What a reader sees of an example."""

    example: dict[str, Any]
    question: dict[str, Any]
    answer: tuple[str, ...]
    payloads: int
    places: tuple[Place, ...]
    more: int
    """Records that the question is about and that are not among the places."""


def show(home: Home, example_id: str) -> Shown:
    """The example whose id begins so. Raises `UserError` where there is none, or several."""
    with snapshot.reader(home) as con:
        found = snapshot.fetch(
            con,
            "SELECT e.*, tokens FROM examples e LEFT JOIN context_tokens t ON t.example_id = e.example_id AND "
            "t.tokenizer = ? WHERE starts_with(e.example_id, ?) ORDER BY e.example_id LIMIT 2",
            [TOKENIZER, example_id],
        )
        if len(found) != 1:
            lists = "`treebench sql 'FROM examples'` lists them."
            if not example_id:
                raise UserError(f"An example has to be named, by its id or the beginning of it: {lists}")
            raise UserError(
                f"Several examples have an id that begins with {example_id!r}: name more of it; {lists}"
                if found
                else f"There is no example {example_id!r}: {lists}"
            )
        example = found[0]
        (question,) = snapshot.fetch(con, "FROM questions WHERE question_id = ?", [example["question_id"]])
        texts = snapshot.fetch(
            con,
            "SELECT format, text FROM example_payloads JOIN payloads USING (payload_id) WHERE example_id = ? "
            "ORDER BY position",
            [example["example_id"]],
        )
        context = contexts.context(con, example["example_id"])
    reference = READER.validate_python(json.loads(question["reference"]))
    answer = tuple(json.loads(question["answer"]))
    finder = _Finder(texts[0]["format"], [row["text"] for row in texts], context)
    places, more = finder.places(reference, answer, json.loads(example["supporting"]))
    return Shown(example, question, answer, len(texts), tuple(places), more)


class _Finder:
    """Finds values in a context."""

    def __init__(self, format: str, texts: list[str], context: str):
        self._format = format
        self._texts = texts
        self._context = context
        frame = contexts.frame_of(format)
        bodies = [frame.body(text) for text in texts]
        begins = list(accumulate((len(body) + len(frame.between) for body in bodies), initial=len(frame.before)))
        self._offsets = [at + body.find(text) for at, body, text in zip(begins, bodies, texts, strict=False)]
        self._lines = [0, *(at + 1 for at, character in enumerate(context) if character == "\n")]
        self._views: dict[int, View] = {}

    def places(self, reference: Reference, answer: tuple[str, ...], supporting: list[int]) -> tuple[list[Place], int]:
        """Where the answer stands, and how many more records there are."""
        records = [(at, node) for at in supporting for node in self._records(at, reference)]
        if isinstance(reference, Lookup):
            found = []
            for target in reference.targets:
                at, node = next((at, node) for at, node in records if self._meets(at, node, target))
                found += [self._place(at, node, condition.field) for condition in target]
                found += [self._place(at, node, field) for field in reference.fields]
            return found, 0
        met = [(at, node) for at, node in records if self._meets(at, node, reference.conditions)]
        if isinstance(reference, Count):
            shown = met[:MOST]
            asked = [condition.field for condition in reference.conditions]
        else:
            asked = [reference.field]
            met = [(at, node) for at, node in met if self._value(at, node, reference.field)]
            shown = [pair for pair in met if self._value(*pair, reference.field) in answer][:MOST]
            if isinstance(reference, Extremum):
                ordered = sorted(met, key=lambda pair: Decimal(str(self._value(*pair, reference.field))))
                shown = ordered[: -MOST - 1 : -1] if reference.direction == "greatest" else ordered[:MOST]
        found = [self._place(at, node, field) for at, node in shown for field in asked]
        if isinstance(reference, Count) and len({place.path for place in found}) < len(found):  # all share a place
            found = [self._record(at, node) for at, node in shown]
        return found, len(met) - len(shown)

    def _view(self, at: int) -> View:
        if at not in self._views:
            self._views[at] = view_of(self._texts[at], self._format)
        return self._views[at]

    def _records(self, at: int, reference: Reference) -> Iterator[int]:
        view = self._view(at)
        for place in (reference.scope, *reference.scope.also):
            if is_response(view, place):
                yield from follow(view, view.root, place.records)

    def _meets(self, at: int, node: int, conditions: tuple[Condition, ...]) -> bool:
        for condition in conditions:
            value = self._value(at, node, condition.field)
            if value is None:
                return False
            if condition.operator == "equals":
                if value != condition.value:
                    return False
            elif (Decimal(value) > Decimal(condition.value)) != (condition.operator == "above"):
                return False
        return True

    def _value(self, at: int, node: int, field: FieldReference) -> str | None:
        held = self._held(at, node, field)
        return held[1].text if held else None

    def _held(self, at: int, node: int, field: FieldReference) -> tuple[int, Value] | None:
        """The node that holds a field, and its value."""
        view = self._view(at)
        for path in (field.path, *field.also):
            key = path[-1:] == (KEY,)
            for reached in follow(view, node, path[:-1] if key else path):
                value = view.key(reached) if key else view.value(reached)
                if value and value.type == field.type and value.text.strip():
                    return reached, value
        return None

    def _place(self, at: int, node: int, field: FieldReference) -> Place:
        view = self._view(at)
        held = self._held(at, node, field)
        if held is None:
            return Place(_named(field), "", self._path(at, view.path(node)), at, ())
        start, _ = view.span(held[0])
        return Place(
            _named(field),
            held[1].text,
            self._path(at, view.path(held[0])),
            at,
            tuple(self._around(self._offsets[at] + start)),
        )

    def _record(self, at: int, node: int) -> Place:
        view = self._view(at)
        start, _ = view.span(node)
        return Place("record", "", self._path(at, view.path(node)), at, tuple(self._around(self._offsets[at] + start)))

    def _path(self, at: int, path: str) -> str:
        """A path in the payload as one in the context."""
        if len(self._texts) == 1 or self._format == "javascript":
            return path
        return f"/page[{at + 1}]{path}" if self._format == "html" else f"$[{at}]{path[1:]}"

    def _around(self, offset: int) -> Iterator[str]:
        """The lines around a character of the context, long ones cut."""
        line = bisect_right(self._lines, offset) - 1
        for number in range(max(0, line - AROUND), min(len(self._lines), line + AROUND + 1)):
            start = self._lines[number]
            end = self._lines[number + 1] - 1 if number + 1 < len(self._lines) else len(self._context)
            text = self._context[start:end]
            if number == line and len(text) > WIDTH:
                middle = min(max(offset - start, WIDTH // 2), len(text) - WIDTH // 2)
                text = f"…{text[middle - WIDTH // 2 : middle + WIDTH // 2]}…"
            elif len(text) > WIDTH:
                text = text[:WIDTH] + "…"
            yield f"{'>' if number == line else ' '}{number + 1:>8} | {text}"


def _named(field: FieldReference) -> str:
    """A field as its data call it: kinds that are derived from data tell fields of one name apart by their types."""
    return field.name.removesuffix(f" {field.type}")


def printed(shown: Shown) -> Iterator[str]:
    """What `treebench show` prints, line by line."""
    example, question = shown.example, shown.question
    sample = ", sample data" if example["sample"] else ""
    tokens = "unknown" if example["tokens"] is None else example["tokens"]
    yield (
        f"example   {example['example_id']} ({example['dataset']}, {example['task']}, {example['length']} tokens, "
        f"{example['split']} {example['number']}{sample})"
    )
    yield f"context   {shown.payloads} payloads, {example['characters']} characters, {tokens} tokens"
    yield f"question  {question['text']}"
    order = ", in this order" if question["ordered"] else ""
    yield f"answer    {' | '.join(shown.answer)} (compared as {question['answer_type']}{order})"
    for (path, payload, lines), places in groupby(shown.places, lambda place: (place.path, place.payload, place.lines)):
        yield ""
        yield from (f"{place.name}: {place.value}" if place.value else place.name for place in places)
        yield f"  {path} (payload {payload + 1} of {shown.payloads})"
        yield from (f"  {line}" for line in lines)
    if shown.more:
        yield ""
        yield f"and {shown.more} more records that the question is about"
