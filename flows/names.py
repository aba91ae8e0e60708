"""Names of flow runs, made of what they were asked for."""

from collections.abc import Callable
from typing import Any

from prefect.runtime import flow_run


def named(template: str) -> Callable[[], str]:
    """A `flow_run_name` that fills `template` with the fields of the flow's parameters, lists and ids shortened.

    Example: `named("run {agents} under {methods}")` gives "run memagent under flat, treeagent".
    """

    def name() -> str:
        parameters = flow_run.parameters["parameters"]
        return template.format(**{field: _short(value) for field, value in dict(parameters).items()})

    return name


def _short(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_short, value))
    if value is None:
        return "the newest"
    text = str(value)
    return text[:8] if len(text) == 32 and not set(text) - set("0123456789abcdef") else text
