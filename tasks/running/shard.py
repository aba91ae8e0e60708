"""Works through the examples of one shard: one event loop, one HTTP client, an adaptive limit of calls in flight.

Whatever is finished is in the journal before the agent goes on: a call when its reply arrives, a memory after its
section, a prediction at the end of an example. So a kill at any moment loses the calls in flight and nothing else,
and a chain of sections continues in the middle: finished requests are replayed from `Done`, by request id.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.errors import Fault
from tasks.running.budget import Budget
from tasks.running.calls import call_id, prompt_sha256, request_id, written
from tasks.running.limits import AdaptiveLimit
from tasks.running.resume import Done
from tasks.serving.chat import BROKEN, FINISHED, ChatReply, ChatRequest, Message, Outcome
from tasks.serving.endpoint import Endpoint
from tasks.warehouse.journal import Journal, moment

DRAIN_SECONDS = 60.0
"""How long calls in flight may still take once a shard stops; what arrives meanwhile is kept."""


class CallFailed(Exception):
    """A call ended without a finished reply: it ends its example with this outcome."""

    def __init__(self, outcome: Outcome, error: str | None):
        super().__init__(error or outcome.value)
        self.outcome = outcome
        self.error = error


class Stopped(Exception):
    """The shard stops: the example stays open and continues when the run is resumed."""


@dataclass(frozen=True)
class Decoding:
    """How replies are generated. `limits` are tokens that each role may generate."""

    limits: Mapping[str, int]
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def request(self, role: str, messages: Sequence[Message]) -> ChatRequest:
        """The request of a call of `role`."""
        return ChatRequest(
            tuple(messages), self.limits[role], self.temperature, self.top_p, self.seed, self.arguments
        )  # fmt: skip


@dataclass(frozen=True)
class Job:
    """One example to solve: `solve` makes its calls through a `Caller` and returns the raw answer.

    `solve` must make the same calls for the same replies, or what was finished is not found again.
    """

    example_id: str
    solve: Callable[["Caller"], Awaitable[str]]


@dataclass
class Shard:
    """The state that all examples of a shard share."""

    run_id: str
    endpoint: Endpoint
    journal: Journal
    decoding: Decoding
    limit: AdaptiveLimit
    done: Done = field(default_factory=Done)
    on_error: str = "stop"
    """stop: the first example that serving fails ends the shard; continue: it counts as failed."""
    progress: Callable[[int, int, int], None] = lambda done, planned, calls: None
    """Told after each call and each example: examples done (failed ones included) and planned, calls ended so far."""
    budget: Budget = field(default_factory=Budget)
    """What may still be spent. Once it has run out no call is started, and open examples stay open."""

    def __post_init__(self) -> None:
        self._fault: str | None = None
        self._outcomes: Counter[str] = Counter()
        self._planned = 0
        self._calls = 0

    async def run(self, jobs: Sequence[Job]) -> Counter[str]:
        """Work through `jobs`; counts of examples by outcome, those done before included.

        Raises `Fault` when the endpoint is gone or serves something else than before or, with `on_error` stop, when
        serving has failed an example. All that was finished is in the journal then.
        """
        outcomes = self._outcomes = Counter(self.done.outcomes.values())
        waiting = deque((number, job) for number, job in enumerate(jobs) if job.example_id not in self.done.outcomes)
        self._planned = len(jobs)
        events: asyncio.Queue[asyncio.Task[Outcome | None] | None] = asyncio.Queue()
        self.limit.grown = lambda: events.put_nowait(None)
        running: set[asyncio.Task[Outcome | None]] = set()
        self._tell()
        async with self.endpoint:
            if waiting and (different := await self.endpoint.changed()):
                raise Fault(
                    f"{self.endpoint.url} serves another model than this run was started with: {different}; put the "
                    "server right, then run the same command again."
                )
            try:
                while waiting or running:
                    while waiting and len(running) < self.limit.value and not self.stopping:
                        number, job = waiting.popleft()
                        task = asyncio.create_task(self._solve(job, number))
                        task.add_done_callback(events.put_nowait)
                        running.add(task)
                    if not running:
                        break
                    draining = self.stopping
                    timeout = DRAIN_SECONDS if draining else self.budget.seconds_left()
                    try:
                        ended = await asyncio.wait_for(events.get(), timeout)
                    except TimeoutError:
                        if draining:
                            break
                        continue
                    if ended is None:
                        continue
                    running.discard(ended)
                    outcome = ended.result()
                    if outcome is not None:
                        outcomes[outcome.value] += 1
                        self._tell()
            finally:
                for task in running:
                    task.cancel()
                await asyncio.gather(*running, return_exceptions=True)
        if self._fault:
            raise Fault(self._fault)
        return outcomes

    def stop(self, sentence: str) -> None:
        """Start no further call; what is in flight may end. The first sentence is the one that is reported."""
        self._fault = self._fault or sentence

    @property
    def stopping(self) -> bool:
        """Whether no further call may be started."""
        return self._fault is not None or self.budget.exceeded() is not None

    def called(self) -> None:
        """One more call has ended."""
        self._calls += 1
        self._tell()

    def _tell(self) -> None:
        self.progress(self._outcomes.total(), self._planned, self._calls)

    async def _solve(self, job: Job, number: int) -> Outcome | None:
        """Solve one example and record its prediction; None if the shard stopped before it ended."""
        caller = Caller(self, job.example_id, number)
        try:
            raw = await job.solve(caller)
        except Stopped:
            return None
        except CallFailed as failed:
            self._record(job.example_id, failed.outcome, None, caller.calls, failed.error)
            if failed.outcome in BROKEN and self.on_error == "stop":
                self.stop(
                    f"Example {job.example_id} of run {self.run_id} ended with {failed.outcome} ({failed.error}): "
                    "everything finished is kept; run the same command again to go on, or add --on-error continue."
                )
            return failed.outcome
        self._record(job.example_id, caller.last, raw, caller.calls, None)
        return caller.last

    def _record(self, example_id: str, outcome: Outcome, raw: str | None, calls: int, error: str | None) -> None:
        self.journal.append("predictions", {
            "run_id": self.run_id, "example_id": example_id, "outcome": outcome.value, "raw_answer": raw,
            "model_calls": calls, "error": error, "recorded_at": moment(after=self.done.again.get(example_id)),
        })  # fmt: skip


class Caller:
    """What one example sees of the shard: calls that are journalled and replayed, and a place for its memories."""

    def __init__(self, shard: Shard, example_id: str, priority: int):
        self.example_id = example_id
        self.calls = 0
        """Requests made so far, replayed ones included."""
        self.last = Outcome.STOP
        """Outcome of the last call."""
        self._shard = shard
        self._priority = priority

    async def chat(self, role: str, position: int, messages: Sequence[Message]) -> str:
        """The reply to `messages`, from the journal if it is finished there.

        `role` and `position` say where in the agent's work the call stands; equal calls need different ones. Raises
        `CallFailed` when there is no finished reply, `Stopped` when the shard stops.
        """
        shard = self._shard
        request = shard.decoding.request(role, messages)
        messages_written = written(messages)
        name = request_id(shard.run_id, self.example_id, role, position, request, messages_written)
        self.calls += 1
        replay = shard.done.replies.get(name)
        if replay is not None:
            self.last = shard.done.ended.get(name, Outcome.STOP)
            return replay
        if shard.stopping:
            raise Stopped

        sha256 = prompt_sha256(messages_written)
        del messages_written  # as large as the prompt, of which thousands wait

        def journal(reply: ChatReply) -> None:
            self._journal(name, role, position, sha256, reply)

        reply = await shard.endpoint.chat(
            request,
            first_attempt=shard.done.attempts.get(name, 0) + 1,
            on_attempt=journal,
            slot=lambda: shard.limit.slot(self._priority),
        )
        if reply.unusable:
            shard.stop(f"{_capital(reply.error)}: everything finished is kept; put the server right, then run the same "
                       "command again to go on.")  # fmt: skip
            raise Stopped
        if reply.outcome not in FINISHED:
            raise CallFailed(reply.outcome, reply.error)
        self.last = reply.outcome
        return reply.text

    def remember(self, position: int, text: str, retrieved: str | None) -> None:
        """Record the memory saved after a section, unless it is there already."""
        shard = self._shard
        if (self.example_id, position) in shard.done.memories:
            return
        shard.journal.append("memories", {
            "run_id": shard.run_id, "example_id": self.example_id, "position": position, "text": text,
            "retrieved": retrieved, "recorded_at": moment(after=shard.done.again.get(self.example_id)),
        })  # fmt: skip

    def _journal(self, name: str, role: str, position: int, sha256: str, reply: ChatReply) -> None:
        shard = self._shard
        shard.journal.append("model_calls", {
            "call_id": call_id(name, reply.attempt), "request_id": name, "run_id": shard.run_id,
            "example_id": self.example_id, "role": role, "position": position, "attempt": reply.attempt,
            "prompt_sha256": sha256, "prompt_tokens": reply.prompt_tokens,
            "server_prompt_tokens": reply.usage.prompt_tokens, "completion_tokens": reply.usage.completion_tokens,
            "cached_tokens": reply.usage.cached_tokens, "latency_s": reply.latency_s,
            "finish_reason": reply.finish_reason, "outcome": reply.outcome.value, "error": reply.error,
            "response": reply.text if reply.finished else None, "started_at": reply.started_at,
        })  # fmt: skip
        if reply.finished:
            prompt_tokens = reply.usage.prompt_tokens or reply.prompt_tokens or 0
            shard.budget.spend(prompt_tokens + (reply.usage.completion_tokens or 0))
            shard.limit.completed()
        elif reply.outcome in BROKEN:
            shard.limit.pressed()
        shard.called()


def _capital(sentence: str | None) -> str:
    sentence = sentence or "the endpoint is unusable"
    return sentence[0].upper() + sentence[1:]
