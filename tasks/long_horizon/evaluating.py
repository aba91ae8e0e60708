"""One shard of a run: its tasks, each solved by the framework through the shard runner that all agents share."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.errors import UserError
from tasks.home import Home
from tasks.long_horizon import recorder
from tasks.long_horizon.allowance import Allowance
from tasks.long_horizon.benchmarks import source as sources
from tasks.long_horizon.benchmarks.task import Task
from tasks.long_horizon.contexts import Counter
from tasks.long_horizon.discretion import kind_of
from tasks.long_horizon.planning import Plan
from tasks.long_horizon.recorder import Past, Recorder
from tasks.long_horizon.session import Session
from tasks.long_horizon.tools.making import Maker, maker
from tasks.long_horizon.tools.sandbox import Sandbox, sandbox
from tasks.long_horizon.tools.toolbox import Toolbox
from tasks.running.counting import prompt_counter, tokenizer_of
from tasks.running.limits import AdaptiveLimit
from tasks.running.locks import only_worker
from tasks.running.resume import load as finished
from tasks.running.shard import Caller, CallFailed, Decoding, Job, Shard
from tasks.serving.endpoint import Endpoint
from tasks.serving.models import ModelSpec, model_spec
from tasks.warehouse.journal import Journal


@dataclass(frozen=True)
class Serving:
    """How calls are made; none of it decides an answer."""

    url: str
    auxiliary_url: str | None = None
    concurrency: int = 32
    """Most calls in flight."""
    deadline: float = 600.0
    """Seconds of one call."""
    on_error: str = "stop"
    retry: Sequence[str] = ("server_error", "timeout", "aborted")
    slots: int = 8
    """Calls in flight to start with."""


def evaluate(
    home: Home,
    plan: Plan,
    run_id: str,
    shard: int,
    task_ids: Sequence[str],
    serving: Serving,
    *,
    progress: Callable[[int, int, int], None] = lambda done, planned, calls: None,
    waiting: Callable[[str], None] = lambda holder: None,
) -> dict[str, int]:
    """Solve the tasks of a shard that are not solved yet; counts by outcome, earlier ones included.

    Another process that works on the same shard is waited for. Raises `UserError` when the plan is not that of the
    run any more, and otherwise as `tasks.running.shard.Shard.run` does.
    """
    all_tasks = sources.tasks(plan.source, home)
    if plan.run_id(home, all_tasks) != run_id:
        raise UserError(
            f"Run {run_id} was planned with other tasks, prompts or settings than are here now: start a new run with "
            "`treebench solve`."
        )
    chosen = {task.task_id: task for task in all_tasks}
    with only_worker(home, run_id, shard, waiting), Journal(home, f"run-{run_id[:8]}-{shard}") as journal:
        past = recorder.load(home, run_id, task_ids)
        agents = _shard(home, plan, plan.model, serving.url, run_id, task_ids, journal, serving, kind_of(all_tasks))
        agents.progress = progress
        helper = agents
        if plan.auxiliary_model:
            url = serving.auxiliary_url or serving.url
            made = _shard(home, plan, plan.auxiliary_model, url, run_id, task_ids, journal, serving, Auxiliary, agents)
            assert isinstance(made, Auxiliary)
            helper = made
        worker = Worker(home, plan, run_id, journal, past, helper)
        return dict(asyncio.run(worker.run(agents, [chosen[task_id] for task_id in task_ids])))


class Auxiliary(Shard):
    """Makes the calls of auxiliary work to an endpoint of its own; it stops when the shard of the agents does."""

    agents: Shard

    def stop(self, sentence: str) -> None:
        """Stop the shard of the agents too."""
        self.agents.stop(sentence)

    @property
    def stopping(self) -> bool:
        """Whether no further call may be started."""
        return self.agents.stopping


def _shard(
    home: Home, plan: Plan, model: str, url: str, run_id: str, task_ids: Sequence[str], journal: Journal,
    serving: Serving, kind: type[Shard], agents: Shard | None = None,
) -> Shard:  # fmt: skip
    spec = model_spec(model)
    said = plan.seeded()
    decoding = Decoding(plan.reply_tokens(), said["temperature"], said["top_p"], said["seed"], spec.chat_arguments)
    endpoint = Endpoint(url, spec.model, spec.window, prompt_counter(spec, home), deadline=serving.deadline)
    limit = AdaptiveLimit(start=serving.slots, most=serving.concurrency)
    done = finished(home, run_id, task_ids, serving.retry) if agents is None else agents.done
    made = kind(run_id, endpoint, journal, decoding, limit, done, serving.on_error)
    if isinstance(made, Auxiliary) and agents is not None:
        made.agents = agents
    return made


@dataclass
class Worker:
    """What the tasks of a shard share."""

    home: Home
    plan: Plan
    run_id: str
    journal: Journal
    past: dict[str, Past]
    helper: Shard

    async def run(self, agents: Shard, tasks: Sequence[Task]) -> Any:
        """Solve the tasks; counts by outcome."""
        async with contextlib.AsyncExitStack() as stack:
            if self.helper is not agents:
                await stack.enter_async_context(self.helper.endpoint)
            tools: Maker = lambda task: Toolbox([])  # noqa: E731
            if self.plan.chosen.tools:
                tools = maker(self.home, self.plan.source, self.plan.search, self.counter)
            rooms: Sandbox | None = None
            if self.plan.settings.calls == "code":
                rooms = await stack.enter_async_context(_rooms(tools, tasks))
            return await agents.run([self._job(task, tools, rooms) for task in tasks])

    def _job(self, task: Task, tools: Maker, rooms: Sandbox | None) -> Job:
        async def solve(caller: Caller) -> str:
            session = self.session(task, caller, tools, rooms)
            try:
                answer = await self.plan.chosen.solve(session)
            except CallFailed:
                session.recorder.close()
                raise
            finally:
                caller.calls = session.calls
            session.recorder.close()
            return answer

        return Job(task.task_id, solve)

    def session(self, task: Task, caller: Caller, tools: Maker, rooms: Sandbox | None) -> Session:
        """A session for one task."""
        plan, past = self.plan, self.past[task.task_id]
        helper = caller if not isinstance(self.helper, Auxiliary) else Caller(self.helper, task.task_id, 0)
        return Session(
            task, plan.settings, plan.wording, caller, helper, tools(task),
            Recorder(self.journal, self.run_id, task.task_id, past), Allowance(plan.limits, past.seconds), self.counter,
            self.window, plan.reply_tokens(), rooms,
        )  # fmt: skip

    @property
    def window(self) -> int:
        """Tokens of prompt and reply: the smaller window, where two models share the work."""
        windows = [model_spec(self.plan.model).window]
        if self.plan.auxiliary_model:
            windows.append(model_spec(self.plan.auxiliary_model).window)
        return min(windows)

    @property
    def counter(self) -> Counter:
        """Counts tokens as the model of the agents does."""
        return counter_of(model_spec(self.plan.model), self.home)


def counter_of(spec: ModelSpec, home: Home) -> Counter:
    """Counts tokens as a model does; where its chat template is not known, eight tokens stand for it a message."""
    tokenizer = tokenizer_of(spec, home)
    prompt = prompt_counter(spec, home)
    if prompt is None:
        return Counter(
            tokenizer.count, lambda messages: 8 + sum(tokenizer.count(message.content) + 8 for message in messages)
        )
    return Counter(tokenizer.count, lambda messages: prompt(messages, spec.chat_arguments))


@contextlib.asynccontextmanager
async def _rooms(tools: Maker, tasks: Sequence[Task]) -> AsyncIterator[Sandbox]:
    parameters = {name: words for task in tasks for name, words in tools(task).parameters.items()}
    async with sandbox(parameters) as made:
        yield made
