"""What each flow can be asked for.

One set of pydantic models is the form in the Prefect UI, the YAML profile and the flags of the command line, so
a field is described, bounded and defaulted here only. The defaults are the demo.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Task = Literal["fields_1", "fields_2", "fields_4", "records_2", "records_4", "count", "frequent", "extremum"]
Dataset = Literal["json", "html", "yaml", "javascript"]
Source = Literal[
    "usgs", "nvd", "crossref", "nih_reporter", "clinicaltrials", "gbif", "contracts_finder", "usaspending",
    "websrc", "public_pages", "apis_guru", "eslint", "webpack", "three_js", "plotly_js", "babel", "lodash",
]  # fmt: skip
Method = Literal["flat", "treeagent"]

TASKS: list[Task] = ["fields_1", "fields_2", "fields_4", "records_2", "records_4", "count", "frequent", "extremum"]
SOURCES: list[Source] = ["usgs", "nvd", "crossref"]
SOURCES_OF: dict[Dataset, list[Source]] = {
    "json": [*SOURCES, "nih_reporter", "clinicaltrials", "gbif", "contracts_finder", "usaspending"],
    "html": ["websrc", "public_pages"],
    "yaml": ["apis_guru"],
    "javascript": ["eslint", "webpack", "three_js", "plotly_js", "babel", "lodash"],
}


class Parameters(BaseModel):
    """Base of all parameter models: unknown fields are refused, by name."""

    model_config = ConfigDict(extra="forbid")


class CollectParameters(Parameters):
    """Which public sources to read, and over which transport."""

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
    def _sources_are_of_the_dataset(self) -> "CollectParameters":
        own = SOURCES_OF[self.dataset]
        if self.dataset != "json" and self.sources == SOURCES:
            self.sources = list(own)
        for source in self.sources:
            if source not in own:
                raise ValueError(f"source {source} is none of dataset {self.dataset}: choose from {', '.join(own)}")
        if unknown := sorted(self.places.keys() - set(self.sources)):
            raise ValueError(f"archives names {unknown[0]}, which is none of the sources {', '.join(self.sources)}")
        return self

    @model_validator(mode="after")
    def _transport_is_complete(self) -> "CollectParameters":
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


class BuildParameters(CollectParameters):
    """Which questions to build from the sources, and how long their contexts are."""

    tasks: list[Task] = Field(TASKS, min_length=1, description="Question tasks (section 4.1 of the TreeAgent paper).")
    lengths: list[Annotated[int, Field(ge=512, le=1_048_576)]] = Field(
        [1024], min_length=1, description="Context lengths in tokens of the construction tokenizer (Qwen)."
    )
    examples: int = Field(1, ge=1, le=20_000, description="Examples in each cell of task and length.")
    seed: int = Field(42, ge=0, le=2**31 - 1, description="Seed that every random choice of the build derives from.")
    split: Literal["test", "train", "development"] = Field("test", description="Split that the examples belong to.")


class BuildReference(Parameters):
    """Which dataset version a flow works on."""

    build: str | None = Field(None, description="Dataset version (build_id); empty for the newest one.")


class ValidateParameters(BuildReference):
    """Which dataset version to check."""


class Sectioning(Parameters):
    """How contexts are cut into sections."""

    methods: list[Method] = Field(
        ["flat", "treeagent"],
        min_length=1,
        description="Observation methods (Table 1): flat cuts every base budget tokens; treeagent follows the "
        "hierarchy, with structural paths and residual memory links.",
    )
    base_budget: int = Field(
        512, ge=1, le=1_000_000, description="C: content tokens of a Flat section; 5000 in the paper."
    )
    model: str = Field("embedded", description="Model specification, a file in datasets/models/ without its suffix.")


class Evaluation(Sectioning):
    """Which agents answer the examples, with which model."""

    agents: list[Literal["memagent"]] = Field(["memagent"], min_length=1, description="Memory agents to run.")
    endpoint: str | None = Field(
        None,
        description="Base URL of a running OpenAI-compatible server, such as http://127.0.0.1:30000/v1. "
        "Empty: the model specification says how one is started.",
    )
    memory_tokens: int = Field(64, ge=8, le=32_768, description="Tokens a memory update may generate; 1024 in Table 2.")
    answer_tokens: int = Field(64, ge=8, le=32_768, description="Tokens an answer may generate; 1024 in Table 2.")
    temperature: float = Field(0.0, ge=0, le=2, description="Sampling temperature; 0 is greedy, as in the paper.")
    top_p: float = Field(1.0, gt=0, le=1, description="Nucleus sampling threshold; 1 as in the paper.")
    inference_seed: int = Field(42, ge=0, description="Seed sent with each request; some servers ignore it.")
    concurrency: int = Field(32, ge=1, le=1024, description="Most examples in progress at a time; adapted below it.")
    deadline: float = Field(600, gt=0, le=86_400, description="Seconds that one model call may take.")
    on_error: Literal["stop", "continue"] = Field(
        "stop",
        description="After a failed example: stop keeps what is done and ends the run; continue counts it as failed "
        "and goes on.",
    )
    retry: list[Literal["length", "overflow", "server_error", "timeout", "aborted", "parse_error"]] = Field(
        ["server_error", "timeout", "aborted"],
        description="Outcomes that are tried again when a run is resumed; every other outcome is kept.",
    )


class SectionParameters(BuildReference, Sectioning):
    """Which dataset version to cut into sections, and how."""


class RunParameters(BuildReference, Evaluation):
    """Which dataset version to answer, by which agents and with which model."""


class ScoreParameters(Parameters):
    """Which runs to score."""

    runs: list[str] = Field([], description="Run ids; empty for all runs of the newest dataset version.")


class ReportParameters(Parameters):
    """What to report on."""

    builds: list[str] = Field([], description="Dataset versions (build_id); empty for the newest one.")


class RebuildParameters(Evaluation, BuildParameters):  # pydantic lists the fields of the last base first
    """The whole chain: collect, build, validate, section, run, score, report."""
