"""HyMem as a framework, with its two ablations (table 2 of the paper)."""

from tasks.long_horizon.frameworks import Framework
from tasks.long_horizon.hymem.planner import solve
from tasks.long_horizon.prompts import slots

FRAMEWORK = Framework(
    name="hymem",
    version=2,
    roles={"planner": "reply", "executor": "reply", "isolated": "reply", "distill": "auxiliary", "memory": "auxiliary"},
    texts=slots(
        planner="remember fold",
        planner_alone="remember fold",
        remember="",
        fold="",
        executor="tools",
        results_only="",
        isolated="",
        return_only="",
        memory_episode="question memory planner_history executor_summary",
        memory_working="question memory recent_history hypotheses",
        memory_tools="question memory history",
    ),
    solve=solve,
    calls="code",
    variants={
        "full": {},
        "without_isolated_reasoning": {"isolated": False},
        "without_memory": {"memory": False},
    },
)
