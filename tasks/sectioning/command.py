"""`treebench section FILE`: the sections of a file as JSON lines."""

import json
from pathlib import Path
from typing import Any

from tasks.errors import UserError
from tasks.home import home
from tasks.sectioning.section import Method, section
from tasks.tokens.tokenizer import load

SUFFIXES = {".json": "json", ".yaml": "yaml", ".yml": "yaml", ".html": "html", ".htm": "html", ".js": "javascript"}


def run(
    file: Path, format: str | None, tokenizer: str, *, base_budget: int, budget: int | None, method: Method, text: bool
) -> None:
    """Print the document line and one line a section.

    Raises `UserError` for a file that cannot be read or parsed, or a format that its suffix does not tell.
    """
    format = format or SUFFIXES.get(file.suffix.lower())
    if format is None:
        raise UserError(f"The suffix of {file} does not tell its format: add --format json, yaml, html or javascript.")
    try:
        content = file.read_bytes().decode("utf-8")
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error.strerror}): check the path.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is not UTF-8 (byte {error.start}): convert it first.") from error
    content = content.removeprefix("\ufeff")
    made = section(content, format, load(tokenizer, home()), base_budget, method, budget)
    _print(
        kind="document", format=format, characters=len(content), tokens=made.tokens, tokenizer=tokenizer,
        method=method, base_budget=made.base_budget, budget=made.budget, flat_sections=made.flat_sections,
        sections=len(made.sections), tried=made.tried,
    )  # fmt: skip
    for part in made.sections:
        more = {"text": content[part.start : part.end]} if text else {}
        _print(
            kind="section", position=part.position, type=part.type, path=part.path, range=part.range, start=part.start,
            end=part.end, tokens=part.tokens, atomic=part.atomic, links=part.links, **more,
        )  # fmt: skip


def _print(**row: Any) -> None:
    print(json.dumps(row, ensure_ascii=True))
