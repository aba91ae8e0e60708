"""ReSum (arXiv 2509.13313): ReAct that starts anew from a summary when its context is nearly full.

At most 60 calls, summaries not counted. At 90 % of the room for a prompt the conversation so far, with the summary
before it, becomes a summary, and the context is reset to instructions, question and summary. Where a prompt still
does not fit, its last message gives way to the request to answer now. Without an answer after all calls there is none.
"""

from tasks.long_horizon.actions import tagged, without_thinking
from tasks.long_horizon.contexts import Space, Turn, Where, execution, instruction, planning, turn
from tasks.long_horizon.flat.loop import Loop, Step, head, last_turn, only_answer
from tasks.long_horizon.frameworks import Framework
from tasks.long_horizon.messages import Answer, Unreadable
from tasks.long_horizon.prompts import slots
from tasks.long_horizon.session import Session
from tasks.serving.chat import Outcome


async def solve(session: Session) -> str:
    """Solve a task with ReSum."""
    settings = session.settings
    loop = Loop(session, "agent")
    context: list[Turn] = head(session, "resum")
    summary = ""
    summaries = 0
    while loop.number < settings.resum_calls:
        done = await loop.turn(context)
        if isinstance(done, Answer):
            return done.text
        if loop.unparsed >= settings.parse_failures:
            return await _force(session, loop, context)
        if isinstance(done, Step):
            context = [*context, *done.turns()]
        full = session.counter.context(context) >= settings.resum_threshold * session.room("agent")
        if full and loop.number < settings.resum_calls:
            summaries += 1
            new = await _summary(session, context[2:], summary, summaries)
            if new:
                summary = new
                note = instruction(session.wording.fill("resume"))
                context = head(session, "resum", note, planning(f"<summary>\n{summary}\n</summary>"))
        if not session.fits("agent", context):
            return await _force(session, loop, context[:-1])
    raise session.failed(Outcome.BUDGET, f"no answer within {settings.resum_calls} calls")


async def _summary(session: Session, turns: list[Turn], before: str, number: int) -> str:
    text = "\n".join(f"{one.role}: {one.text}" for one in turns)
    which = "summarise_more" if before else "summarise"
    earlier = {"before": before} if before else {}

    def context(text: str) -> list[Turn]:
        filled = session.wording.fill(which, question=session.question(), turns=text, **earlier)
        return [turn("user", execution(filled))]

    while not session.fits("summarise", context(text)) and len(text) > 200:
        text = text[len(text) // 4 :]
    where = Where(Space.NOTES, 1, number)
    reply = await session.ask(where, "summarise", context(text), auxiliary=True)
    session.note(where, "summarise", context(text), reply, "summary")
    bare = without_thinking(reply)
    return tagged(bare, "summary") or bare


async def _force(session: Session, loop: Loop, context: list[Turn]) -> str:
    """One more call; what it says is the answer, with tags or without."""
    loop.number += 1
    context = [*context, last_turn(session)]
    while not session.fits("agent", context) and len(context) > 3:
        context = [*context[:2], *context[3:]]
    where = Where(Space.FLAT, 1, loop.number)
    reply = await session.ask(where, "agent", context)
    try:
        answer = only_answer(reply)
    except Unreadable:
        session.note(where, "agent", context, reply, "answer", "unparsed")
        said = without_thinking(reply)
        if not said:
            raise session.failed(Outcome.PARSE_ERROR, "the last call gave no answer") from None
        return said
    assert isinstance(answer, Answer)
    session.note(where, "agent", context, reply, "answer", "forced", answer.model_dump(mode="json"))
    return answer.text


FRAMEWORK = Framework(
    "resum", 2, {"agent": "reply", "summarise": "auxiliary"},
    slots(resum="tools", summarise="question turns", summarise_more="question turns before", resume=""), solve,
)  # fmt: skip
