import re
from collections.abc import Iterable

import pytest
from pydantic import ValidationError

from tasks.building import kinds as record_kinds
from tasks.building.kinds import Kind, kinds
from tasks.building.wording import templates
from tasks.collecting import mirror, sample
from tasks.collecting.reading import read
from tasks.collecting.sources import source
from tasks.errors import UserError
from tasks.trees.parse import parse

KIND = {
    "kind": "thing",
    "format": "json",
    "response": {"type": "things"},
    "records": ["things", "*"],
    "identity": "id",
    "one": "thing",
    "many": "things",
    "fields": {"id": {"path": ["id"], "type": "text", "name": "identifier"}},
    "descriptions": [{"field": "id", "one": "the thing {value}", "many": "the things {values}"}],
}


def test_a_kind_reads():
    kind = Kind.model_validate(KIND)
    assert kind.reference("id").path == ("id",)
    assert kind.scope.records == ("things", "*")
    assert kind.used("ask") == []


@pytest.mark.parametrize(
    "change",
    [
        {"identity": "nothing"},
        {"descriptions": []},
        {"descriptions": [{"field": "id", "one": "the thing", "many": "the things {values}"}]},
        {"descriptions": [{"field": "other", "one": "{value}", "many": "{values}"}]},
        {"descriptions": [{"field": "id", "one": "{value}", "many": "{values}", "reveals": ["x"]}]},
        {"fields": {"id": {"path": ["id"], "type": "text", "name": "identifier", "uses": ["rank"]}}},
        {"fields": {"id": {"path": ["id"], "type": "text", "name": "identifier", "uses": ["frequent"]}}},
        {"fields": {"id": {"path": ["id"], "type": "date", "name": "identifier"}}},
        {"surprise": 1},
    ],
)
def test_a_kind_that_contradicts_itself_is_refused(change):
    with pytest.raises(ValidationError):
        Kind.model_validate(KIND | change)


def test_a_dataset_without_kinds_is_named():
    with pytest.raises(UserError, match="no record kinds for dataset cobol"):
        kinds("cobol")


def test_every_use_is_there_for_every_kind():
    for kind in kinds("json").values():
        for use in ("ask", "filter", "frequent", "rank"):
            assert len(kind.used(use)) >= 2, (kind.kind, use)
        sorts = [kind.fields[name].answer_type for name in kind.used("ask")]
        assert min(sorts.count("text"), sorts.count("number")) >= 2, kind.kind
        assert max(sorts.count("text"), sorts.count("number")) >= 4, kind.kind


def keys(texts: Iterable[str]) -> set[str]:
    return {key for text in texts for key in parse(text, "json").identifiers if isinstance(key, str)}


def spoken() -> set[str]:
    """All words that questions say apart from values: names, units, kinds, descriptions, templates."""
    said = [text for task, texts in templates("json").items() if task != "ordinary_words" for text in texts]
    for kind in kinds("json").values():
        said += [kind.one, kind.many]
        for spec in kind.fields.values():
            said += [spec.name, spec.plural or "", spec.unit or "", *spec.extremes, *spec.comparisons]
        for description in kind.descriptions:
            said += [description.one, description.many]
    return set(re.findall(r"[\w#@$/-]+", re.sub(r"\{\w+\}", " ", " ".join(said))))


def test_questions_name_no_key_of_the_sample_but_ordinary_words():
    found = keys(received.body.decode() for name in ("usgs", "nvd", "crossref") for received in sample.receive(name))
    assert spoken() & found <= set(templates("json")["ordinary_words"])


def test_no_more_ordinary_words_are_listed_than_are_needed(recordings):
    """Rarer keys that are words too keep their payload out of the context instead."""
    texts = []
    for name in ("usgs", "nvd", "crossref"):
        for received in mirror.receive(source(name), str(recordings)):
            if read(received, source(name)).units is not None:
                texts.append(received.body.decode())
    found = keys(texts)
    assert set(templates("json")["ordinary_words"]) <= spoken() & found


def test_the_version_changes_with_the_files(tmp_path, monkeypatch):
    folder = tmp_path / "datasets"
    (folder / "json").mkdir(parents=True)
    (folder / "wording").mkdir()
    (folder / "json" / "a.yaml").write_text("kind: a\n")
    (folder / "wording" / "json.yaml").write_text("x: y\n")
    monkeypatch.setattr(record_kinds, "PROJECT", tmp_path)
    before = record_kinds.version.__wrapped__("json")
    (folder / "wording" / "json.yaml").write_text("x: z\n")
    assert record_kinds.version.__wrapped__("json") != before
