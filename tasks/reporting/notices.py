"""What a reader must know before the numbers of a report."""

from dataclasses import dataclass

import duckdb

from tasks.home import PROJECT
from tasks.reporting import labels

PROMPTS = PROJECT / "datasets" / "prompts"

SCORING = {
    "example": "`treebench score`, which needs no model",
    "task": "the same `treebench solve` again, which solves nothing twice",
}
"""What scores the answers of memory agents, and those of long-horizon agents."""


@dataclass(frozen=True)
class Notice:
    """Something a reader must know before the numbers."""

    kind: str
    """`sample`, `partial`, `failed`, `prompts` or `empty`."""
    text: str


def notices(
    con: duckdb.DuckDBPyConnection, builds: list[str], runs: list[str], agents: list[str], sample: bool
) -> list[Notice]:
    """What has to be said of dataset versions, runs of memory agents on them, and runs of long-horizon agents."""
    return [
        *_run_notices(con, builds, runs, agents, sample),
        *_check_notices(con, builds),
        *_prompt_notices(con, [*runs, *agents]),
    ]


def _run_notices(
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
    for noun, *_, unscored, _ in counted:
        if unscored:
            answers = "answer is" if unscored == 1 else "answers are"
            text = f"{unscored:,} {answers} not scored yet and count zero: run {SCORING[noun]}."
            notices.append(Notice("partial", text))
    return notices + _scorer_notices(con, [*runs, *agents])


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _scorer_notices(con: duckdb.DuckDBPyConnection, runs: list[str]) -> list[Notice]:
    mixed = con.execute(
        "SELECT scorer, list(DISTINCT scorer_version ORDER BY scorer_version), "
        "run_id IN (SELECT run_id FROM agent_runs) AS solved FROM scores "
        "WHERE list_contains($runs::VARCHAR[], run_id) "
        "GROUP BY scorer, solved HAVING count(DISTINCT scorer_version) > 1 ORDER BY scorer, solved",
        {"runs": runs},
    ).fetchall()
    return [
        Notice(
            "partial",
            f"Scores by versions {labels.listed(versions)} of scorer {scorer} stand side by side and may differ for "
            f"that reason alone: run {SCORING['task' if solved else 'example']}.",
        )
        for scorer, versions, solved in mixed
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
