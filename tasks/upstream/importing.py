"""Prompts of released agents, out of the user's own copy of their repositories.

`datasets/prompts/<agent>/upstream.yaml` says where each text of a pack stands and what its SHA-256 is. The files are
parsed, never run. A text with another hash is refused, so what is stored is the released wording or nothing.

How a text becomes one with named slots: `slots` renames those of `str.format`; `marks` are words that upstream replaces
itself; `within` is a pair of words between which upstream has what this project fills in; `then` is a slot behind the
text. An entry that says `own` takes the project's wording, for a text that has no released counterpart.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.home import PROJECT, home
from tasks.upstream.literals import Source

FOLDER = PROJECT / "datasets" / "prompts"


def imported_folder(agent: str) -> Path:
    """Where the imported packs of an agent lie."""
    return home().root / "prompts" / agent


def import_prompts(
    name: str, places: Sequence[Path], wrong: Callable[[Mapping[str, str]], str | None]
) -> list[Path]:  # fmt: skip
    """Store every pack of the agent `name` whose files are among `places` (files, or checkouts); returns their paths.

    `wrong` says what is wrong with the texts of a pack. Raises `UserError` where a file is missing for every pack, or
    where a text is not the released one.
    """
    upstream = _yaml(FOLDER / name / "upstream.yaml")
    for place in places:
        if not place.exists():
            raise UserError(f"{place} is not there: name a copy of {upstream['repository']}, or the file itself.")
    stored, missing = [], {}
    for pack, texts in upstream["packs"].items():
        found, lacking = _located(texts, places)
        if lacking:
            missing[pack] = lacking
            continue
        own = [text for text, entry in texts.items() if entry.get("own")]
        mine = _yaml(FOLDER / name / "default.yaml")["texts"] if own else {}
        content = {text: mine[text] if text in own else _text(text, entry, found) for text, entry in texts.items()}
        if fault := wrong(content):
            raise UserError(f"The released texts of {name} do not make a pack ({fault}): correct upstream.yaml.")
        stored.append(_store(name, pack, upstream, content, own))
    if not stored:
        needed = ", ".join(sorted({file for files in missing.values() for file in files}))
        raise UserError(
            f"No pack of {name} is complete: {needed} not found; name checkouts of {upstream['repository']} at commit "
            f"{upstream['commit'][:12]} with --from, which may be given several times."
        )
    return stored


def _located(texts: Mapping[str, Any], places: Sequence[Path]) -> tuple[dict[str, Source], list[str]]:
    """The files of a pack by their name upstream, and the names of those that are not there."""
    found: dict[str, Source] = {}
    wanted = {file for entry in texts.values() for file in entry.get("files", ())}
    for place in places:
        for file in wanted - found.keys():
            path = place / file if place.is_dir() else place
            if path.is_file() and path.name == Path(file).name:
                found[file] = Source(path)
    return found, sorted(wanted - found.keys())


def _text(name: str, entry: Mapping[str, Any], files: Mapping[str, Source]) -> str:
    sources = [files[file] for file in entry["files"]]
    first = sources[0]
    if "constant" in entry:
        text = first.constant(entry["constant"])
    elif "function" in entry:
        text = next((text for text in first.literals(entry["function"]) if sha256(text) == entry["sha256"]), None)
    else:
        text = _tools(*sources)
    if not isinstance(text, str) or sha256(text) != entry["sha256"]:
        where = entry.get("constant") or entry.get("function") or name
        found = f"SHA-256 {sha256(text)}" if isinstance(text, str) else "no such text"
        raise UserError(
            f"{where} in {first.path} has {found}, not the released {entry['sha256']}: nothing was imported; "
            "check out the commit that upstream.yaml names."
        )
    slots = entry.get("slots", {})
    return _renamed(text, slots) if slots else _marked(text, entry)


def _marked(text: str, entry: Mapping[str, Any]) -> str:
    """The text with its braces meant literally, and slots where `marks`, `within` and `then` say."""
    text = text.replace("{", "{{").replace("}", "}}")
    for mark, slot in entry.get("marks", {}).items():
        text = text.replace(mark.replace("{", "{{").replace("}", "}}"), "{" + slot + "}")
    if within := entry.get("within"):
        head, after, rest = text.partition(within["after"])
        _, before, tail = rest.rpartition(within["before"])
        text = f"{head}{after}{{{within['slot']}}}{before}{tail}"
    return text + ("{" + entry["then"] + "}" if "then" in entry else "")


def _renamed(text: str, slots: Mapping[Any, str]) -> str:
    """The template with its slots under the names that the agent fills."""
    parts = []
    for literal, field, _, _ in Formatter().parse(text):
        parts.append(literal.replace("{", "{{").replace("}", "}}"))
        if field is not None:
            parts.append("{" + slots.get(int(field) if field.isdigit() else field, field) + "}")
    return "".join(parts)


def _tools(schema: Source, framework: Source) -> str:
    """The system message that Qwen-Agent's parallel English function-call prompt makes of one tool's schema."""
    tool = schema.returned("get_bm25search_tool_schema")["function"]
    whole = "\n\n".join(framework.constant(f"FN_CALL_TEMPLATE_{part}_EN") for part in ("INFO", "FMT_PARA"))
    described = framework.local("get_function_description", "tool_desc_template")["en"].format(
        name_for_human=tool["name"],
        name_for_model=tool["name"],
        description_for_model=tool["description"],
        parameters=json.dumps(tool["parameters"], ensure_ascii=False),
        args_format=framework.local("get_function_description", "args_format")["en"],
    )
    return whole.format(tool_descs=described.rstrip(), tool_names=tool["name"])


def _store(
    name: str, pack: str, upstream: Mapping[str, Any], texts: Mapping[str, str], own: Sequence[str]
) -> Path:  # fmt: skip
    from ruamel.yaml import YAML

    path = imported_folder(name) / f"{pack}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    wording = f"released: {upstream['repository']} at {upstream['commit'][:12]} ({upstream['licence']})"
    wording += f"; own wording of {', '.join(own)}" if own else ""
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:
        YAML(typ="safe").dump({"wording": wording, "texts": dict(texts)}, file)
    partial.replace(path)
    return path


def _yaml(path: Path) -> dict[str, Any]:
    from ruamel.yaml import YAML

    return YAML(typ="safe").load(path.read_text("utf-8"))
