"""Response bodies on disk: `<home>/responses/<SHA-256>`, as they came, whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tasks.errors import Fault
from tasks.hashing import sha256
from tasks.home import Home


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Turn what the system says of a full disk or a read-only folder into a `Fault` that names the place."""
    try:
        yield
    except OSError as error:
        raise Fault(f"{place} cannot be written ({error.strerror}): make room or set TREEBENCH_HOME.") from error


def keep(home: Home, digest: str, body: bytes) -> None:
    """Put a body under its SHA-256. Raises `Fault` if it cannot be written."""
    target = home.responses / digest
    if target.exists():
        return
    with writing(target):
        home.responses.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=home.responses, prefix=".partial-", delete=False) as file:
            try:
                file.write(body)
                file.close()
                os.replace(file.name, target)
            except OSError:
                with suppress(OSError):
                    os.unlink(file.name)
                raise


def read(home: Home, digest: str) -> bytes | None:
    """The body, or None where it is not there or not whole."""
    try:
        body = (home.responses / digest).read_bytes()
    except OSError:
        return None
    return body if sha256(body) == digest else None
