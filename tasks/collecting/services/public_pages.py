"""Public pages of a list, where robots.txt of their host lets programs read them (RFC 9309)."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from tasks.collecting.client import Client, Refused
from tasks.collecting.received import Item, Skipped
from tasks.collecting.sources import Source
from tasks.errors import Fault

AGENT = "treebench"


def made_at(document: Any) -> datetime | None:
    """Pages do not say when they were made."""
    return None


def ask(client: Client, source: Source, now: datetime) -> Iterator[Item]:
    """The pages, in the order of the list."""
    rules: dict[str, RobotFileParser | None] = {}
    for address in source.live.pages:
        parts = urlsplit(address)
        host = f"{parts.scheme}://{parts.netloc}"
        if host not in rules:
            rules[host] = _rules(client, host)
        rule = rules[host]
        if rule is None or not rule.can_fetch(AGENT, address):
            yield Skipped(address, "forbidden to programs", f"by {host}/robots.txt")
            continue
        try:
            yield client.get(address, accept="text/html, application/xhtml+xml")
        except Refused as refused:
            yield Skipped(address, "gone", str(refused))


def _rules(client: Client, host: str) -> RobotFileParser | None:
    """What robots.txt of a host says; None, which forbids all, where it cannot be read."""
    rules = RobotFileParser()
    try:
        text = client.get(f"{host}/robots.txt").body.decode("utf-8", "replace")
    except Refused:
        text = ""  # no such file: everything is allowed
    except Fault:
        return None
    rules.parse(text.splitlines())
    return rules
