"""What people read: the snapshot database and a Parquet file for each table."""

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from tasks.errors import Fault
from tasks.home import Home
from tasks.warehouse import database
from tasks.warehouse.location import sync_to_disk


def missing(home: Home, tables: Collection[str]) -> list[str]:
    """Tables whose Parquet file is not there."""
    return [table for table in tables if not _parquet(home, table).exists()]


def publish(home: Home, fresh: Path, tables: Collection[str]) -> None:
    """Publish the checkpointed database `fresh`: Parquet of `tables`, and the whole of it as the snapshot.

    Each file appears whole, by rename. Raises `Fault` when the disk is full; the files before are then still there.
    """
    snapshot = _partial(home.snapshot)
    written = [snapshot]
    try:
        home.parquet.mkdir(parents=True, exist_ok=True)
        with database.reading(fresh) as con:
            for table in tables:
                partial = _partial(_parquet(home, table))
                written.append(partial)
                con.execute(
                    f"COPY {database.name(table)} TO {database.quoted(partial)} (FORMAT parquet, COMPRESSION zstd)"
                )
        shutil.copyfile(fresh, snapshot)
        for partial in written:
            sync_to_disk(partial)
        for partial in written:
            os.replace(partial, partial.with_name(partial.name.removeprefix(".").removesuffix(".partial")))
        sync_to_disk(home.root)
    except (OSError, database.duckdb.Error) as error:
        raise Fault(f"The snapshot {home.snapshot} cannot be published ({database.reason(error)}): the one before is "
                    "still there; make room, then run the command again.") from error  # fmt: skip
    finally:
        for partial in written:
            partial.unlink(missing_ok=True)


def _parquet(home: Home, table: str) -> Path:
    return home.parquet / f"{table}.parquet"


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.partial")
