"""Model specifications: what a model is called, how its prompts are counted, how it is served."""

import functools
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tasks.errors import UserError
from tasks.hashing import content_id
from tasks.home import PROJECT

FOLDER = PROJECT / "datasets" / "models"


class Sglang(BaseModel):
    """How `tasks.serving.sglang` starts servers of a model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    flags: dict[str, str | int | float | bool] = Field(
        {}, description="Flags of the server without their dashes; true for one without a value."
    )
    servers: int = Field(1, ge=1, le=64, description="Servers; with more than one, SGLang's router stands before them.")
    gpus: int = Field(1, ge=1, le=16, description="GPUs of each server (tensor parallelism).")
    environment: dict[str, str] = Field({}, description="Environment variables of the server.")
    start_s: float = Field(1800, gt=0, description="Seconds until the first generated token, loading included.")
    probe_s: float = Field(300, gt=0, description="Seconds that one generated token may take while it is watched.")
    restarts: int = Field(10, ge=0, description="Restarts after which it is given up.")


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
    thinking: Literal["none", "switch"] = Field(
        "none",
        description="switch: the chat template takes enable_thinking, and each request says it. none: never said.",
    )
    chat_arguments: dict[str, Any] = Field({}, description="Chat template arguments, sent with each request.")
    url: str | None = Field(None, description="Base URL where the model is usually served.")
    hub: str | None = Field(None, description="Name on the model hub.")
    revision: str | None = Field(None, description="Revision on the model hub.")
    sglang: Sglang = Field(
        Sglang.model_validate({}), description="kind sglang: how it is started where no address is given."
    )
    slots: int = Field(4, ge=1, le=64, description="embedded: requests worked on at a time.")
    threads: int | None = Field(None, ge=1, le=256, description="embedded: threads; empty for all cores, up to eight.")

    tokens_per_second: float = Field(
        20_000,
        gt=0,
        description="Prompt and generated tokens a second that the server is expected to do in all. Only the size of "
        "shards depends on it.",
    )

    def identity(self) -> str:
        """Hash of what decides the replies: not the title, the URL, or how it is served.

        The chat template has a hash of its own in each run.
        """
        unimportant = {"name", "title", "url", "sglang", "slots", "threads", "tokens_per_second", "chat_template"}
        return content_id(self.model_dump(exclude=unimportant))

    def arguments(self, thinks: bool) -> dict[str, Any]:
        """Chat template arguments of each request, for calls with or without thinking."""
        return {**self.chat_arguments, **({"enable_thinking": thinks} if self.thinking == "switch" else {})}

    @property
    def template(self) -> str | None:
        """Where the chat template lies; the name of a file in `datasets/models/` stands for that file."""
        beside = FOLDER / self.chat_template if self.chat_template else None
        return str(beside) if beside and beside.is_file() else self.chat_template


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
