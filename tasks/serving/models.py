"""Model specifications: what a model is called, how its prompts are counted, how it is served."""

import functools
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tasks.errors import UserError
from tasks.hashing import content_id
from tasks.home import PROJECT

FOLDER = PROJECT / "datasets" / "models"


class ModelSpec(BaseModel):
    """A file in `datasets/models/`, or any other file of that shape."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="Name of the specification: its file name without suffix.")
    title: str = Field(description="What people call the model.")
    kind: Literal["embedded", "openai", "sglang"] = Field(
        description="embedded: llama.cpp in a process of its own. openai: any server that speaks OpenAI chat. "
        "sglang: an SGLang server or its router."
    )
    model: str = Field(description="Served model name, as requests name it.")
    tokenizer: str = Field(description="Tokenizer of the model: a name of `treebench tokenizers` or a path.")
    chat_template: str | None = Field(
        None,
        description="Where the chat template comes from: a tokenizer name or a file. Empty: it is not known, and "
        "prompt counts are not compared with the server's.",
    )
    window: int = Field(gt=0, description="Tokens of prompt and reply together.")
    chat_arguments: dict[str, Any] = Field({}, description="Chat template arguments, sent with each request.")
    url: str | None = Field(None, description="Base URL where the model is usually served.")
    hub: str | None = Field(None, description="Name on the model hub.")
    revision: str | None = Field(None, description="Revision on the model hub.")
    slots: int = Field(4, ge=1, le=64, description="embedded: requests worked on at a time.")
    threads: int | None = Field(None, ge=1, le=256, description="embedded: threads; empty for all cores, up to eight.")

    tokens_per_second: float = Field(
        20_000,
        gt=0,
        description="Prompt and generated tokens a second that the server is expected to do in all. Only the size of "
        "shards depends on it.",
    )

    def identity(self) -> str:
        """Hash of what decides the replies: not the title, the URL, or how fast it is served."""
        return content_id(self.model_dump(exclude={"name", "title", "url", "slots", "threads", "tokens_per_second"}))


def names() -> list[str]:
    """Names of the specifications that come with treebench."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def model_spec(name: str) -> ModelSpec:
    """The specification `name`: one of `names()`, or the path of a YAML file.

    Raises `UserError` when there is none, or when it does not have the shape of one.
    """
    if name in names():
        path = FOLDER / f"{name}.yaml"
    elif name.endswith((".yaml", ".yml")) and Path(name).is_file():
        path = Path(name)
    else:
        raise UserError(f"There is no model specification {name!r}: use one of {', '.join(names())}, or a YAML file.")
    return _read(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=32)
def _read(path: Path, _changed: int) -> ModelSpec:
    from ruamel.yaml import YAML, YAMLError

    try:
        content = YAML(typ="safe").load(path.read_text())
        if not isinstance(content, dict):
            raise UserError(f"{path} is no model specification: it must be a mapping, as embedded.yaml is.")
        return ModelSpec(**{"name": path.stem, **content})
    except (YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not valid YAML ({' '.join(str(error).split())[:200]}): correct it.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(f"{path} is no model specification: {where}: {first['msg']}; correct the file.") from error
