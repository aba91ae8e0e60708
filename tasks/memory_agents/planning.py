"""A run: what defines it, which examples it is to answer, and how they are cut into shards."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Any

from tasks.errors import UserError
from tasks.hashing import content_id
from tasks.home import Home
from tasks.memory_agents import prompts
from tasks.memory_agents.observations import SECTIONING
from tasks.running.counting import template_sha256
from tasks.running.plan import Work, cut
from tasks.serving.models import model_spec
from tasks.tokens.tokenizer import load
from tasks.warehouse import journal, snapshot

TOKENS_PER_SECOND = 300.0
"""Speed that shards are cut for: the embedded model on two cores. A faster server finishes its shards sooner."""

PROMPT_TOKENS = 200
"""Instruction, problem and memory of one call, for the estimate of work."""


@dataclass(frozen=True)
class Run:
    """One evaluation: an agent under an observation method on a dataset version."""

    build_id: str
    agent: str
    method: str
    model: str
    base_budget: int
    decoding: Mapping[str, Any]
    """temperature, top_p, seed, memory_tokens, answer_tokens."""

    def run_id(self, home: Home) -> str:
        """Hash of everything that decides the answers; not of where or how fast the model is served."""
        spec = model_spec(self.model)
        return content_id(
            self.build_id, self.agent, self.method, spec.identity(), prompts.load(self.agent).sha256,
            load(spec.tokenizer, home).sha256, template_sha256(spec, home), self.base_budget, dict(self.decoding),
        )  # fmt: skip


def record(home: Home, run: Run, endpoint: str, server: Mapping[str, Any], flow_run_id: str | None) -> str:
    """Write the rows of tables `runs` and `run_examples` and return the run_id.

    Raises `UserError` when an example of the dataset version has no sections under the model's tokenizer yet.
    """
    spec, pack, run_id = model_spec(run.model), prompts.load(run.agent), run.run_id(home)
    examples = _examples(home, run)
    row = {
        "run_id": run_id, "build_id": run.build_id, "dataset": examples[0]["dataset"], "agent": run.agent,
        "method": run.method, "model": run.model, "endpoint": endpoint, "server": dict(server), "prompts": pack.wording,
        "prompts_sha256": pack.sha256, "tokenizer": spec.tokenizer,
        "tokenizer_sha256": load(spec.tokenizer, home).sha256, "template_sha256": template_sha256(spec, home),
        "base_budget": run.base_budget, "decoding": {**run.decoding, "window": spec.window},
        "code_version": version("treebench"), "flow_run_id": flow_run_id,
        "sample": any(example["sample"] for example in examples),
        "recorded_at": datetime.now(timezone.utc).replace(tzinfo=None),
    }  # fmt: skip
    journal.write(home, "runs", [row])
    planned = [{"run_id": run_id, "example_id": example["example_id"]} for example in examples]
    journal.write(home, "run_examples", planned)
    return run_id


def shards(home: Home, run: Run) -> list[list[str]]:
    """Example ids of each shard: of one dataset version and budget always the same."""
    return cut(
        (
            Work(row["example_id"], row["sections"] + 1, row["tokens"] + PROMPT_TOKENS * (row["sections"] + 1))
            for row in _examples(home, run)
        ),
        TOKENS_PER_SECOND,
    )


def open_examples(home: Home, run: Run, retry: list[str]) -> int:
    """How many planned examples have no prediction yet, or one whose outcome is to be tried again."""
    found = snapshot.rows(
        home,
        "SELECT count(*) AS n FROM build_examples ANTI JOIN (FROM predictions WHERE run_id = ? "
        "AND NOT list_contains(?, outcome::VARCHAR)) p USING (example_id) WHERE build_id = ?",
        [run.run_id(home), retry, run.build_id],
    )
    return found[0]["n"]


def _examples(home: Home, run: Run) -> list[dict[str, Any]]:
    found = snapshot.rows(
        home,
        "SELECT e.example_id, e.dataset, e.sample, b.sections, b.tokens FROM build_examples "
        "JOIN examples e USING (example_id) LEFT JOIN budgets b ON b.example_id = e.example_id AND b.tokenizer = ? "
        "AND b.method = ? AND b.base_budget = ? WHERE build_id = ? ORDER BY e.length, e.task, e.number, e.example_id",
        [model_spec(run.model).tokenizer, SECTIONING[run.method], run.base_budget, run.build_id],
    )
    missing = [row["example_id"] for row in found if row["sections"] is None]
    if missing or not found:
        raise UserError(
            f"{len(missing) or 'No'} examples of dataset version {run.build_id} {'have no' if missing else 'with'} "
            f"sections for model {run.model} at base budget {run.base_budget}: run `treebench section` with the same "
            "model, methods and base budget first."
        )
    return found
