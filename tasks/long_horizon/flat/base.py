"""Base: the model alone, without tools. One call."""

from tasks.long_horizon.contexts import Space, Where, instruction, planning, turn
from tasks.long_horizon.flat.loop import only_answer
from tasks.long_horizon.frameworks import Framework
from tasks.long_horizon.messages import Answer
from tasks.long_horizon.prompts import slots
from tasks.long_horizon.session import Session
from tasks.serving.chat import Outcome


async def solve(session: Session) -> str:
    """Answer a task from what the model knows."""
    context = [turn("system", instruction(session.wording.fill("base"))), turn("user", planning(session.question()))]
    _, action = await session.act(Where(Space.FLAT, 1, 1), "agent", context, only_answer)
    if not isinstance(action, Answer):
        raise session.failed(Outcome.PARSE_ERROR, "there was no answer, nor after the second request")
    return action.text


FRAMEWORK = Framework("base", 1, {"agent": "reply"}, slots(base=""), solve, tools=False)
