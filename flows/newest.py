"""Which dataset version, and which runs, a flow works on when it is not told."""

from tasks.errors import UserError
from tasks.home import home
from tasks.warehouse import snapshot


def build(build_id: str | None) -> str:
    """`build_id` if it exists, or the newest dataset version if it is empty; `UserError` otherwise."""
    found = snapshot.rows(home(), "SELECT build_id FROM builds ORDER BY created_at DESC, build_id")
    known = [row["build_id"] for row in found]
    if not known:
        raise UserError("There is no dataset version yet: run `treebench build` or `treebench rebuild` first.")
    if build_id and build_id not in known:
        raise UserError(f'Dataset version {build_id} is not in the database: `treebench sql "FROM builds"` lists them.')
    return build_id or known[0]


def runs(run_ids: list[str]) -> list[str]:
    """`run_ids` if all exist, or all runs of memory agents if empty; `UserError` otherwise."""
    found = snapshot.rows(home(), "SELECT run_id, build_id FROM runs ORDER BY recorded_at, run_id")
    known = {row["run_id"]: row["build_id"] for row in found}
    for run_id in run_ids:
        if run_id not in known:
            raise UserError(f'Run {run_id} is not in the database: `treebench sql "FROM runs"` lists them.')
    if not run_ids:
        versions = {row["build_id"] for row in snapshot.rows(home(), "SELECT build_id FROM builds")}
        run_ids = [run_id for run_id, build_id in known.items() if build_id in versions]
    if not run_ids:
        raise UserError("There is no run of a memory agent yet: run `treebench run` first.")
    return run_ids
