"""Prefect tasks of sectioning."""

from collections.abc import Iterator
from typing import Any

from prefect import get_run_logger, task

from tasks.home import home
from tasks.sectioning.section import Method, Sectioning, section
from tasks.tokens.tokenizer import load
from tasks.warehouse.contexts import context
from tasks.warehouse.journal import Journal
from tasks.warehouse.snapshot import reader


@task(name="section examples", task_run_name="section {build_id} for {tokenizer} at {base_budget} tokens")
def section_examples(build_id: str, tokenizer: str, base_budget: int, methods: list[Method]) -> dict[str, int]:
    """Cut the contexts of a dataset version under `tokenizer`; what is there already is not cut again."""
    at = home()
    tokens = load(tokenizer, at)
    counts = {f"{method} sections": 0 for method in methods} | {"sectioned": 0, "already there": 0}
    with reader(at) as con, Journal(at, f"section-{build_id[:8]}") as journal:
        missing = con.execute(
            "SELECT example_id, dataset, method FROM build_examples JOIN examples USING (example_id) "
            "CROSS JOIN (SELECT unnest(?) AS method) "
            "ANTI JOIN (FROM budgets WHERE tokenizer = ? AND base_budget = ?) b "
            "USING (example_id, method) WHERE build_id = ? ORDER BY example_id, method",
            [methods, tokenizer, base_budget, build_id],
        ).fetchall()
        planned = con.execute("SELECT count(*) FROM build_examples WHERE build_id = ?", [build_id]).fetchone()
        for example_id, format, method in missing:
            made = section(context(con, example_id), format, tokens, base_budget, method)
            counted = {"example_id": example_id, "tokenizer": tokenizer, "tokens": made.tokens}
            journal.append("context_tokens", counted)
            for table, row in _rows(example_id, tokenizer, method, made):
                journal.append(table, row)
            counts[f"{method} sections"] += len(made.sections)
            counts["sectioned"] += 1
    counts["already there"] = (planned[0] if planned else 0) * len(methods) - len(missing)
    get_run_logger().info("Sectioned %d contexts, %d were there", counts["sectioned"], counts["already there"])
    return counts


def _rows(example_id: str, tokenizer: str, method: Method, made: Sectioning) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of links and sections, and last the budget, which says that they are complete."""
    key = {"example_id": example_id, "tokenizer": tokenizer, "base_budget": made.base_budget}
    for part in made.sections:
        first, last = part.range or (None, None)
        yield "sections", key | {
            "method": method, "position": part.position, "type": part.type, "path": part.path, "range_start": first,
            "range_end": last, "span_start": part.start, "span_end": part.end, "tokens": part.tokens,
            "atomic": part.atomic,
        }  # fmt: skip
        for source in part.links:
            yield "links", key | {"target": part.position, "source": source}
    yield "budgets", key | {
        "method": method, "budget": made.budget, "tokens": made.tokens, "flat_sections": made.flat_sections,
        "sections": len(made.sections), "tried": [list(pair) for pair in made.tried],
    }  # fmt: skip
