"""The tools of a task: what they are called, how their arguments are checked, and how they fail.

A tool gives a dictionary, as in the paper's prompt: `{"tool_result": ...}`, or `{"error": "..."}` with one sentence.
Code sees the dictionary; a JSON call sees it as text.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from tasks.long_horizon.prompts import Wording


class ToolFailed(Exception):
    """A tool cannot do what was asked; the message is one sentence for the model."""


@dataclass(frozen=True)
class ToolResult:
    """What a tool call gave."""

    value: dict[str, Any]
    ok: bool = True
    raw_characters: int = 0
    """Characters that were there before anything was cut."""
    documents: tuple[str, ...] = ()
    """Ids or addresses of the documents returned."""


@dataclass(frozen=True)
class Tool:
    """A tool by name. Its description is a text of the prompt pack, `tool_<name>`."""

    name: str
    arguments: type[BaseModel]
    run: Callable[[Any], Awaitable[ToolResult]]
    show: Callable[[Any], str]
    """The value under `tool_result` as text."""


class Toolbox:
    """The tools that an agent has."""

    def __init__(self, tools: Sequence[Tool]):
        self._tools = {tool.name: tool for tool in tools}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tools, in order."""
        return tuple(self._tools)

    @property
    def parameters(self) -> dict[str, tuple[str, ...]]:
        """Names of the tools, each with the names of its arguments in order."""
        return {name: tuple(tool.arguments.model_fields) for name, tool in self._tools.items()}

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """What a tool gives. Whatever a model asks, an unknown tool included, is answered by an error it can read."""
        tool = self._tools.get(name)
        if tool is None:
            return error(f"there is no tool {name!r}: the tools are {', '.join(self._tools)}")
        try:
            checked = tool.arguments.model_validate(dict(arguments))
        except ValidationError as invalid:
            first = invalid.errors()[0]
            wanted = ", ".join(tool.arguments.model_fields)
            where = ".".join(map(str, first["loc"]))
            return error(f"{name}: {where}: {first['msg'].lower()}; its arguments are {wanted}")
        try:
            return await tool.run(checked)
        except ToolFailed as failed:
            return error(str(failed))

    def described(self, wording: Wording) -> str:
        """A line for each tool: name, arguments, what it does."""
        lines = []
        for tool in self._tools.values():
            names = ", ".join(tool.arguments.model_fields)
            description = wording.fill(f"tool_{tool.name}")
            lines.append(wording.fill("tool", name=tool.name, arguments=names, description=description))
        return "\n".join(lines)

    def show(self, name: str, result: ToolResult) -> str:
        """A result as text."""
        if not result.ok or name not in self._tools:
            return f"Error: {result.value.get('error', json.dumps(result.value, ensure_ascii=False))}"
        return self._tools[name].show(result.value["tool_result"])


def error(sentence: str) -> ToolResult:
    """The result of a call that failed."""
    return ToolResult({"error": sentence}, ok=False, raw_characters=len(sentence))
