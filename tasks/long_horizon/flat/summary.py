"""Summary: ReAct whose latest turns are condensed when the context passes a threshold, again and again.

The paper says that the most recent three turns are distilled and put behind the history before them. Here that is
repeated, going back, until the context is below the threshold; where all turns are condensed, the condensed texts
are condensed together. The threshold was not published.
"""

from tasks.long_horizon.actions import without_thinking
from tasks.long_horizon.contexts import Space, Turn, Where, execution, planning, turn
from tasks.long_horizon.flat.loop import Loop, Step, head
from tasks.long_horizon.frameworks import Framework
from tasks.long_horizon.messages import Answer
from tasks.long_horizon.prompts import slots
from tasks.long_horizon.session import Session


async def solve(session: Session) -> str:
    """Solve a task with recursive summaries."""
    settings = session.settings
    loop = Loop(session, "agent")
    history: list[Step | str] = []
    summaries = 0
    while not loop.over(settings.flat_turns - 1):
        while session.counter.context(_context(session, history)) > settings.summary_threshold * session.room("agent"):
            before = list(history)
            summaries += 1
            history = await _condensed(session, history, summaries)
            if history == before:
                break
        context = _context(session, history)
        if not session.fits("agent", context):
            break
        done = await loop.turn(context)
        if isinstance(done, Answer):
            return done.text
        if isinstance(done, Step):
            history.append(done)
    return await loop.force(_context(session, history))


def _context(session: Session, history: list[Step | str]) -> list[Turn]:
    turns = head(session, "summary")
    for entry in history:
        if isinstance(entry, Step):
            turns += entry.turns()
        else:
            turns.append(turn("user", planning(f"<summary>\n{entry}\n</summary>")))
    return turns


async def _condensed(session: Session, history: list[Step | str], number: int) -> list[Step | str]:
    """The history with its latest turns condensed, or, where all are, with one text of all that was condensed."""
    places = [place for place, entry in enumerate(history) if isinstance(entry, Step)][
        -session.settings.summary_turns :
    ]
    if not places:
        places = list(range(len(history)))
        if len(places) < 2:
            return history
    chosen = [history[place] for place in places]
    text = "\n\n".join(one if isinstance(one, str) else f"{one.reply}\n{one.observation}" for one in chosen)
    context = [turn("user", execution(session.wording.fill("condense", question=session.question(), turns=text)))]
    if not session.fits("summarise", context):
        room = session.room("summarise") - session.counter.text(session.question()) - 200
        text = text[: max(100, 2 * room)]
        context = [turn("user", execution(session.wording.fill("condense", question=session.question(), turns=text)))]
    where = Where(Space.NOTES, 1, number)
    reply = await session.ask(where, "summarise", context, auxiliary=True)
    session.note(where, "summarise", context, reply, "summary")
    kept = [entry for place, entry in enumerate(history) if place not in places]
    kept.insert(places[0], without_thinking(reply) or "(nothing)")
    return kept


FRAMEWORK = Framework(
    "summary", 1, {"agent": "reply", "summarise": "auxiliary"}, slots(summary="tools", condense="question turns"), solve
)
