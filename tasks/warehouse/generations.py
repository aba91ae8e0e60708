"""The live database is a folder that is replaced as a whole: `warehouse/live` points at one generation.

Whatever changes the database changes a copy of it, which takes its place by one rename of a symbolic link when
it is complete. A kill inside a DuckDB checkpoint can leave a file that never opens again; here it can only hit a
copy that nobody uses yet.
"""

import os
import shutil
from pathlib import Path

from tasks.home import Home
from tasks.warehouse import database
from tasks.warehouse.location import sync_to_disk

LIVE = "live.duckdb"


def current(home: Home) -> Path | None:
    """The live database file, or None where there is none (yet, or any more)."""
    return home.live.resolve() if home.live.is_file() else None


def copy(home: Home, base: Path | None) -> Path:
    """A new generation that nothing points at: a copy of `base`, or an empty database. Call `clean` before."""
    folder = _folder(home) / f"{_number(base) + 1:04d}"
    folder.mkdir(parents=True)
    fresh = folder / LIVE
    if base is None:
        database.create(fresh)
        return fresh
    for suffix in ("", ".wal"):
        part = base.with_name(base.name + suffix)
        if part.exists():
            shutil.copyfile(part, fresh.with_name(fresh.name + suffix))
    return fresh


def switch(home: Home, fresh: Path) -> None:
    """Make `fresh` the live database, in one step; the one before it stays until `clean`."""
    link = home.live.parent
    sync_to_disk(fresh)
    sync_to_disk(fresh.parent)
    if link.is_dir() and not link.is_symlink():  # somebody put a folder there, from a back-up perhaps
        shutil.rmtree(link)
    partial = link.with_name(".live.partial")
    partial.unlink(missing_ok=True)
    partial.symlink_to(fresh.parent.relative_to(link.parent))
    os.replace(partial, link)
    sync_to_disk(link.parent)


def clean(home: Home) -> None:
    """Remove every generation but the live one: leftovers of killed processes."""
    keep = current(home)
    if _folder(home).is_dir():
        for folder in _folder(home).iterdir():
            if keep is None or folder != keep.parent:
                shutil.rmtree(folder)


def set_aside(home: Home, into: Path) -> Path | None:
    """Move the live generation to the folder `into` and leave no live database; returns where it is now."""
    link = home.live.parent
    if not link.exists():
        link.unlink(missing_ok=True)
        return None
    into.parent.mkdir(parents=True, exist_ok=True)
    os.rename(link.resolve(), into)
    if link.is_symlink():
        link.unlink()
    return into


def _folder(home: Home) -> Path:
    return home.live.parent.parent / "generations"


def _number(base: Path | None) -> int:
    return int(base.parent.name) if base is not None and base.parent.name.isdigit() else 0
