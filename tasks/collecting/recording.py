"""What comes over transport live, written into a mirror that transport `mirror` reads back."""

import os
import re
import secrets
from typing import Any
from urllib.parse import urlencode, urlsplit

from tasks.collecting.notes import NOTES, Note, Notes
from tasks.collecting.received import Received
from tasks.collecting.sources import Source
from tasks.errors import Fault, UserError

SUFFIXES = {"json": ".json", "html": ".html", "yaml": ".yaml", "javascript": ".js"}
EVERY = 50
"""The notes are written after this many responses, and at the end."""


class Recorder:
    """Writes responses into `<mirror>/<folder of the source>/`, a file each, and notes about them into SOURCES.md."""

    def __init__(self, mirror: str, source: Source):
        """Raises `UserError` when the place cannot be opened."""
        from fsspec.core import url_to_fs

        self._source = source
        try:
            self._files, root = url_to_fs(mirror)
            self._folder = f"{root.rstrip('/')}/{source.mirror.folder}"
            self._files.makedirs(self._folder, exist_ok=True)
            notes = f"{self._folder}/{NOTES}"
            text = self._files.cat_file(notes).decode("utf-8") if self._files.exists(notes) else ""
        except (OSError, ValueError, ImportError) as error:
            raise UserError(f"Nothing can be recorded into {mirror} ({error}): name a folder or fsspec URL.") from error
        known = Notes.read(text)
        self._head = known.head or f"# {source.mirror.folder}: recorded responses, as they came\n"
        self._lines = {name: line for line in text.splitlines() if (name := line[2:].split(" | ")[0]) in known.files}
        self._new = 0

    def add(self, item: Received) -> None:
        """Write one response. Raises `Fault` when that is not possible."""
        name = self._name(item)
        if name not in self._lines:
            self._put(name, item.body)
        address = item.url
        if item.method == "GET" and item.parameters and not item.archive_sha256:
            address += "?" + urlencode(item.parameters, doseq=True)
        if item.archive_sha256:
            address += f"!{item.parameters['member']}".replace(" ", "%20")
        note = Note(
            address=address,
            status=item.status,
            licence=item.licence,
            method=item.method,
            body=item.parameters if item.method == "POST" else None,
            retrieved_at=item.retrieved_at,
            media_type=item.media_type,
            version=item.version,
        )
        self._lines[name] = note.line(name, len(item.body))
        self._new += 1
        if self._new % EVERY == 0:
            self.close()

    def close(self) -> None:
        """Write the notes."""
        lines = [self._head.rstrip("\n"), "", *(self._lines[name] for name in sorted(self._lines)), ""]
        self._put(NOTES, "\n".join(lines).encode("utf-8"))

    def _name(self, item: Received) -> str:
        """A name that says what the response is, and is the same when it comes again."""
        suffix = SUFFIXES[self._source.format]
        if item.archive_sha256:
            name = str(item.parameters["member"])
        else:
            parts = urlsplit(item.url)
            plain = re.sub(r"[^A-Za-z0-9]+", "-", f"{parts.netloc}{parts.path}".rsplit("/", 1)[-1]).strip("-")
            name = f"{plain[:60] or 'response'}_{item.response_id(self._source.source)[:16]}{suffix}"
        own = self._source.mirror.folder == self._source.source
        return name if own else f"{self._source.source}/{name}"

    def _put(self, name: str, data: bytes) -> None:
        """Whole or not at all: a file of this machine gets its name last, other stores do so themselves."""
        target = f"{self._folder}/{name}"
        try:
            self._files.makedirs(target.rsplit("/", 1)[0], exist_ok=True)
            if _is_local(self._files):
                partial = f"{target}.{secrets.token_hex(4)}.partial"
                with open(partial, "wb") as file:
                    file.write(data)
                os.replace(partial, target)
            else:
                self._files.pipe_file(target, data)
        except OSError as error:
            raise Fault(f"{target} cannot be written ({error}): make room or name another mirror to record.") from error


def _is_local(files: Any) -> bool:
    protocol = files.protocol if isinstance(files.protocol, str) else files.protocol[0]
    return protocol in ("file", "local")
