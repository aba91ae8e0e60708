"""HyMem's executor: a fresh context for each directive (equation 7), a bounded tool loop, one typed return.

Each raw observation is distilled with regard to the directive (equation 8) before it goes on; the executor's own
`<results>` is the synthesis of what was distilled (equation 9). Everything else ends with this function.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from tasks.long_horizon.actions import Action, Code, ToolCall, executor_action, without_thinking
from tasks.long_horizon.contexts import Space, Turn, Where, execution, instruction, planning, turn
from tasks.long_horizon.messages import Directive, Memories, Results, Status, Unreadable
from tasks.long_horizon.session import Observation, Session
from tasks.long_horizon.tools.passages import passages


@dataclass
class Execution:
    """What became of one directive. Only `results` leaves; the notes are for the memory manager."""

    directive: Directive
    results: Results
    notes: list[str] = field(default_factory=list)
    """For each tool call: what was asked, how it ended, and its distilled observation."""
    tool_calls: int = 0

    @property
    def ok(self) -> bool:
        """Whether the executor did not fail."""
        return self.results.status is not Status.FAILURE


async def execute(session: Session, directive: Directive, memories: Memories, number: int) -> Execution:
    """Carry out a directive in executor session `number`. Raises `CallFailed` where serving or the allowance ends."""
    settings = session.settings
    before = session.allowance.tool_calls
    head = [  # the names of the files are part of its instructions: what parse_file can read
        turn(
            "system",
            instruction(session.wording.fill("executor", tools=session.how_to_call())),
            instruction(_files(session)),
        ),
        turn("user", planning(directive.render()), planning(memories.render_tools())),
    ]
    loop: list[Turn] = []
    done = Execution(directive, failure("The executor did not come to a result."))
    for step in range(1, settings.executor_turns + 1):
        where = Where(Space.EXECUTOR, number, step)
        last = step == settings.executor_turns or not session.fits("executor", [*head, *loop])
        while last and loop and not session.fits("executor", [*head, *loop, _last(session)]):
            loop = loop[2:]  # a reply and what came of it
        context = [*head, *loop, *([_last(session)] if last else [])]
        status = "forced" if last else "ok"
        reply, action = await session.act(where, "executor", context, _reader(session, last), status=status)
        if isinstance(action, Results):
            done.results = action
            break
        if not isinstance(action, (ToolCall, Code)):
            done.results = failure("The executor gave no usable reply.")
            break
        seen = await session.use(where, action, directive.text)
        note = await distil(session, where, directive, seen)
        done.notes.append(f"{_said(action)} -> {'ok' if seen.ok else 'failed'}: {note}")
        loop += [turn("assistant", execution(reply)), turn("user", execution(note))]
    done.tool_calls = session.allowance.tool_calls - before
    return done


async def distil(session: Session, where: Where, directive: Directive, seen: Observation) -> str:
    """What of an observation matters to the directive (equation 8). An error is short, and stays as it is."""
    if not seen.ok or not seen.text.strip():
        return seen.text.strip() or "(no output)"
    text = session.wording.fill("distill", directive=directive.text, observation=seen.text)
    context = [turn("user", execution(text))]
    if not session.fits("distill", context):
        room = session.room("distill") - session.counter.context([turn("user", execution(
            session.wording.fill("distill", directive=directive.text, observation="")))])  # fmt: skip
        cut = passages(seen.text, directive.text, max(64, int(room * 0.9)), session.counter.text)
        context = [turn("user", execution(session.wording.fill("distill", directive=directive.text, observation=cut)))]
    reply = await session.ask(where, "distill", context, auxiliary=True)
    session.note(where, "distill", context, reply, "distill")
    return without_thinking(reply) or "(nothing relevant)"


def failure(sentence: str) -> Results:
    """The return of an executor that failed."""
    return Results(findings=sentence, status=Status.FAILURE, gaps=("Nothing was found.",))


def _reader(session: Session, last: bool) -> Callable[[str], Action]:
    def read(reply: str) -> Action:
        action = executor_action(reply, session.settings.calls, several=session.settings.several)
        if last and not isinstance(action, Results):
            raise Unreadable("this is the last turn, and there is no <results> in the reply")
        return action

    return read


def _last(session: Session) -> Turn:
    return turn("user", instruction(session.wording.fill("results_only")))


def _files(session: Session) -> str:
    return f"Attached files: {', '.join(session.task.files)}" if session.task.files else ""


def _said(action: ToolCall | Code) -> str:
    if isinstance(action, Code):
        return f"code {action.source[:200]!r}"
    return f"{action.name}({', '.join(f'{key}={value!r}'[:100] for key, value in action.arguments.items())})"
