"""Record kinds as data: `datasets/<dataset>/<kind>.yaml` says where entities lie and what may be asked of them."""

from functools import cache, cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tasks.building.reference import FieldReference, FieldType, Path, Place, Scope
from tasks.errors import Fault, UserError
from tasks.hashing import sha256
from tasks.home import PROJECT

Use = Literal["ask", "filter", "frequent", "rank"]


def guess(text: str) -> str:
    """A value as it is compared with what anybody would guess: without case and a full stop at its end."""
    return " ".join(text.split()).casefold().rstrip(".!")


class FieldSpec(BaseModel):
    """One field of a record kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Path
    also: tuple[Path, ...] = ()
    """Further paths, for what services write in several ways."""
    type: FieldType
    name: str
    """Natural name, as a question says it after `the`. A flag's is a clause: `are open to small companies`."""
    plural: str | None = None
    unit: str | None = None
    extremes: tuple[str, str] = ("greatest", "smallest")
    """How the largest and the smallest value are called."""
    comparisons: tuple[str, str] = ("greater than", "less than")
    negation: str | None = None
    """The clause of a flag that is false: `are not open to small companies`."""
    rival: str | None = None
    """The field that holds what stands at the same place when it is of another type."""
    uses: frozenset[Use] = frozenset()
    obvious: frozenset[str] = frozenset()
    """Values that anybody would guess: never an answer, whatever their case."""
    hollow: frozenset[str] = frozenset()
    """Words, in small letters, that say nothing here: a value of these alone is never an answer."""
    few: bool = False
    """Of few different values, or hinted at by names, so that a guess often hits: asked among four fields only."""
    follows: frozenset[str] = frozenset()
    """Fields that give this one away: not asked together with one of them, nor where a description has its value."""
    within: frozenset[str] = frozenset()
    """Fields that hint at this one, as a country does at a town: no most frequent value among what shares one."""
    exact: bool = False
    """A number that is right or wrong to the last digit, such as a year: the tolerance of scoring would not do."""

    @model_validator(mode="after")
    def _can_be_used(self) -> "FieldSpec":
        if "frequent" in self.uses and (self.plural is None or self.type != "text"):
            raise ValueError("a field for frequent values is a text field with a plural")
        if "frequent" in self.uses and self.few and self.obvious:
            raise ValueError("of few values without the obvious ones, the most frequent would be guessed")
        if "rank" in self.uses and self.type != "number":
            raise ValueError("only numbers can be ranked")
        if self.type == "flag" and (self.uses - {"filter"} or self.negation is None):
            raise ValueError("a flag has a negation and is for filters only")
        return self

    @cached_property
    def guesses(self) -> frozenset[str]:
        """The obvious values, as `guess` has them."""
        return frozenset(map(guess, self.obvious))

    @property
    def answer_type(self) -> str:
        """How an answer is compared: `number` within the tolerance of scoring, `text` exactly."""
        return "number" if self.type == "number" and not self.exact else "text"

    @property
    def full_name(self) -> str:
        """Natural name with its unit."""
        return f"{self.name} (in {self.unit})" if self.unit else self.name


class Description(BaseModel):
    """A way to tell one record from all others in a question: by the value of one field, or of several together.

    In `one` and `many`, `{value}` and `{values}` stand for the value of the first field, `{1}`, `{2}` for further ones.
    One text must stand nowhere else in the context; by a number, by several fields, or where the kind's records lie in
    one place, no other record of the kind may have the same.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    fields: tuple[str, ...] = Field(min_length=1, max_length=3)
    one: str
    many: str | None = None
    """How several are named by one field; where it is absent, the records are named one by one."""
    quoted: bool = False
    reveals: frozenset[str] = frozenset()
    """Fields that this description gives away."""

    @model_validator(mode="after")
    def _has_places(self) -> "Description":
        missing = [place for place in self.places if place not in self.one]
        if missing:
            raise ValueError(f"{missing[0]} is missing")
        if self.many is not None and ("{values}" not in self.many or len(self.fields) > 1):
            raise ValueError("{values} is missing, or several fields cannot be listed")
        return self

    @property
    def places(self) -> list[str]:
        """Where values go in `one`."""
        return ["{value}", *(f"{{{number}}}" for number in range(1, len(self.fields)))]


class Kind(BaseModel):
    """One record kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    format: str
    response: dict[str, str] = {}
    records: Path
    also: tuple[Place, ...] = ()
    identity: tuple[str, ...] = ()
    """Fields that say which entity a record is about: never two records of one entity in a context."""
    one: str
    many: str
    fields: dict[str, FieldSpec]
    descriptions: tuple[Description, ...] = Field(min_length=1)
    derived: str = ""
    """What tells kinds apart that were derived from one pattern; empty for a kind of its own."""
    single: bool = False
    """All records of the kind lie in one payload, which no other payload of a context may look like."""
    anchor: str | None = None
    """For a single kind: the declared name, which must be a key once in a context."""
    joint: str = " "
    """What joins `many` and the first condition on it."""
    countable: bool = True
    """Whether `many` says plainly which records are meant, so that they may be counted and ranked."""

    @field_validator("identity", mode="before")
    @classmethod
    def _identity_is_a_list(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _names_are_fields(self) -> "Kind":
        named = {*self.identity}
        for description in self.descriptions:
            named |= {*description.fields, *description.reveals}
        named = named.union(*(spec.follows | spec.within for spec in self.fields.values()))
        if unknown := sorted(named - self.fields.keys()):
            raise ValueError(f"{unknown[0]} is not one of its fields")
        return self

    @property
    def name(self) -> str:
        """The kind, with what tells it from others of its pattern."""
        return f"{self.kind}:{self.derived}" if self.derived else self.kind

    @property
    def scope(self) -> Scope:
        """All records of this kind, in the reference language."""
        return Scope(kind=self.kind, response=self.response, records=self.records, also=self.also, single=self.single)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where records of this kind lie."""
        return (Place(response=self.response, records=self.records), *self.also)

    def reference(self, name: str) -> FieldReference:
        """A field in the reference language."""
        spec = self.fields[name]
        return FieldReference(name=name, type=spec.type, path=spec.path, also=spec.also)

    def used(self, use: Use) -> list[str]:
        """Names of the fields that may be used so, in the order of the file."""
        return self._by_use[use]

    @cached_property
    def _by_use(self) -> dict[Use, list[str]]:
        uses: tuple[Use, ...] = ("ask", "filter", "frequent", "rank")
        return {use: [name for name, spec in self.fields.items() if use in spec.uses] for use in uses}


class Pattern(BaseModel):
    """A rule by which kinds are derived from documents, where a format has no fixed fields (see `deriving.py`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pattern: Literal[
        "table_rows", "list_entries", "table_entries", "keyed_tables", "named_objects", "declared_objects", "page_facts"
    ]
    kind: str
    format: str
    fewest: int = Field(ge=2)
    """Records that a document must hold of it."""
    one: str
    many: str
    description: str
    descriptions: str
    """Phrases; `{place}` is the list or table, `{label}` or `{labels}` the field that describes entries."""
    countable: bool = True
    """As in `Kind`."""
    labels: frozenset[str] = frozenset()
    """Names of fields that may describe a declared object."""
    columns: int = Field(8, ge=2)
    """Columns of a table that a question can name, at most."""


@cache
def kinds(dataset: str) -> dict[str, Kind]:
    """The record kinds of a dataset, by name. Raises `UserError` when there are none, `Fault` for a broken file."""
    return {found.kind: found for found in _files(dataset) if isinstance(found, Kind)}


@cache
def patterns(dataset: str) -> tuple[Pattern, ...]:
    """The patterns that further kinds of a dataset are derived by. Raises as `kinds` does."""
    return tuple(found for found in _files(dataset) if isinstance(found, Pattern))


@cache
def version(dataset: str) -> str:
    """Hash over the files of record kinds and wording: what is built depends on them."""
    folder = PROJECT / "datasets"
    paths = [*sorted((folder / dataset).glob("*.yaml")), folder / "wording" / f"{dataset}.yaml"]
    return sha256("".join(sha256(path.read_bytes()) for path in paths))


@cache
def _files(dataset: str) -> tuple[Kind | Pattern, ...]:
    from ruamel.yaml import YAML

    found = []
    for path in sorted((PROJECT / "datasets" / dataset).glob("*.yaml")):
        content = YAML(typ="safe", pure=True).load(path.read_text("utf-8"))
        model = Pattern if isinstance(content, dict) and "pattern" in content else Kind
        try:
            found.append(model.model_validate(content))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the top"
            raise Fault(f"datasets/{dataset}/{path.name} is broken at {where}: {first['msg']}.") from None
    if not found:
        raise UserError(f"There are no record kinds for dataset {dataset}: datasets/{dataset}/ holds no .yaml file.")
    return tuple(found)
