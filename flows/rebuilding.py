"""What the flow `rebuild` can be asked for: everything of the stages that it runs one after the other."""

from typing import Any

from pydantic import Field, model_validator

from flows.parameters import SOURCES_OF, CollectParameters, Dataset, Evaluation, Questions, Task


class RebuildParameters(Evaluation, Questions, CollectParameters):  # pydantic lists the fields of the last base first
    """The whole chain: collect, build, validate, section, run, score, report."""

    datasets: list[Dataset] = Field(
        [],
        description="Datasets to rebuild. `tasks`, `sources`, `archives` and `lock` are for `dataset` or, where that "
        "is left out, the first of them; the others are built from all of their sources, with `other_tasks`. Empty: "
        "`dataset` alone, or all four over sample data where that is left out too.",
    )
    other_tasks: list[Task] = Field(
        ["fields_2"], min_length=1, description="Question tasks of all datasets but the first; see `datasets`."
    )
    long_horizon_tasks: int = Field(
        3,
        ge=0,
        le=27,
        description="Built-in sample tasks that HyMem and ReAct solve with the same model, with few turns; 0 for none. "
        "Their benchmarks proper are run by `treebench solve`.",
    )

    @model_validator(mode="before")
    @classmethod
    def _first_is_the_dataset(cls, given: Any) -> Any:
        if isinstance(given, dict) and given.get("datasets") and "dataset" not in given:
            return given | {"dataset": given["datasets"][0]}
        return given

    @model_validator(mode="after")
    def _dataset_is_among_them(self) -> "RebuildParameters":
        if self.datasets and self.dataset not in self.datasets:
            named = ", ".join(self.datasets)
            raise ValueError(f"dataset {self.dataset} is none of the datasets {named}: add it there, or leave it out")
        return self

    def each(self) -> "list[RebuildParameters]":
        """These parameters for one dataset after the other, `dataset` first, each once."""
        every = self.transport == "sample" and "dataset" not in self.model_fields_set
        named = self.datasets or (list(SOURCES_OF) if every else [self.dataset])
        ranked = sorted(set(named), key=lambda dataset: (dataset != self.dataset, list(SOURCES_OF).index(dataset)))
        return [self if dataset == self.dataset else self._for(dataset) for dataset in ranked]

    def _for(self, dataset: Dataset) -> "RebuildParameters":
        own = {
            "dataset": dataset,
            "sources": SOURCES_OF[dataset],
            "tasks": self.other_tasks,
            "archives": [],
            "lock": None,
        }
        return self.model_copy(update=own)
