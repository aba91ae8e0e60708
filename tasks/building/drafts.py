"""A question, and the example that puts it over a context, before they are rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tasks.building.kinds import Kind
from tasks.building.reference import Count, Lookup, Path, Reference
from tasks.hashing import content_id


@dataclass(frozen=True)
class Question:
    """A question with its reference and answer."""

    task: str
    kind: Kind
    text: str
    template: str
    reference: Reference
    answer: tuple[str, ...]
    answer_type: str
    ordered: bool

    @property
    def question_id(self) -> str:
        """Key of the row in table `questions`."""
        return content_id(self.text, self.reference.model_dump(mode="json"), list(self.answer))

    @property
    def paths(self) -> list[Path]:
        """Every path of the reference: what it asks, by what it tells records apart, and where they lie."""
        reference = self.reference
        if isinstance(reference, Lookup):
            told = [condition.field for target in reference.targets for condition in target]
            fields = [*told, *reference.fields]
        else:
            fields = [condition.field for condition in reference.conditions]
            fields += [] if isinstance(reference, Count) else [reference.field]
        places = (reference.scope, *reference.scope.also)
        return [*(path for part in fields for path in (part.path, *part.also)), *(place.records for place in places)]

    def row(self, dataset: str, sample: bool) -> dict[str, Any]:
        """Row of table `questions`."""
        return {
            "question_id": self.question_id,
            "dataset": dataset,
            "task": self.task,
            "kind": self.kind.kind,
            "text": self.text,
            "reference": self.reference.model_dump(mode="json"),
            "answer": list(self.answer),
            "answer_type": self.answer_type,
            "ordered": self.ordered,
            "template": self.template,
            "sample": sample,
        }


@dataclass(frozen=True)
class Draft:
    """A question over payloads, in the order in which they stand in the context."""

    question: Question
    payloads: Sequence[int]
    supporting: Sequence[int]
    """Positions in the context of the payloads that hold the asked-about records."""
    entities: Sequence[str] = ()
    """Entities that a lookup asks about; empty for aggregation."""
