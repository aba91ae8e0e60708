"""How an agent's replies are generated: a preset, which is data, and what is chosen over it."""

import functools
from collections.abc import Mapping
from typing import Any

from tasks.errors import UserError
from tasks.home import PROJECT
from tasks.memory_agents.agents import Agent, Options

FOLDER = PROJECT / "datasets" / "decoding"
"""One file a preset, one entry an agent; tokens are limits of one reply, `window` of prompt and reply together."""

SAMPLING = ("temperature", "top_p", "seed")


def names() -> list[str]:
    """The presets that there are."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def decoding(agent: Agent, preset: str, window: int, chosen: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All that decides how the replies of `agent` are generated, as the run row keeps it.

    `window` is the model's; the smaller one counts. What `chosen` says counts before the preset, None says nothing,
    and what the agent does not heed is left out. Raises `UserError` for an unknown or incomplete preset.
    """
    values = _preset(preset).get(agent.name)
    needed = needs(agent)
    if not isinstance(values, dict) or set(values) != {*needed, "window"}:
        raise UserError(
            f"{FOLDER / preset}.yaml must give {agent.name} exactly {', '.join([*needed, 'window'])}: correct the file."
        )
    given = {name: value for name, value in (chosen or {}).items() if value is not None and name in needed}
    wanted = {**values, **given}
    return {**{name: wanted[name] for name in needed}, "window": min(window, values["window"] or window)}


def needs(agent: Agent) -> list[str]:
    """The values that decide how the replies of an agent are generated, but for the window."""
    limits = (f"{limit}_tokens" for limit in agent.limits)
    return list(dict.fromkeys([*SAMPLING, *limits, *agent.options]))


def options(agent: Agent, said: Mapping[str, Any]) -> Options:
    """The agent's options out of what a run row says."""
    return Options(**{name: said[name] for name in agent.options})


@functools.cache
def _preset(name: str) -> dict[str, Any]:
    from ruamel.yaml import YAML

    if name not in names():
        raise UserError(f"There is no decoding preset {name!r}: choose {', '.join(names())}.")
    return YAML(typ="safe").load((FOLDER / f"{name}.yaml").read_text("utf-8"))
