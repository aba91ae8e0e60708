"""A run of a framework on a benchmark: what defines it, its tasks, and how they are cut into shards."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tasks.errors import UserError
from tasks.hashing import content_id
from tasks.home import Home
from tasks.long_horizon import prompts
from tasks.long_horizon.allowance import Limits
from tasks.long_horizon.benchmarks import source as sources
from tasks.long_horizon.benchmarks.source import Source
from tasks.long_horizon.benchmarks.task import Task
from tasks.long_horizon.frameworks import Framework, framework
from tasks.long_horizon.settings import Settings
from tasks.long_horizon.tools.making import Search
from tasks.running.counting import template_sha256, tokenizer_of
from tasks.running.plan import Work, cut
from tasks.serving.models import model_spec
from tasks.warehouse import journal, snapshot

CALLS = 30
"""Model calls of a task, for the estimate of work."""


@dataclass(frozen=True)
class Plan:
    """One evaluation: a framework, one of its variants, one trial."""

    source: Source
    framework: str
    variant: str
    trial: int
    model: str
    decoding: Mapping[str, Any]
    """temperature, top_p, seed, reply_tokens, auxiliary_tokens."""
    auxiliary_model: str | None = None
    """Model of auxiliary work; None for the same model."""
    choices: Mapping[str, Any] = field(default_factory=dict)
    """Settings that differ from the defaults."""
    limits: Limits = field(default_factory=Limits)
    search: Search = field(default_factory=Search)
    pack: str = prompts.DEFAULT
    """Prompt pack."""

    @property
    def chosen(self) -> Framework:
        """Its framework; `UserError` where there is none, or not that variant."""
        found = framework(self.framework)
        if self.variant not in found.variants:
            raise UserError(f"Framework {self.framework} has no variant {self.variant!r}: choose "
                            f"{', '.join(found.variants)}.")  # fmt: skip
        return found

    @property
    def settings(self) -> Settings:
        """The settings of its framework, with those of the variant over them."""
        given = {"calls": self.chosen.calls, **self.choices, **self.chosen.variants[self.variant]}
        return Settings(**given)

    @property
    def wording(self) -> prompts.Wording:
        """Its prompts."""
        return prompts.load(self.framework, self.chosen.texts, self.pack)

    def reply_tokens(self) -> dict[str, int]:
        """Tokens that each role may generate."""
        return {role: int(self.decoding[f"{kind}_tokens"]) for role, kind in self.chosen.roles.items()}

    def run_id(self, home: Home, tasks: Sequence[Task]) -> str:
        """Hash of everything that decides the answers; not of where or how fast the model is served."""
        spec = model_spec(self.model)
        auxiliary = model_spec(self.auxiliary_model).identity() if self.auxiliary_model else None
        return content_id(
            "long horizon", sources.version(tasks), self.framework, self.chosen.version, self.variant, self.trial,
            spec.identity(), auxiliary, self.wording.sha256, tokenizer_of(spec, home).sha256,
            template_sha256(spec, home), self.settings.identity(), asdict(self.limits), self.search.identity(),
            dict(self.decoding),
        )  # fmt: skip

    def seeded(self) -> dict[str, Any]:
        """The decoding of its trial: each trial has a seed of its own."""
        return {**self.decoding, "seed": int(self.decoding["seed"]) + self.trial - 1}

    def plain(self) -> dict[str, Any]:
        """As a dictionary that a task run can take."""
        return asdict(self)

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "Plan":
        """The plan of such a dictionary."""
        source = Source(**{**plain["source"], "levels": tuple(plain["source"]["levels"])})
        return replace(cls(**plain), source=source, limits=Limits(**plain["limits"]), search=Search(**plain["search"]))


def record(
    home: Home, plan: Plan, tasks: Sequence[Task], endpoint: str, server: Mapping[str, Any], flow_run_id: str | None
) -> str:
    """Write the rows of tables `runs`, `run_examples` and `agent_tasks` and return the run_id."""
    spec, run_id = model_spec(plan.model), plan.run_id(home, tasks)
    row = {
        "run_id": run_id, "build_id": sources.version(tasks), "dataset": plan.source.benchmark,
        "agent": plan.framework, "method": plan.variant, "model": plan.model, "endpoint": endpoint,
        "server": dict(server), "prompts": plan.wording.name, "prompts_sha256": plan.wording.sha256,
        "tokenizer": spec.tokenizer, "tokenizer_sha256": tokenizer_of(spec, home).sha256,
        "template_sha256": template_sha256(spec, home), "base_budget": 0,
        "decoding": {
            **plan.seeded(), "window": spec.window, "trial": plan.trial, "auxiliary_model": plan.auxiliary_model,
            "settings": plan.settings.identity(), "limits": asdict(plan.limits), "search": plan.search.identity(),
            "subset": plan.source.subset, "tasks": len(tasks),
        },
        "code_version": version("treebench"), "flow_run_id": flow_run_id, "sample": any(t.sample for t in tasks),
        "recorded_at": datetime.now(UTC).replace(tzinfo=None),
    }  # fmt: skip
    journal.write(home, "agent_tasks", [task.row() for task in tasks])
    journal.write(home, "runs", [row])
    journal.write(home, "run_examples", [{"run_id": run_id, "example_id": task.task_id} for task in tasks])
    return run_id


def shards(plan: Plan, tasks: Sequence[Task]) -> list[list[str]]:
    """Task ids of each shard: of one set of tasks and one model always the same."""
    each = CALLS * (2000 + int(plan.decoding["reply_tokens"]))
    work = (Work(task.task_id, CALLS, each) for task in tasks)
    return cut(work, model_spec(plan.model).tokens_per_second)


def open_tasks(home: Home, run_id: str, tasks: Sequence[Task], retry: Sequence[str]) -> int:
    """How many tasks have no prediction yet, or one whose outcome is to be tried again."""
    done = snapshot.fresh_rows(
        home,
        "SELECT example_id FROM predictions WHERE run_id = ? AND NOT list_contains(?, outcome::VARCHAR)",
        [run_id, list(retry)],
    )
    known = {row["example_id"] for row in done}
    return sum(task.task_id not in known for task in tasks)


def check_place(home: Home, tasks: Sequence[Task]) -> None:
    """Raise `UserError` where a gated benchmark would be written in plain text outside the home."""
    journal = urlsplit(home.journal)
    inside = journal.scheme in ("", "file") and Path(journal.path).resolve().is_relative_to(home.root.resolve())
    if any(task.gated for task in tasks) and not inside:
        raise UserError(
            "The texts of this benchmark must not leave TREEBENCH_HOME, and TREEBENCH_JOURNAL points elsewhere: unset "
            "it, or let it point into TREEBENCH_HOME."
        )
