"""The reference language: what a question asks, as data whose execution over a context gives the answer.

A reference stands on its own. It names where records lie and where fields lie in a record, so it can be executed on
the rendered context without the files that it was made from, years later and by other code.

A context is a list of units (payloads), and a unit has a value made of objects, arrays and leaves:

* JSON: the value of the response. YAML: that of the document; a plain scalar that looks like a decimal number is a
  number, plain `true` and `false` are flags, plain `null`, `~` and nothing at all no value, every other scalar a text.
  A block scalar has its blanks run together; an alias has no value.
* JavaScript: an object of the declared names with their values. Finite numbers, strings and booleans are leaves with a
  value; what else an expression may be is none.
* HTML: an object that holds what a page shows. The text of an element is that of its runs, joined by blanks, blanks run
  together; a text that is a decimal number is a number. Values of attributes are read in the same way. Comments and
  what stands in `script`, `style`, `template`, `textarea` and `noscript` are left out.

  `page`    {title, language, description, author, site, published, modified, canonical}: the first `title` element,
            `lang` of `html` where the page begins with it, contents of the `meta` elements named description, author,
            og:site_name, article:published_time, article:modified_time, and the `link` that is canonical
  `tables`  [{columns, rows: [{COLUMN: cell}]}], for each table without a table inside whose cells span one row and
            column and whose first row is a head: at least two header cells with different texts, and nothing else; or
            at least three data cells with different texts without a digit, where all rows have as many, and some column
            but the first has a digit in each of them, two at least; rows with as many cells as there are columns, at
            least one of them a data cell; `columns` are the texts of the head, joined by ` | `
  `items`   [{text, address, tooltip, label}], for each list item with exactly one link that has an address, and no list
            or table inside; `tooltip` and `label` are `title` and `aria-label` of the link
  `terms`   [{term, definition}], for each term directly followed by a definition, that is neither followed by nor holds
            another; and for each table row of one header cell and one data cell, or of two data cells in a table
            without a table inside that has at least three rows, all of two data cells that span one row and column
  `facts`   [{heading, entries: {TERM: definition}}], for a page with one heading of the first level and at least three
            different terms, but those that stand in it twice
  `images`  [{text, address, width, height, tooltip}], for each image with an alternative text; `address` is its `src`

`Scope` finds records: in every unit whose top-level values equal `response` (`*` for any value), whatever `records`
leads to; and so for each of its `also`. A path is a list of steps:

* a text enters the member of an object, a number the element of an array (from 0);
* `"*"` enters every member and every element;
* a list of texts enters each of these members;
* a set of texts enters every member or element that is an object, not an empty one, with these values (`*` for any
  value);
* `"^"` goes up to the object or array that holds the node; `"#"` is the key that it stands under.

A field of a record is the one value that its path and its `also` lead to: a string for type `text`, a number
for type `number`, true or false for type `flag`. A blank string, null or nothing at all is no value; several different
values are an error in the question. Where a scope is `single`, its records lie in one unit of the context.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Step: TypeAlias = str | int | tuple[str, ...] | dict[str, str]
Path: TypeAlias = tuple[Step, ...]
EVERY, UP, KEY = "*", "^", "#"

FieldType = Literal["text", "number", "flag"]


class Part(BaseModel):
    """Base of the parts of a reference: immutable, nothing unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FieldReference(Part):
    """A field of a record: its name in the record kind, and where it lies."""

    name: str
    type: FieldType
    path: Path
    also: tuple[Path, ...] = ()


class Place(Part):
    """Where records lie in a unit."""

    response: dict[str, str]
    records: Path


class Scope(Place):
    """Which records: those of one kind."""

    kind: str
    also: tuple[Place, ...] = ()
    single: bool = False


class Condition(Part):
    """A condition on a field; a record without a value does not meet it.

    `equals` compares texts and flags exactly; `above` and `below` compare numbers exactly and strictly.
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
