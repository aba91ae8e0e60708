"""A database of invented rows that reports can be made of, small enough to check by hand."""

from collections.abc import Iterable
from typing import Any

from tests.reporting.invented_runs import START, InventedRuns

__all__ = ["START", "Invented"]


class Invented(InventedRuns):
    """An in-memory database with the schema and views of the checkout, and ways to add rows to it."""

    def solve(
        self,
        run_id: str,
        tasks: Iterable[tuple[str, str]],
        scores: Iterable[float | str | None] = (),
        agent: str = "hymem",
        method: str = "full",
        benchmark: str = "gaia",
        model: str = "qwen3-32b",
        sample: bool = False,
        trial: int = 1,
        turns: int = 3,
        tools: int = 2,
        confidence: float | None = 0.5,
        **other: Any,
    ) -> str:
        """A run of a long-horizon agent on tasks (id and level): scores as in `run`.

        Each solved task has `turns` planner turns of 100, 200, ... tokens, half of them relevant to planning, the last
        with the answer and its `confidence`; and `tools` tool calls in an executor session of 1000 tokens.
        """
        tasks = list(tasks)
        for task_id, level in tasks:
            self.con.execute(
                "INSERT OR IGNORE INTO agent_tasks VALUES ($1, $2, $1, $3, '[]', 'h', NULL, NULL, NULL, TRUE, $4)",
                [task_id, benchmark, level, sample],
            )
        self.run(
            run_id, f"tasks of {benchmark}", [task_id for task_id, _ in tasks], scores, agent=agent, method=method,
            model=model, dataset=benchmark, sample=sample, calls=turns, base_budget=0,
            decoding=f'{{"seed": {41 + trial}, "trial": {trial}}}', **other,
        )  # fmt: skip
        for (task_id, _), ended in zip(tasks, scores, strict=False):
            if ended is not None:
                self._act(run_id, task_id, agent, turns, tools, confidence)
        return run_id

    def _act(self, run_id: str, task_id: str, agent: str, turns: int, tools: int, confidence: float | None) -> None:
        space = {"hymem": "planner", "thread": "thread"}.get(agent, "flat")
        event = 0

        def record(space: str, turn: int, action: str, **columns: Any) -> None:
            nonlocal event
            event += 1
            self.insert(
                "agent_events", run_id=run_id, task_id=task_id, event=event, space=space, session=1, turn=turn,
                action=action, status="ok", recorded_at=START, **columns,
            )  # fmt: skip

        for turn in range(1, turns + 1):
            said = f'{{"text": "4", "confidence": {confidence}}}' if confidence is not None else '{"text": "4"}'
            last = {"content": said} if turn == turns else {}
            record(
                space, turn, "answer" if turn == turns else "task", role="planner", position=turn,
                context_tokens=100 * turn, planning_tokens=50 * turn, **last,
            )  # fmt: skip
            if turn == 1 and tools:
                record(
                    "executor", 1, "tool_call", role="executor", position=9, context_tokens=1000, planning_tokens=100
                )
                for _ in range(tools):
                    record("executor", 1, "tool", tool="search")
