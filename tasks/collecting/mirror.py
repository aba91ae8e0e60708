"""Transport `mirror`: responses that somebody recorded, in a folder or any fsspec location.

Layout: `<mirror>/<folder of the source>/...`, and in that folder a `SOURCES.md` with a line for each file; see `notes`.
Whatever it does not say stays unknown; without it everything does.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urljoin

from tasks.collecting.notes import NOTES, Note, Notes
from tasks.collecting.received import Received, split_url
from tasks.collecting.sources import Source
from tasks.errors import Fault, UserError
from tasks.hashing import sha256

MEDIA_TYPES = {
    "json": "application/json",
    "geojson": "application/geo+json",
    "html": "text/html",
    "htm": "text/html",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "jsonl": "application/jsonl",
    "js": "text/javascript",
    "mjs": "text/javascript",
    "cjs": "text/javascript",
}


def receive(source: Source, mirror: str) -> Iterator[Received]:
    """The recorded responses of a source, by file name.

    Raises `UserError` when the mirror has no folder for the source, or no file of its format; `Fault` when the place
    cannot be read.
    """
    files, folder = _folder(source, mirror)
    try:
        found = sorted(path[len(folder) + 1 :] for path in files.find(folder))
        notes = Notes.read(files.cat_file(f"{folder}/{NOTES}").decode("utf-8")) if NOTES in found else Notes({}, "")
    except (OSError, UnicodeDecodeError) as error:
        raise Fault(f"The mirror folder {folder} cannot be read ({error}): check the place and its access.") from error
    wanted = [name for name in found if _is_wanted(source, name)]
    if not wanted:
        raise UserError(
            f"The mirror folder {folder} holds no file named {' or '.join(source.mirror.include)}: nothing of "
            f"{source.source} can be read."
        )
    for name in wanted:
        try:
            body = files.cat_file(f"{folder}/{name}")
        except OSError as error:
            raise Fault(f"{folder}/{name} cannot be read ({error}): check the mirror.") from error
        note = notes.of(name, source.home)
        if name.endswith(".jsonl"):
            yield from _initialisers(source, name, body, note)
        else:
            yield _received(source, name, body, note)


def _folder(source: Source, mirror: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    try:
        files, root = url_to_fs(mirror)
        folder = f"{root.rstrip('/')}/{source.mirror.folder}"
        there = files.isdir(folder)
    except (OSError, ValueError, ImportError) as error:
        raise UserError(f"The mirror {mirror} cannot be opened ({error}): name a folder or an fsspec URL.") from error
    if not there:
        raise UserError(
            f"The mirror {mirror} has no folder {source.mirror.folder}: name a folder with one subfolder a source, "
            f"such as {source.mirror.folder}/."
        )
    return files, folder


def _is_wanted(source: Source, name: str) -> bool:
    """Whether a file is a response of this source; `*` in a pattern stands for any characters, slashes included."""
    if name.rsplit(".", 1)[-1].lower() not in MEDIA_TYPES or name.rsplit("/", 1)[-1].startswith("."):
        return False
    include, exclude = source.mirror.include, source.mirror.exclude
    return any(fnmatchcase(name, one) for one in include) and not any(fnmatchcase(name, one) for one in exclude)


def _received(source: Source, name: str, body: bytes, note: Note) -> Received:
    location = f"{source.mirror.folder}/{name}"
    url, parameters = split_url(urljoin(source.live.url, note.address) if note.address else location)
    return Received(
        url=url,
        parameters=parameters if note.body is None else note.body,
        body=body,
        transport="mirror",
        location=location,
        method=note.method,
        status=note.status,
        retrieved_at=note.retrieved_at,
        media_type=note.media_type or MEDIA_TYPES[name.rsplit(".", 1)[-1].lower()],
        licence=note.licence,
        version=note.version,
    )


def _initialisers(source: Source, name: str, body: bytes, note: Note) -> Iterator[Received]:
    """Initialisers that were cut out of program files: path, line, column, what held each, and its text.

    Raises `Fault` for a line that is something else.
    """
    digest = sha256(body)
    for number, line in enumerate(body.splitlines(), start=1):
        try:
            entry = json.loads(line)
            text, path, at = entry["text"], entry["path"], entry["line"]
        except (ValueError, TypeError, KeyError) as error:
            raise Fault(
                f"{source.mirror.folder}/{name} is broken at line {number} ({error}): mend the mirror."
            ) from error
        whole = _received(source, name, text.encode("utf-8", "surrogatepass"), note)
        address = whole.url.replace("/tree/", "/blob/") + f"/{path}#L{at}" if "/tree/" in whole.url else path
        held = {"line": at, "column": entry.get("column"), "kind": entry.get("kind")}
        yield replace(
            whole,
            url=address,
            parameters={"member": path, "initialiser": entry.get("name") or entry.get("kind")} | held,
            location=f"{whole.location}:{number}",
            media_type="text/javascript",
            archive_sha256=digest,
        )
