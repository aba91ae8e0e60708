"""`treebench section FILE`: the sections of a file as JSON lines."""

import json
from pathlib import Path
from typing import Any

from tasks.errors import UserError
from tasks.home import home
from tasks.sectioning.section import Method, section
from tasks.tokens.tokenizer import load
from tasks.trees.parse import decode, format_of


def run(
    file: Path, format: str | None, tokenizer: str, *, base_budget: int, budget: int | None, method: Method, text: bool
) -> None:
    """Print the document line and one line a section. Positions are code points of the decoded text.

    Raises `UserError` for a file that cannot be read, decoded or parsed, or a format that its suffix does not tell.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error.strerror}): check the path.") from None
    format = format or format_of(file)
    content = decode(data, format, str(file))
    loaded = load(tokenizer, home())
    try:
        made = section(content, format, loaded, base_budget, method, budget)
    except UserError as error:
        raise UserError(f"{file}: {error}") from None
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
