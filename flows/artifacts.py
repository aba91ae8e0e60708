"""What a flow shows in the Prefect UI: progress while it runs, a table or a link when it is done."""

import base64
import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from prefect.artifacts import (
    create_image_artifact,
    create_link_artifact,
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)


def key(*words: str) -> str:
    """An artifact key: lower-case letters, digits and dashes only, as Prefect asks."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")


def table(name: str, rows: Sequence[Mapping[str, Any]], description: str) -> None:
    """Show `rows` as a table; a value that is no text or number is shown as text."""
    shown = [{k: v if isinstance(v, (int, float, str)) else str(v) for k, v in row.items()} for row in rows]
    create_table_artifact(table=shown, key=key(name), description=description)


def link(name: str, path: str, text: str) -> None:
    """Show a link to a file of this machine."""
    create_link_artifact(link=f"file://{path}", link_text=text, key=key(name))


def document(name: str, path: str) -> None:
    """Show a Markdown file of this machine, without its pictures: a browser opens no local file from a web page."""
    text = re.sub(r"^!\[.*\n", "", Path(path).read_text(encoding="utf-8"), flags=re.MULTILINE)
    create_markdown_artifact(markdown=text, key=key(name), description=f"The text of {path}")


def csv_table(name: str, folder: str, file: str, description: str) -> None:
    """Show `<file>.csv` of a folder as a table, where there is one."""
    path = Path(folder) / f"{file}.csv"
    if path.exists():
        with path.open(encoding="utf-8", newline="") as lines:
            create_table_artifact(table=list(csv.DictReader(lines)), key=key(name), description=description)


def images(name: str, folder: str) -> None:
    """Show every PNG file of a folder; the picture is in the artifact, as a browser opens no local file from a page."""
    for path in sorted(Path(folder).glob("*.png")):
        address = "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()
        create_image_artifact(image_url=address, key=key(name, path.stem), description=f"{path}")


class Progress:
    """A progress bar in the Prefect UI over a known number of steps."""

    def __init__(self, name: str, steps: int):
        self.steps = steps
        self.done = 0
        made = create_progress_artifact(progress=0.0, key=key(name), description=f"0 of {steps}")
        self.artifact = cast(UUID, made)

    def step(self, what: str) -> None:
        """One more step is done; `what` says which."""
        self.done += 1
        description = f"{self.done} of {self.steps}: {what}"
        update_progress_artifact(self.artifact, progress=100.0 * self.done / self.steps, description=description)
