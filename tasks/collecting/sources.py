"""The public sources as data: `datasets/sources/<name>.yaml`."""

from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tasks.errors import Fault, UserError
from tasks.hashing import sha256
from tasks.home import PROJECT

FOLDER = PROJECT / "datasets" / "sources"


class Live(BaseModel):
    """How the public service wants to be asked (spec of the source, quoted in its file)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    page: int = Field(ge=1)
    """Records to ask for in one request."""
    interval: float = Field(ge=0)
    """Seconds between the starts of two requests."""
    days: int | None = Field(None, ge=1)
    """Longest time window of a query, in days."""
    most_matches: int | None = Field(None, ge=1)
    """A query that matches more records is refused."""
    key_variable: str | None = None
    """Environment variable that may hold an access key; keys are read from nowhere else."""
    key_header: str | None = None
    contact_parameter: str | None = None
    limit_headers: tuple[str, str] | None = None
    """Response headers with the number of requests allowed and the interval they are allowed in."""
    retried_statuses: tuple[int, ...] = ()
    """Statuses that mean "too fast" at this service, besides 429 and 5xx."""


class Source(BaseModel):
    """One public source."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    dataset: str
    format: str
    title: str
    home: str
    terms: str
    licence: str
    notice: str
    version: str
    holds_records_if: dict[str, str]
    """Top-level values that tell a response with a record list from details, counts and errors."""
    records: tuple[str, ...]
    """Keys that lead from the top of such a response to its record list."""
    live: Live

    def named(self, transport: str) -> str:
        """Name of the source in tables: sample data has a name of its own."""
        return f"{self.source}-sample" if transport == "sample" else self.source

    def row(self, transport: str) -> dict[str, Any]:
        """Row of table `sources`."""
        if transport != "sample":
            return {
                "source": self.source,
                "dataset": self.dataset,
                "title": self.title,
                "home_url": self.home,
                "terms_url": self.terms,
                "licence": self.licence,
                "notice": self.notice,
                "version": self.version,
                "sample": False,
            }
        return {
            "source": self.named(transport),
            "dataset": self.dataset,
            "title": f"{self.title} (invented sample)",
            "home_url": None,
            "terms_url": None,
            "licence": SAMPLE_LICENCE,
            "notice": f"Invented data in the shape of {self.title}; for trying the pipeline, not for claims.",
            "version": self.version,
            "sample": True,
        }


SAMPLE_LICENCE = "Apache-2.0 (invented sample data of treebench)"


def names() -> list[str]:
    """Names of all sources, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


@cache
def source(name: str) -> Source:
    """The source called `name`. Raises `UserError` when there is none, `Fault` when its file is broken."""
    from ruamel.yaml import YAML

    path = FOLDER / f"{name}.yaml"
    if not path.is_file():
        raise UserError(f"There is no source {name}: choose from {', '.join(names())}.")
    try:
        return Source.model_validate(YAML(typ="safe", pure=True).load(path.read_text("utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise Fault(f"datasets/sources/{name}.yaml is broken at {where}: {first['msg']}.") from None


def version(name: str) -> str:
    """Hash of the source's file: what is collected depends on it."""
    return sha256((FOLDER / f"{name}.yaml").read_bytes())
