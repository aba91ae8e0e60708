"""Presets of sampling and limits: Table 2 of the TreeAgent paper, and each agent's released settings."""

import pytest

from tasks.errors import UserError
from tasks.memory_agents import decoding as module
from tasks.memory_agents.agents import NAMES, Options, agent
from tasks.memory_agents.decoding import decoding, names, options

TABLE_2 = {
    "memagent": (1024, 1024, None), "infmem": (1024, 1024, 1024), "memreread": (1024, 1024, 8192),
    "rememr1": (2048, 2048, None),
}  # fmt: skip
REQUEST_LIMITS = {"memagent": 32_768, "infmem": 32_768, "memreread": 40_960, "rememr1": 40_960}


@pytest.mark.parametrize("name", NAMES)
def test_paper(name: str) -> None:
    said = decoding(agent(name), "paper", 131_072)
    assert (said["temperature"], said["top_p"], said["seed"]) == (0, 1, 42)
    limits = tuple(said.get(f"{limit}_tokens") for limit in ("memory", "answer", "controller"))
    assert limits == TABLE_2[name]
    assert said["window"] == REQUEST_LIMITS[name]


@pytest.mark.parametrize("name", NAMES)
def test_released(name: str) -> None:
    said = decoding(agent(name), "released", 32_768)
    greedy = name == "infmem"
    assert (said["temperature"], said["top_p"]) == ((0, 1) if greedy else (0.7, 0.95))
    assert said["seed"] is None
    assert said["window"] == 32_768


@pytest.mark.parametrize("preset", names())
@pytest.mark.parametrize("name", NAMES)
def test_every_preset_serves_every_agent(preset: str, name: str) -> None:
    said = decoding(agent(name), preset, 8192)
    assert set(said) == {*module.needs(agent(name)), "window"}
    assert {f"{limit}_tokens" for limit in agent(name).roles.values()} <= set(said)


def test_the_model_s_window_counts_where_it_is_smaller() -> None:
    assert decoding(agent("rememr1"), "paper", 32_768)["window"] == 32_768


def test_what_is_chosen_counts_and_what_an_agent_does_not_heed_is_left_out() -> None:
    chosen = {"rereads": 1, "memory_tokens": 99, "temperature": None}
    assert decoding(agent("memreread"), "paper", 40_960, chosen)["rereads"] == 1
    plain = decoding(agent("memagent"), "paper", 40_960, chosen)
    assert (plain["memory_tokens"], plain["temperature"], "rereads" in plain) == (99, 0, False)
    assert decoding(agent("infmem"), "paper", 40_960, {"thinking_tokens": 0})["thinking_tokens"] == 0


def test_options_of_the_released_infmem() -> None:
    said = decoding(agent("infmem"), "released", 40_960)
    assert options(agent("infmem"), said) == Options(1024, "legacy", 500, 3)


def test_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="There is no decoding preset 'tall': choose demo, paper, released"):
        decoding(agent("memagent"), "tall", 8192)
    monkeypatch.setattr(module, "_preset", lambda name: {"memagent": {"temperature": 0}})
    with pytest.raises(UserError, match="must give memagent exactly temperature, top_p, seed, memory_tokens"):
        decoding(agent("memagent"), "paper", 8192)
