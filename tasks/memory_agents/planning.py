"""A run: what defines it, which examples it is to answer, and how they are cut into shards."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from tasks.errors import UserError
from tasks.hashing import content_id
from tasks.home import Home
from tasks.memory_agents import observations
from tasks.memory_agents.agents import agent
from tasks.memory_agents.decoding import options
from tasks.memory_agents.prompts import DEFAULT, PromptPack
from tasks.memory_agents.prompts import load as load_pack
from tasks.running.counting import template_sha256, tokenizer_of
from tasks.running.plan import Work, cut
from tasks.serving.models import model_spec
from tasks.warehouse import journal, snapshot

INSTRUCTION_TOKENS = 150
"""Instruction and problem of one call, for the estimate of work."""


@dataclass(frozen=True)
class Run:
    """One evaluation: an agent under an observation method on a dataset version."""

    build_id: str
    agent: str
    method: str
    model: str
    base_budget: int
    decoding: Mapping[str, Any]
    """As `tasks.memory_agents.decoding.decoding` makes it."""
    prompts: str = DEFAULT

    @property
    def pack(self) -> PromptPack:
        """Its prompts."""
        return load_pack(self.agent, agent(self.agent).slots, self.prompts)

    @property
    def sectioning(self) -> str:
        """The sectioning that it reads: flat or tree."""
        return observations.method(self.method).sectioning

    def run_id(self, home: Home) -> str:
        """Hash of everything that decides the answers; not of where or how fast the model is served."""
        spec = model_spec(self.model)
        return content_id(
            self.build_id, self.agent, agent(self.agent).version, self.method, observations.VERSION, spec.identity(),
            self.pack.sha256, tokenizer_of(spec, home).sha256, template_sha256(spec, home), self.base_budget,
            dict(self.decoding),
        )  # fmt: skip


def record(home: Home, run: Run, endpoint: str, server: Mapping[str, Any], flow_run_id: str | None) -> str:
    """Write the rows of tables `runs` and `run_examples` and return the run_id.

    Raises `UserError` when an example of the dataset version has no sections under the model's tokenizer yet.
    """
    spec, pack, run_id = model_spec(run.model), run.pack, run.run_id(home)
    examples = _examples(home, run)
    row = {
        "run_id": run_id, "build_id": run.build_id, "dataset": examples[0]["dataset"], "agent": run.agent,
        "method": run.method, "model": run.model, "endpoint": endpoint, "server": dict(server), "prompts": pack.name,
        "prompts_sha256": pack.sha256, "tokenizer": spec.tokenizer,
        "tokenizer_sha256": tokenizer_of(spec, home).sha256, "template_sha256": template_sha256(spec, home),
        "base_budget": run.base_budget, "decoding": dict(run.decoding),
        "code_version": version("treebench"), "flow_run_id": flow_run_id,
        "sample": any(example["sample"] for example in examples),
        "recorded_at": datetime.now(UTC).replace(tzinfo=None),
    }  # fmt: skip
    journal.write(home, "runs", [row])
    chosen = agent(run.agent)
    said = options(chosen, run.decoding)
    planned = [
        {"run_id": run_id, "example_id": row["example_id"], "calls": chosen.calls(row["sections"], said)}
        for row in examples
    ]
    journal.write(home, "run_examples", planned)
    return run_id


def shards(home: Home, run: Run) -> list[list[str]]:
    """Example ids of each shard: of one dataset version, model and budget always the same."""
    chosen = agent(run.agent)
    said = options(chosen, run.decoding)
    each = INSTRUCTION_TOKENS + 2 * int(run.decoding["memory_tokens"])  # the memory is read as well as written
    work = (
        Work(row["example_id"], calls := chosen.calls(row["sections"], said), row["tokens"] + each * calls)
        for row in _examples(home, run)
    )
    return cut(work, model_spec(run.model).tokens_per_second)


def open_examples(home: Home, runs: Sequence[Run], retry: Sequence[str]) -> dict[str, int]:
    """By run_id: how many planned examples have no prediction yet, or one whose outcome is to be tried again."""
    with snapshot.fresh(home, ("predictions",)) as con:
        return {
            run_id: snapshot.fetch(
                con,
                "SELECT count(*) AS n FROM build_examples ANTI JOIN (FROM predictions WHERE run_id = ? "
                "AND NOT list_contains(?, outcome::VARCHAR)) p USING (example_id) WHERE build_id = ?",
                [run_id, list(retry), run.build_id],
            )[0]["n"]
            for run in runs
            for run_id in [run.run_id(home)]
        }


def _examples(home: Home, run: Run) -> list[dict[str, Any]]:
    published = home.snapshot.stat() if home.snapshot.exists() else None
    state = (published.st_ino, published.st_mtime_ns) if published else None
    return _examples_at(state, home, run.build_id, run.model, run.sectioning, run.base_budget)


@functools.lru_cache(maxsize=8)
def _examples_at(
    _published: tuple[int, int] | None, home: Home, build_id: str, model: str, sectioning: str, base_budget: int
) -> list[dict[str, Any]]:
    """The examples of a dataset version as they are planned; runs that differ in agent or prompts share them."""
    found = snapshot.rows(
        home,
        "SELECT e.example_id, e.dataset, e.sample, b.sections, b.tokens FROM build_examples "
        "JOIN examples e USING (example_id) LEFT JOIN budgets b ON b.example_id = e.example_id AND b.tokenizer = ? "
        "AND b.method = ? AND b.base_budget = ? WHERE build_id = ? ORDER BY e.length, e.task, e.number, e.example_id",
        [model_spec(model).tokenizer, sectioning, base_budget, build_id],
    )
    if not found:
        raise UserError(f'Dataset version {build_id} has no examples: `treebench sql "FROM builds"` lists them.')
    missing = sum(row["sections"] is None for row in found)
    if missing:
        raise UserError(
            f"{missing} examples of dataset version {build_id} have no {sectioning} sections for model {model} at base "
            f"budget {base_budget}: run `treebench section` with the same model, methods and base budget first."
        )
    return found
