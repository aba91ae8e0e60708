"""What a service was asked and answered, on disk: a killed run goes on where it was, a changed page is asked for once.

`<home>/asked/<source>/` holds `unfinished.jsonl`, the answers of a run that has not ended (a line each, written before
the next request is sent; bodies lie in `responses/`), and `validators.jsonl`, by which the service can say that an
answer has not changed.
"""

import fcntl
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from tasks.collecting import bodies
from tasks.collecting.received import Received
from tasks.errors import UserError
from tasks.hashing import content_id, sha256
from tasks.home import Home

OLDEST = timedelta(days=7)
"""An unfinished run older than this is begun anew: services change meanwhile."""


class Asked:
    """The answers of one run over one source. Use it as a context manager; one process at a time has it."""

    def __init__(self, home: Home, source: str, asking: str, now: datetime):
        """`asking` is a hash of what decides the requests; an unfinished run of another hash is forgotten.

        Raises `UserError` while another process reads the same source, and `Fault` where nothing can be written.
        """
        self._home = home
        self._folder = home.root / "asked" / source
        log = self._folder / "unfinished.jsonl"
        with bodies.writing(log):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(log, os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._handle)
            raise UserError(f"Another run is asking source {source} at this moment: wait until it ends.") from None
        self._answers: dict[str, dict[str, Any]] = {}
        self._validators = _lines(self._folder / "validators.jsonl")
        self.started = now
        """When the run was begun (UTC); queries about the latest data go on from there."""
        self._load(asking)

    def _load(self, asking: str) -> None:
        data = b""
        with suppress(OSError):
            data = (self._folder / "unfinished.jsonl").read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        lines = [json.loads(line) for line in whole.splitlines()]
        if lines and lines[0]["asking"] == asking:
            begun = datetime.fromisoformat(lines[0]["started"])
            if self.started - begun <= OLDEST:
                os.ftruncate(self._handle, len(whole))  # the line in flight when the run was killed
                self.started = begun
                self._answers = {line["request"]: line for line in lines[1:]}
                return
        os.ftruncate(self._handle, 0)
        self._append({"asking": asking, "started": self.started.isoformat()})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    @property
    def silence(self) -> Path:
        """File in which `manners.Pace` keeps the end of a silence."""
        return self._folder / "silence.json"

    def answered(self, request: str) -> Received | None:
        """The answer that this run has had already, or None."""
        line = self._answers.get(request)
        return self._received(line) if line else None

    def validators(self, request: str) -> dict[str, str]:
        """Headers of a conditional request, if an earlier run has had an answer that is still there."""
        line = self._validators.get(request)
        if line is None or bodies.read(self._home, line["sha256"]) is None:
            return {}
        headers = {"If-None-Match": line.get("etag"), "If-Modified-Since": line.get("last_modified")}
        return {name: value for name, value in headers.items() if value}

    def unchanged(self, request: str) -> Received | None:
        """The earlier answer that the service says has not changed."""
        return self._received(self._validators[request] | {"retrieved_at": _now().isoformat()})

    def keep(self, request: str, received: Received, headers: Mapping[str, str]) -> None:
        """Write an answer down. Raises `Fault` where the disk is full."""
        bodies.keep(self._home, received.sha256, received.body)
        line = _line(request, received)
        self._answers[request] = line
        self._append(line)
        etag, modified = headers.get("etag"), headers.get("last-modified")
        if etag or modified:
            self._validators[request] = line | {"etag": etag, "last_modified": modified}
            path = self._folder / "validators.jsonl"
            with bodies.writing(path), path.open("a") as file:
                file.write(json.dumps(self._validators[request]) + "\n")

    def archive(self, url: str) -> Path:
        """Where the archive at an address is kept, whole or not there. One at a commit never changes and stays."""
        pinned = "commit" if re.search(r"[0-9a-f]{12,40}", url) else "archive"
        return self._folder / f"{pinned}-{sha256(url)[:16]}"

    def finish(self) -> None:
        """The run has ended: the next one asks anew."""
        os.ftruncate(self._handle, 0)
        for path in self._folder.glob("archive-*"):
            path.unlink()

    def _append(self, line: Mapping[str, Any]) -> None:
        data = json.dumps(line).encode() + b"\n"
        with bodies.writing(self._folder / "unfinished.jsonl"):
            while data:  # a full disk takes a part first and says why only when asked again
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)

    def _received(self, line: Mapping[str, Any]) -> Received | None:
        body = bodies.read(self._home, line["sha256"])
        if body is None:
            return None
        return Received(
            url=line["url"],
            parameters=line["parameters"],
            body=body,
            transport="live",
            location=line["url"],
            method=line["method"],
            status=line["status"],
            retrieved_at=datetime.fromisoformat(line["retrieved_at"]),
            media_type=line["media_type"],
        )


def key(method: str, url: str, parameters: Mapping[str, Any], turn: int = 0) -> str:
    """What a request is known by: equal requests of the same turn have equal keys."""
    return content_id(method, url, parameters, turn)


def _line(request: str, received: Received) -> dict[str, Any]:
    return {
        "request": request,
        "method": received.method,
        "url": received.url,
        "parameters": received.parameters,
        "status": received.status,
        "retrieved_at": received.retrieved_at.isoformat() if received.retrieved_at else _now().isoformat(),
        "media_type": received.media_type,
        "sha256": sha256(received.body),
    }


def _lines(path: Path) -> dict[str, dict[str, Any]]:
    found = {}
    if path.is_file():
        for line in path.read_text("utf-8").splitlines():
            with suppress(ValueError):  # a torn last line
                entry = json.loads(line)
                found[entry["request"]] = entry
    return found


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
