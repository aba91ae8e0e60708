"""A model whose replies are written down, and tools whose output is: what frameworks are tested with."""

import json
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tasks.home import Home
from tasks.long_horizon import prompts
from tasks.long_horizon.allowance import Allowance, Limits
from tasks.long_horizon.benchmarks.task import Task
from tasks.long_horizon.contexts import Counter
from tasks.long_horizon.frameworks import framework
from tasks.long_horizon.recorder import Past, Recorder
from tasks.long_horizon.session import Session
from tasks.long_horizon.settings import Settings
from tasks.long_horizon.tools.toolbox import Tool, Toolbox, ToolFailed, ToolResult
from tasks.serving.chat import Message
from tasks.warehouse.journal import Journal
from tasks.warehouse.schema import declared

RUN = "r" * 32


def words(text: str) -> int:
    """Tokens of the tests: words."""
    return len(text.split())


COUNTER = Counter(words, lambda messages: sum(words(message.content) + 4 for message in messages))


class Script:
    """Replies by role, in order; or a function of role and messages. Keeps what it was asked."""

    def __init__(self, replies: Mapping[str, Sequence[str]] | Callable[[str, Sequence[Message]], str]):
        self._replies = replies if callable(replies) else defaultdict(
            deque, {role: deque(texts) for role, texts in replies.items()})  # fmt: skip
        self.asked: list[tuple[str, list[Message]]] = []

    async def chat(self, role: str, position: int, messages: Sequence[Message]) -> str:
        self.asked.append((role, list(messages)))
        if callable(self._replies):
            return self._replies(role, messages)
        assert self._replies[role], f"no reply left for {role}: {messages[-1].content[-400:]}"
        return self._replies[role].popleft()

    def left(self) -> dict[str, int]:
        """Replies that were not asked for."""
        assert not callable(self._replies)
        return {role: len(texts) for role, texts in self._replies.items() if texts}

    def prompts(self, role: str) -> list[str]:
        """All prompts of a role."""
        return ["\n".join(m.content for m in messages) for asked, messages in self.asked if asked == role]


class Search(BaseModel):
    """Arguments of the tests' search."""

    keywords: str


class Page(BaseModel):
    """Arguments of the tests' page."""

    link: str
    query: str = ""


def tools(found: Mapping[str, str], log: list[str] | None = None) -> Toolbox:
    """web_search and web_parse over texts by their exact keywords or link; anything else fails."""

    def run(name: str, key: Callable[[Any], str]) -> Callable:
        async def call(arguments: Any) -> ToolResult:
            if log is not None:
                log.append(f"{name} {key(arguments)}")
            if key(arguments) not in found:
                raise ToolFailed(f"nothing found for {key(arguments)!r}")
            text = found[key(arguments)]
            return ToolResult({"tool_result": {"content": text}}, True, len(text), (key(arguments),))

        return call

    return Toolbox([
        Tool("web_search", Search, run("web_search", lambda a: a.keywords), lambda value: value["content"]),
        Tool("web_parse", Page, run("web_parse", lambda a: a.link), lambda value: value["content"]),
    ])  # fmt: skip


def session(
    home: Home, script: Script, name: str, toolbox: Toolbox, *, question: str = "Which?", window: int = 100_000,
    reply: int = 500, limits: Limits | None = None, past: Past | None = None, sandbox: Callable | None = None,
    **settings: Any,
) -> Session:  # fmt: skip
    """A session of a framework over scripted replies."""
    chosen = framework(name)
    task = Task("test", "t1", question)
    return Session(
        task, Settings(**{"calls": "json", **settings}), prompts.load(name, chosen.texts), script, script, toolbox,
        Recorder(Journal(home, "test"), RUN, task.task_id, past), Allowance(limits or Limits()), COUNTER, window,
        dict.fromkeys(chosen.roles, reply), sandbox,
    )  # fmt: skip


def rows(home: Home, table: str, order: str) -> list[dict[str, Any]]:
    """Rows that were journalled, as the database would give them: absent columns are null, JSON is text."""
    columns = declared()[table].columns
    paths = [path for folder in (home.spool, Path(home.journal)) for path in (folder / table).glob("*.jsonl")]
    lines = [line for path in paths for line in path.read_text("utf-8").splitlines()]
    found = [{**dict.fromkeys(columns), **json.loads(line)} for line in lines]
    for row in found:
        row.update({name: json.dumps(v) for name, v in row.items() if columns[name].type == "JSON" and v is not None})
    return sorted(found, key=lambda row: row[order])


def call(name: str, **arguments: str) -> str:
    """A tool call as a model writes it."""
    return f"<think>use it</think>\n<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"
