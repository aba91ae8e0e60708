"""Response bodies on disk: `<home>/responses/<SHA-256>`, as they came, whole or not at all."""

import os
import tempfile
from contextlib import suppress

from tasks.errors import Fault
from tasks.hashing import sha256
from tasks.home import Home


def keep(home: Home, digest: str, body: bytes) -> None:
    """Put a body under its SHA-256. Raises `Fault` if it cannot be written."""
    target = home.responses / digest
    if target.exists():
        return
    partial = None
    try:
        home.responses.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=home.responses, prefix=".partial-", delete=False) as file:
            partial = file.name
            file.write(body)
        os.replace(partial, target)
    except OSError as error:
        if partial:
            with suppress(OSError):
                os.unlink(partial)
        raise Fault(f"{target} cannot be written ({error.strerror}): make room or set TREEBENCH_HOME.") from error


def read(home: Home, digest: str) -> bytes | None:
    """The body, or None where it is not there or not whole."""
    try:
        body = (home.responses / digest).read_bytes()
    except OSError:
        return None
    return body if sha256(body) == digest else None
