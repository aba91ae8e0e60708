"""One shard of a run: its examples from the tables, each answered by the agent."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import duckdb

from tasks.errors import UserError
from tasks.home import Home
from tasks.memory_agents import prompts
from tasks.memory_agents.agents import Agent, agent
from tasks.memory_agents.decoding import options
from tasks.memory_agents.observations import Method, Observations, Section, method, sections
from tasks.memory_agents.stored import StoredSections
from tasks.running.budget import Budget
from tasks.running.counting import prompt_counter, tokenizer_of
from tasks.running.limits import Held
from tasks.running.locks import only_worker
from tasks.running.resume import load as finished
from tasks.running.shard import Caller, Decoding, Job, Shard
from tasks.sectioning.retrieval import retrieve
from tasks.serving.chat import Message
from tasks.serving.endpoint import Endpoint
from tasks.serving.models import ModelSpec, model_spec
from tasks.serving.retrying import Patience
from tasks.warehouse import contexts, snapshot
from tasks.warehouse.journal import Journal

MOST_AT_FIRST = 256
"""Calls in flight at the start at most, whatever a server says of itself."""


def evaluate(
    home: Home,
    run_id: str,
    shard: int,
    example_ids: Sequence[str],
    url: str,
    *,
    concurrency: int = 32,
    deadline: float = 600.0,
    on_error: str = "stop",
    retry: Sequence[str] = ("server_error", "timeout", "aborted"),
    patience: Patience | None = None,
    budget: Budget | None = None,
    held: Held | None = None,
    progress: Callable[[int, int, int], None] = lambda done, planned, calls: None,
    waiting: Callable[[str], None] = lambda holder: None,
) -> dict[str, int]:
    """Answer the examples of a shard that are not answered yet; counts by outcome, earlier ones included.

    `concurrency` is the most calls in flight, `deadline` the seconds of one call, `retry` the outcomes to try again,
    `patience` how long a server that has gone is waited for, `budget` what may be spent, `held` what earlier shards
    found the server to hold. Another process that works on the same shard is waited for. Raises `UserError` when the
    run was planned with other prompts or another tokenizer than are here now, and otherwise as
    `tasks.running.shard.Shard.run` does.
    """
    run = _run(home, run_id)
    chosen = agent(run["agent"])
    pack = prompts.load(chosen.name, chosen.slots, run["prompts"])
    spec = model_spec(run["model"])
    tokenizer = tokenizer_of(spec, home)
    if (pack.sha256, tokenizer.sha256) != (run["prompts_sha256"], run["tokenizer_sha256"]):
        raise UserError(
            f"Run {run_id} was planned with other prompts or another tokenizer than are here now: start a new run "
            "with `treebench run`."
        )
    said = json.loads(run["decoding"])
    observed = method(run["method"])
    with only_worker(home, run_id, shard, waiting), Journal(home, f"run-{run_id[:8]}-{shard}") as journal:
        done = finished(home, run_id, example_ids, retry)
        with snapshot.reader(home) as con, ThreadPoolExecutor(1) as database:
            reading = partial(_read, con, run, observed)

            async def read(example_id: str) -> tuple[str, Sequence[Section]]:
                # DuckDB and long contexts take their time: the event loop goes on meanwhile.
                return await asyncio.get_running_loop().run_in_executor(database, reading, example_id)

            def observe(problem: str, found: Sequence[Section], caller: Caller) -> Observations:
                spans = partial(retrieve, tokenizer=tokenizer)
                return Observations(observed, problem, found, spans, caller.remember, tokenizer.ends)

            held = held or Held()
            limit = held.limit(url, concurrency, otherwise=_slots(run))
            worker = Shard(
                run_id,
                Endpoint(
                    url, spec.model, said["window"], prompt_counter(spec, home), deadline=deadline,
                    patience=patience or Patience(), facts=json.loads(run["server"]),
                ),
                journal,
                _decoding(said, chosen, spec),
                limit,
                done,
                on_error,
                progress,
                budget or Budget(),
            )  # fmt: skip
            answer = partial(chosen.answer, options=options(chosen, said))
            jobs = [_job(example_id, answer, pack, read, observe) for example_id in example_ids]
            try:
                return dict(asyncio.run(worker.run(jobs)))
            finally:
                held.leave(url, limit)


def _run(home: Home, run_id: str) -> dict[str, Any]:
    found = snapshot.fresh_rows(home, "FROM runs WHERE run_id = ?", [run_id])
    if not found:
        raise UserError(f'There is no run {run_id}: `treebench sql "FROM runs"` lists them.')
    return found[0]


def _decoding(said: Mapping[str, Any], chosen: Agent, spec: ModelSpec) -> Decoding:
    limits = {role: said[f"{limit}_tokens"] for role, limit in chosen.roles.items()}
    arguments = spec.arguments(thinks=said.get("thinking_tokens", 0) > 0)
    return Decoding(limits, said["temperature"], said["top_p"], said["seed"], arguments)


def _slots(run: dict[str, Any]) -> int:
    """Calls in flight to start with: as many as the server says it works on at a time, eight if it does not say."""
    server = json.loads(run["server"])
    slots = server.get("slots") or (server.get("props") or {}).get("total_slots")
    slots = slots or (server.get("server_info") or {}).get("max_running_requests")
    return min(slots, MOST_AT_FIRST) if isinstance(slots, int) and slots > 0 else 8


def _job(example_id: str, answer: Callable, pack: prompts.PromptPack, read: Callable, observe: Callable) -> Job:
    async def solve(caller: Caller) -> str:
        async def chat(
            role: str, position: int, prompt: str, *, system: str | None = None, start: str | None = None
        ) -> str:
            messages = [Message("user", prompt)]
            if system is not None:
                messages.insert(0, Message("system", system))
            if start is not None:
                messages.append(Message("assistant", start))
            return await caller.chat(role, position, messages)

        problem, found = await read(example_id)
        return await answer(problem, observe(problem, found, caller), chat, pack)

    return Job(example_id, solve)


def _read(
    con: duckdb.DuckDBPyConnection, run: dict[str, Any], observed: Method, example_id: str
) -> tuple[str, Sequence[Section]]:
    """The question of an example, and the sections of its context."""
    question = snapshot.fetch(
        con, "SELECT text FROM examples JOIN questions USING (question_id) WHERE example_id = ?", [example_id]
    )
    key = [example_id, run["tokenizer"], run["base_budget"]]
    rows = snapshot.fetch(
        con,
        "FROM sections WHERE example_id = ? AND tokenizer = ? AND base_budget = ? AND method = ? ORDER BY position",
        [*key, observed.sectioning],
    )
    links: dict[int, list[int]] = {}
    if observed.links:
        for row in snapshot.fetch(
            con,
            "SELECT target, source FROM links WHERE example_id = ? AND tokenizer = ? AND base_budget = ? ORDER BY ALL",
            key,
        ):
            links.setdefault(row["target"], []).append(row["source"])
    return question[0]["text"], StoredSections(sections(contexts.context(con, example_id), rows, links))
