import pytest
from pydantic import ValidationError

from tasks.building import kinds as record_kinds
from tasks.building.extracting import records, view_of
from tasks.building.kinds import Kind, kinds, patterns
from tasks.building.wording import names_a_key
from tasks.collecting import mirror
from tasks.collecting.collected import Collected
from tasks.collecting.received import Received
from tasks.collecting.sources import names, source
from tasks.errors import UserError

KIND = {
    "kind": "thing",
    "format": "json",
    "response": {"type": "things"},
    "records": ["things", "*"],
    "identity": "id",
    "one": "thing",
    "many": "things",
    "fields": {"id": {"path": ["id"], "type": "text", "name": "identifier"}},
    "descriptions": [{"fields": ["id"], "one": "the thing {value}", "many": "the things {values}"}],
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
        {"descriptions": [{"fields": ["id"], "one": "the thing", "many": "the things {values}"}]},
        {"descriptions": [{"fields": ["other"], "one": "{value}", "many": "{values}"}]},
        {"descriptions": [{"fields": ["id"], "one": "{value}", "many": "{values}", "reveals": ["x"]}]},
        {"fields": {"id": {"path": ["id"], "type": "text", "name": "identifier", "uses": ["rank"]}}},
        {"fields": {"id": {"path": ["id"], "type": "text", "name": "identifier", "uses": ["frequent"]}}},
        {
            "fields": {
                "id": {"path": ["id"], "type": "text", "name": "sort", "plural": "sorts", "uses": ["frequent"]}
                | {"few": True, "obvious": ["common"]}
            }
        },
        {"fields": {"id": {"path": ["id"], "type": "date", "name": "identifier"}}},
        {"fields": {"id": {"path": ["id"], "type": "flag", "name": "are open", "uses": ["filter"]}}},
        {"descriptions": [{"fields": ["id", "id"], "one": "the thing {value}", "many": None}]},
        {"surprise": 1},
    ],
)
def test_a_kind_that_contradicts_itself_is_refused(change):
    with pytest.raises(ValidationError):
        Kind.model_validate(KIND | change)


def test_a_dataset_without_kinds_is_named():
    with pytest.raises(UserError, match="no record kinds for dataset cobol"):
        kinds("cobol")


def test_kinds_serve_every_task():
    asked = {name: kind.used("ask") for name, kind in kinds("json").items()}
    assert all(len(fields) >= 2 for fields in asked.values())
    assert sum(len(fields) >= 6 for fields in asked.values()) >= 9  # so that four of one type are often there
    for use in ("filter", "frequent", "rank"):
        assert sum(bool(kind.used(use)) for kind in kinds("json").values()) >= 8


@pytest.mark.parametrize("dataset", ["json", "html", "yaml"])
def test_names_of_fields_are_no_keys_of_their_paths_but_ordinary_words(dataset):
    for kind in kinds(dataset).values():
        for spec in kind.fields.values():
            if spec.uses:
                said = " ".join([spec.name, spec.plural or "", spec.negation or "", kind.one, kind.many])
                paths = (spec.path, *spec.also, *(place.records for place in kind.places))
                assert not names_a_key(dataset, said, paths), (kind.kind, spec.name)


def test_every_source_group_has_kinds_and_every_kind_has_records(recordings):
    """At least twelve kinds over all eight services, each found in what the services answered."""
    found = set()
    for name in (n for n in names() if source(n).dataset == "json"):
        collected = Collected(source(name), "mirror")
        everything = [item for item in mirror.receive(source(name), str(recordings)) if isinstance(item, Received)]
        received = sorted(everything, key=lambda item: len(item.body))
        for item in received[::3] + received[-3:]:
            collected.add(item, None)
        for row in list(collected.payloads.values())[::11]:
            view = view_of(row["text"], "json")
            found |= {(name, record.kind) for record in records(view, row["payload_id"], kinds("json").values())}
    assert len({service for service, _ in found}) == 8
    assert {kind for _, kind in found} == set(kinds("json"))
    assert len(kinds("json")) >= 12


def test_patterns_are_told_from_kinds():
    assert {pattern.kind for pattern in patterns("javascript")} >= {"javascript_list_entry", "javascript_table_entry"}
    assert kinds("javascript") == {}
    assert "html_page" in kinds("html")


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
