"""What can be chosen about a framework. The defaults are the paper's, where it says anything (its appendix A.2)."""

from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Settings:
    """Choices that decide what an agent does. All of them are part of the identity of a run."""

    calls: Literal["json", "code"] = "json"
    """How tools are called: JSON objects, or Python in a sandbox, as in the paper's executor prompt."""
    several: Literal["first", "refuse"] = "first"
    """What a reply with several actions means (left open by the paper)."""
    planner_turns: int = 12
    executor_turns: int = 10
    isolated_sessions: int = 5
    isolated_turns: int = 3
    at_limit: Literal["force", "fail"] = "force"
    """At the last planner turn an answer is forced, or the task has failed (left open by the paper)."""
    parse_failures: int = 3
    """Turns in a row without a usable reply after which the answer is forced; each had its second request."""
    recent_returns: int = 4
    """How many of the latest typed returns isolated reasoning sees (tau in equation 10, left open by the paper)."""
    isolated_question: bool = False
    """Whether isolated reasoning sees the task's question: equation 10 does not have it, while the prompt of the paper
    speaks of the planner's full context."""
    planner_share: float = 1.0
    """Planner context of full utilisation, as a share of the room for a prompt in the window."""
    memory: bool = True
    """False: the ablation without memory management. Nothing is folded; old returns go when the context is full."""
    isolated: bool = True
    """False: the ablation without isolated reasoning. The planner thinks for itself and keeps what it thought."""
    flat_turns: int = 100
    """Turns of ReAct, Summary and A-MEM."""
    summary_threshold: float = 0.8
    """Summary: share of the room for a prompt above which the latest turns are condensed (not published)."""
    summary_turns: int = 3
    resum_calls: int = 60
    resum_threshold: float = 0.9
    notes: int = 10
    """A-MEM: notes retrieved for a turn."""
    neighbours: int = 5
    """A-MEM: notes that a new one is compared with."""
    recent_turns: int = 3
    """A-MEM: turns shown as they were."""
    rebuild_notes: int = 100
    """A-MEM: evolutions after which the index is rebuilt."""
    thread_calls: int = 200
    thread_depth: int = 20
    observation_tokens: int = 4096
    """Tokens of an observation that a context gets at most; the passages that fit the question best are kept."""

    def identity(self) -> dict[str, Any]:
        """All choices, for the identity of a run."""
        return asdict(self)
