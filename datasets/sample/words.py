"""Names and phrases that the generators put together: `words/<name>.yaml`."""

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML


def words(name: str) -> dict[str, Any]:
    """The words of one source."""
    path = Path(__file__).parent / "words" / f"{name}.yaml"
    return YAML(typ="safe", pure=True).load(path.read_text("utf-8"))
