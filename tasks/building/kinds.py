"""Record kinds as data: `datasets/<dataset>/<kind>.yaml` says where entities lie and what may be asked of them."""

from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tasks.building.reference import FieldReference, FieldType, Path, Scope
from tasks.errors import Fault, UserError
from tasks.hashing import sha256
from tasks.home import PROJECT

Use = Literal["ask", "filter", "frequent", "rank"]


class FieldSpec(BaseModel):
    """One field of a record kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Path
    type: FieldType
    name: str
    """Natural name, as a question says it after `the`."""
    plural: str | None = None
    unit: str | None = None
    extremes: tuple[str, str] = ("greatest", "smallest")
    """How the largest and the smallest value are called."""
    comparisons: tuple[str, str] = ("greater than", "less than")
    uses: frozenset[Use] = frozenset()
    obvious: frozenset[str] = frozenset()
    """Values that anybody would guess: never an answer."""
    exact: bool = False
    """A number that is right or wrong to the last digit, such as a year: the tolerance of scoring would not do."""

    @model_validator(mode="after")
    def _can_be_used(self) -> "FieldSpec":
        if "frequent" in self.uses and (self.plural is None or self.type != "text"):
            raise ValueError("a field for frequent values is a text field with a plural")
        if "rank" in self.uses and self.type != "number":
            raise ValueError("only numbers can be ranked")
        return self

    @property
    def answer_type(self) -> str:
        """How an answer is compared: `number` within the tolerance of scoring, `text` exactly."""
        return "number" if self.type == "number" and not self.exact else "text"

    @property
    def full_name(self) -> str:
        """Natural name with its unit."""
        return f"{self.name} (in {self.unit})" if self.unit else self.name


class Description(BaseModel):
    """A way to tell one record from all others in a question: by the value of one field."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    field: str
    one: str
    many: str
    quoted: bool = False
    reveals: frozenset[str] = frozenset()
    """Fields that this description gives away."""

    @field_validator("one")
    @classmethod
    def _one_has_a_place(cls, text: str) -> str:
        if "{value}" not in text:
            raise ValueError("{value} is missing")
        return text

    @field_validator("many")
    @classmethod
    def _many_has_a_place(cls, text: str) -> str:
        if "{values}" not in text:
            raise ValueError("{values} is missing")
        return text


class Kind(BaseModel):
    """One record kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    format: str
    response: dict[str, str]
    records: Path
    identity: str
    """Field that says which entity a record is about: never two records of one entity in a context."""
    one: str
    many: str
    fields: dict[str, FieldSpec]
    descriptions: tuple[Description, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_are_fields(self) -> "Kind":
        named = {self.identity}
        for description in self.descriptions:
            named |= {description.field, *description.reveals}
        if unknown := sorted(named - self.fields.keys()):
            raise ValueError(f"{unknown[0]} is not one of its fields")
        return self

    @property
    def scope(self) -> Scope:
        """All records of this kind, in the reference language."""
        return Scope(kind=self.kind, response=self.response, records=self.records)

    def reference(self, name: str) -> FieldReference:
        """A field in the reference language."""
        spec = self.fields[name]
        return FieldReference(name=name, type=spec.type, path=spec.path)

    def used(self, use: Use) -> list[str]:
        """Names of the fields that may be used so, in the order of the file."""
        return [name for name, spec in self.fields.items() if use in spec.uses]


@cache
def kinds(dataset: str) -> dict[str, Kind]:
    """The record kinds of a dataset, by name. Raises `UserError` when there are none, `Fault` for a broken file."""
    found = {}
    for path in sorted((PROJECT / "datasets" / dataset).glob("*.yaml")):
        kind = _load(path.read_text("utf-8"), f"datasets/{dataset}/{path.name}", Kind)
        found[kind.kind] = kind
    if not found:
        raise UserError(f"There are no record kinds for dataset {dataset}: datasets/{dataset}/ holds no .yaml file.")
    return found


@cache
def version(dataset: str) -> str:
    """Hash over the files of record kinds and wording: what is built depends on them."""
    folder = PROJECT / "datasets"
    paths = [*sorted((folder / dataset).glob("*.yaml")), folder / "wording" / f"{dataset}.yaml"]
    return sha256("".join(sha256(path.read_bytes()) for path in paths))


def _load(text: str, name: str, model: Any) -> Any:
    from ruamel.yaml import YAML

    try:
        return model.model_validate(YAML(typ="safe", pure=True).load(text))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the top"
        raise Fault(f"{name} is broken at {where}: {first['msg']}.") from None
