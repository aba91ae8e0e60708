"""The tool loop of the agents with one context: reason, act, observe, until there is an answer.

What the baselines differ in is what they show of the turns before; the loop, its limits, the reading of replies and
the forced answer are the same for all.
"""

from dataclasses import dataclass, field
from functools import partial

from tasks.long_horizon.actions import Action, Code, ToolCall, flat_action
from tasks.long_horizon.contexts import Part, Space, Turn, Where, execution, instruction, planning, turn
from tasks.long_horizon.messages import Answer, Unreadable
from tasks.long_horizon.session import Session
from tasks.serving.chat import Outcome


@dataclass(frozen=True)
class Step:
    """One turn that led to an observation."""

    reply: str
    observation: str
    ok: bool

    def turns(self) -> list[Turn]:
        """As chat messages: the agent's own words, then what came of them."""
        return [turn("assistant", *split(self.reply)), turn("user", response(self.observation))]


def response(text: str) -> Part:
    """An observation in its tag."""
    return execution(f"<tool_response>\n{text}\n</tool_response>")


def split(reply: str) -> list[Part]:
    """A reply as a part that plans, its reasoning, and one that executes, its tool call."""
    thought, mark, rest = reply.partition("</think>")
    if mark:
        return [planning(thought + mark), execution(rest.strip())]
    for tag in ("<tool_call>", "<code>"):
        before, mark, rest = reply.partition(tag)
        if mark:
            return [planning(before.strip()), execution(mark + rest)]
    return [planning(reply)]


@dataclass
class Loop:
    """The state of one task."""

    session: Session
    role: str
    number: int = 0
    """Turns made so far."""
    unparsed: int = 0
    """Turns in a row without a usable reply."""
    recent: list[Step] = field(default_factory=list)

    async def turn(self, context: list[Turn]) -> Answer | Step | None:
        """Make a turn: an answer, a step with its observation, or None after an unusable reply."""
        session = self.session
        self.number += 1
        read = partial(flat_action, style=session.settings.calls, several=session.settings.several)
        where = Where(Space.FLAT, 1, self.number)
        reply, action = await session.act(where, self.role, context, read)
        self.unparsed = self.unparsed + 1 if action is None else 0
        if isinstance(action, Answer):
            return action
        if not isinstance(action, (ToolCall, Code)):
            return None
        seen = await session.use(where, action, session.task.question)
        return Step(reply.partition("<tool_response>")[0].strip(), seen.text, seen.ok)

    def over(self, turns: int) -> bool:
        """Whether the answer is to be forced now."""
        return self.number >= turns or self.unparsed >= self.session.settings.parse_failures

    async def force(self, context: list[Turn]) -> str:
        """The answer of a last turn without tools. Raises `CallFailed` where there is none."""
        session = self.session
        self.number += 1
        context = shortened(session, self.role, [*context, last_turn(session)])
        where = Where(Space.FLAT, 1, self.number)
        _, action = await session.act(where, self.role, context, only_answer, status="forced")
        if not isinstance(action, Answer):
            raise session.failed(Outcome.PARSE_ERROR, "the last turn gave no answer, nor did the second request")
        return action.text


def head(session: Session, text: str, *more: Part) -> list[Turn]:
    """Instructions with the tools, and the question."""
    system = instruction(session.wording.fill(text, tools=session.how_to_call()))
    return [turn("system", system), turn("user", planning(session.question()), *more)]


def last_turn(session: Session) -> Turn:
    """The message that asks for the answer."""
    return turn(
        "user", instruction(session.wording.fill("last_turn")), instruction(session.wording.fill("answer_only"))
    )


def only_answer(reply: str) -> Action:
    """An answer; raises `Unreadable` for anything else."""
    action = flat_action(reply, "json")
    if not isinstance(action, Answer):
        raise Unreadable("this is the last turn, and there is no <answer> in the reply")
    return action


def shortened(session: Session, role: str, context: list[Turn]) -> list[Turn]:
    """A context that leaves room for the reply: where it does not, its oldest steps go, two messages at a time."""
    while not session.fits(role, context) and len(context) > 4:
        context = [*context[:2], *context[4:]]
    return context
