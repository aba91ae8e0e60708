"""What one task may take: seconds, model calls, tool calls and tokens. Running out is an outcome of its own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from tasks.running.shard import CallFailed
from tasks.serving.chat import Outcome


@dataclass(frozen=True)
class Limits:
    """The most that a task may take."""

    seconds: float = 3600.0
    model_calls: int = 500
    tool_calls: int = 300
    tokens: int = 20_000_000
    """Prompt and generated tokens of all its model calls."""


@dataclass
class Allowance:
    """What a task has taken so far. Replayed calls count as they did the first time."""

    limits: Limits
    earlier_seconds: float = 0.0
    """Seconds that calls of the model and of tools took before this process went on with the task."""
    clock: Callable[[], float] = monotonic
    model_calls: int = 0
    tool_calls: int = 0
    tokens: int = 0
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    @property
    def seconds(self) -> float:
        """Seconds taken, those before a resume included."""
        return self.earlier_seconds + self.clock() - self._began

    def model_call(self, tokens: int) -> None:
        """A model call with a prompt of `tokens` is about to be made; raises `CallFailed` with outcome budget."""
        self.model_calls += 1
        self.tokens += tokens
        self._check(self.model_calls, self.limits.model_calls, "model calls")
        self._check(self.tokens, self.limits.tokens, "tokens")
        self.check_time()

    def generated(self, tokens: int) -> None:
        """A reply of `tokens` came."""
        self.tokens += tokens

    def tool_call(self) -> None:
        """A tool is about to be called; raises `CallFailed` with outcome budget."""
        self.tool_calls += 1
        self._check(self.tool_calls, self.limits.tool_calls, "tool calls")
        self.check_time()

    def check_time(self) -> None:
        """Raises `CallFailed` with outcome budget when the time is over."""
        if self.seconds > self.limits.seconds:
            raise CallFailed(Outcome.BUDGET, f"the task took more than its {self.limits.seconds:g} seconds")

    def _check(self, taken: int, most: int, what: str) -> None:
        if taken > most:
            raise CallFailed(Outcome.BUDGET, f"the task took more than its {most:,} {what}")
