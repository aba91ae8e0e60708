"""Parameters of a flow from a profile and from the flags of the command line."""

from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from ruamel.yaml import YAML, YAMLError

from flows import parameters as stages
from flows import rebuilding, solving
from flows.parameters import Parameters
from tasks.errors import UserError
from tasks.home import PROJECT

PROFILES = PROJECT / "flows" / "profiles"

P = TypeVar("P", bound=Parameters)


def overrides_of(model: type[Parameters]) -> type[BaseModel]:
    """A model with the fields, bounds and descriptions of `model`, in which every field may be left out."""
    fields: Any = {
        name: (field.rebuild_annotation() | None, Field(None, description=_described(field)))
        for name, field in model.model_fields.items()
    }
    return create_model(f"{model.__name__}Flags", __config__=ConfigDict(extra="forbid"), **fields)


def _described(field: Any) -> str:
    default = field.get_default(call_default_factory=True)
    if default is None or default == []:
        return field.description
    text = " ".join(map(str, default)) if isinstance(default, list) else str(default)
    return f"{field.description} [demo: {text}]"


def profile_names() -> list[str]:
    """Names of the profiles in flows/profiles/."""
    return sorted(path.stem for path in PROFILES.glob("*.yaml"))


def profile(name: str) -> dict[str, Any]:
    """Values that a profile sets: one of flows/profiles/ by its name, or a YAML file of one's own by its path.

    Raises `UserError` where there is no such profile, where it is no YAML mapping, or where it sets unknown fields.
    """
    path = PROFILES / f"{name}.yaml" if name in profile_names() else Path(name)
    if not (path.suffix in (".yaml", ".yml") and path.is_file()):
        known = ", ".join(profile_names())
        raise UserError(f"There is no profile {name!r}: choose one of {known}, or name a YAML file.")
    try:
        values = YAML(typ="safe").load(path.read_text(encoding="utf-8")) or {}
    except (YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"Profile {path} is no YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(values, dict):
        raise UserError(f"Profile {path} is no mapping: write one `field: value` a line.")
    for unknown in values.keys() - _fields():
        close = get_close_matches(str(unknown), _fields(), 1)
        hint = f"did you mean {close[0]}?" if close else "`treebench rebuild --help` lists the fields."
        raise UserError(f"Profile {path} sets {unknown!r}, which is no field: {hint}")
    return values


def _fields() -> set[str]:
    """Names of all fields that any flow takes."""
    models = (model for of in (stages, rebuilding, solving) for model in vars(of).values() if isinstance(model, type))
    return {field for model in models if issubclass(model, Parameters) for field in model.model_fields}


def parameters(model: type[P], profile_name: str, flags: BaseModel | None) -> P:
    """The profile's values with the given flags over them, checked as a whole.

    Values of the profile for fields that `model` lacks are left out, and so are its sources and datasets where flags
    choose another dataset. `--mirror FOLDER` alone means transport mirror. Raises
    `UserError` with one sentence that names the field.
    """
    values = {k: v for k, v in profile(profile_name).items() if k in model.model_fields}
    given = {} if flags is None else {k: v for k, v in flags.model_dump().items() if v is not None}
    if "mirror" in given:
        given.setdefault("transport", "mirror")
    if "dataset" in given and "datasets" not in given:
        values.pop("datasets", None)
    if "dataset" in given or "datasets" in given:
        values.pop("dataset", None)
        if given.get("dataset", given.get("datasets", [""])[0]) != "json":
            values.pop("sources", None)
    try:
        return model(**{**values, **given})
    except ValidationError as error:
        raise UserError(explained(error)) from error


def narrowed(source: Parameters, model: type[P], **more: Any) -> P:
    """The part of `source` that `model` takes, with `more` over it."""
    return model(**{**source.model_dump(include=set(model.model_fields)), **more})


def explained(error: ValidationError) -> str:
    """The first complaint of a validation as one sentence."""
    first = error.errors()[0]
    field = "--" + str(first["loc"][0]).replace("_", "-") if first["loc"] else ""
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    if not field:
        return f"{message[0].upper()}{message[1:]}."
    if first["msg"].startswith("Input should be "):
        return f"{field} {first['input']!s}: must be {message}."
    return f"{field}: {message[0].lower()}{message[1:]}."
