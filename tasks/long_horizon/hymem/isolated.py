"""HyMem's isolated reasoning: a private context for one analysis (equation 10); only its `<return>` leaves."""

from collections.abc import Awaitable, Callable, Sequence

from tasks.long_horizon.actions import Action, isolated_action
from tasks.long_horizon.contexts import Space, Turn, Where, execution, instruction, planning, turn
from tasks.long_horizon.messages import Directive, Memories, Results, Return, Unreadable
from tasks.long_horizon.session import Session


async def reason(
    session: Session,
    directive: Directive,
    memories: Memories,
    recent: Sequence[str],
    number: int,
    execute: Callable[[Directive], Awaitable[Results]],
) -> tuple[Return, str]:
    """The return of isolated session `number`, and its trace for the memory manager.

    `recent` is the slice of the planner's history that grounds it; `execute` delegates a search.
    """
    settings = session.settings
    head = [
        turn("system", instruction(session.wording.fill("isolated"))),
        turn("user", *([planning(session.question())] if settings.isolated_question else []),
             planning(directive.render()), planning(memories.render()), *map(planning, recent)),
    ]  # fmt: skip
    loop: list[Turn] = []
    traces = [directive.render()]
    for step in range(1, settings.isolated_turns + 1):
        last = step == settings.isolated_turns or not session.fits("isolated", [*head, *loop])
        while last and loop and not session.fits("isolated", [*head, *loop, _last(session)]):
            loop = loop[2:]
        context = [*head, *loop, *([_last(session)] if last else [])]

        def read(reply: str, last: bool = last) -> Action:
            action = isolated_action(reply, several=settings.several)
            if last and not isinstance(action, Return):
                raise Unreadable("this is the last turn, and there is no <return> in the reply")
            return action

        where, status = Where(Space.ISOLATED, number, step), "forced" if last else "ok"
        reply, action = await session.act(where, "isolated", context, read, status=status)
        traces.append(reply)
        if isinstance(action, Return):
            return action, "\n".join(traces)
        if not isinstance(action, Directive):
            break
        results = await execute(action)
        traces.append(results.render())
        loop += [turn("assistant", execution(reply)), turn("user", planning(results.render()))]
    sentence = "Isolated reasoning came to no conclusion: its reply could not be read."
    return Return(conclusion=sentence, confidence=0.0), "\n".join(traces)


def _last(session: Session) -> Turn:
    return turn("user", instruction(session.wording.fill("return_only")))
