"""What each flow can be asked for.

One set of pydantic models is the form in the Prefect UI, the YAML profile and the flags of the command line, so
a field is described, bounded and defaulted here only. The defaults are the demo.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

Task = Literal["fields_1", "fields_2", "fields_4", "records_2", "records_4", "count", "frequent", "extremum"]
Dataset = Literal["json", "html", "yaml", "javascript"]
Source = Literal[
    "usgs", "nvd", "crossref", "nih_reporter", "clinicaltrials", "gbif", "contracts_finder", "usaspending",
    "websrc", "public_pages", "apis_guru", "eslint", "webpack", "three_js", "plotly_js", "babel", "lodash",
]  # fmt: skip
Method = Literal["flat", "tree", "tree_path", "treeagent"]
Agent = Literal["memagent", "infmem", "memreread", "rememr1"]
Outcome = Literal["length", "overflow", "server_error", "timeout", "aborted", "parse_error"]

TASKS: list[Task] = ["fields_1", "fields_2", "fields_4", "records_2", "records_4", "count", "frequent", "extremum"]
SOURCES: list[Source] = ["usgs", "nvd", "crossref"]
SOURCES_OF: dict[Dataset, list[Source]] = {
    "json": [*SOURCES, "nih_reporter", "clinicaltrials", "gbif", "contracts_finder", "usaspending"],
    "html": ["websrc", "public_pages"],
    "yaml": ["apis_guru"],
    "javascript": ["eslint", "webpack", "three_js", "plotly_js", "babel", "lodash"],
}


def _is_address(given: str) -> str:
    try:
        parts = urlsplit(given)
    except ValueError:  # such as brackets that do not close
        parts = urlsplit("")
    if given and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValueError(f"{given} is no address of a server: begin it with http:// or https://")
    return given


Address = Annotated[str, AfterValidator(_is_address)]
"""Where a server answers; empty is none."""


class Parameters(BaseModel):
    """Base of all parameter models: unknown fields are refused, by name."""

    model_config = ConfigDict(extra="forbid")


class SourceParameters(Parameters):
    """Which public sources a dataset is made of, and over which transport they came."""

    dataset: Dataset = Field("json", description="Dataset to work on; each has its own sources.")
    sources: list[Source] = Field(
        SOURCES,
        min_length=1,
        description="Public sources to read. Left at its default, a dataset other than json reads all of its own.",
    )
    transport: Literal["sample", "mirror", "live"] = Field(
        "sample",
        description="sample: built-in invented data, no network. mirror: recorded responses in a folder. "
        "live: the public services themselves.",
    )

    @model_validator(mode="after")
    def _sources_are_of_the_dataset(self) -> Self:
        own = SOURCES_OF[self.dataset]
        if self.dataset != "json" and self.sources == SOURCES:
            self.sources = list(own)
        for source in self.sources:
            if source not in own:
                raise ValueError(f"source {source} is none of dataset {self.dataset}: choose from {', '.join(own)}")
        return self


class CollectParameters(SourceParameters):
    """How the sources are read."""

    mirror: str | None = Field(
        None, description="Folder (or fsspec URL) of recorded responses, one subfolder a source; for transport mirror."
    )
    archives: list[Annotated[str, Field(pattern=r"^[a-z_]+=.+$")]] = Field(
        [],
        description="SOURCE=PLACE: an archive (path, address, or commit:HEX of the source's own) or an unpacked folder "
        "to read a source from instead; for transports mirror and live.",
    )
    contact: str | None = Field(
        None, description="E-mail address named to the public services (User-Agent); required for transport live."
    )
    responses: int = Field(
        20, ge=1, le=100_000, description="Responses to ask each source for at most; for transport live."
    )
    record: str | None = Field(
        None, description="Mirror (folder or fsspec URL) that what comes over transport live is written into."
    )
    lock: str | None = Field(
        None,
        description="Manifest in datasets/locks/, without its suffix: what was collected is pinned in it, or, with "
        "locked, compared with it. Empty with locked: DATASET-TRANSPORT.",
    )
    locked: bool = Field(False, description="Refuse what was collected unless it is what the lock pins.")

    @property
    def places(self) -> dict[str, str]:
        """Source to the place that `archives` names for it."""
        return dict(archive.split("=", 1) for archive in self.archives)

    @property
    def lock_name(self) -> str:
        """The manifest to write or compare with."""
        return self.lock or f"{self.dataset}-{self.transport}"

    @model_validator(mode="after")
    def _archives_are_of_the_sources(self) -> Self:
        if unknown := sorted(self.places.keys() - set(self.sources)):
            raise ValueError(f"archives names {unknown[0]}, which is none of the sources {', '.join(self.sources)}")
        return self

    @model_validator(mode="after")
    def _mirror_is_there(self) -> Self:
        remote = self.mirror and ("://" in self.mirror or "::" in self.mirror)
        read = self.mirror if self.transport == "mirror" and not remote else None
        if read and not Path(read).expanduser().is_dir():
            raise ValueError(f"there is no folder {self.mirror}: set mirror to one of recorded responses")
        return self

    @model_validator(mode="after")
    def _transport_is_complete(self) -> Self:
        elsewhere = [source for source in self.sources if source not in self.places]
        if self.transport == "mirror" and not self.mirror and elsewhere:
            raise ValueError("transport mirror needs the folder of recorded responses: set mirror")
        if self.transport == "live" and not self.contact:
            raise ValueError("transport live needs an e-mail address for the services: set contact")
        if self.transport == "sample" and self.archives:
            raise ValueError("transport sample reads no archives: set transport to mirror or live")
        if self.record and self.transport != "live":
            raise ValueError("only what comes over transport live is recorded: set transport to live, or no record")
        return self


class Questions(Parameters):
    """Which questions to build, and how long their contexts are."""

    tasks: list[Task] = Field(TASKS, min_length=1, description="Question tasks (section 4.1 of the TreeAgent paper).")
    lengths: list[Annotated[int, Field(ge=512, le=1_048_576)]] = Field(
        [1024], min_length=1, description="Context lengths in tokens of the construction tokenizer (Qwen)."
    )
    examples: int = Field(1, ge=1, le=20_000, description="Examples in each cell of task and length.")
    seed: int = Field(42, ge=0, le=2**31 - 1, description="Seed that every random choice of the build derives from.")
    split: Literal["test", "train", "development"] = Field("test", description="Split that the examples belong to.")
    workers: int | None = Field(
        None,
        ge=1,
        le=256,
        description="Processes that build, and check; empty for one a processor. They change no example.",
    )


class BuildParameters(Questions, SourceParameters):  # pydantic lists the fields of the last base first
    """Which questions to build from what was collected of the sources."""


class BuildReference(Parameters):
    """Which dataset version a flow works on."""

    build: str | None = Field(None, description="Dataset version (build_id); empty for the newest one.")


class ValidateParameters(BuildReference):
    """Which dataset version to check."""

    workers: int | None = Field(
        None, ge=1, le=256, description="Processes that check; empty for one a processor. They change no finding."
    )


class Sectioning(Parameters):
    """How contexts are cut into sections."""

    methods: list[Method] = Field(
        ["flat", "treeagent"],
        min_length=1,
        description="Observation methods (Table 1): flat cuts every base budget tokens; tree follows the hierarchy; "
        "tree_path adds structural paths; treeagent adds residual memory links as well.",
    )
    base_budget: int = Field(
        512, ge=1, le=1_000_000, description="C: content tokens of a Flat section; 5000 in the paper."
    )
    model: str = Field("embedded", description="Model specification, a file in datasets/models/ without its suffix.")


class Evaluation(Sectioning):
    """Which agents answer the examples, with which model."""

    agents: list[Agent] = Field(["memagent"], min_length=1, description="Memory agents to run.")
    endpoint: Address | None = Field(
        None,
        description="Base URL of a running OpenAI-compatible server, such as http://127.0.0.1:30000/v1. "
        "Empty: the model specification says how one is started.",
    )
    prompts: Literal["default", "released", "released-boxed"] = Field(
        "default",
        description="Wording: default is the project's own; released needs `treebench prompts import`; released-boxed "
        "is MemAgent's other released final prompt.",
    )
    decoding: Literal["demo", "paper", "released"] = Field(
        "demo",
        description="Preset of sampling and token limits: paper is greedy with the limits of Table 2, released each "
        "agent's own settings, demo tiny. The fields below override it.",
    )
    memory_tokens: int | None = Field(None, ge=8, le=32_768, description="Tokens that a memory update may generate.")
    answer_tokens: int | None = Field(None, ge=8, le=32_768, description="Tokens that an answer may generate.")
    controller_tokens: int | None = Field(
        None, ge=8, le=32_768, description="Tokens that a plan (InfMem) or an open question (MemReread) may generate."
    )
    thinking_tokens: int | None = Field(
        None, ge=0, le=32_768, description="InfMem: tokens of thinking before each reply; 0 switches thinking off."
    )
    temperature: float | None = Field(None, ge=0, le=2, description="Sampling temperature; 0 is greedy.")
    top_p: float | None = Field(None, gt=0, le=1, description="Nucleus sampling threshold.")
    inference_seed: int | None = Field(None, ge=0, description="Seed sent with each request; some servers ignore it.")
    retrieval: Literal["legacy", "enhanced", "rl"] | None = Field(
        None, description="InfMem: which of its three released retrievals; legacy is the likelier basis of the paper."
    )
    unit_tokens: int | None = Field(None, ge=8, le=10_000, description="InfMem: tokens of a retrieval unit.")
    early_stop: int | None = Field(None, ge=1, description="InfMem: consecutive stops that end the reading.")
    rereads: int | None = Field(None, ge=0, le=20, description="MemReread: rereads at most.")
    concurrency: int = Field(32, ge=1, le=1024, description="Most examples in progress at a time; adapted below it.")
    deadline: float = Field(600, gt=0, le=86_400, description="Seconds that one model call may take.")
    on_error: Literal["stop", "continue"] = Field(
        "stop",
        description="After a failed example: stop keeps what is done and ends the run; continue counts it as failed "
        "and goes on.",
    )
    retry: list[Outcome] = Field(
        ["server_error", "timeout", "aborted"],
        description="Outcomes that are tried again when a run is resumed; every other outcome is kept.",
    )
    limit_tokens: int | None = Field(
        None, ge=1, description="Prompt and generated tokens that this command may spend; then it ends, to be resumed."
    )
    limit_time: float | None = Field(
        None, gt=0, description="Seconds that this command may ask models for; then it ends, to be resumed."
    )
    shards_at_once: int = Field(
        1, ge=1, le=32, description="Shards worked on side by side; several keep a fast server busy with long contexts."
    )

    def chosen(self) -> dict[str, Any]:
        """What is set over the decoding preset."""
        names = (
            "temperature", "top_p", "memory_tokens", "answer_tokens", "controller_tokens", "thinking_tokens",
            "retrieval", "unit_tokens", "early_stop", "rereads",
        )  # fmt: skip
        return {**{name: getattr(self, name) for name in names}, "seed": self.inference_seed}


class SectionParameters(BuildReference, Sectioning):
    """Which dataset version to cut into sections, and how."""


class RunParameters(BuildReference, Evaluation):
    """Which dataset version to answer, by which agents and with which model."""


class ScoreParameters(Parameters):
    """Which runs to score."""

    runs: list[str] = Field(
        [], description="Run ids; empty for all runs of memory agents: scores that are up to date are kept."
    )


class ReportParameters(Parameters):
    """What to report on."""

    builds: list[Annotated[str, Field(min_length=1)]] = Field(
        [],
        description="Dataset versions (build_id), one of each dataset; empty for the newest of every dataset, of those "
        "that were run if any was.",
    )
