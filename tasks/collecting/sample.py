"""Transport `sample`: built-in generators of invented responses, without a network."""

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

from tasks.collecting.received import Received, split_url
from tasks.collecting.sources import source as source_named
from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.home import PROJECT

FOLDER = PROJECT / "datasets" / "sample"
PACKAGE = "treebench_sample"
"""Name that the folder's modules are imported under: the generators are data, not part of `tasks`."""

MEDIA_TYPES = {
    "json": "application/json",
    "html": "text/html",
    "yaml": "application/yaml",
    "javascript": "text/javascript",
}


def fingerprint(source: str) -> str:
    """Hash of the generators and of the source's words: equal hashes give equal responses."""
    generator(source)
    parts = [*sorted(FOLDER.glob("*.py")), FOLDER / "words" / f"{source}.yaml"]
    return sha256(source + "".join(sha256(path.read_bytes()) for path in parts if path.is_file()))


def receive(source: str) -> Iterator[Received]:
    """The responses that `datasets/sample/` generates for a source, always the same and in the same order."""
    media_type = MEDIA_TYPES[source_named(source).format]
    for name, address, text, *body in generator(source).responses(source):
        url, parameters = split_url(address)
        yield Received(
            url=url,
            parameters=body[0] if body else parameters,
            body=text if isinstance(text, bytes) else text.encode("utf-8"),
            transport="sample",
            location=name,
            method="POST" if body else "GET",
            media_type=media_type,
        )


def generator(source: str) -> ModuleType:
    """The module that generates a source's responses: its own, or the one of its format.

    Its `responses(source)` yields name, address and text, and for a POST the body too. Raises `UserError` where there
    is none.
    """
    for name in (source, source_named(source).format):
        if (FOLDER / f"{name}.py").is_file():
            return module(name)
    raise UserError(f"There is no sample of source {source}: choose another source or transport.")


def module(name: str) -> ModuleType:
    """A module of the folder."""
    if PACKAGE not in sys.modules:
        package = ModuleType(PACKAGE)
        package.__path__ = [str(FOLDER)]
        sys.modules[PACKAGE] = package
    return importlib.import_module(f"{PACKAGE}.{name}")
