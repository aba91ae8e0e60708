"""Parameters of a flow from a profile and from the flags of the command line."""

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from ruamel.yaml import YAML

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
    """Values that the profile sets; raises `UserError` for an unknown name."""
    path = PROFILES / f"{name}.yaml"
    if name not in profile_names():
        raise UserError(f"There is no profile {name!r}: choose one of {', '.join(profile_names())}.")
    return YAML(typ="safe").load(path.read_text()) or {}


def parameters(model: type[P], profile_name: str, flags: BaseModel | None) -> P:
    """The profile's values with the given flags over them, checked as a whole.

    Values of the profile for fields that `model` lacks are left out. `--mirror FOLDER` alone means transport mirror.
    Raises `UserError` with one sentence that names the field.
    """
    values = {k: v for k, v in profile(profile_name).items() if k in model.model_fields}
    given = {} if flags is None else {k: v for k, v in flags.model_dump().items() if v is not None}
    if "mirror" in given:
        given.setdefault("transport", "mirror")
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
