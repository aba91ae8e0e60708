"""The parameter models are forms: every field says what it is; profiles and flags fill them."""

from pathlib import Path
from typing import get_args

import pytest

from flows import parameters as models
from flows.overrides import narrowed, overrides_of, parameters, profile, profile_names
from flows.rebuilding import RebuildParameters
from flows.solving import SolveParameters
from tasks.collecting.sources import names
from tasks.errors import UserError

ALL = [m for m in vars(models).values() if isinstance(m, type) and issubclass(m, models.Parameters)]
ALL += [RebuildParameters, SolveParameters]


@pytest.mark.parametrize("model", ALL, ids=lambda m: m.__name__)
def test_every_field_is_described(model: type[models.Parameters]) -> None:
    for name, field in model.model_fields.items():
        assert field.description, f"{model.__name__}.{name} has no description"
        assert field.description.endswith("."), f"{model.__name__}.{name}: a sentence"


@pytest.mark.parametrize("name", profile_names())
def test_profiles_set_known_fields_only(name: str) -> None:
    assert set(profile(name)) <= set(RebuildParameters.model_fields)


def test_the_demo_profile_is_the_default() -> None:
    assert parameters(RebuildParameters, "demo", None) == RebuildParameters()


def test_flags_win_over_the_profile(tmp_path: Path) -> None:
    flags = overrides_of(RebuildParameters)(lengths=[4096], mirror=str(tmp_path))
    made = parameters(RebuildParameters, "demo", flags)
    assert (made.lengths, made.transport, made.base_budget) == ([4096], "mirror", 512)


def test_live_needs_a_contact() -> None:
    with pytest.raises(UserError, match="set contact"):
        parameters(RebuildParameters, "paper", None)


def test_narrowed_keeps_the_shared_fields() -> None:
    whole = RebuildParameters(lengths=[2048], seed=7)
    assert narrowed(whole, models.BuildParameters).seed == 7
    assert narrowed(whole, models.RunParameters, build="b").build == "b"


def test_a_dataset_reads_its_own_sources_unless_others_are_named() -> None:
    assert models.CollectParameters(dataset="html").sources == ["websrc", "public_pages"]
    assert models.CollectParameters(dataset="javascript", sources=["babel"]).sources == ["babel"]
    assert models.CollectParameters().sources == ["usgs", "nvd", "crossref"]
    with pytest.raises(ValueError, match="source usgs is none of dataset yaml: choose from apis_guru"):
        models.CollectParameters(dataset="yaml", sources=["usgs", "nvd"])


def test_every_source_is_in_the_form_and_in_its_dataset() -> None:
    assert sorted(get_args(models.Source)) == names()
    for dataset, sources in models.SOURCES_OF.items():
        assert sorted(sources) == names(dataset)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dataset": "html", "transport": "sample", "archives": ["websrc=x.zip"]}, "reads no archives"),
        ({"transport": "mirror", "mirror": "s3://m", "archives": ["lodash=x"]}, "names lodash, which is none"),
        ({"dataset": "html", "transport": "mirror", "archives": ["websrc=x.zip"]}, "set mirror"),
        ({"transport": "mirror", "mirror": "/nope"}, "there is no folder /nope: set mirror"),
        ({"record": "m"}, "only what comes over transport live"),
        ({"archives": ["nonsense"]}, "pattern"),
    ],
)
def test_what_does_not_go_together_is_said(given: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        models.CollectParameters(**given)


@pytest.mark.parametrize("model", [RebuildParameters, models.RunParameters, SolveParameters])
@pytest.mark.parametrize("address", ["ftp://x", "127.0.0.1:30000", "localhost:30000/v1", "http://", "http://[x"])
def test_an_endpoint_is_an_address(model: type[models.Parameters], address: str) -> None:
    with pytest.raises(ValueError, match=r" is no address of a server: begin it with http:// or https://"):
        model.model_validate({"endpoint": address})
    for known in ("http://127.0.0.1:30000/v1", "https://host", "", None):
        assert model.model_validate({"endpoint": known})


def test_a_search_engine_has_an_address_too() -> None:
    with pytest.raises(ValueError, match=r"localhost:8080 is no address of a server"):
        SolveParameters(search="searxng", search_url="localhost:8080")


def test_archives_alone_need_no_mirror() -> None:
    made = models.CollectParameters(
        dataset="javascript", sources=["eslint"], transport="mirror", archives=["eslint=/x/eslint=1"]
    )
    assert made.places == {"eslint": "/x/eslint=1"}
    assert made.lock_name == "javascript-mirror"


def test_a_build_needs_no_mirror_and_no_contact_but_a_rebuild_does() -> None:
    for transport in ("mirror", "live"):
        assert models.BuildParameters(transport=transport).transport == transport
        with pytest.raises(ValueError, match=r"set mirror|set contact"):
            RebuildParameters(transport=transport)


def test_a_build_offers_nothing_that_only_collecting_reads() -> None:
    only = set(models.CollectParameters.model_fields) - set(models.SourceParameters.model_fields)
    assert {"mirror", "contact", "lock"} < only
    assert not only & set(models.BuildParameters.model_fields)


def test_a_rebuild_goes_through_its_datasets() -> None:
    demo = RebuildParameters().each()
    assert [own.dataset for own in demo] == ["json", "html", "yaml", "javascript"]
    assert [own.tasks for own in demo][1:] == [["fields_2"]] * 3
    assert demo[3].sources == models.SOURCES_OF["javascript"]
    assert [own.dataset for own in RebuildParameters(dataset="yaml").each()] == ["yaml"]
    assert [own.dataset for own in RebuildParameters(transport="mirror", mirror="s3://m").each()] == ["json"]
    chosen = RebuildParameters(transport="mirror", mirror="s3://m", datasets=["yaml", "json"]).each()
    assert [own.dataset for own in chosen] == ["yaml", "json"]
    assert [own.sources for own in chosen] == [models.SOURCES_OF["yaml"], models.SOURCES_OF["json"]]


def test_tasks_are_for_the_dataset_that_is_named_first() -> None:
    one = RebuildParameters(datasets=["yaml"], tasks=["count"]).each()
    assert [(own.dataset, own.tasks) for own in one] == [("yaml", ["count"])]
    several = RebuildParameters(datasets=["html", "json", "html"], tasks=["count"], other_tasks=["extremum"])
    assert [(own.dataset, own.tasks) for own in several.each()] == [("html", ["count"]), ("json", ["extremum"])]
    named = RebuildParameters(datasets=["html", "json"], dataset="json", tasks=["count"]).each()
    assert [(own.dataset, own.tasks) for own in named] == [("json", ["count"]), ("html", ["fields_2"])]
    with pytest.raises(ValueError, match="dataset yaml is none of the datasets html, json: add it there"):
        RebuildParameters(datasets=["html", "json"], dataset="yaml")
    with pytest.raises(ValueError, match="source usgs is none of dataset html"):
        RebuildParameters(datasets=["html"], sources=["usgs"])


def test_a_dataset_by_flag_takes_the_place_of_those_of_a_profile() -> None:
    flags = overrides_of(RebuildParameters)
    given = flags(dataset="yaml", contact="a@example.org")
    (own,) = parameters(RebuildParameters, "smoke", given).each()
    assert (own.dataset, own.sources) == ("yaml", ["apis_guru"])
    given = flags(datasets=["html", "yaml"], contact="a@example.org")
    made = parameters(RebuildParameters, "smoke", given).each()
    assert [(own.dataset, own.sources) for own in made] == [
        ("html", ["websrc", "public_pages"]),
        ("yaml", ["apis_guru"]),
    ]
    collected = parameters(
        models.CollectParameters,
        "smoke",
        overrides_of(models.CollectParameters)(dataset="html", contact="a@example.org"),
    )
    assert collected.sources == ["websrc", "public_pages"]


def test_a_profile_may_set_what_long_horizon_agents_take(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("benchmark: sample\nframeworks: [react]\nconcurrency: 3\n")
    made = parameters(SolveParameters, str(own), None)
    assert (made.benchmark, made.frameworks, made.concurrency) == ("sample", ["react"], 3)
    assert parameters(models.RunParameters, str(own), None).concurrency == 3
