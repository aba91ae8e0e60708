"""Which dataset versions and runs a report covers, and what has to be said about them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb

from tasks.errors import UserError
from tasks.home import PROJECT
from tasks.reporting import labels

PROMPTS = PROJECT / "datasets" / "prompts"


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
    notices: tuple["Notice", ...] = field(default=())

    @property
    def parameters(self) -> dict[str, list[str]]:
        """The parameters of the queries in `sql/reports/`."""
        return {"builds": list(self.builds), "runs": list(self.runs), "agent_runs": list(self.agent_runs)}


@dataclass(frozen=True)
class Notice:
    """Something a reader must know before the numbers."""

    kind: str
    """`sample`, `partial`, `failed`, `prompts` or `empty`."""
    text: str


def select(con: duckdb.DuckDBPyConnection, builds: Sequence[str] = (), runs: Sequence[str] = ()) -> Selection:
    """All runs on `builds`, or just `runs`; neither given, the newest dataset version and all its runs.

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
        newest = con.execute("SELECT build_id FROM builds ORDER BY created_at DESC, build_id LIMIT 1").fetchone()
        if newest is None and not agents:
            raise UserError("There is no dataset version to report on yet: run `treebench build` first.")
        builds = list(newest or ())
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
        notices=(
            *_notices(con, list(found), list(dict.fromkeys(runs)), list(agents), sample),
            *_check_notices(con, list(found)),
            *_prompt_notices(con, [*runs, *agents]),
        ),
    )


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


def _notices(
    con: duckdb.DuckDBPyConnection, builds: list[str], runs: list[str], agents: list[str], sample: bool
) -> list[Notice]:
    notices = []
    if sample:
        notices.append(
            Notice("sample", "Sample data: built-in and invented, for trying the pipeline. It supports no claims.")
        )
    if builds and not runs:
        versions = f"dataset version{'' if len(builds) == 1 else 's'} {labels.listed([build[:12] for build in builds])}"
        text = f"No run of a memory agent on {versions} yet: run `treebench run`, or select others by `--builds`."
        notices.append(Notice("empty", text))
    counted = con.execute(
        """
        SELECT
            noun,
            count(*),
            count(*) FILTER (NOT done),
            count(*) FILTER (done AND outcome NOT IN ('stop', 'length')),
            count(*) FILTER (done AND outcome = 'stop' AND NOT scored),
            count(DISTINCT run_id) FILTER (NOT done)
        FROM (
            SELECT 'example' AS noun, run_id, done, outcome, scored
            FROM example_scores
            WHERE list_contains($runs::VARCHAR[], run_id)
            UNION ALL
            SELECT
                'task',
                run_id,
                any_value(outcome) <> 'skipped',
                any_value(outcome),
                bool_or(scorer_version IS NOT NULL AND scorer <> 'evidence recall')
            FROM agent_task_scores
            WHERE list_contains($agents::VARCHAR[], run_id)
            GROUP BY run_id, task_id
        )
        GROUP BY noun
        ORDER BY noun
        """,
        {"runs": runs, "agents": agents},
    ).fetchall()
    if any(late for *_, late in counted):
        all_runs = len(runs) + len(agents)
        runs_are = "the run is" if all_runs == 1 else f"{sum(late for *_, late in counted)} of {all_runs} runs are"
        lack = [f"{open:,} of {planned:,} planned {noun}s" for noun, planned, open, *_ in counted if open]
        notices.append(
            Notice(
                "partial",
                f"Partial: {runs_are} not finished; {labels.listed(lack)} have no answer yet and score zero.",
            )
        )
    ended = [_counted(failed, noun) for noun, _, _, failed, *_ in counted if failed]
    if ended:
        one = ended in (["1 example"], ["1 task"])
        were = "was ended by an error and scores" if one else "were ended by errors and score"
        notices.append(Notice("failed", f"{labels.listed(ended)} {were} zero: see Outcomes."))
    if unscored := sum(unscored for *_, unscored, _ in counted):
        answers = "answer is" if unscored == 1 else "answers are"
        notices.append(
            Notice("partial", f"{unscored:,} {answers} not scored yet and count zero: run `treebench score`.")
        )
    return notices + _scorer_notices(con, [*runs, *agents])


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _scorer_notices(con: duckdb.DuckDBPyConnection, runs: list[str]) -> list[Notice]:
    mixed = con.execute(
        "SELECT scorer, list(DISTINCT scorer_version ORDER BY scorer_version) FROM scores "
        "WHERE list_contains($runs::VARCHAR[], run_id) GROUP BY scorer HAVING count(DISTINCT scorer_version) > 1 "
        "ORDER BY scorer",
        {"runs": runs},
    ).fetchall()
    return [
        Notice(
            "partial",
            f"Scores by versions {labels.listed(versions)} of scorer {scorer} stand side by side and may differ for "
            "that reason alone: run `treebench score`, which needs no model.",
        )
        for scorer, versions in mixed
    ]


def _check_notices(con: duckdb.DuckDBPyConnection, builds: list[str]) -> list[Notice]:
    checked, failed = con.execute(
        "SELECT count(*), count(*) FILTER (NOT passed) FROM validations "
        "WHERE list_contains($builds::VARCHAR[], build_id)",
        {"builds": builds},
    ).fetchone() or (0, 0)
    if not failed:
        return []
    return [Notice("failed", f"{failed:,} of {checked:,} checks of the dataset did not hold: see Validation.")]


def _prompt_notices(con: duckdb.DuckDBPyConnection, runs: list[str]) -> list[Notice]:
    packs = con.execute(
        "SELECT DISTINCT agent, prompts, left(prompts_sha256, 8) FROM runs "
        "WHERE list_contains($runs::VARCHAR[], run_id) ORDER BY agent_order(agent), agent, prompts",
        {"runs": runs},
    ).fetchall()
    by_wording: dict[str, list[str]] = {}
    for agent, pack, sha in packs:
        used = f"{labels.label('agent', agent)} (pack {pack}, {sha})"
        by_wording.setdefault(wording(agent, pack), []).append(used)
    said = []
    for words, used in by_wording.items():
        if words == "own":
            text = (
                f"Prompts: treebench's own wording for {labels.listed(used)}. The released agents use other words, "
                "so scores may differ from theirs."
            )
        else:
            text = f"Prompts: {words or 'wording that is no longer here'} for {labels.listed(used)}."
        said.append(Notice("prompts", text))
    return said


def wording(agent: str, pack: str) -> str:
    """Where the wording of a prompt pack comes from, as its file says: `own`, or its origin; empty if it is gone."""
    file = PROMPTS / agent / f"{pack}.yaml"
    if not file.is_file():
        return ""
    from ruamel.yaml import YAML

    content = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
    return str(content.get("wording", "")) if isinstance(content, dict) else ""
