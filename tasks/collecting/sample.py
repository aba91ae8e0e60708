"""Transport `sample`: built-in generators of invented responses, without a network."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

from tasks.collecting.received import Received, split_url
from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.home import PROJECT

FOLDER = PROJECT / "datasets" / "sample"


def fingerprint(source: str) -> str:
    """Hash of the generator and its words: equal hashes give equal responses."""
    parts = [_path(source), FOLDER / "words" / f"{source}.yaml"]
    return sha256("".join(sha256(path.read_bytes()) for path in parts if path.is_file()))


def receive(source: str) -> Iterator[Received]:
    """The responses that `datasets/sample/<source>.py` generates, always the same and in the same order."""
    path = _path(source)
    spec = importlib.util.spec_from_file_location(f"treebench_sample_{source}", path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path} cannot be loaded as Python.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, address, text in module.responses():
        url, parameters = split_url(address)
        yield Received(
            url=url,
            parameters=parameters,
            body=text.encode("utf-8"),
            transport="sample",
            location=name,
            media_type="application/json",
        )


def _path(source: str) -> Path:
    path = FOLDER / f"{source}.py"
    if not path.is_file():
        known = ", ".join(sorted(found.stem for found in FOLDER.glob("*.py")))
        raise UserError(f"There is no sample of source {source}: choose from {known}, or another transport.")
    return path
