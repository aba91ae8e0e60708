"""Prompt packs: the wording that an agent's requests are made of, as data with a hash."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from ruamel.yaml import YAML

from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.home import PROJECT

FOLDER = PROJECT / "datasets" / "prompts"


class PromptPack(BaseModel):
    """The prompts of MemAgent (agents.md, section 3.1): an update for each section, and one final question."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="Name of the pack, shown in reports.")
    wording: str = Field(description="own, or where the wording comes from.")
    no_memory: str = Field(description="Memory before the first section.")
    update: str = Field(description="Slots problem, memory, section.")
    final: str = Field(description="Slots problem, memory.")
    sha256: str = Field("", description="Hash of the file.")


def load(agent: str) -> PromptPack:
    """The prompt pack of `agent`, from `datasets/prompts/<agent>.yaml`; `UserError` where the file is not one."""
    path: Path = FOLDER / f"{agent}.yaml"
    if not path.is_file():
        raise UserError(f"There are no prompts of agent {agent}: {path} is missing.")
    text = path.read_text("utf-8")
    try:
        pack = PromptPack(**YAML(typ="safe").load(text), sha256=sha256(text))
        pack.update.format(problem="", memory="", section="")
        pack.final.format(problem="", memory="")
    except (ValidationError, TypeError, KeyError, IndexError, ValueError) as error:
        raise UserError(f"{path} is no prompt pack ({str(error).splitlines()[0]}): correct the file.") from error
    return pack
