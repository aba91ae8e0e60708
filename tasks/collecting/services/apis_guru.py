"""The OpenAPI directory of APIs.guru: its published list, then the preferred version of each API."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from tasks.collecting.client import Client, Refused
from tasks.collecting.received import Item, Skipped
from tasks.collecting.sources import Source


def made_at(document: Any) -> datetime | None:
    """Documents do not say when they were made."""
    return None


def ask(client: Client, source: Source, now: datetime) -> Iterator[Item]:
    """The documents, in an order by hash of their names: the first ones come from all over the directory."""
    listed, directory = client.get_json(source.live.url, {})
    version = f"list of {now.date()}, SHA-256 {listed.sha256[:16]}"
    for name in sorted(directory, key=lambda name: hashlib.sha256(name.encode()).digest()):
        entry = directory[name] if isinstance(directory[name], dict) else {}
        versions = entry.get("versions") or {}
        preferred = versions.get(entry.get("preferred")) or {}
        address = preferred.get("swaggerYamlUrl")
        if not address:
            yield Skipped(name, "no document", "the list names no YAML address of its preferred version")
            continue
        try:
            yield replace(client.get(address, accept="application/yaml, text/yaml, */*"), version=version)
        except Refused as refused:
            yield Skipped(address, "gone", str(refused))
