"""ReAct: one context that holds everything (equation 1), at most 100 turns.

Where it no longer fits the window, or the turns are over, the answer is forced; the oldest steps give way to that.
"""

from tasks.long_horizon.contexts import Turn
from tasks.long_horizon.flat.loop import Loop, Step, head
from tasks.long_horizon.frameworks import Framework
from tasks.long_horizon.messages import Answer
from tasks.long_horizon.prompts import slots
from tasks.long_horizon.session import Session


async def solve(session: Session) -> str:
    """Solve a task with ReAct."""
    loop = Loop(session, "agent")
    context: list[Turn] = head(session, "react")
    while not loop.over(session.settings.flat_turns - 1) and session.fits("agent", context):
        done = await loop.turn(context)
        if isinstance(done, Answer):
            return done.text
        if isinstance(done, Step):
            context += done.turns()
    return await loop.force(context)


FRAMEWORK = Framework("react", 1, {"agent": "reply"}, slots(react="tools"), solve)
