from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.building import wording
from tasks.building.aggregations import between
from tasks.building.answering import alike, differ, told, worth_asking
from tasks.building.kinds import FieldSpec, kinds
from tasks.building.reference import READER, Condition, Count
from tasks.building.views import Value
from tasks.errors import Fault
from tasks.scoring.match import same_number

KINDS = kinds("json")


def condition(kind, field, operator, value):
    return Condition(field=KINDS[kind].reference(field), operator=operator, value=value)


@pytest.mark.parametrize("dataset", ["json", "html", "yaml"])
def test_a_flag_says_that_it_was_marked_since_a_record_without_it_is_neither(dataset):
    for kind in kinds(dataset).values():
        for spec in kind.fields.values():
            assert spec.type != "flag" or (spec.name[:10] == str(spec.negation)[:10] == "are marked"), spec.name


def test_lists_read_as_people_write_them():
    assert wording.listed(["a"]) == "a"
    assert wording.listed(["a", "b"]) == "a and b"
    assert wording.listed(["a", "b", "c"]) == "a, b and c"


def test_records_are_described_by_what_is_visible():
    by_id, by_place, _ = KINDS["usgs_event"].descriptions
    assert wording.described(by_id, [["nn1"]]) == 'the seismic event with the identifier "nn1"'
    assert wording.described(by_place, [["Near Lima"]]) == 'the seismic event located "Near Lima"'
    assert wording.described(by_id, [["nn1"], ["ci2"]]) == 'the seismic events with the identifiers "nn1" and "ci2"'
    (site,) = KINDS["clinical_site"].descriptions
    assert wording.described(site, [["A", "N1"]]) == 'the site "A" of the clinical study "N1"'
    assert wording.described(site, [["A", "N1"], ["B", "N2"]]) == (
        'the following: the site "A" of the clinical study "N1" and the site "B" of the clinical study "N2"'
    )


def test_conditions_become_a_scope():
    kind = KINDS["usgs_event"]
    assert wording.scope(kind, []) == "seismic events"
    deep = condition("usgs_event", "depth", "above", "12.5")
    local = condition("usgs_event", "magnitude_type", "equals", "ml")
    assert wording.scope(kind, [deep]) == "seismic events whose depth is greater than 12.5 kilometres"
    assert wording.scope(kind, [local, deep]) == (
        'seismic events whose magnitude scale is "ml" and whose depth is greater than 12.5 kilometres'
    )
    closed = condition("contract_notice", "small", "equals", "false")
    assert wording.scope(KINDS["contract_notice"], [closed]) == (
        "procurement notices that are marked as not suitable for small and medium companies"
    )
    early = condition("crossref_work", "year", "below", "1999")
    assert wording.scope(KINDS["crossref_work"], [early]) == "works whose year of publication is earlier than 1999"


@pytest.mark.parametrize("dataset", ["json", "html", "yaml", "javascript"])
@pytest.mark.parametrize("task", [*wording.TASKS, "frequent_1"])
def test_every_template_can_be_filled_and_ends_as_a_sentence(dataset, task):
    parts = {"description": "D", "field": "F", "fields": "F and G", "scope": "S", "top": "two"}
    parts |= {"plural": "P", "extreme": "greatest"}
    seen = set()
    for seed in range(40):
        text, name = wording.worded(dataset, task, Random(seed), **parts)
        assert text[-1] in ".?"
        assert "{" not in text
        seen.add(name)
    assert len(seen) >= 2


def test_keys_are_named_where_they_are_asked_for_or_coined():
    question = 'What is the magType and the depth of the seismic event located "5 km of mag, type"?'
    assert wording.coined("json", question) == {"magType"}
    assert wording.names_a_key("json", question, [("properties", "depth")])
    assert wording.names_a_key("json", question, [("list", {"depth": "*"})])
    assert not wording.names_a_key("json", question, [("properties", "mag"), ("type", 0)])
    assert not wording.names_a_key("json", "the page and the year", [("page",), ("year",)])


@pytest.mark.parametrize("dataset", ["json", "html", "yaml", "javascript"])
def test_no_field_is_called_by_its_key(dataset):
    wording.refuse_names_that_are_keys(dataset, kinds(dataset).values())


def test_a_field_that_is_called_by_its_key_is_refused():
    kind = KINDS["usgs_event"]
    spec = FieldSpec(path=("properties", "magType"), type="text", name="magType of the event", uses=frozenset(["ask"]))
    with pytest.raises(
        Fault, match=r"Field scale of record kind usgs_event in datasets/json/ .* 'magType of the event'"
    ):
        wording.refuse_names_that_are_keys("json", [kind.model_copy(update={"fields": {"scale": spec}})])


@pytest.mark.parametrize(
    ("answer", "question", "gives_away"),
    [
        ("2015", "the work with the DOI 10.1016/j.ffa.2015.10.008", True),
        ("ml", "events whose magnitude scale is ml", True),
        ("ML", 'events whose magnitude scale is "ml"', True),
        ("md", "the command", False),
        ("5", "CVE-2015-1", False),
        ("-0.2", 'the event "M -0.2 - 12 km W of Pony"', True),
        ("q3 :", 'the "q3:" entry', True),
        ("q4 :", 'the "q3:" entry', False),
        ("C++ (2nd)", "a book on C++ (2nd) edition", True),
        ("boolean", 'whose description is "Shows it when set to `true`."', True),
        ("boolean", 'whose description is "Shows the trueness."', False),
    ],
)
def test_answers_that_the_question_gives_away(answer, question, gives_away):
    assert told([answer], question) is gives_away


decimals = st.decimals(-1000, 1000, places=4)


@pytest.mark.parametrize(
    ("address", "question", "gives_away"),
    [
        ("/traditions.php", 'the list item "Traditions"', True),
        ("anfahrt.html", 'the list item "Anfahrt"', True),
        ("siparis/", 'the list item "Sipari\u015f Formu"', True),
        ("about.php?p=36/About Us", 'the list item "About Us"', True),
        ("#/responses/422", 'the response with the status code "422"', True),
        ("index.php?p=4", 'the list item "4 seasons"', False),
        ("http://board.example/39/", 'the list item "39"', False),
        ("#/definitions/Article", "the property", False),
        ("500 response", 'the response with the status code "500"', True),
        ("A: foo();", 'the entry whose output is "foo();"', True),
        ("The key that finds a customer again", 'the property "key"', False),
        ("2.9", "the score", False),
        ("http://www.thametowncouncil.gov.uk", 'the organisation "Thame Town Council"', True),
        ("Proxy API", 'the operation with the identifier "getProxy"', True),
        ("Get icon by term", 'the operation for the address pattern "/icon/{term}" and the HTTP method "get"', True),
        ("The ID of the branch", 'the parameter "branchID"', True),
        ("The unique ID of the branch", 'the parameter "branchID"', False),
        ("#/definitions/LastMediaResult", 'the operation for the address pattern "/LastMedia"', True),
        ("http://www.bcpcouncil.gov.uk", 'the organisation "Bournemouth Christchurch and Poole Council"', False),
        ("#/definitions/InstallServiceResult", 'the operation for the address pattern "/InstallService"', True),
        ("#/schemas/ResetInstanceResponse", 'the response of "/v1/{instance}:resetInstance"', True),
        ("#/schemas/ResetInstanceState", 'the response of "/v1/{instance}:resetInstance"', False),
        ("#/definitions/InstallationStarted", 'the operation for the address pattern "/InstallService"', False),
    ],
)
def test_addresses_that_end_in_what_the_question_says(address, question, gives_away):
    assert told([address], question) is gives_away


def test_values_that_say_nothing_are_no_answers():
    spec = FieldSpec(path=("a",), type="text", name="contributor")
    for text in (
        "Not specified",
        "none provided",
        "Unavailable",
        "all",
        "N/A",
        "redacted@example.org",
        "JWT JWT.REDACTED",
        "000 0000 0000",
        "Pati\ufffdnt",
    ):
        assert not worth_asking(Value("text", f'"{text}"', text), spec), text
    assert worth_asking(Value("text", '"Anna"', "Anna"), spec)


def text(said):
    return Value("text", f'"{said}"', said)


def number(said):
    return Value("number", said, said)


def test_what_anybody_would_guess_is_no_answer_however_it_is_written():
    spec = FieldSpec(path=("a",), type="text", name="state", obvious=frozenset({"Completed"}))
    assert not any(worth_asking(text(said), spec) for said in ("Completed", "COMPLETED", "completed."))
    assert worth_asking(text("Completed early"), spec)


@pytest.mark.parametrize(
    ("said", "worth"),
    [
        ("internal server error", False),
        ("Successful operation.", False),
        ("BadRequestException", False),
        ("404 response", False),
        ("The list of pets", True),
        ("Not Found - the pet has gone", True),
    ],
)
def test_an_explanation_that_only_says_what_its_status_says_is_no_answer(said, worth):
    spec = kinds("yaml")["yaml_response"].fields["explanation"]
    assert worth_asking(text(said), spec) is worth


def test_what_says_only_what_the_address_says_is_given_away():
    spec = kinds("yaml")["yaml_response"].fields["shape"]
    asked = 'the response of the operation for the address pattern "/sites/{siteUrl}/sitemaps"'
    assert told(["#/components/schemas/SitemapsListResponse"], asked, spec.hollow)
    assert not told(["#/components/schemas/SitemapsIndexResponse"], asked, spec.hollow)


def test_a_definition_that_is_called_as_its_status_is_no_answer():
    spec = kinds("yaml")["yaml_response"].fields["shape"]
    assert not worth_asking(text("#/components/responses/TooManyRequests"), spec)
    assert worth_asking(text("#/components/responses/PetList"), spec)


def test_one_alone_is_no_answer_but_one_of_several_is():
    spec = FieldSpec(path=("a",), type="number", name="maximum")
    for said in ("1", "-1", "1.0"):
        assert not worth_asking(number(said), spec, alone=True)
        assert worth_asking(number(said), spec)
    assert worth_asking(number("11"), spec, alone=True)
    assert not worth_asking(number("0"), spec)


@given(st.decimals(-5000, 5000, places=3), st.decimals(-5000, 5000, places=3))
def test_numbers_are_alike_where_scoring_takes_one_for_the_other(one, other):
    either = same_number(str(one), str(other)) or same_number(str(other), str(one))
    assert alike(str(one), str(other), "number") is either


def test_values_differ_as_scoring_tells_them_apart():
    assert not differ(["1366", "12", "1365"], "number")
    assert differ(["1366", "1365"], "text")
    assert not differ(["High", "HIGH"], "text")
    assert differ(["0.02", "0.04"], "number")


@given(decimals, decimals)
def test_a_bound_lies_strictly_between_and_is_short(one, other):
    low, high = sorted((one, other))
    if low == high:
        return
    bound = between(low, high)
    assert low < bound < high
    assert len(format(bound, "f")) <= max(len(format(low, "f")), len(format(high, "f"))) + 2


def test_bounds_are_as_round_as_they_can_be():
    assert between(Decimal("8.2"), Decimal("9.9")) == 9
    assert between(Decimal("8.2"), Decimal("8.4")) == Decimal("8.3")
    assert between(Decimal("3"), Decimal("4")) == Decimal("3.5")
    assert between(Decimal("1998"), Decimal("2007")) == 2000
    assert between(Decimal("10000"), Decimal("9223372036854775807")) == 100_000


def test_references_survive_json():
    kind = KINDS["nvd_vulnerability"]
    made = Count(scope=kind.scope, conditions=(condition("nvd_vulnerability", "score_3", "above", "7"),))
    assert READER.validate_python(made.model_dump(mode="json")) == made
    assert made.model_dump(mode="json")["conditions"][0]["field"]["path"][2] == {"type": "Primary"}
