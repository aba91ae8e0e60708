"""Manifests: `datasets/locks/<name>.json` pins a dataset version by hashes, response by response.

A manifest is made of what the warehouse holds of the sources over the transport, which is what a build draws from. Two
collections with the same manifest give the same payloads.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tasks.errors import Fault, UserError
from tasks.hashing import sha256
from tasks.home import PROJECT, Home
from tasks.warehouse import snapshot

FOLDER = PROJECT / "datasets" / "locks"
MOST_NAMED = 3

_RESPONSES = """
SELECT r.source, r.response_id, r.url, r.parameters, r.sha256, r.bytes, r.source_version,
       count(o.payload_id) AS payloads, string_agg(o.payload_id, ',' ORDER BY o.payload_id) AS payload_ids
FROM responses r LEFT JOIN payload_origins o USING (response_id)
WHERE r.transport = ? AND list_contains(?, r.source)
GROUP BY ALL ORDER BY r.source, r.url, r.response_id
"""


def path(name: str) -> Path:
    """The file of a manifest. Raises `UserError` for a name that is none."""
    if not name.replace("-", "").replace("_", "").replace(".", "").isalnum() or name.startswith("."):
        raise UserError(f"{name!r} cannot name a lock: use letters, digits, dots and dashes.")
    return FOLDER / f"{name}.json"


def manifest(home: Home, dataset: str, sources: Sequence[str], transport: str) -> dict[str, Any]:
    """What is there of these sources over this transport. Raises `UserError` where that is nothing."""
    named = [f"{source}-sample" if transport == "sample" else source for source in sources]
    found: dict[str, Any] = {name: {"responses": []} for name in sorted(named)}
    for row in snapshot.rows(home, _RESPONSES, [transport, named]):
        entry = found[row["source"]]
        entry["responses"].append(
            {
                "url": row["url"],
                "parameters": json.loads(row["parameters"] or "{}"),
                "sha256": row["sha256"],
                "bytes": row["bytes"],
                "payloads": row["payloads"],
                "payloads_sha256": sha256(row["payload_ids"] or ""),
            }
            | ({"version": row["source_version"]} if row["source_version"] else {})
        )
    for name, entry in found.items():
        if not entry["responses"]:
            raise UserError(f"Nothing of source {name} was collected over transport {transport}: collect it first.")
        terms = snapshot.rows(home, "SELECT licence, terms_url, notice, version FROM sources WHERE source = ?", [name])
        found[name] = terms[0] | entry
    digest = sha256(json.dumps(found, sort_keys=True))
    return {"dataset": dataset, "transport": transport, "sha256": digest, "sources": found}


def write(home: Home, name: str, dataset: str, sources: Sequence[str], transport: str) -> Path:
    """Write the manifest called `name` and return its file. Raises `Fault` where that is not possible."""
    file = path(name)
    found = manifest(home, dataset, sources, transport)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise Fault(f"{file} cannot be written ({error.strerror}): make it writable, or leave out lock.") from error
    return file


def require(home: Home, name: str, dataset: str, sources: Sequence[str], transport: str) -> None:
    """Raise `UserError` naming what differs, unless the manifest called `name` says what was collected."""
    file = path(name)
    if not file.is_file():
        known = ", ".join(sorted(entry.stem for entry in FOLDER.glob("*.json"))) or "none"
        raise UserError(
            f"There is no lock {name} (there are: {known}): write it with `treebench collect --lock {name}`."
        )
    found = manifest(home, dataset, sources, transport)
    try:
        pinned = json.loads(file.read_text("utf-8"))
        differences = compare(pinned, found)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise UserError(
            f"{file} is no lock ({error}): write it anew with `treebench collect --lock {name}`."
        ) from error
    if differences:
        more = len(differences) - MOST_NAMED
        raise UserError(
            f"What was collected is not what lock {name} pins: {'; '.join(differences[:MOST_NAMED])}"
            f"{f'; {more} more differences' if more > 0 else ''}. Nothing may be built on it as this version: collect "
            f"into an empty TREEBENCH_HOME, or pin it anew with `treebench collect --lock {name}`."
        )


def compare(pinned: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Each difference in words, by source and response."""
    differences = [
        f"{key} is {found[key]}, not {pinned.get(key)}"
        for key in ("dataset", "transport")
        if pinned.get(key) != found[key]
    ]
    before, after = pinned.get("sources", {}), found["sources"]
    differences += [f"source {name} was not collected" for name in sorted(before.keys() - after.keys())]
    differences += [f"source {name} is not in the lock" for name in sorted(after.keys() - before.keys())]
    for name in sorted(before.keys() & after.keys()):
        differences += _of_source(name, before[name], after[name])
    return differences


def _of_source(name: str, pinned: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    differences = [
        f"{key} of source {name} is {found[key]!r}, not {pinned.get(key)!r}"
        for key in ("licence", "terms_url", "notice", "version")
        if pinned.get(key) != found[key]
    ]
    before, after = _by_request(pinned["responses"]), _by_request(found["responses"])
    for request in sorted(before.keys() | after.keys()):
        old, new = before.get(request, []), after.get(request, [])
        if old == new:
            continue
        where = f"{name}: {request[0]}"
        if not new:
            differences.append(f"{where} is missing")
        elif not old:
            differences.append(f"{where} is new")
        elif [entry["sha256"] for entry in old] != [entry["sha256"] for entry in new]:
            differences.append(f"{where} has SHA-256 {new[0]['sha256'][:16]}..., not {old[0]['sha256'][:16]}...")
        else:
            differences.append(f"{where} gives other payloads ({new[0]['payloads']}, not {old[0]['payloads']})")
    return differences


def _by_request(responses: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    """Address and parameters to the responses they gave, in order of their hashes."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for entry in sorted(responses, key=lambda entry: entry["sha256"]):
        request = entry["url"], json.dumps(entry["parameters"], sort_keys=True)
        found.setdefault(request, []).append(entry)
    return found
