"""One response as it came, whatever the transport."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from tasks.hashing import content_id, sha256

Parameters = dict[str, Any]


@dataclass(frozen=True)
class Received:
    """A response body with everything that is known about where it came from.

    `licence` and `version` are None where the source's own apply; `retrieved_at` is None where nobody recorded it.
    """

    url: str
    body: bytes
    transport: str
    """How it came: sample, mirror or live."""
    location: str
    """File in the mirror, name of the sample response, or the whole address."""
    parameters: Parameters = field(default_factory=dict)
    status: int | None = None
    retrieved_at: datetime | None = None
    media_type: str | None = None
    licence: str | None = None
    method: str = "GET"
    version: str | None = None
    """Version of what was read, such as the commit of an archive."""
    archive_sha256: str | None = None
    """SHA-256 of the archive that it is a file of."""

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the body."""
        return sha256(self.body)

    def response_id(self, source: str) -> str:
        """Key of the row in table `responses`."""
        return content_id(source, self.transport, self.url, self.parameters, self.sha256)

    def row(self, source: str) -> dict[str, Any]:
        """Row of table `responses`."""
        return {
            "response_id": self.response_id(source),
            "source": source,
            "url": self.url,
            "parameters": self.parameters,
            "method": self.method,
            "status": self.status,
            "retrieved_at": self.retrieved_at,
            "sha256": self.sha256,
            "bytes": len(self.body),
            "media_type": self.media_type,
            "transport": self.transport,
            "location": self.location,
            "archive_sha256": self.archive_sha256,
            "sample": self.transport == "sample",
        }


@dataclass(frozen=True)
class Skipped:
    """Something that was to be read and was not: gone, forbidden to programs, or too large."""

    location: str
    reason: str
    detail: str


Item = Received | Skipped


def split_url(address: str) -> tuple[str, Parameters]:
    """The address without its query, and the query's parameters; a repeated parameter becomes a list."""
    parts = urlsplit(address)
    parameters: Parameters = {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        earlier = parameters.get(name)
        if earlier is None:
            parameters[name] = value
        else:
            parameters[name] = [*(earlier if isinstance(earlier, list) else [earlier]), value]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")), parameters
