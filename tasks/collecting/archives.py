"""Files of an archive (.zip, .tar, .tar.gz, ...) or of an unpacked folder, as responses; nothing is ever unpacked.

A place is a path, an fsspec URL, an http(s) address, or `commit:HEX` for the source's own archive at that commit.
"""

import hashlib
import json
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tasks.collecting.received import Item, Received, Skipped
from tasks.collecting.sources import Source
from tasks.errors import Fault, UserError
from tasks.hashing import sha256

MOST_BYTES = 8 * 1024**2
"""A larger file is skipped: no context could hold what it gives."""

_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError)
"""What the readers of archives raise; RuntimeError of a zip with a password or a packing of its own."""

_TYPES = {"html": "text/html", "yaml": "application/yaml", "javascript": "text/javascript", "json": "application/json"}


class Unreadable(UserError):
    """What should be an archive is none, or is damaged: `reason`."""

    def __init__(self, place: str, reason: str):
        super().__init__(f"{place} cannot be read as an archive ({reason}): name a whole .zip or .tar.gz, or a folder.")
        self.reason = reason


def is_local(place: str) -> bool:
    """Whether a place can be read without asking a public service."""
    return not place.startswith(("http://", "https://", "commit:"))


def address(source: Source, place: str) -> str:
    """The address of an archive. Raises `UserError` where the source has none at a commit."""
    _require_members(source)
    if not place.startswith("commit:"):
        return place
    commit = place.removeprefix("commit:")
    template = source.live.archive or source.live.url
    if "{commit}" not in template or not all(character in "0123456789abcdef" for character in commit) or not commit:
        raise UserError(f"Source {source.source} has no archive at commit {commit!r}: name the address or path of one.")
    return template.replace("{commit}", commit)


def receive(source: Source, place: str) -> Iterator[Item]:
    """The wanted files of a local archive or folder, by name. Raises `UserError` where the place cannot be read."""
    _require_members(source)
    path = _local(place)
    if path.is_dir():
        yield from _of_folder(source, path)
    else:
        yield from of_archive(source, path, place, "mirror", datetime.fromtimestamp(path.stat().st_mtime, UTC))


def fingerprint(place: str) -> str:
    """Hash of everything in the place."""
    path = _local(place)
    if path.is_file():
        return _digest(path)
    found = sorted(entry for entry in path.rglob("*") if entry.is_file() and not entry.is_symlink())
    return sha256("".join(f"{entry.relative_to(path)}\0{_digest(entry)}\n" for entry in found))


def of_archive(source: Source, path: Path, url: str, transport: str, moment: datetime) -> Iterator[Item]:
    """The wanted files of an archive on disk, in its order.

    Raises `Unreadable` for what is no archive or damaged anywhere, and `Fault` for one of another commit than the
    source's file pins.
    """
    with _damage_told(url):
        yield from _of_archive(source, path, url, transport, moment)


def _of_archive(source: Source, path: Path, url: str, transport: str, moment: datetime) -> Iterator[Item]:
    digest = _digest(path)
    commit, members = _opened(path)
    pinned = source.live.commit if source.live.commit and source.live.commit in url else None
    if commit and pinned and not commit.startswith(pinned):
        raise Fault(f"The archive at {url} is of commit {commit}, not of {pinned}: nothing of it is read.")
    version = f"commit {commit or pinned}" if commit or pinned else None
    for name, size, body in members:
        inner = _without_top(name, source)
        if inner is None:
            continue
        if size > MOST_BYTES:
            yield Skipped(f"{url}!{name}", "larger than a context", f"{size} bytes")
            continue
        yield Received(
            url=url,
            parameters={"member": inner},
            body=body(),
            transport=transport,
            location=f"{url}!{inner}",
            status=200 if transport == "live" else None,
            retrieved_at=moment.replace(tzinfo=None),
            media_type=_TYPES[source.format],
            version=version,
            archive_sha256=digest,
        )


def _of_folder(source: Source, folder: Path) -> Iterator[Item]:
    package = _package(folder)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not _is_wanted(name, source) or path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_size > MOST_BYTES:
            yield Skipped(f"{folder}/{name}", "larger than a context", f"{path.stat().st_size} bytes")
            continue
        yield Received(
            url=f"{package.get('name', folder.name)}/{name}",
            parameters={"member": name},
            body=path.read_bytes(),
            transport="mirror",
            location=f"{folder.name}/{name}",
            media_type=_TYPES[source.format],
            licence=package["license"] if isinstance(package.get("license"), str) else None,
            version=f"release {package['version']}" if "version" in package else None,
        )


@contextmanager
def _damage_told(url: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(":.")
        raise Unreadable(url, reason) from error


def _opened(path: Path) -> tuple[str | None, Iterator[tuple[str, int, Any]]]:
    """The commit that an archive names, and name, size and reader of each file in it."""
    if zipfile.is_zipfile(path):
        archive = zipfile.ZipFile(path)
        comment = archive.comment.decode("ascii", "replace")
        files = [entry for entry in archive.infolist() if not entry.is_dir()]
        return comment if _is_commit(comment) else None, (
            (entry.filename, entry.file_size, lambda entry=entry: archive.read(entry)) for entry in files
        )
    tar = tarfile.open(path)  # noqa: SIM115 (the generator closes it)
    comment = tar.pax_headers.get("comment", "")
    return comment if _is_commit(comment) else None, _of_tar(tar)


def _of_tar(tar: tarfile.TarFile) -> Iterator[tuple[str, int, Any]]:
    with tar:
        for member in tar:
            if member.isfile():
                yield member.name, member.size, lambda member=member: tar.extractfile(member).read()  # pyright: ignore
        _require_end(tar)


def _require_end(tar: tarfile.TarFile) -> None:
    """Raise where more than padding follows: `tarfile` takes a broken header for the end of the archive."""
    file: Any = tar.fileobj
    file.seek(tar.offset)
    while block := file.read(1024**2):
        if block.strip(b"\0"):
            raise tarfile.ReadError("a header in it is broken")


def _without_top(name: str, source: Source) -> str | None:
    """The name of a wanted file; repository archives put everything into one folder, which is left out."""
    inner = name.removeprefix("./").partition("/")[2]
    for candidate in (inner, name.removeprefix("./")):
        if candidate and _is_wanted(candidate, source):
            return candidate
    return None


def _is_wanted(name: str, source: Source) -> bool:
    parts = name.split("/")
    if any(part in ("node_modules", "..") or part.startswith(".") for part in parts):
        return False
    return any(fnmatchcase(name, pattern) for pattern in source.live.members)


def _is_commit(text: str) -> bool:
    return len(text) == 40 and all(character in "0123456789abcdef" for character in text)


def _package(folder: Path) -> dict[str, Any]:
    """What package.json of an unpacked package says about it."""
    try:
        found = json.loads((folder / "package.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _local(place: str) -> Path:
    """The place on this machine; what lies elsewhere is copied here by fsspec first."""
    path = Path(place).expanduser()
    if "://" in place:
        from fsspec import open_local

        try:
            path = Path(str(open_local(f"simplecache::{place}")))
        except (OSError, ValueError, ImportError) as error:
            raise UserError(f"The archive {place} cannot be opened ({error}).") from error
    if not path.exists():
        raise UserError(f"There is no archive or folder {place}: name one that exists.")
    return path


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _require_members(source: Source) -> None:
    if not source.live.members:
        raise UserError(
            f"Source {source.source} is read from its service, never from an archive: leave its archive out."
        )
