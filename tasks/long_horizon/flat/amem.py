"""A-MEM as an agent: a tool loop whose past is a memory of notes instead of one long context.

No adaptation to these benchmarks was published. This one: each turn (its reply and what came of it) becomes a note,
analysed and linked as in the original; a turn's prompt holds the question, the last three turns as they were, and the
ten notes that fit the question and the latest turn best, with those that they link to.
"""

from functools import partial
from typing import Any

from tasks.long_horizon.actions import read_json, without_thinking
from tasks.long_horizon.contexts import Space, Turn, Where, execution, planning, turn
from tasks.long_horizon.flat.loop import Loop, Step, head
from tasks.long_horizon.flat.notes import Analysis, Evolution, Note, Notes
from tasks.long_horizon.frameworks import Framework
from tasks.long_horizon.messages import Answer
from tasks.long_horizon.prompts import slots
from tasks.long_horizon.session import Session


async def solve(session: Session) -> str:
    """Solve a task with A-MEM."""
    settings = session.settings
    loop = Loop(session, "agent")
    notes = Notes(settings.rebuild_notes)
    steps: list[Step] = []
    context = _context(session, notes, steps)
    while not loop.over(settings.flat_turns - 1) and session.fits("agent", context):
        done = await loop.turn(context)
        if isinstance(done, Answer):
            return done.text
        if isinstance(done, Step):
            steps.append(done)
            await _remember(session, notes, done, len(steps))
        context = _context(session, notes, steps)
    return await loop.force(context)


def _context(session: Session, notes: Notes, steps: list[Step]) -> list[Turn]:
    settings = session.settings
    recent = steps[-settings.recent_turns :]
    older = len(steps) - len(recent)
    query = f"{session.task.question} {without_thinking(steps[-1].reply) if steps else ''}"
    found = [n for n in notes.with_links(notes.nearest(query, settings.notes), settings.notes) if n < older]
    shown = "\n\n".join(notes.notes[number].render(number) for number in found)
    while recent:
        part = planning(f"<notes>\n{shown}\n</notes>") if shown else planning("")
        context = [*head(session, "amem", part), *(one for step in recent for one in step.turns())]
        if session.fits("agent", context):
            return context
        if shown:
            shown = shown[: len(shown) // 2] if len(shown) > 200 else ""
        else:
            recent = recent[1:]
    return head(session, "amem")


async def _remember(session: Session, notes: Notes, step: Step, number: int) -> None:
    """Make a note of a turn, analyse it, and let it and its neighbours evolve."""
    where = Where(Space.NOTES, 1, number)
    content = f"{without_thinking(step.reply)}\n{step.observation}"
    said = await _asked(session, where, "analyse", Analysis, content=_fitted(session, content))
    neighbours = notes.nearest(content, session.settings.neighbours)
    place = notes.add(Note(content, said.keywords, said.context, said.tags) if said else Note(content))
    if not neighbours:
        return
    around = "\n\n".join(notes.notes[one].render(one) for one in neighbours)
    new = notes.notes[place]
    evolution = await _asked(
        session, where, "evolve", Evolution, content=_fitted(session, new.content), context=new.context,
        keywords=", ".join(new.keywords), neighbours=_fitted(session, around), number=str(len(neighbours)),
    )  # fmt: skip
    if evolution:
        notes.evolve(place, neighbours, evolution)


async def _asked(session: Session, where: Where, text: str, kind: Any, **slots: str) -> Any:
    context = [turn("user", execution(session.wording.fill(text, **slots)))]
    _, found = await session.act(
        where, "note", context, partial(read_json, kind=kind), auxiliary=True, action=f"note_{text}"
    )
    return found


def _fitted(session: Session, text: str) -> str:
    """A text cut to a third of the room of a note's prompt."""
    most = session.room("note") // 3
    tokens = session.counter.text(text)
    return text if tokens <= most else text[: int(len(text) * most / tokens * 0.9)]


FRAMEWORK = Framework(
    "amem", 2, {"agent": "reply", "note": "auxiliary"},
    slots(amem="tools", analyse="content", evolve="content context keywords neighbours number"), solve,
)  # fmt: skip
