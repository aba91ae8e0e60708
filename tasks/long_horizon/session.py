"""What a framework sees of the world while it solves one task: a model, tools, limits, and a place for its events."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Protocol, TypeVar

from tasks.long_horizon.actions import Code, Fold, ToolCall, without_thinking
from tasks.long_horizon.allowance import Allowance
from tasks.long_horizon.arguments import NAME, recordable, whole
from tasks.long_horizon.benchmarks.task import Task
from tasks.long_horizon.contexts import Counter, Turn, Where, execution, instruction, messages, turn
from tasks.long_horizon.messages import Answer, Directive, Message, Results, Return, Unreadable
from tasks.long_horizon.prompts import Wording
from tasks.long_horizon.recorder import Recorder
from tasks.long_horizon.settings import Settings
from tasks.long_horizon.tools.passages import passages
from tasks.long_horizon.tools.toolbox import Toolbox, ToolResult, error
from tasks.running.shard import CallFailed
from tasks.serving import chat
from tasks.serving.chat import Outcome

A = TypeVar("A")


class Caller(Protocol):
    """The part of the shard runner's caller that is needed here."""

    def chat(self, role: str, position: int, messages: Sequence[chat.Message]) -> Awaitable[str]:
        """The reply to `messages`, replayed if it is known."""
        ...


class Runner(Protocol):
    """Runs code that calls tools; its variables last as long as it does."""

    async def run(self, source: str, call: Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]) -> str:
        """What the code printed, or how it failed."""
        ...


@dataclass(frozen=True)
class Observation:
    """What came of a tool call, as a context gets it."""

    text: str
    ok: bool
    raw_characters: int


@dataclass
class Session:
    """One task being solved."""

    task: Task
    settings: Settings
    wording: Wording
    agent: Caller
    auxiliary: Caller
    """For distilling, summaries, notes and memories: the same model, or another one."""
    toolbox: Toolbox
    recorder: Recorder
    allowance: Allowance
    counter: Counter
    window: int
    """Tokens of prompt and reply together."""
    reply_tokens: Mapping[str, int]
    """Tokens that each role may generate."""
    sandbox: Callable[[], Runner] | None = None
    """Makes a place to run code in; for settings.calls code."""
    calls: int = 0
    _runners: dict[tuple[str, int], Runner] = field(default_factory=dict)

    async def ask(self, where: Where, role: str, turns: Sequence[Turn], *, auxiliary: bool = False) -> str:
        """The reply of the model to a context. Record it with `note`. Raises `CallFailed` where there is none."""
        self.calls += 1
        self.allowance.model_call(self.counter.context(turns))
        caller = self.auxiliary if auxiliary else self.agent
        reply = whole(await caller.chat(role, self.calls, messages(turns)))
        self.allowance.generated(self.counter.text(reply))
        return reply

    def note(self, where: Where, role: str, turns: Sequence[Turn], reply: str, action: str, status: str = "ok",
             content: Any = None) -> None:  # fmt: skip
        """Record a reply of the model as an event."""
        self.recorder.record(
            where, action, status, role=role, position=self.calls, content=content,
            context_tokens=self.counter.context(turns), planning_tokens=self.counter.planning(turns),
            output_tokens=self.counter.text(reply),
        )  # fmt: skip

    async def act(
        self, where: Where, role: str, turns: Sequence[Turn], read: Callable[[str], A], *, auxiliary: bool = False,
        action: str | None = None, status: str = "ok",
    ) -> tuple[str, A | None]:  # fmt: skip
        """The reply to a context and what `read` makes of it; None where a second request does not help either.

        `read` raises `Unreadable`. The second request shows the model its reply, without reasoning, and what is
        wrong with it.
        """
        reply = await self.ask(where, role, turns, auxiliary=auxiliary)
        try:
            found = read(reply)
        except Unreadable as error:
            self.note(where, role, turns, reply, "unparsed", "unparsed", {"reason": str(error)})
            bare = without_thinking(reply) or "(nothing after the reasoning)"
            repair = turn("user", instruction(self.wording.fill("repair", reason=error)))
            turns = [*turns, turn("assistant", execution(bare)), repair]
            status = "repaired"
            reply = await self.ask(where, role, turns, auxiliary=auxiliary)
            try:
                found = read(reply)
            except Unreadable as again:
                self.note(where, role, turns, reply, "unparsed", "unparsed", {"reason": str(again)})
                return reply, None
        self.note(where, role, turns, reply, action or name_of(found), status, content_of(found))
        return reply, found

    async def use(self, where: Where, action: ToolCall | Code, query: str) -> Observation:
        """What a tool call, or code that makes some, brings. `query` says what matters in long observations."""
        if isinstance(action, Code):
            return await self._run(where, action, query)
        result = await self._call(where, action.name, action.arguments)
        text = self.toolbox.show(action.name, result)
        return Observation(self._fitted(text, query), result.ok, result.raw_characters)

    async def _run(self, where: Where, action: Code, query: str) -> Observation:
        if self.sandbox is None:
            raise RuntimeError("settings.calls is code, but there is no sandbox")
        raw = 0
        failed = False

        async def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
            nonlocal raw, failed
            result = await self._call(where, name, arguments)
            raw += result.raw_characters
            failed |= not result.ok
            return result.value

        key = (where.space, where.session)
        if key not in self._runners:  # sessions of a space follow each other: those before it have ended
            self._runners = {known: runner for known, runner in self._runners.items() if known[0] != where.space}
            self._runners[key] = self.sandbox()
        runner = self._runners[key]
        printed = await runner.run(action.source, call)
        return Observation(self._fitted(printed, query), not failed, max(raw, len(printed)))

    async def _call(self, where: Where, name: str, given: dict[str, Any]) -> ToolResult:
        self.allowance.tool_call()
        name, arguments = whole(name)[:NAME], recordable(given)
        known = self.recorder.known(name, arguments)
        began = monotonic()
        if known is not None:
            value = json.loads(known["text"])
            result = ToolResult(value, known["status"] == "ok", known["raw_characters"] or 0,
                                tuple(json.loads(known["documents"] or "[]")))  # fmt: skip
        elif arguments is None:
            result = error(f"{name}: its arguments must be short texts")
        else:
            result = await self.toolbox.call(name, arguments)
        text = whole(json.dumps(result.value, ensure_ascii=False))
        result = replace(result, value=json.loads(text))
        self.recorder.record(
            where, "tool", "ok" if result.ok else "error", tool=name, content=arguments, text=text,
            output_tokens=self.counter.text(text[:200_000]), raw_characters=result.raw_characters,
            documents=list(result.documents), seconds=round(monotonic() - began, 3),
        )  # fmt: skip
        self.allowance.check_time()
        return result

    def _fitted(self, text: str, query: str) -> str:
        return passages(text, query, self.settings.observation_tokens, self.counter.text)

    def fits(self, role: str, turns: Sequence[Turn]) -> bool:
        """Whether the prompt of a context leaves room for a reply."""
        return self.counter.context(turns) <= self.room(role)

    def room(self, role: str) -> int:
        """Tokens that a prompt of `role` may have."""
        return self.window - self.reply_tokens[role]

    def how_to_call(self) -> str:
        """Instructions on the tools and how they are called."""
        return self.wording.fill(f"calls_{self.settings.calls}", tools=self.toolbox.described(self.wording))

    def question(self) -> str:
        """The task with the names of its files, as prompts show it."""
        if not self.task.files:
            return self.task.question
        return f"{self.task.question}\n\nAttached files: {', '.join(self.task.files)}"

    def failed(self, outcome: Outcome, sentence: str) -> CallFailed:
        """The exception that ends the task with an outcome."""
        return CallFailed(outcome, sentence)


def name_of(action: Any) -> str:
    """The action as the column `action` of `agent_events` names it."""
    if isinstance(action, Directive):
        return "task" if action.name is None else "iso_reason"
    known = {Fold: "fold", Answer: "answer", Results: "results", Return: "return", ToolCall: "tool_call", Code: "code"}
    return known.get(type(action)) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(action).__name__).lower()


def content_of(action: Any) -> Any:
    """The action as the column `content` of `agent_events` holds it."""
    if isinstance(action, Message):
        return action.model_dump(mode="json")
    if isinstance(action, ToolCall):
        return {"name": action.name, "arguments": action.arguments}
    if isinstance(action, Code):
        return {"source": action.source}
    return None
