"""SOURCES.md of a mirror folder: where each recorded response comes from, a line a file, for people and programs.

`- FILE | BYTES bytes | records N | OWNER/REPOSITORY @ COMMIT : PATH | licence: LICENCE | GET ADDRESS -> STATUS | ...`.
The order of the facts behind the file name is free. A POST has `body {...}` between address and status. Text above the
lines may say `All from OWNER/REPOSITORY ..., commit COMMIT, path FOLDER/<file>` for all of them, or name the commit of
a repository as `OWNER/REPOSITORY @ COMMIT`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

NOTES = "SOURCES.md"

_ORIGIN = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+) @ (?P<commit>[0-9a-f]{7,40})?\s?: (?P<path>\S+)")
_REQUEST = re.compile(
    r"(?P<method>GET|POST) (?P<address>\S+)(?: body (?P<body>\{.*\}))?(?:.*? -> (?P<status>\d{3}))?(?: |$)"
)
_ALL = re.compile(
    r"All from (?P<repository>[\w.-]+/[\w.-]+) .*?commit (?P<commit>[0-9a-f]{7,40}), path (?P<path>\S*?)<file>"
)
_REPOSITORY = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+) @ (?P<commit>[0-9a-f]{7,40})")


@dataclass(frozen=True)
class Note:
    """What is said about one file. `body` are the parameters of a POST."""

    address: str | None = None
    status: int | None = None
    licence: str | None = None
    method: str = "GET"
    body: dict[str, Any] | None = None
    retrieved_at: datetime | None = None
    media_type: str | None = None
    version: str | None = None

    def line(self, name: str, size: int) -> str:
        """The line of SOURCES.md that says this; `Notes.read` reads it back."""
        facts = [name, f"{size} bytes"]
        facts += [f"licence: {self.licence}"] if self.licence else []
        facts += [f"retrieved: {self.retrieved_at.isoformat()}"] if self.retrieved_at else []
        facts += [f"type: {self.media_type}"] if self.media_type else []
        facts += [f"version: {self.version}"] if self.version else []
        body = f" body {json.dumps(self.body, separators=(',', ':'))}" if self.body is not None else ""
        facts.append(f"{self.method} {self.address}{body}" + (f" -> {self.status}" if self.status else ""))
        # A bar would end the fact: in JSON it has an escape, in an address a percent code.
        escaped = [fact.replace("|", "\\u007c" if " body {" in fact else "%7C") for fact in facts]
        return "- " + " | ".join(" ".join(fact.split()) for fact in escaped)


@dataclass(frozen=True)
class Notes:
    """The notes of a folder, by file name, and the text above them."""

    files: Mapping[str, Note]
    head: str

    @classmethod
    def read(cls, text: str) -> "Notes":
        """Whatever lines say; other lines are text for people."""
        found, head = {}, []
        for line in text.splitlines():
            name, *facts = (fact.strip() for fact in line.removeprefix("- ").split(" | "))
            if line.startswith("- ") and facts:
                found[name] = _note(facts)
            else:
                head.append(line)
        return cls(found, "\n".join(head))

    def of(self, name: str, home: str) -> Note:
        """The note of a file; where it has none, what the head says about the folder or the repository at `home`."""
        note = self.files.get(name, Note())
        if note.address:
            return note
        every = _ALL.search(self.head.replace("\n", " "))
        if every:
            address = f"https://github.com/{every['repository']}/blob/{every['commit']}/{every['path']}{name}"
            return _with(note, address, every["commit"])
        for match in _REPOSITORY.finditer(self.head):
            if home.endswith(f"github.com/{match['repository']}"):
                return _with(note, f"{home}/tree/{match['commit']}", match["commit"])
        return note


def _with(note: Note, address: str, commit: str) -> Note:
    return Note(address, note.status, note.licence, version=f"commit {commit}")


def _note(facts: list[str]) -> Note:
    """The request's address where the line has one, else where the recording was published."""
    found: dict[str, Any] = {}
    for fact in facts:
        origin, request = _ORIGIN.match(fact), _REQUEST.match(fact)
        if origin and "address" not in found:
            reference = origin["commit"] or "HEAD"
            found["address"] = f"https://github.com/{origin['repository']}/blob/{reference}/{origin['path']}"
        if request:
            found["address"] = request["address"].removesuffix("?...")
            found["method"] = request["method"]
            found["status"] = int(request["status"]) if request["status"] else None
            found["body"] = _parameters(request["body"])
        key, _, value = fact.partition(": ")
        match key:
            case "licence" | "spec licence" if value.strip():
                found["licence"] = value.strip()
            case "retrieved":
                found["retrieved_at"] = datetime.fromisoformat(value)
            case "type":
                found["media_type"] = value
            case "version":
                found["version"] = value
    return Note(**found)


def _parameters(text: str | None) -> dict[str, Any] | None:
    try:
        found = json.loads(text) if text else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
