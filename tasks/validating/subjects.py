"""The examples of a dataset version, each with its rendered context and all that the checks look at."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from tasks.home import PROJECT
from tasks.tokens.tokenizer import Tokenizer
from tasks.validating import reading
from tasks.validating.executing import Found, execute
from tasks.validating.reading import Unit
from tasks.validating.tallying import Tally
from tasks.warehouse import contexts
from tasks.warehouse.snapshot import fetch

_PAYLOADS = """
SELECT p.payload_id, p.format, p.source, p.licence, p.sample, p.text, s.sample AS source_sample
FROM payloads p LEFT JOIN sources s ON s.source = p.source
WHERE p.payload_id IN (
    SELECT payload_id FROM example_payloads JOIN build_examples USING (example_id) WHERE build_id = ?)
"""

_PLACES = """
SELECT example_id, list(payload_id ORDER BY position) AS payload_ids FROM example_payloads
WHERE list_contains(?, example_id) GROUP BY example_id
"""
AT_ONCE = 100
"""Examples whose payload ids are fetched together."""


@dataclass(frozen=True)
class Identity:
    """Where the entities of a kind lie, and what tells one from the others."""

    scope: dict[str, Any]
    fields: tuple[dict[str, Any], ...]


@dataclass
class Subject:
    """An example with everything that a check may look at."""

    example: Mapping[str, Any]
    question: Mapping[str, Any]
    payloads: Sequence[Mapping[str, Any]]
    """Rows with payload_id, format, source, licence, sample, source_sample and text, in order of position."""
    context: str
    tokens: int
    """Counted here."""
    recorded_tokens: int | None
    identities: Mapping[str, Identity] = field(default_factory=dict)
    """Kind to where its entities lie, from the files of record kinds."""
    ordinary_words: frozenset[str] = frozenset()
    library: dict[str, Unit] = field(default_factory=dict)
    """Payload texts that were read before, by any example."""

    @cached_property
    def units(self) -> list[Unit]:
        """The payloads as they stand in the context, read. Raises `Unsound` where the context does not hold them."""
        format = self.payloads[0]["format"] if self.payloads else "json"
        found = []
        for text in reading.parts(format, self.context, self.payloads):
            if text not in self.library:
                self.library[text] = Unit(format, text)
            found.append(self.library[text])
        return found

    @cached_property
    def found(self) -> Found:
        """The reference, executed."""
        return execute(self.question["reference"], self.units)


def subjects(
    connection: Any, build_id: str, dataset: str, examples: Sequence[Mapping[str, Any]], tokenizer: Tokenizer
) -> Iterator[Subject]:
    """The examples of a version, each with its rendered context and all that the checks look at."""
    payloads = {row["payload_id"]: row for row in fetch(connection, _PAYLOADS, [build_id])}
    identities, words = rules(dataset)
    tally = Tally(tokenizer)
    library: dict[str, Unit] = {}
    for start in range(0, len(examples), AT_ONCE):
        some = examples[start : start + AT_ONCE]
        found = fetch(connection, _PLACES, [[example["example_id"] for example in some]])
        places = {row["example_id"]: row["payload_ids"] for row in found}
        for example in some:
            held = [payloads.get(name) for name in places.get(example["example_id"], ())]
            standing = [payload for payload in held if payload is not None]
            texts = [payload["text"] for payload in standing]
            format = standing[0]["format"] if standing else dataset
            context = contexts.render(format, texts) if standing else ""
            yield Subject(
                example=dict(example) | {"supporting": parsed(example["supporting"])},
                question=_question(example),
                payloads=standing,
                context=context,
                tokens=tally.tokens(context, texts, example["context_sha256"]),
                recorded_tokens=example["recorded_tokens"],
                identities=identities,
                ordinary_words=words,
                library=library,
            )


def _question(example: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "task": example["question_task"],
        "text": example["text"],
        "reference": parsed(example["reference"]),
        "answer": parsed(example["answer"]),
        "answer_type": example["answer_type"],
        "ordered": example["ordered"],
        "sample": example["question_sample"],
    }


@cache
def rules(dataset: str) -> tuple[dict[str, Identity], frozenset[str]]:
    """Where the entities of each kind lie, and words that a question may use, read from the data files."""
    from ruamel.yaml import YAML

    reader = YAML(typ="safe", pure=True)
    identities = {}
    for path in sorted((PROJECT / "datasets" / dataset).glob("*.yaml")):
        kind = reader.load(path.read_text("utf-8"))
        named = kind.get("identity") or []
        if named:
            fields = [kind["fields"][name] for name in ([named] if isinstance(named, str) else named)]
            scope = {"response": kind.get("response", {}), "records": kind["records"], "also": kind.get("also", [])}
            asked = tuple({name: field.get(name) or [] for name in ("type", "path", "also")} for field in fields)
            identities[kind["kind"]] = Identity(scope, asked)
    wording = reader.load((PROJECT / "datasets" / "wording" / f"{dataset}.yaml").read_text("utf-8"))
    return identities, frozenset(wording["ordinary_words"])


def parsed(value: Any) -> Any:
    """A JSON column as a value."""
    return json.loads(value) if isinstance(value, str) else value
