"""Takes the text out of a document: the child process of `extraction`.

python -m tasks.long_horizon.tools.extracting KIND MEMORY_MB SECONDS CHARACTERS < document

prints one line of JSON, `{"text": ...}` or `{"error": ...}`.
"""

import json
import resource
import sys

from tasks.long_horizon.tools.formats import Refused, text_of


def _limit(memory_mb: int, seconds: int) -> None:
    """Bound this process. Systems that cannot bound memory (macOS) bound the time alone."""
    for which, value in ((resource.RLIMIT_AS, memory_mb * 2**20), (resource.RLIMIT_CPU, seconds),
                         (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):  # fmt: skip
        try:
            resource.setrlimit(which, (value, value))
        except (ValueError, OSError):
            continue


def said(data: bytes, kind: str, characters: int, memory_mb: int) -> dict[str, str]:
    """The `text` of a document, at most so many characters of it, or an `error` in a few words."""
    try:
        return {"text": text_of(data, kind)[:characters]}
    except Refused as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"it takes more than {memory_mb} MB"}
    except Exception as error:
        return {"error": f"it is damaged, or no {kind} file ({type(error).__name__})"}


def main() -> None:
    """Read standard input, print the text."""
    kind, memory_mb, seconds, characters = sys.argv[1], *map(int, sys.argv[2:5])
    _limit(memory_mb, seconds)
    sys.stdout.write(json.dumps(said(sys.stdin.buffer.read(), kind, characters, memory_mb)))


if __name__ == "__main__":
    main()
