"""HyMem's memory manager: rewrites the three memories in one fold (equation 13), each from its own inputs (table 7)."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tasks.long_horizon.actions import read_json
from tasks.long_horizon.contexts import Space, Where, execution, turn
from tasks.long_horizon.hymem.executor import Execution
from tasks.long_horizon.messages import Episode, Memories, Tools, Working
from tasks.long_horizon.session import Session

ORDER: tuple[tuple[str, type], ...] = (("episode", Episode), ("working", Working), ("tools", Tools))
"""The memories in the order in which they are rewritten, each with its schema."""


@dataclass
class Histories:
    """What happened since the last fold, in every space."""

    planner: list[str] = field(default_factory=list)
    executions: list[Execution] = field(default_factory=list)
    isolated: list[str] = field(default_factory=list)
    thoughts: str = ""
    """The planner's latest reasoning: where its hypotheses stand."""

    def executor_summary(self) -> str:
        """Of each execution: what it was for, what it called, and what it returned."""
        return "\n\n".join(
            "\n".join([done.directive.render(), *done.notes, done.results.render()]) for done in self.executions
        )

    def tool_log(self) -> str:
        """Every tool call, in order."""
        return "\n".join(note for done in self.executions for note in done.notes)


async def rewrite(session: Session, histories: Histories, memories: Memories, fold: int) -> tuple[Memories, list[str]]:
    """The memories after a fold, and the names of those that had to be kept as they were."""
    recent = histories.planner[max(0, len(histories.planner) - session.settings.recent_returns) :]
    inputs: dict[str, dict[str, str]] = {
        "episode": {
            "planner_history": "\n\n".join(histories.planner),
            "executor_summary": "\n\n".join(filter(None, [histories.executor_summary(), *histories.isolated])),
        },
        "working": {"recent_history": "\n\n".join(recent), "hypotheses": histories.thoughts},
        "tools": {"history": histories.tool_log()},
    }
    made: dict[str, Any] = {}
    kept: list[str] = []
    for number, (name, kind) in enumerate(ORDER, start=1):
        before = getattr(memories, name)
        new = await _one(session, Where(Space.MEMORY, fold, number), name, kind, before, inputs[name])
        if new is None:
            kept.append(name)
        made[name] = before if new is None else new
    return Memories(**made), kept


async def _one(session: Session, where: Where, name: str, kind: type, before: Any, inputs: dict[str, str]) -> Any:
    old = before.model_dump_json() if before is not None else "(none yet)"

    def context(cut: dict[str, str]) -> list:
        text = session.wording.fill(f"memory_{name}", question=session.question(), memory=old, **cut)
        return [turn("user", execution(text))]

    room = session.room("memory") - session.counter.context(context(dict.fromkeys(inputs, "")))
    cut = _newest(inputs, room, session)
    _, found = await session.act(where, "memory", context(cut), partial(read_json, kind=kind), auxiliary=True,
                                 action=f"memory_{name}")  # fmt: skip
    return found


def _newest(inputs: dict[str, str], room: int, session: Session) -> dict[str, str]:
    """The inputs, each cut from its beginning where together they take more than `room` tokens."""
    sizes = {name: session.counter.text(text) for name, text in inputs.items()}
    total = sum(sizes.values())
    if total <= room * 0.95:
        return inputs
    share = max(0.0, room * 0.85) / total
    return {name: _tail(text, share) for name, text in inputs.items()}


def _tail(text: str, share: float) -> str:
    kept = int(len(text) * share)
    return f"[...]\n{text[len(text) - kept :]}" if kept else ""
