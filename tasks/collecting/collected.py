"""Rows that reading a source gives: responses, payloads, where payloads stand, and what was rejected and why."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from tasks.collecting import reading
from tasks.collecting.cutting import Unit
from tasks.collecting.masking import mask
from tasks.collecting.received import Item, Received
from tasks.collecting.sources import SAMPLE_LICENCE, Source
from tasks.errors import Fault, TreebenchError
from tasks.hashing import content_id, sha256


class Collected:
    """Rows of one source over one transport."""

    def __init__(self, spec: Source, transport: str):
        self.spec = spec
        self.transport = transport
        self.name = spec.named(transport)
        self.sample = transport == "sample"
        self.responses: dict[str, dict[str, Any]] = {}
        self.payloads: dict[str, dict[str, Any]] = {}
        self.origins: dict[tuple[str, str], dict[str, Any]] = {}
        self.rejections: list[dict[str, Any]] = []
        self.records = 0
        """Records in the responses, before payloads that stand twice are counted once."""
        self.repeated = 0
        """Units that stand in an earlier response too."""
        self.masks = 0
        self.failure: Fault | None = None
        """What ended the transport before its end."""
        self._written_otherwise: dict[str, str] = {}

    def add(self, item: Received, made_at: datetime | None) -> bool:
        """Take a response; False where its body is not to be kept: a copy, of another format, or of no use."""
        response_id = item.response_id(self.name)
        if response_id in self.responses:
            return False
        try:
            found = reading.read(item, self.spec)
        except TreebenchError as error:
            self.reject(item.location, f"not {self.spec.format.upper()}", f"{len(item.body)} bytes: {error}")
            return False
        for part in found.rejected:
            self.reject(item.location + part.where, part.reason, part.detail)
        if found.units is not None and not found.units and self.spec.format == "javascript":
            return False  # most program files hold no static data
        self.responses[response_id] = self._response(item, response_id, found.encoding, made_at)
        for unit in found.units or ():
            self.records += unit.records
            self._add_unit(item, response_id, unit)
        return True

    def reject(self, subject: str, reason: str, detail: str) -> None:
        """Note what was thrown away."""
        self.rejections.append(
            {
                "rejection_id": content_id("collect", self.name, subject, reason),
                "stage": "collect",
                "subject": subject,
                "reason": reason,
                "detail": detail,
                "recorded_at": datetime.now(UTC).replace(tzinfo=None),
            }
        )

    def until_failure(self, received: Iterator[Item]) -> Iterator[Item]:
        """The responses up to the failure of a service, which is noted."""
        try:
            yield from received
        except Fault as fault:
            self.failure = fault

    def _response(self, item: Received, response_id: str, encoding: str, made_at: datetime | None) -> dict[str, Any]:
        row = item.row(self.name) | {"response_id": response_id, "encoding": encoding} | self._terms(item)
        row["licence"] = item.licence or self._licence()
        return row | {"retrieved_at": item.retrieved_at or made_at}

    def _add_unit(self, item: Received, response_id: str, unit: Unit) -> None:
        # JavaScript with personal data was rejected, and sample data has none.
        masked = not self.sample and self.spec.format != "javascript"
        text, masks = mask(unit.text, self.spec.format) if masked else (unit.text, [])
        payload_id = content_id(self.spec.format, text)
        if unit.canonical:
            payload_id = self._written_otherwise.setdefault(unit.canonical, payload_id)
        location = [list(span) for span in unit.ranges]
        origin = {
            "payload_id": payload_id,
            "response_id": response_id,
            "location": location,
            "sample": self.sample,
        }
        self.origins.setdefault((payload_id, response_id), origin)
        if payload_id in self.payloads:
            self.repeated += 1
            return
        self.masks += len(masks)
        response = self.responses[response_id]
        self.payloads[payload_id] = {
            "payload_id": payload_id,
            "source": self.name,
            "dataset": self.spec.dataset,
            "format": self.spec.format,
            "response_id": response_id,
            "location": location,
            "records": unit.records,
            "characters": len(text),
            "licence": self._unit_licence(item, unit),
            "sample": self.sample,
            "text": text,
            "url": item.url,
            "parameters": item.parameters,
            "status": item.status,
            "retrieved_at": response["retrieved_at"],
            "body_sha256": item.sha256,
            "text_sha256": sha256(text),
            "masks": [mask.row() for mask in masks] or None,
            "written": {"before": unit.before, "behind": unit.behind} if unit.before or unit.behind else None,
        } | self._terms(item)

    def _unit_licence(self, item: Received, unit: Unit) -> str:
        if self.sample:
            return SAMPLE_LICENCE
        return unit.licence or item.licence or self._licence()

    def _licence(self) -> str:
        return self.spec.row(self.transport)["licence"]

    def _terms(self, item: Received) -> dict[str, Any]:
        row = self.spec.row(self.transport)
        return {
            "terms_url": row["terms_url"],
            "notice": row["notice"],
            "source_version": item.version or row["version"],
        }
