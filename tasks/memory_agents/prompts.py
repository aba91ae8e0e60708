"""Prompt packs: the wording that an agent's requests are made of, as data with a hash.

A pack is `datasets/prompts/<agent>/<name>.yaml`, or an imported one in `TREEBENCH_HOME/prompts/<agent>/<name>.yaml`:
where its wording comes from, and texts with named slots.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.upstream.importing import FOLDER, imported_folder

DEFAULT = "default"
IMPORTED = ("released", "released-boxed")
"""Names of packs that `treebench prompts import` makes."""

Slots = Mapping[str, tuple[str, ...]]
"""The texts that an agent needs, each with the slots that it fills, in their order."""


@dataclass(frozen=True)
class PromptPack:
    """The texts of one agent."""

    agent: str
    name: str
    wording: str
    """`own` for the project's own wording, otherwise where it comes from."""
    texts: Mapping[str, str]

    @property
    def sha256(self) -> str:
        """Hash of the texts: the same for the same wording, whatever comments the file has."""
        return sha256("\0".join(f"{name}\0{text}" for name, text in sorted(self.texts.items())))

    def fill(self, text: str, /, **slots: str) -> str:
        """The text called `text` with its slots filled; braces in what is filled in are left alone."""
        return self.texts[text].format_map(slots)


def load(agent: str, needed: Slots, name: str = DEFAULT) -> PromptPack:
    """The pack `name` of `agent`; `UserError` where there is none, or where it lacks a text or a slot."""
    own, imported = FOLDER / agent / f"{name}.yaml", imported_folder(agent) / f"{name}.yaml"
    path = imported if name in IMPORTED else own
    if name in IMPORTED and name not in (released := _released(agent)):
        raise UserError(
            f"Agent {agent} has no released wording called {name}: choose {', '.join([DEFAULT, *released])}."
        )
    if not path.is_file() and name in IMPORTED:
        raise UserError(
            f"The released prompts of {agent} are not here: run `treebench prompts import {agent} --from CHECKOUT` "
            "with a copy of its repository, or use --prompts default for the project's own wording."
        )
    if not path.is_file():
        raise UserError(f"Agent {agent} has no prompt pack {name}: {path} is missing.")
    content = _parsed(path, path.stat().st_mtime_ns)
    if fault := _wrong(content, needed):
        raise UserError(f"{path} is no prompt pack of {agent}: {fault}; correct the file.")
    return PromptPack(agent, name, content["wording"], dict(content["texts"]))


def _released(agent: str) -> list[str]:
    """Names of the packs that can be imported for an agent."""
    upstream = FOLDER / agent / "upstream.yaml"
    return list(_parsed(upstream, upstream.stat().st_mtime_ns)["packs"]) if upstream.is_file() else []


@functools.lru_cache(maxsize=32)
def _parsed(path: Path, _changed: int) -> Any:
    from ruamel.yaml import YAML, YAMLError

    try:
        return YAML(typ="safe").load(path.read_text("utf-8"))
    except (YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not valid YAML ({' '.join(str(error).split())[:200]}): correct it.") from error


def available(agent: str, needed: Slots) -> list[PromptPack]:
    """The packs of `agent` that are here, the default one first."""
    here = [name for name in IMPORTED if (imported_folder(agent) / f"{name}.yaml").is_file()]
    return [load(agent, needed, name) for name in (DEFAULT, *here)]


def wrong(texts: Any, needed: Slots) -> str | None:
    """What is wrong with the texts of a pack; None where nothing is."""
    return _wrong({"wording": "", "texts": texts}, needed)


def _wrong(content: Any, needed: Slots) -> str | None:
    if not isinstance(content, dict) or set(content) != {"wording", "texts"}:
        return "it must hold wording and texts"
    texts = content["texts"]
    if not isinstance(texts, dict) or set(texts) != set(needed):
        return f"its texts must be {', '.join(sorted(needed))}"
    for name, slots in needed.items():
        try:
            found = tuple(field for _, field, _, _ in Formatter().parse(str(texts[name])) if field is not None)
        except ValueError as error:
            return f"{name}: {error}"
        if found != slots:
            return f"the slots of {name} must be {', '.join(slots) or 'none'}, each once and in this order"
    return None
