"""Transport `mirror`: responses that somebody recorded, in a folder or any fsspec location.

Layout: `<mirror>/<source>/*.json`, and beside them a `SOURCES.md` with a line for each file:
`- FILE | BYTES bytes | records N | OWNER/REPOSITORY @ COMMIT : PATH | licence: LICENCE | GET ADDRESS -> STATUS | ...`.
Whatever such a line does not say stays unknown; without the file everything does.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

from tasks.collecting.received import Received, split_url
from tasks.collecting.sources import Source
from tasks.errors import UserError

MEDIA_TYPES = {".json": "application/json", ".geojson": "application/geo+json"}

_ORIGIN = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+) @ (?P<commit>[0-9a-f]{7,40}) : (?P<path>\S+)")
_REQUEST = re.compile(r"(?:GET|POST) (?P<address>\S+)(?:.* -> (?P<status>\d{3}))?")


@dataclass(frozen=True)
class Note:
    """What SOURCES.md says about one file."""

    address: str | None = None
    status: int | None = None
    licence: str | None = None


def receive(source: Source, mirror: str) -> Iterator[Received]:
    """The recorded responses of a source, by file name.

    Raises `UserError` when the mirror has no folder for the source, or none of its files is JSON.
    """
    from fsspec.core import url_to_fs

    files, root = url_to_fs(mirror)
    folder = f"{root.rstrip('/')}/{source.source}"
    if not files.isdir(folder):
        raise UserError(
            f"The mirror {mirror} has no folder {source.source}: name a folder with one subfolder a source, such as "
            f"{source.source}/page1.json."
        )
    names = sorted(path.rsplit("/", 1)[-1] for path in files.ls(folder, detail=False))
    wanted = [name for name in names if name.endswith(tuple(MEDIA_TYPES))]
    if not wanted:
        raise UserError(f"The mirror folder {folder} holds no .json file: nothing of {source.source} can be read.")
    described = notes(files.cat_file(f"{folder}/SOURCES.md").decode("utf-8")) if "SOURCES.md" in names else {}
    for name in wanted:
        note = described.get(name, Note())
        location = f"{source.source}/{name}"
        url, parameters = split_url(urljoin(source.live.url, note.address) if note.address else location)
        yield Received(
            url=url,
            parameters=parameters,
            body=files.cat_file(f"{folder}/{name}"),
            transport="mirror",
            location=location,
            status=note.status,
            media_type=MEDIA_TYPES["." + name.rsplit(".", 1)[-1]],
            licence=note.licence,
        )


def notes(text: str) -> dict[str, Note]:
    """File name to what its line in SOURCES.md says.

    The address is the request's where the line has one, else where the recording was published.
    """
    found = {}
    for line in text.splitlines():
        name, *facts = (fact.strip() for fact in line.removeprefix("- ").split(" | "))
        if not line.startswith("- ") or not facts:
            continue
        address, status, licence = None, None, None
        for fact in facts:
            origin, request = _ORIGIN.match(fact), _REQUEST.match(fact)
            if origin and address is None:
                address = f"https://github.com/{origin['repository']}/blob/{origin['commit']}/{origin['path']}"
            if request:
                address, status = request["address"], int(request["status"]) if request["status"] else None
            if fact.startswith("licence:"):
                licence = fact.removeprefix("licence:").strip()
        found[name] = Note(address, status, licence)
    return found
