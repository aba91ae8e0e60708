"""When HyMem folds its memories: the counters of the planner and the conditions of equation 17."""

from dataclasses import dataclass

UTILISATION = 0.99
EXECUTIONS = 5
FAILURES = 3
TURNS = 8
TOOL_CALLS = 10


@dataclass
class Counters:
    """What happened since the last fold; failures are counted in a row."""

    executions: int = 0
    failures: int = 0
    turns: int = 0
    tool_calls: int = 0

    def executed(self, *, ok: bool, tool_calls: int) -> None:
        """The executor was invoked."""
        self.executions += 1
        self.failures = 0 if ok else self.failures + 1
        self.tool_calls += tool_calls

    def triggers(self, utilisation: float) -> list[str]:
        """Names of the conditions that hold. `utilisation` is the planner context as a share of what it may hold."""
        conditions = {
            "context": utilisation > UTILISATION,
            "executions": self.executions >= EXECUTIONS,
            "failures": self.failures >= FAILURES,
            "turns": self.turns >= TURNS,
            "tool_calls": self.tool_calls >= TOOL_CALLS,
        }
        return [name for name, holds in conditions.items() if holds]
