"""What examples promise, with the validator (which shares no code with the builder) as the judge."""

import json
from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.building import aggregations, examples, lookups
from tasks.building.candidates import SHARES, Candidates, split_of
from tasks.building.contexts import compose
from tasks.building.examples import Column, drafts
from tasks.building.extracting import records, view_of
from tasks.building.kinds import kinds, patterns
from tasks.building.lookups import SHAPES
from tasks.building.pool import prepare
from tasks.building.streams import Stream
from tasks.building.wording import TASKS
from tasks.building.working import Unit, do
from tasks.hashing import content_id
from tests.building.conftest import bench_of, material_of


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, 10**6),
    st.sampled_from(TASKS),
    st.sampled_from([1024, 1500, 2048, 4096, 8192]),
    st.sampled_from(list(SHARES)),
)
def test_any_seed_gives_examples_that_the_validator_accepts(material, bench, seed, task, length, split):
    for example in material.made(bench, Column("json", task, (length,), split, seed), 2):
        assert material.findings(example) == {}


@pytest.mark.parametrize("dataset", ["html", "yaml", "javascript"])
@pytest.mark.parametrize("task", TASKS)
def test_every_format_gives_examples_of_every_task_that_the_validator_accepts(dataset, task):
    material, bench = material_of(dataset), bench_of(dataset)
    for example in material.made(bench, Column(dataset, task, (6000, 16384), "test", 42), 2):
        assert material.findings(example) == {}


@pytest.mark.parametrize("task", TASKS)
def test_long_contexts_hold_as_well(material, bench, task):
    for example in material.made(bench, Column("json", task, (32768,), "test", 42), 2):
        assert material.findings(example) == {}
        sources = {material.by_id[name]["source"] for name in example["payload_ids"]}
        assert len(sources) == 3


@pytest.mark.parametrize("task", TASKS)
def test_tiny_contexts_can_be_built_for_every_task(material, bench, task):
    made = material.made(bench, Column("json", task, (1024,), "test", 42), 3)
    assert all(973 <= example["tokens"] <= 1024 for example in made)
    assert any(len(example["payload_ids"]) > len(example["supporting"]) or task not in SHAPES for example in made)


@pytest.mark.parametrize("task", SHAPES)
def test_a_lookup_asks_the_same_at_every_length(material, bench, task):
    def asked(length):
        made = material.made(bench, Column("json", task, (length,), "test", 7), 4)
        needed = [{example["payload_ids"][position] for position in example["supporting"]} for example in made]
        return [example["question_id"] for example in made], needed

    assert asked(8192) == asked(16384) == asked(32768)
    together = material.made(bench, Column("json", task, (8192, 32768), "test", 7), 4)
    assert [example["question_id"] for example in together][::2] == asked(8192)[0]
    assert [example["question_id"] for example in together][1::2] == asked(32768)[0]


@pytest.mark.parametrize("task", ["fields_2", "records_4", "frequent"])
def test_more_examples_leave_earlier_ones_alone_and_ask_about_other_records(material, bench, task):
    cell = Column("json", task, (4096,), "test", 42)
    few, many = material.made(bench, cell, 3), material.made(bench, cell, 12)
    assert many[:3] == few
    assert len({example["question_id"] for example in many}) == 12


def test_another_source_changes_only_examples_that_use_it(material, bench):
    """With four sources to choose from instead of three: what does not use the new one stays as it was."""
    copies = [
        row | {"source": "further-sample", "payload_id": f"{number:032x}", "text": renamed(row["text"])}
        for number, row in enumerate(row for row in material.rows if row["source"] == "usgs-sample")
    ]
    wider = type(material)("json", [*material.rows, *copies], material.tokenizer)
    wide = wider.bench()
    new = {row["payload_id"] for row in copies}
    same = 0
    for number in range(8):
        for task in ("fields_1", "count"):
            cell = Column("json", task, (8192,), "test", number)
            (before,), (after,) = material.made(bench, cell, 1), wider.made(wide, cell, 1)
            same += before == after
            assert before == after or new & set(after["payload_ids"])
    assert same >= 2  # most examples mix three of the four sources, so a quarter of them never meets the new one


def renamed(text):
    """The same events under other names, so that they are entities of their own."""
    document = json.loads(text)
    for feature in document["features"]:
        feature["id"] = "zz" + feature["id"]
        feature["properties"]["title"] = "Z" + feature["properties"]["title"]
        feature["properties"]["place"] = "Z" + feature["properties"]["place"]
    return json.dumps(document, ensure_ascii=False)


def test_the_supporting_payload_stands_anywhere(material, bench):
    """Over many examples its relative place is uniform: each quarter of the context gets its share."""
    quarters: Counter[int] = Counter()
    for seed in range(30):
        for example in material.made(bench, Column("json", "fields_1", (8192,), "test", seed), 4):
            (position,) = example["supporting"]
            quarters[int(4 * (position + 0.5) / len(example["payload_ids"]))] += 1
    total = sum(quarters.values())
    chi_square = sum((quarters[quarter] - total / 4) ** 2 / (total / 4) for quarter in range(4))
    assert chi_square < 16.3  # 0.1 % level at three degrees of freedom


def test_splits_ask_about_different_records(material, bench):
    for task in ("fields_1", "records_2"):
        asked = {}
        for split in SHARES:
            made = material.made(bench, Column("json", task, (4096,), split, 42), 6)
            asked[split] = {json.dumps(example["question"]["reference"]["targets"]) for example in made}
        assert not asked["test"] & asked["train"]
        assert not asked["test"] & asked["development"]
    shares = Counter(split_of(f"kind:{number}") for number in range(5000))
    assert abs(shares["test"] - 3000) < 150
    assert abs(shares["development"] - 500) < 100


def test_copies_of_one_entity_never_stand_together(bench):
    pool = bench.pool
    twice = [index for index in range(len(pool.payloads)) if pool.rivals(index)]
    assert twice, "the sample holds the same entity in two responses"
    for index in twice:
        for seed in range(5):
            context = compose(pool, [index], (), Stream(seed), 32768)
            assert context
            assert not pool.rivals(index) & set(context)


def test_what_cannot_be_built_is_said(material):
    done = do(
        material.bench(["usgs-sample"]), material.counter, Unit(Column("json", "records_4", (1024,), "test", 42), 2)
    )
    assert done.short == {"json/records_4/1024/test": 2}
    assert not done.made


def test_all_kinds_and_many_fields_are_asked_about(material, bench):
    kinds: Counter[str] = Counter()
    fields: set[str] = set()
    templates: set[str] = set()
    for task in TASKS:
        for example in material.made(bench, Column("json", task, (8192,), "test", 1), 12):
            reference = example["question"]["reference"]
            kinds[example["question"]["kind"]] += 1
            named = [*reference.get("fields", []), *([reference["field"]] if "field" in reference else [])]
            named += [condition["field"] for condition in reference.get("conditions", [])]
            fields |= {f"{example['question']['kind']}.{field['name']}" for field in named}
            templates.add(example["question"]["template"])
    assert len(kinds) == 5
    assert len(fields) > 30
    assert len(templates) >= 18


@pytest.mark.parametrize("dataset", ["json", "yaml"])
def test_what_a_guess_often_hits_is_asked_among_four_fields_only(dataset):
    pool = bench_of(dataset).pool
    asked = Counter()
    for task, (_, fields) in SHAPES.items():
        for _, _, draft in drafts(pool, Column(dataset, task, (8192,), "test", 9), 20):
            assert draft
            few = [draft.question.kind.fields[field.name].few for field in draft.question.reference.fields]
            assert sum(few) <= (2 if fields == 4 else 0)
            asked[task] += sum(few)
    assert asked["fields_4"] > 0


@pytest.mark.parametrize(
    ("described_by", "field", "worked_out"),
    [
        ("message", "output", False),
        ("code", "output", True),
        ("output", "code", True),
        ("message", "messageId", True),
        ("title", "messageId", False),
    ],
)
def test_what_can_be_worked_out_from_the_description_is_not_asked(described_by, field, worked_out):
    """What a rule makes of a piece of code follows from the code, and the code from it, but neither from a message."""
    entries = ", ".join(f"{{{described_by}: 'turn {number} over', {field}: 'done {number}'}}" for number in range(9))
    made = asked_about("javascript", f"const invalid = [{entries}];", "javascript_list_entry", "fields_1")
    asked = sum(one.question.reference.fields[0].name == field for one in made)
    assert (asked == 0) is worked_out


def asked_about(dataset, text, family, task):
    """All lookup questions about the records of one payload."""
    row = {"payload_id": content_id(dataset, text), "source": "made", "text": text}
    known = kinds(dataset) if family in kinds(dataset) else {}
    pool = prepare([row], dataset, dataset, known, patterns(dataset), material_of(dataset).tokenizer)
    found = Candidates(pool, family, "test")
    order, failed = np.arange(len(found.all)), np.zeros(len(found.all), dtype=np.int64)
    return list(lookups.questions(pool, dataset, task, found, order, failed, Stream(1), 8000))


def test_a_field_that_another_gives_away_is_not_asked_beside_it():
    """What has a lower bound for the number of elements is an array."""
    properties = {
        f"part{number}": {
            "type": "array",
            "items": {"type": "object"},
            "minItems": 3 + number,
            "maxItems": 30 + number,
            "description": f"Wheels of wagon {number}",
        }
        for number in range(60)
    }
    text = json.dumps({"info": {"title": "Trains"}, "definitions": {"Train": {"properties": properties}}}, indent=1)
    made = asked_about("yaml", text, "yaml_property", "fields_4")
    asked = [{field.name for field in one.question.reference.fields} for one in made]
    assert asked
    assert all(fields == {"element", "explanation", "most", "fewest"} for fields in asked)


@pytest.mark.parametrize("task", ["fields_1", "records_2"])
def test_a_field_that_the_description_has_the_source_of_is_not_asked(task):
    """Where the town is known, so are its degrees: they are asked of a site that is not called by its town."""
    towns = ["Essen", "Bremen", "Kiel", "Ulm", "Celle", "Fulda", "Trier", "Gotha"]
    sites = [
        {
            "facility": f"Hospital of {town}" if number % 2 else f"Clinic {number} North",
            "city": town,
            "geoPoint": {"lat": 50.5 + number, "lon": 7.25 + number},
        }
        for number, town in enumerate(towns * 8)
    ]
    for number, site in enumerate(sites):
        site["facility"] += f" {number}"
    section = {"identificationModule": {"nctId": "NCT1"}, "contactsLocationsModule": {"locations": sites}}
    text = json.dumps({"protocolSection": section}, ensure_ascii=False)
    asked = [
        target
        for one in asked_about("json", text, "clinical_site", task)
        if one.question.reference.fields[0].name in ("latitude", "longitude")
        for target in one.question.reference.targets
    ]
    assert asked
    assert all("Clinic" in target[0].value for target in asked)


EVENT = kinds("json")["usgs_event"]


def events(field, values):
    """Records of seismic events with these values of a property."""
    features = [{"id": f"e{number}", "properties": {field: value}} for number, value in enumerate(values)]
    text = json.dumps({"type": "FeatureCollection", "features": features})
    return records(view_of(text, "json"), "p", [EVENT])


def test_of_two_values_none_is_asked_as_the_most_frequent():
    """A guess would hit every other time."""

    def asked(*networks):
        return aggregations.question("json", EVENT, "frequent", events("net", networks), Random(1))

    assert asked("nn", "nn", "nn", "ci", "ci") is None
    made = asked("nn", "nn", "nn", "ci", "ci", "ak")
    assert made
    assert made.answer == ("nn",)


def test_what_lies_within_a_place_is_not_asked_as_its_most_frequent():
    """The town that most sites in one country are in is a good guess."""
    kind = kinds("json")["clinical_site"]
    places = [("Kiel", "Germany"), ("Kiel", "Germany"), ("Ulm", "Germany"), ("Bonn", "Germany"), ("Oslo", "Norway")]
    sites = [{"facility": f"Clinic {n}", "city": places[n % 5][0], "country": places[n % 5][1]} for n in range(25)]
    section = {"identificationModule": {"nctId": "NCT1"}, "contactsLocationsModule": {"locations": sites}}
    found = records(view_of(json.dumps({"protocolSection": section}), "json"), "p", [kind])
    asked = [aggregations.question("json", kind, "frequent", found, Random(seed)) for seed in range(60)]
    assert {made.answer for made in asked if made} == {("Kiel",)}
    assert not any(made.reference.conditions for made in asked if made)


def test_two_is_no_good_guess_for_a_number():
    """Most values of a field are held by two records; all the same, other numbers are asked for as well."""
    networks = ["nn"] * 5 + [net for net in ("ci", "ak", "nc", "us", "hv", "mb") for _ in range(2)]
    found = events("net", networks)
    asked = [aggregations.question("json", EVENT, "count", found, Random(seed)) for seed in range(200)]
    answers = Counter(made.answer for made in asked if made)
    assert answers.keys() == {("2",), ("5",)}
    assert answers[("2",)] < answers[("5",)]


def test_what_is_numbered_one_by_one_is_not_counted_by_a_bound():
    """Of 0, 1, 2 and so on, two are below 1.5 wherever they come from."""

    def asked(*scores):
        return aggregations.question("json", EVENT, "count", events("sig", scores), Random(1))

    assert asked(3, 1, 0, 2, 5, 4) is None
    assert asked(3, 1, 0, 2, 5, 6) is not None


def test_rows_of_tables_are_counted_and_ranked():
    """What the reference language calls the parts of a page is no key of the page, so a question may say `rows`."""
    pool = bench_of("html").pool
    asked = {
        task: {draft.question.kind.kind for _, _, draft in drafts(pool, Column("html", task, (16384,), "test", 5), 12)}
        for task in ("count", "frequent", "extremum")
    }
    assert all("html_table_row" in kinds for kinds in asked.values())


def test_where_payloads_run_out_they_are_asked_something_else(bench, monkeypatch):
    """All contexts have the same payloads: each example asks another question, and none is asked twice."""
    kept = compose(bench.pool, [bench.pool.by_kind["usgs_event"][0]], (), Stream(1), 8192)
    monkeypatch.setattr(examples, "compose", lambda *_: kept)
    made = [draft for _, _, draft in drafts(bench.pool, Column("json", "count", (8192,), "test", 3), 8) if draft]
    assert len(made) > 4
    assert {tuple(draft.payloads) for draft in made} == {tuple(kept or ())}
    assert len({draft.question.question_id for draft in made}) == len(made)
