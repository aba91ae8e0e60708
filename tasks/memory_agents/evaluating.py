"""One shard of a run: its examples from the tables, each answered by the agent."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import duckdb

from tasks.home import Home
from tasks.memory_agents import prompts
from tasks.memory_agents.memagent import memagent
from tasks.memory_agents.observations import SECTIONING, Observations, Reading
from tasks.running.counting import prompt_counter
from tasks.running.limits import AdaptiveLimit
from tasks.running.locks import only_worker
from tasks.running.resume import load as finished
from tasks.running.shard import Caller, Decoding, Job, Shard
from tasks.serving.chat import Message
from tasks.serving.endpoint import Endpoint
from tasks.serving.models import model_spec
from tasks.tokens.tokenizer import Tokenizer, load
from tasks.warehouse import contexts, snapshot
from tasks.warehouse.journal import Journal

AGENTS = {"memagent": memagent}


def evaluate(
    home: Home,
    run_id: str,
    shard: int,
    example_ids: Sequence[str],
    url: str,
    *,
    concurrency: int,
    deadline: float,
    on_error: str,
    retry: Sequence[str],
    progress: Callable[[int, int], None],
    waiting: Callable[[str], None],
) -> dict[str, int]:
    """Answer the examples of a shard that are not answered yet; counts by outcome, earlier ones included.

    Another process that works on the same shard is waited for. Raises as `tasks.running.shard.Shard.run` does.
    """
    run = snapshot.rows(home, "FROM runs WHERE run_id = ?", [run_id])[0]
    spec, pack = model_spec(run["model"]), prompts.load(run["agent"])
    tokenizer = load(spec.tokenizer, home)
    chosen = json.loads(run["decoding"])
    limits = {"memory": chosen["memory_tokens"], "answer": chosen["answer_tokens"]}
    decoding = Decoding(limits, chosen["temperature"], chosen["top_p"], chosen["seed"], spec.chat_arguments)
    endpoint = Endpoint(
        url, spec.model, window=spec.window, count=prompt_counter(spec, home), deadline=deadline, connections=concurrency
    )  # fmt: skip
    with only_worker(home, run_id, shard, waiting), Journal(home, f"run-{run_id[:8]}-{shard}") as journal:
        done = finished(home, run_id, example_ids, retry)
        jobs = [_job(home, run, example_id, tokenizer, pack) for example_id in example_ids]
        limit = AdaptiveLimit(most=concurrency)
        worker = Shard(run_id, endpoint, journal, decoding, limit, done, on_error, progress)
        return dict(asyncio.run(worker.run(jobs)))


def _job(home: Home, run: dict[str, Any], example_id: str, tokenizer: Tokenizer, pack: prompts.PromptPack) -> Job:
    agent = AGENTS[run["agent"]]

    async def solve(caller: Caller) -> str:
        async def chat(role: str, position: int, prompt: str) -> str:
            return await caller.chat(role, position, [Message("user", prompt)])

        with snapshot.reader(home) as con:
            problem, observations = _observations(con, run, example_id, tokenizer, caller)
        return await agent(problem, observations, chat, pack)

    return Job(example_id, solve)


def _observations(
    con: duckdb.DuckDBPyConnection, run: dict[str, Any], example_id: str, tokenizer: Tokenizer, caller: Caller
) -> tuple[str, Observations]:
    """The question of an example and its observations, from the tables of sections and links."""
    method = run["method"]
    question = snapshot.fetch(
        con, "SELECT text FROM examples JOIN questions USING (question_id) WHERE example_id = ?", [example_id]
    )[0]["text"]
    text = contexts.context(con, example_id)
    key = [example_id, run["tokenizer"], run["base_budget"]]
    rows = snapshot.fetch(
        con,
        "FROM sections WHERE example_id = ? AND tokenizer = ? AND base_budget = ? AND method = ? ORDER BY position",
        [*key, SECTIONING[method]],
    )
    sections: list[Reading] = []
    quote, end = "", -1
    for row in rows:
        start, stop = row["span_start"], row["span_end"]
        if row["type"] != "span":
            quote = ""
        elif start != end:  # the first fragment of a leaf stands behind its opening quotation mark
            quote = text[start - 1] if start and text[start - 1] == '"' else ""
        end = stop
        group = (row["range_start"], row["range_end"]) if row["range_start"] is not None else None
        sections.append(Reading(text[start:stop], row["path"], group, quote))
    links: dict[int, list[int]] = {}
    if method == "treeagent":
        linked = snapshot.fetch(con, "FROM links WHERE example_id = ? AND tokenizer = ? AND base_budget = ?", key)
        for row in linked:
            links.setdefault(row["target"], []).append(row["source"])
    return question, Observations(method, question, sections, links, tokenizer, caller.remember)
