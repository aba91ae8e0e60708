"""HyMem's planner (section 3 of the paper): the one context that lasts for the whole task.

It holds the instructions, the question, the three memories and the typed returns of finished sub-sessions with the
directives that they answer (equation 5), and nothing else: not even its own reasoning is kept from turn to turn.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from tasks.long_horizon.actions import Action, Fold, planner_action, thinking
from tasks.long_horizon.contexts import Space, Turn, Where, instruction, planning, turn
from tasks.long_horizon.folding import UTILISATION, Counters
from tasks.long_horizon.hymem.executor import Execution, execute
from tasks.long_horizon.hymem.isolated import reason
from tasks.long_horizon.hymem.memory import Histories, rewrite
from tasks.long_horizon.messages import Answer, Directive, Memories, Results, Return, Unreadable
from tasks.long_horizon.session import Session
from tasks.serving.chat import Outcome


@dataclass(frozen=True)
class Entry:
    """One step of the planner's history: a directive and what came back."""

    directive: Directive
    came_back: Results | Return
    thoughts: str = ""
    """Only without isolated reasoning, where analysis is the planner's own."""

    def render(self) -> str:
        """As the planner sees it."""
        return "\n".join(part for part in (self.thoughts, self.directive.render(), self.came_back.render()) if part)


@dataclass
class Planner:
    """The state of one task."""

    session: Session
    memories: Memories = field(default_factory=Memories)
    history: list[Entry] = field(default_factory=list)
    counters: Counters = field(default_factory=Counters)
    histories: Histories = field(default_factory=Histories)
    """What the memory manager reads at the next fold; the planner never sees it."""
    executions: int = 0
    isolated: int = 0
    turn: int = 0
    unparsed: int = 0
    """Turns in a row without a usable reply."""

    async def solve(self) -> str:
        """The answer. Raises `CallFailed` where there is none."""
        settings = self.session.settings
        while True:
            self.turn += 1
            await self._fold_if_due()
            forced = self.turn >= settings.planner_turns or self.unparsed >= settings.parse_failures
            if forced:
                return await self._forced()
            reply, action = await self._act(partial(planner_action, isolated=settings.isolated,
                                                    fold=settings.memory, several=settings.several))  # fmt: skip
            self.counters.turns += 1
            self.unparsed = self.unparsed + 1 if action is None else 0
            if isinstance(action, Answer):
                return action.text
            if isinstance(action, Fold):
                await self._fold(["asked"])
            elif isinstance(action, Directive):
                self.histories.thoughts = thinking(reply)
                await self._carry_out(action, self.histories.thoughts)

    def context(self, forced: bool = False) -> list[Turn]:
        """The planner's context (equation 5), with the number of the turn."""
        session = self.session
        which = "planner" if session.settings.isolated else "planner_alone"
        parts = [planning(session.question()), planning(self.memories.render())]
        parts += [planning(entry.render()) for entry in self.history]
        note = session.wording.fill("turns", turn=self.turn, turns=session.settings.planner_turns)
        parts.append(instruction(note))
        if forced:
            parts.append(instruction(session.wording.fill("answer_only")))
        words = {"remember": "", "fold": ""}
        if session.settings.memory:
            words = {"remember": f" {session.wording.fill('remember')}", "fold": f"{session.wording.fill('fold')}\n"}
        return [turn("system", instruction(session.wording.fill(which, **words))), turn("user", *parts)]

    async def _act(self, read: Callable[[str], Action], forced: bool = False) -> tuple[str, Action | None]:
        where = Where(Space.PLANNER, 1, self.turn)
        status = "forced" if forced else "ok"
        return await self.session.act(where, "planner", self.context(forced), read, status=status)

    async def _forced(self) -> str:
        settings = self.session.settings
        if settings.at_limit == "fail":
            raise self.session.failed(Outcome.BUDGET, f"no answer within {settings.planner_turns} planner turns")

        def answer(reply: str) -> Action:
            found = planner_action(reply, isolated=settings.isolated, fold=settings.memory, several=settings.several)
            if not isinstance(found, Answer):
                raise Unreadable("this is the last turn, and there is no <answer> in the reply")
            return found

        _, action = await self._act(answer, forced=True)
        if not isinstance(action, Answer):
            raise self.session.failed(Outcome.PARSE_ERROR, "the last turn gave no answer, nor did the second request")
        return action.text

    async def _carry_out(self, directive: Directive, thoughts: str) -> None:
        settings = self.session.settings
        if directive.name is None:
            came_back: Results | Return = await self.execute(directive)
        elif self.isolated >= settings.isolated_sessions:
            came_back = Return(
                conclusion=f"Not done: all {settings.isolated_sessions} isolated sessions of this task are used.",
                confidence=0.0,
            )
        else:
            self.isolated += 1
            recent = [entry.render() for entry in self.recent()]
            came_back, traces = await reason(
                self.session, directive, self.memories, recent, self.isolated, self.execute
            )
            self.histories.isolated.append(traces)
        self.history.append(Entry(directive, came_back, "" if settings.isolated else thoughts))

    async def execute(self, directive: Directive) -> Results:
        """Let a fresh executor carry out a directive, of the planner's or of isolated reasoning's."""
        self.executions += 1
        done: Execution = await execute(self.session, directive, self.memories, self.executions)
        self.counters.executed(ok=done.ok, tool_calls=done.tool_calls)
        self.histories.executions.append(done)
        return done.results

    def recent(self) -> list[Entry]:
        """The latest steps of the history (tau of equation 10)."""
        return self.history[max(0, len(self.history) - self.session.settings.recent_returns) :]

    def utilisation(self) -> float:
        """The planner's context as a share of what it may hold."""
        session = self.session
        return session.counter.context(self.context()) / (session.settings.planner_share * session.room("planner"))

    async def _fold_if_due(self) -> None:
        if not self.session.settings.memory:
            while self.history and self.utilisation() > UTILISATION:
                self.history.pop(0)
            return
        triggers = self.counters.triggers(self.utilisation())
        if triggers and (self.history or triggers != ["context"]):
            await self._fold(triggers)

    async def _fold(self, triggers: list[str]) -> None:
        """Rewrite the memories from all histories (equation 13) and let the histories go."""
        session, utilisation = self.session, self.utilisation()
        before = session.counter.context(self.context())
        self.histories.planner = [entry.render() for entry in self.history]
        self.memories, kept = await rewrite(session, self.histories, self.memories, session.recorder.fold + 1)
        self.history = []
        counted = vars(self.counters).copy()
        session.recorder.record_fold(
            triggers=triggers, **counted, utilisation=round(utilisation, 6), tokens_before=before,
            tokens_after=session.counter.context(self.context()), kept=kept,
            **self.memories.model_dump(mode="json"),
        )  # fmt: skip
        self.counters, self.histories = Counters(), Histories()


async def solve(session: Session) -> str:
    """Solve a task with HyMem."""
    return await Planner(session).solve()
