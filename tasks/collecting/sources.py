"""The public sources as data: `datasets/sources/<name>.yaml`."""

from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tasks.errors import Fault, UserError
from tasks.hashing import sha256
from tasks.home import PROJECT

FOLDER = PROJECT / "datasets" / "sources"

Format = Literal["json", "html", "yaml", "javascript"]


class Holding(BaseModel):
    """A sort of JSON response that holds records: how it is told from others, and where its records lie."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    values: dict[str, str] = {}
    """Top-level keys with the text that they must have."""
    has: tuple[str, ...] = ()
    """Top-level keys that must be there."""
    lacks: tuple[str, ...] = ()
    """Top-level keys that must not be there."""
    records: tuple[str, ...] = ()
    """Keys that lead from the top to the list of records; none: the response itself is the list."""
    each_has: tuple[str, ...] = ()
    """Keys that the first record must have."""
    whole: bool = False
    """The response is one record."""


class Quiet(BaseModel):
    """Hours that a service keeps for big jobs: weekends, and weekdays between two hours of its time zone."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    requests: int
    """A job with more requests is big."""
    zone: str
    begin: int
    end: int


class Live(BaseModel):
    """How the public service wants to be asked (its rules are quoted in the file of the source)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    service: str | None = None
    """Module in tasks/collecting/services/ that knows how to ask; by default the one named like the source."""
    url: str
    page: int = Field(1, ge=1)
    """Records to ask for in one request."""
    interval: float = Field(ge=0)
    """Seconds between the starts of two requests."""
    days: int | None = Field(None, ge=1)
    """Longest time window of a query, in days."""
    most_matches: int | None = Field(None, ge=1)
    """A query that matches more records is refused or cut off."""
    most_megabytes: int = Field(64, ge=1)
    """A longer answer is not read to its end."""
    key_variable: str | None = None
    """Environment variable that may hold an access key; a Prefect Secret block has the same name with dashes."""
    key_header: str | None = None
    contact_parameter: str | None = None
    limit_headers: tuple[str, str] | None = None
    """Response headers with the number of requests allowed and the interval they are allowed in."""
    remaining_header: str | None = None
    """Response header with the number of requests that are left."""
    too_fast: dict[int, float] = {}
    """Statuses that mean "too fast" at this service besides 429 and 5xx, with the seconds of silence asked for."""
    quiet: Quiet | None = None
    commit: str | None = None
    """Commit of the repository archive that is read; replaces {commit} in addresses."""
    archive: str | None = None
    """Address of an archive that holds the same as the service, at {commit}."""
    members: tuple[str, ...] = ()
    """Patterns of the files that are read from an archive or folder."""
    pages: tuple[str, ...] = ()
    """Addresses of pages to read."""


class Mirror(BaseModel):
    """Where recorded responses of the source lie in a mirror."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: str
    include: tuple[str, ...] = ("*.json", "*.geojson")
    exclude: tuple[str, ...] = ()


class Source(BaseModel):
    """One public source."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    dataset: Format
    format: Format
    title: str
    home: str
    terms: str
    licence: str
    notice: str
    version: str
    holds: tuple[Holding, ...] = ()
    """Sorts of JSON responses that hold records; any other (count, detail, error) holds none."""
    mirror: Mirror
    live: Live

    @model_validator(mode="before")
    @classmethod
    def _own_folder(cls, data: Any) -> Any:
        return {"mirror": {"folder": data.get("source", "")}, **data} if isinstance(data, dict) else data

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


def names(dataset: str | None = None) -> list[str]:
    """Names of all sources, or of those of one dataset, sorted."""
    found = sorted(path.stem for path in FOLDER.glob("*.yaml"))
    return [name for name in found if dataset is None or source(name).dataset == dataset]


@cache
def source(name: str) -> Source:
    """The source called `name`. Raises `UserError` when there is none, `Fault` when its file is broken."""
    from ruamel.yaml import YAML, YAMLError

    path = FOLDER / f"{name}.yaml"
    if not path.is_file():
        raise UserError(f"There is no source {name}: choose from {', '.join(names())}.")
    try:
        return Source.model_validate(YAML(typ="safe", pure=True).load(path.read_text("utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the top"
        raise Fault(f"datasets/sources/{name}.yaml is broken at {where}: {first['msg']}.") from None
    except (YAMLError, UnicodeDecodeError) as error:
        raise Fault(f"datasets/sources/{name}.yaml is no YAML: {' '.join(str(error).split())}.") from None


def version(name: str) -> str:
    """Hash of the source's file: what is collected depends on it."""
    return sha256((FOLDER / f"{name}.yaml").read_bytes())
