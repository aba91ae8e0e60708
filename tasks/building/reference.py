"""The reference language: what a question asks, as data whose execution over a context gives the answer.

A reference stands on its own. It names where records lie in a response and where fields lie in a record, so it can be
executed on the rendered context without the files that it was made from, years later and by other code.

A context is an array of responses. `Scope` finds records in it: in every response whose top-level values equal
`response`, the values that `records` leads to. A path is a list of steps: a string enters an object, a number enters
an array (from 0), `"*"` enters every element, and a set of strings enters every element that is an object with these
values. A field of a record is the one value that its path leads to: a string for type `text`, a number for type
`number`. A blank string, null or nothing at all is no value; several different values are an error in the question.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Step: TypeAlias = str | int | dict[str, str]
Path: TypeAlias = tuple[Step, ...]
EVERY = "*"

FieldType = Literal["text", "number"]


class Part(BaseModel):
    """Base of the parts of a reference: immutable, nothing unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FieldReference(Part):
    """A field of a record: its name in the record kind, and where it lies."""

    name: str
    type: FieldType
    path: Path


class Scope(Part):
    """Which records: those of one kind."""

    kind: str
    response: dict[str, str]
    records: Path


class Condition(Part):
    """A condition on a field; a record without a value does not meet it.

    `equals` compares strings exactly; `above` and `below` compare numbers exactly and strictly.
    """

    field: FieldReference
    operator: Literal["equals", "above", "below"]
    value: str


class Lookup(Part):
    """The fields of the records that the targets describe, target by target, in order.

    Each target is a list of conditions that exactly one record of the scope meets.
    """

    operation: Literal["lookup"] = "lookup"
    scope: Scope
    targets: tuple[tuple[Condition, ...], ...] = Field(min_length=1)
    fields: tuple[FieldReference, ...] = Field(min_length=1)


class Count(Part):
    """How many records of the scope meet all conditions."""

    operation: Literal["count"] = "count"
    scope: Scope
    conditions: tuple[Condition, ...] = Field(min_length=1)


class Frequent(Part):
    """The `top` values of a field that most records of the scope have, which meet all conditions."""

    operation: Literal["frequent"] = "frequent"
    scope: Scope
    conditions: tuple[Condition, ...] = ()
    field: FieldReference
    top: int = Field(ge=1)


class Extremum(Part):
    """The greatest or smallest value of a field among the records of the scope, which meet all conditions."""

    operation: Literal["extremum"] = "extremum"
    scope: Scope
    conditions: tuple[Condition, ...] = ()
    field: FieldReference
    direction: Literal["greatest", "smallest"]


Reference: TypeAlias = Annotated[Lookup | Count | Frequent | Extremum, Field(discriminator="operation")]

READER: TypeAdapter[Reference] = TypeAdapter(Reference)
"""Reads a reference from JSON or a dict: `READER.validate_python(row["reference"])`."""
