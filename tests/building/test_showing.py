import json

import pytest

from tasks.building.build import build
from tasks.building.showing import printed, show
from tasks.building.wording import TASKS
from tasks.collecting.collect import collect
from tasks.errors import UserError
from tasks.warehouse import journal
from tasks.warehouse.contexts import context
from tasks.warehouse.ingest import sync
from tasks.warehouse.snapshot import reader, rows


@pytest.mark.parametrize(("dataset", "source"), [("javascript", "eslint"), ("yaml", "apis_guru")])
def test_every_example_shows_where_its_answer_stands(fresh_home, dataset, source):
    collect(fresh_home, source, "sample")
    sync(fresh_home)
    build(fresh_home, dataset, [source], "sample", TASKS, [4096], 1)
    sync(fresh_home)
    for row in rows(fresh_home, "FROM examples JOIN questions USING (question_id)"):
        shown = show(fresh_home, row["example_id"][:20])
        answer = json.loads(row["answer"])
        with reader(fresh_home) as con:
            lines = context(con, row["example_id"]).split("\n")
        values = [place.value for place in shown.places]
        if row["task"] == "count":
            assert len(values) + shown.more >= int(answer[0]) or len(json.loads(row["reference"])["conditions"]) > 1
        else:
            assert set(answer) <= set(values)
        for place in shown.places:
            meant = next(line for line in place.lines if line.startswith(">"))
            number, text = meant[1:].split(" | ", 1)
            assert text.strip("…")[:40] in lines[int(number) - 1]
            assert place.value in meant or place.value in "".join(place.lines)
            assert place.path.startswith("$")
        text = "\n".join(printed(shown))
        assert row["text"] in text
        assert all(value in text for value in answer if row["task"] != "count")


@pytest.mark.parametrize(
    ("dataset", "sources"), [("html", ["public_pages", "websrc"]), ("json", ["nvd"]), ("yaml", ["apis_guru"])]
)
def test_the_examples_to_read_say_where_their_answers_stand(fresh_home, dataset, sources):
    """The view `reading_places` finds in SQL what `treebench show` finds by parsing."""
    for source in sources:
        collect(fresh_home, source, "sample")
    sync(fresh_home)
    build(fresh_home, dataset, sources, "sample", TASKS, [4096], 1)
    sync(fresh_home)
    found = rows(fresh_home, "FROM reading_places JOIN readings USING (example_id)")
    assert {row["task"] for row in found} == set(TASKS)
    for row in found:
        assert row["path"] is not None, row
        if row["task"] == "count":
            continue
        assert row["value"] in row["excerpt"]
        frame = f"/page[{row['position'] + 1}]" if dataset == "html" else f"$[{row['position']}]"
        paths = [place.path for place in show(fresh_home, row["example_id"]).places if place.value == row["value"]]
        assert row["payloads"] == 1 or any(path.startswith(frame) for path in paths), (row["path"], paths)


def test_an_unknown_example_is_named(fresh_home):
    with pytest.raises(UserError, match=r"There is no snapshot .*treebench rebuild"):
        show(fresh_home, "abc")
    collect(fresh_home, "eslint", "sample")
    sync(fresh_home)
    with pytest.raises(UserError, match=r"no example 'abc': `treebench sql"):
        show(fresh_home, "abc")
    with pytest.raises(UserError, match="has to be named"):
        show(fresh_home, "")
    for example_id in ("ab1", "ab2"):
        written = {"question_id": "q", "dataset": "json", "task": "count", "length": 512, "split": "test", "number": 0}
        written |= {"context_sha256": example_id, "characters": 1, "supporting": [0], "sample": True}
        journal.write(fresh_home, "examples", [written | {"example_id": example_id}])
    sync(fresh_home)
    with pytest.raises(UserError, match="begins with 'ab': name more of it"):
        show(fresh_home, "ab")
