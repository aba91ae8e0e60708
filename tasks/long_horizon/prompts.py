"""The wording of a framework: its own pack and the one that all share, as data with one hash.

A pack is `datasets/prompts/<framework>/<name>.yaml`, or one that `treebench prompts import` put into the home; what all
frameworks share (tools, how to call them, what to say after an unusable reply) is `long_horizon/default.yaml` there.
HyMem's paper prints its prompts without a licence, and THREAD has none for such tasks: own wording stands for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.upstream import importing
from tasks.upstream.importing import FOLDER, imported_folder

SHARED = "long_horizon"
DEFAULT = "default"
RELEASED = "released"
"""The pack that `treebench prompts import` makes, of frameworks that have one."""

Slots = Mapping[str, frozenset[str]]
"""The texts that are needed, each with the slots that it fills."""


def slots(**texts: str) -> Slots:
    """Slots from words: `slots(task="question memories")`."""
    return {name: frozenset(words.split()) for name, words in texts.items()}


SHARED_TEXTS = slots(
    calls_json="tools", calls_code="tools", repair="reason", last_turn="", turns="turn turns", tool="name arguments "
    "description", distill="directive observation", answer_only="",
)  # fmt: skip


@dataclass(frozen=True)
class Wording:
    """All texts of one framework."""

    framework: str
    name: str
    wording: str
    """`own` for the project's own wording, otherwise where it comes from."""
    texts: Mapping[str, str]

    @property
    def sha256(self) -> str:
        """Hash of the texts: the same for the same wording, whatever comments the files have."""
        return sha256("\0".join(f"{name}\0{text}" for name, text in sorted(self.texts.items())))

    def fill(self, text: str, **values: object) -> str:
        """The text called `text` with its slots filled; braces in what is filled in are left alone."""
        return self.texts[text].format_map(values).strip()


def load(framework: str, needed: Slots, name: str = DEFAULT) -> Wording:
    """The wording `name` of a framework; `UserError` where there is none, or where it lacks a text or a slot.

    Descriptions of tools are the texts `tool_<name>` of the shared pack; it may hold any number of them.
    """
    shared, own = _read(SHARED, DEFAULT, SHARED_TEXTS), _read(framework, name, needed)
    return Wording(framework, name, own["wording"], {**shared["texts"], **own["texts"]})


def has_release(framework: str) -> bool:
    """Whether there are released prompts of a framework that can be imported."""
    return (FOLDER / framework / "upstream.yaml").is_file()


def import_prompts(framework: str, needed: Slots, places: Sequence[Path]) -> list[Path]:
    """Store the released prompts of a framework; raises as `tasks.upstream.importing` does."""
    if not has_release(framework):
        raise UserError(f"Framework {framework} has no released prompts to import: it uses the project's own wording.")
    return importing.import_prompts(
        framework, places, lambda texts: _wrong({"wording": "", "texts": dict(texts)}, needed)
    )


def available(framework: str, needed: Slots) -> list[Wording]:
    """The packs of a framework that are here, the default one first."""
    here = [RELEASED] if (imported_folder(framework) / f"{RELEASED}.yaml").is_file() else []
    return [load(framework, needed, name) for name in (DEFAULT, *here)]


def read(folder: str, name: str, needed: Slots) -> Mapping[str, str]:
    """Texts of a pack that stands alone, such as a judge's."""
    return _read(folder, name, needed)["texts"]


def _read(folder: str, name: str, needed: Slots) -> dict[str, Any]:
    from ruamel.yaml import YAML, YAMLError

    path = (imported_folder(folder) if name == RELEASED else FOLDER / folder) / f"{name}.yaml"
    if name == RELEASED and not path.is_file():
        raise UserError(
            f"The released prompts of {folder} are not here: run `treebench prompts import {folder} --from CHECKOUT` "
            "with a copy of its repository, or use --prompts default for the project's own wording."
        )
    if not path.is_file():
        raise UserError(f"There is no prompt pack {name} for {folder}: {path} is missing.")
    try:
        content = YAML(typ="safe").load(path.read_text("utf-8"))
    except (YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not valid YAML ({' '.join(str(error).split())[:200]}): correct it.") from error
    wrong = _wrong(content, needed)
    if wrong:
        raise UserError(f"{path} is no prompt pack of {folder}: {wrong}; correct the file.")
    return content


def _wrong(content: Any, needed: Slots) -> str | None:
    if not isinstance(content, dict) or set(content) != {"wording", "texts"} or not isinstance(content["texts"], dict):
        return "it must hold wording and texts"
    texts = {name: text for name, text in content["texts"].items() if not name.startswith("tool_")}
    if set(texts) != set(needed):
        return f"its texts must be {', '.join(sorted(needed))}"
    for name, wanted in needed.items():
        try:
            found = {field for _, field, _, _ in Formatter().parse(str(texts[name])) if field is not None}
        except ValueError as error:
            return f"{name}: {error}"
        if found != wanted:
            return f"the slots of {name} must be {', '.join(sorted(wanted)) or 'none'}"
    return None
