"""Which dataset versions and runs a report covers."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb

from tasks.errors import UserError
from tasks.reporting import labels
from tasks.reporting.notices import Notice, notices


@dataclass(frozen=True)
class Selection:
    """The dataset versions (one for each dataset) and the runs on them."""

    builds: tuple[str, ...]
    runs: tuple[str, ...]
    datasets: tuple[str, ...]
    sample: bool
    """True where any of it is built-in sample data."""
    lengths: tuple[int, ...] = ()
    agent_runs: tuple[str, ...] = ()
    """Runs of long-horizon agents."""
    benchmarks: tuple[str, ...] = ()
    """Benchmarks that they solve."""
    notices: tuple[Notice, ...] = field(default=())

    @property
    def parameters(self) -> dict[str, list[str]]:
        """The parameters of the queries in `sql/reports/`."""
        return {"builds": list(self.builds), "runs": list(self.runs), "agent_runs": list(self.agent_runs)}


def select(con: duckdb.DuckDBPyConnection, builds: Sequence[str] = (), runs: Sequence[str] = ()) -> Selection:
    """All runs on `builds`, or just `runs`; neither given, the newest version of every dataset and all its runs.

    Newest means: among those with runs, if there are any, and either all sample data or none, as the newest of all is.
    Unless `runs` are named, the runs of long-horizon agents on the newest tasks of each benchmark are chosen as well.

    Raises `UserError` for an unknown id, and where two versions of one dataset would be mixed.
    """
    if runs:
        known = dict(
            con.execute(
                "SELECT run_id, build_id FROM runs WHERE list_contains($runs::VARCHAR[], run_id)", {"runs": list(runs)}
            ).fetchall()
        )
        _refuse_unknown("run", runs, known)
    agents = _agent_runs(con, runs)
    chosen = bool(runs)
    runs = [run for run in runs if run not in agents]
    if chosen:
        builds = list(dict.fromkeys([*builds, *(known[run] for run in runs)]))
    if not builds and not (chosen and agents):
        builds = _newest(con)
        if not builds and not agents:
            raise UserError("There is no dataset version to report on yet: run `treebench build` first.")
    found = {
        build_id: (dataset, sample)
        for build_id, dataset, sample in con.execute(
            "SELECT build_id, dataset, sample FROM builds WHERE list_contains($builds::VARCHAR[], build_id) "
            "ORDER BY dataset_order(dataset), dataset, build_id",
            {"builds": list(builds)},
        ).fetchall()
    }
    _refuse_unknown("dataset version", builds, found)
    by_dataset: dict[str, str] = {}
    for build_id, (dataset, _) in found.items():
        other = by_dataset.setdefault(dataset, build_id)
        if other != build_id:
            raise UserError(
                f"{other} and {build_id} are both versions of dataset {dataset}, and a report shows one of each: "
                "render a report for each of them."
            )
    if not chosen:
        runs = [
            run_id
            for (run_id,) in con.execute(
                "SELECT run_id FROM runs WHERE list_contains($builds::VARCHAR[], build_id) ORDER BY run_id",
                {"builds": list(found)},
            ).fetchall()
        ]
    sample = any(sample for _, sample in found.values()) or any(sample for _, sample in agents.values())
    lengths = con.execute(
        "SELECT DISTINCT length FROM examples JOIN build_examples USING (example_id) "
        "WHERE list_contains($builds::VARCHAR[], build_id) ORDER BY length",
        {"builds": list(found)},
    ).fetchall()
    return Selection(
        builds=tuple(found),
        runs=tuple(dict.fromkeys(runs)),
        datasets=tuple(by_dataset),
        sample=sample,
        lengths=tuple(tokens for (tokens,) in lengths),
        agent_runs=tuple(agents),
        benchmarks=tuple(dict.fromkeys(benchmark for benchmark, _ in agents.values())),
        notices=tuple(notices(con, list(found), list(dict.fromkeys(runs)), list(agents), sample)),
    )


def _newest(con: duckdb.DuckDBPyConnection) -> list[str]:
    """The newest version of every dataset; a version that was built but never run does not hide one that was."""
    found = con.execute(
        """
        WITH known AS (
            SELECT build_id, dataset, sample, created_at, build_id IN (SELECT build_id FROM runs) AS ran FROM builds
        )
        SELECT build_id
        FROM known
        WHERE
            ran = (SELECT bool_or(ran) FROM known)
            AND sample = (SELECT sample FROM known ORDER BY ran DESC, created_at DESC, build_id LIMIT 1)
        QUALIFY row_number() OVER (PARTITION BY dataset ORDER BY created_at DESC, build_id) = 1
        """
    ).fetchall()
    return [build_id for (build_id,) in found]


def _agent_runs(con: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> dict[str, tuple[str, bool]]:
    """Run to benchmark and whether it is sample data: those among `runs`, or all on the newest tasks of a benchmark."""
    found = con.execute(
        """
        SELECT run_id, benchmark, agent_runs.sample, build_id, runs.recorded_at AS started_at
        FROM agent_runs
        JOIN runs USING (run_id, build_id)
        QUALIFY CASE
            WHEN len($runs::VARCHAR[]) > 0 THEN list_contains($runs::VARCHAR[], run_id)
            ELSE build_id = first_value(build_id) OVER (PARTITION BY benchmark ORDER BY started_at DESC, run_id)
        END
        ORDER BY dataset_order(benchmark), benchmark, run_id
        """,
        {"runs": list(runs)},
    ).fetchall()
    return {run_id: (benchmark, sample) for run_id, benchmark, sample, *_ in found}


def _refuse_unknown(what: str, wanted: Sequence[str], known: object) -> None:
    unknown = [name for name in wanted if name not in known]  # type: ignore[operator]
    if unknown:
        raise UserError(f"There is no {what} {labels.listed(unknown)}: `treebench status` lists those there are.")
