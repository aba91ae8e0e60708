"""Is what answers now what answered before? A server that was restarted may serve something else."""

from collections.abc import Mapping
from typing import Any

SAID = (
    "models", "window", "chat_template_sha256", "props.model_alias", "props.model_ftype", "server_info.model_path",
    "server_info.served_model_name", "server_info.weight_version", "server_info.dtype",
    "server_info.quantization", "get_server_info.model_path",
)  # fmt: skip
"""Facts of `tasks.serving.probe.describe` that say what is served. Those that either side lacks say nothing."""


def changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """What is served differently, in words; None where nothing is known to have changed."""
    for name in SAID:
        old, new = _at(before, name), _at(now, name)
        if old not in (None, [], "") and new not in (None, [], "") and old != new:
            return f"{name.rpartition('.')[2]} is {_shown(new)}, and was {_shown(old)}"
    return None


def _at(facts: Any, name: str) -> Any:
    for part in name.split("."):
        facts = facts.get(part) if isinstance(facts, Mapping) else None
    return facts


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
