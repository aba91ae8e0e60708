"""`treebench compare`: a comparison of two runs on standard output, and its page."""

import json
from collections.abc import Iterator

from tasks.home import Home
from tasks.reporting.compare import compare
from tasks.reporting.comparison import Comparison, jsonable
from tasks.reporting.render import render_comparison
from tasks.reporting.writing import plain
from tasks.warehouse.snapshot import reader


def compare_runs(home: Home, first: str, second: str, format: str = "text", show: int = 20) -> None:
    """Compare two runs, write the page of it, and print `text` with at most `show` flipped examples, or `json`.

    Raises as `compare` does.
    """
    with reader(home) as con:
        found = compare(con, first, second)
    page = render_comparison(home, found)
    if format == "json":
        print(json.dumps({**jsonable(found), "page": str(page)}, ensure_ascii=False, indent=1))
    else:
        print("\n".join(_text(found, page.as_uri(), show)))


def _text(found: Comparison, address: str, show: int) -> Iterator[str]:
    yield f"first   {found.first}\nsecond  {found.second}\n\n{found.headline}"
    yield from found.notices
    yield "\nConfiguration" + ("" if found.configuration.rows else ": nothing differs, one is a repeat of the other")
    if found.configuration.rows:
        yield plain(found.configuration)
    for _, table in found.scopes:
        yield f"{table.query.title}\n{plain(table)}"
    yield f"{found.costs.query.title}\n{plain(found.costs)}"
    yield f"Flipped {found.noun}s: {found.flipped_in_all:,}"
    for row in (row for rows in found.by_example[:show] for row in rows):
        scores = f"{row['first_score']:6.2f} -> {row['second_score']:6.2f}"
        yield f"  {scores}  {row['about']:24}  {address}#example-{row['example'][:12]}"
    if found.flipped_in_all > show:
        yield f"  and {found.flipped_in_all - show:,} more on the page"
    yield f"\npage: {address}"
