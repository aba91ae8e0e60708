"""What the flow `solve` can be asked for: long-horizon agents on GAIA, BrowseComp-Plus or the sample tasks."""

from typing import Any, Literal

from pydantic import Field, model_validator

from flows.parameters import Address, Parameters

FrameworkName = Literal["base", "react", "summary", "resum", "amem", "thread", "hymem"]
Variant = Literal["full", "without_isolated_reasoning", "without_memory"]

FRAMEWORKS: list[FrameworkName] = ["base", "react", "summary", "resum", "amem", "thread", "hymem"]


class TaskParameters(Parameters):
    """Which tasks to solve."""

    benchmark: Literal["sample", "gaia", "browsecomp_plus"] = Field(
        "sample",
        description="sample: built-in tasks over a small invented corpus, offline. The others are read from your own "
        "copy.",
    )
    data: str | None = Field(None, description="Folder of your copy of the benchmark; for gaia and browsecomp_plus.")
    subset: Literal["default", "all", "text_only", "listed", "substitute"] = Field(
        "default",
        description="gaia: text_only (127 tasks without a file, the default), all (165) or listed (by ids, such as "
        "the 103 of other papers). browsecomp_plus: all (830, the default), listed (such as the 150 of the paper), or "
        "substitute (50 of each third by number of evidence documents). sample: all (the default), text_only or listed "
        "(by name, such as w01).",
    )
    ids: str | None = Field(None, description="File that lists the task ids of subset listed, one a line or as JSON.")
    levels: list[str] = Field([], description="Levels to take, such as 1 or easy; empty for all.")
    tasks: int | None = Field(None, ge=1, description="Tasks at most, spread over the levels; empty for all.")

    @model_validator(mode="after")
    def _copy_is_named(self) -> "TaskParameters":
        if self.benchmark != "sample" and not self.data:
            raise ValueError(f"benchmark {self.benchmark} needs the folder of your copy: set data")
        if self.benchmark == "sample" and self.data:
            raise ValueError("data names a copy of gaia or browsecomp_plus: set benchmark too")
        if self.subset == "listed" and not self.ids:
            raise ValueError("subset listed needs a file with the ids of its tasks: set ids")
        if self.ids and self.subset != "listed":
            raise ValueError("ids are for subset listed: set subset to listed too")
        return self


class FrameworkParameters(Parameters):
    """Which agents solve them, and how."""

    frameworks: list[FrameworkName] = Field(
        ["hymem", "react"], min_length=1, description="HyMem and the baselines of its paper."
    )
    variants: list[Variant] = Field(
        ["full"], min_length=1, description="Variants of HyMem (table 2): full and the two ablations."
    )
    trials: int = Field(1, ge=1, le=100, description="Trials of each; the paper has at least 3.")
    calls: Literal["framework", "json", "code"] = Field(
        "framework",
        description="How tools are called: JSON, or Python in a sandbox. framework: code for HyMem, as in its paper, "
        "JSON for the others.",
    )
    planner_turns: int = Field(12, ge=1, le=1000, description="HyMem: turns of the planner.")
    executor_turns: int = Field(10, ge=1, le=1000, description="HyMem: turns of an executor.")
    isolated_sessions: int = Field(5, ge=0, le=1000, description="HyMem: isolated reasoning sessions of a task.")
    isolated_turns: int = Field(3, ge=1, le=1000, description="HyMem: turns of an isolated session.")
    flat_turns: int = Field(100, ge=1, le=10_000, description="ReAct, Summary and A-MEM: turns.")
    resum_calls: int = Field(60, ge=1, le=10_000, description="ReSum: model calls, summaries not counted.")
    thread_calls: int = Field(200, ge=1, le=10_000, description="THREAD: completions of all threads together.")
    several: Literal["first", "refuse"] = Field(
        "first", description="What a reply with several actions means: the first counts, or it is refused."
    )
    at_limit: Literal["force", "fail"] = Field(
        "force", description="HyMem: at the last planner turn the answer is forced, or the task has failed."
    )
    parse_failures: int = Field(
        3,
        ge=1,
        le=1000,
        description="Turns in a row without a usable reply, each asked for twice, after which the answer is forced.",
    )
    recent_returns: int = Field(
        4, ge=0, le=1000, description="HyMem: latest typed returns that isolated reasoning sees (tau of equation 10)."
    )
    isolated_question: bool = Field(
        False, description="HyMem: isolated reasoning sees the task's question too, which equation 10 does not have."
    )
    planner_share: float = Field(
        1.0,
        gt=0,
        le=1,
        description="HyMem: planner context of full utilisation, as a share of the window without the reply.",
    )
    resum_threshold: float = Field(
        0.9, gt=0, le=1, description="ReSum: share of the window without the reply at which it summarises."
    )
    notes: int = Field(10, ge=0, le=1000, description="A-MEM: notes retrieved for a turn.")
    neighbours: int = Field(5, ge=0, le=1000, description="A-MEM: notes that a new one is compared with.")
    recent_turns: int = Field(3, ge=1, le=1000, description="A-MEM: latest turns shown as they were.")
    thread_depth: int = Field(20, ge=1, le=500, description="THREAD: threads inside each other at most.")
    observation_tokens: int = Field(
        4096, ge=64, le=1_000_000, description="Tokens of a tool's output that a context gets at most."
    )
    summary_threshold: float = Field(
        0.8, gt=0, le=1, description="Summary: share of the window above which turns are condensed; not published."
    )


class SearchParameters(Parameters):
    """Where agents search, and what a task may take."""

    search: Literal["corpus", "searxng", "ddgs", "serper"] = Field(
        "corpus",
        description="corpus: the benchmark's own, offline. searxng: an instance of yours. ddgs: metasearch without a "
        "key. serper: Google, with the key in SERPER_API_KEY.",
    )
    search_url: Address | None = Field(None, description="Address of the SearXNG instance; for search searxng.")
    contact: str | None = Field(None, description="E-mail address named to web servers (User-Agent).")
    get_document: bool = Field(
        False, description="BrowseComp-Plus: agents may read whole documents, besides searching."
    )
    task_seconds: float = Field(3600, gt=0, description="Seconds that a task may take, over all its resumes.")
    task_model_calls: int = Field(500, ge=1, description="Model calls that a task may take.")
    task_tool_calls: int = Field(300, ge=0, description="Tool calls that a task may take.")
    task_tokens: int = Field(20_000_000, ge=1, description="Prompt and generated tokens that a task may take.")


class SolveParameters(TaskParameters, FrameworkParameters, SearchParameters):
    """Which tasks to solve, by which frameworks and with which model."""

    @model_validator(mode="after")
    def _search_back_end_is_named(self) -> "SolveParameters":
        if self.benchmark == "gaia" and self.search == "corpus" and set(self.frameworks) != {"base"}:
            raise ValueError("benchmark gaia has no corpus of its own: set search to searxng, ddgs or serper")
        return self

    @model_validator(mode="after")
    def _nothing_is_said_in_vain(self) -> "SolveParameters":
        if set(self.variants) != {"full"} and "hymem" not in self.frameworks:
            raise ValueError("variants are those of hymem: add hymem to frameworks")
        for name, needs, wanted in (
            ("search_url", self.search in ("searxng", "serper"), "search searxng"),
            ("auxiliary_endpoint", self.auxiliary_model, "auxiliary_model"),
            ("judge_model", self.judge != "none", "judge"),
            ("judge_endpoint", self.judge != "none", "judge"),
            ("get_document", self.benchmark != "gaia", "benchmark browsecomp_plus"),
        ):
            if getattr(self, name) and not needs:
                raise ValueError(f"{name} has no use without {wanted}: set {wanted} too")
        return self

    model: str = Field("embedded", description="Model specification, a file in datasets/models/ without its suffix.")
    endpoint: Address | None = Field(
        None,
        description="Base URL of a running OpenAI-compatible server. Empty: the model specification says how one is "
        "started.",
    )
    auxiliary_model: str | None = Field(
        None, description="Model specification for distilling, summaries, notes and memories; empty for the same model."
    )
    auxiliary_endpoint: Address | None = Field(None, description="Base URL of the server of the auxiliary model.")
    judge: Literal["none", "gaia", "browsecomp_plus"] = Field(
        "none", description="Prompt of a judge that scores the answers besides the exact scorer; none for no judge."
    )
    judge_model: str | None = Field(None, description="Model specification of the judge; empty for the same model.")
    judge_endpoint: Address | None = Field(None, description="Base URL of the server of the judge.")
    prompts: Literal["default", "released"] = Field(
        "default",
        description="Wording: default is the project's own; released takes that of resum and amem after `treebench "
        "prompts import`, and the own one of the others, which have none that can be imported.",
    )
    reply_tokens: int = Field(256, ge=16, le=65_536, description="Tokens that an agent's reply may have.")
    auxiliary_tokens: int = Field(
        160, ge=16, le=65_536, description="Tokens that a distilled text, summary, note or memory may have."
    )
    temperature: float = Field(0.0, ge=0, le=2, description="Sampling temperature; 0 is greedy.")
    top_p: float = Field(1.0, gt=0, le=1, description="Nucleus sampling threshold.")
    inference_seed: int = Field(42, ge=0, description="Seed of the first trial; each further trial adds one.")
    concurrency: int = Field(32, ge=1, le=1024, description="Most tasks in progress at a time; adapted below it.")
    deadline: float = Field(600, gt=0, le=86_400, description="Seconds that one model call may take.")
    on_error: Literal["stop", "continue"] = Field(
        "stop",
        description="After a task that serving failed: stop keeps what is done and ends the run; continue counts it "
        "as failed and goes on.",
    )
    retry: list[Literal["length", "overflow", "server_error", "timeout", "aborted", "parse_error", "budget"]] = Field(
        ["server_error", "timeout", "aborted"],
        description="Outcomes that are tried again when a run is resumed; every other outcome is kept.",
    )

    def plans(self) -> list[dict[str, Any]]:
        """A plan for each framework, variant and trial."""
        from tasks.long_horizon.allowance import Limits
        from tasks.long_horizon.benchmarks.source import Source
        from tasks.long_horizon.planning import Plan
        from tasks.long_horizon.prompts import has_release
        from tasks.long_horizon.tools.making import Search

        source = Source(self.benchmark, self.data, self.subset, self.ids, tuple(self.levels), self.tasks)
        kept = set(FrameworkParameters.model_fields) - {"frameworks", "variants", "trials", "calls"}
        choices = self.model_dump(include=kept) | ({} if self.calls == "framework" else {"calls": self.calls})
        decoding = {
            "temperature": self.temperature, "top_p": self.top_p, "seed": self.inference_seed,
            "reply_tokens": self.reply_tokens, "auxiliary_tokens": self.auxiliary_tokens,
        }  # fmt: skip
        limits = Limits(self.task_seconds, self.task_model_calls, self.task_tool_calls, self.task_tokens)
        search = Search(self.search, self.search_url, self.get_document, self.contact)
        return [
            Plan(source, framework, variant, trial, self.model, decoding, self.auxiliary_model, choices, limits,
                 search, self.prompts if has_release(framework) else "default").plain()
            for trial in range(1, self.trials + 1)
            for framework in self.frameworks
            for variant in (self.variants if framework == "hymem" else ["full"])
        ]  # fmt: skip
