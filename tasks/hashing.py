"""Content hashes over canonical JSON: equal content gives equal ids on every machine."""

import hashlib
import json
from typing import Any


def sha256(text: str | bytes) -> str:
    """SHA-256 of the bytes, or of the text in UTF-8 (lone surrogates kept), as 64 hex digits."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()


def content_id(*parts: Any) -> str:
    """First 32 hex digits of the SHA-256 over the canonical JSON of `parts` (keys sorted)."""
    canonical = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return sha256(canonical)[:32]
