from pathlib import Path

import pytest

from tasks.errors import UserError
from tasks.memory_agents import prompts
from tasks.memory_agents.agents import NAMES, agent
from tasks.memory_agents.prompts import load

SLOTS = {"no_memory": (), "final": ("problem", "memory")}


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_has_a_default_pack(name: str) -> None:
    chosen = agent(name)
    pack = load(name, chosen.slots)
    assert pack.wording == "own"
    assert len(pack.sha256) == 64


def test_the_default_pack_of_memagent_marks_its_parts_and_puts_the_instruction_first() -> None:
    pack = load("memagent", agent("memagent").slots)
    update = pack.fill("update", problem="P", memory="M", section="S")
    for part in ("<problem>\nP\n</problem>", "<memory>\nM\n</memory>", "<section>\nS\n</section>"):
        assert part in update
    shared = pack.texts["update"].index("{problem}")
    assert shared > 200
    assert "one on each line" in pack.fill("final", problem="P", memory="M")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(prompts, "FOLDER", tmp_path)
    (tmp_path / "a").mkdir()
    return tmp_path / "a"


def test_the_hash_is_of_the_texts(folder: Path) -> None:
    body = "wording: own\ntexts: {no_memory: none, final: 'F {problem} {memory}'}\n"
    (folder / "one.yaml").write_text(body)
    (folder / "two.yaml").write_text("# a remark\n" + body)
    (folder / "three.yaml").write_text(body.replace("none", "nothing"))
    one, two, three = (load("a", SLOTS, name) for name in ("one", "two", "three"))
    assert one.sha256 == two.sha256 != three.sha256


@pytest.mark.parametrize(("text", "said"), [
    ("- 1", "must hold wording and texts"),
    ("wording: own", "must hold wording and texts"),
    ("wording: own\ntexts: {no_memory: x}", "its texts must be final, no_memory"),
    ("wording: own\ntexts: {no_memory: x, final: '{problem}'}", "slots of final must be problem, memory"),
    ("wording: own\ntexts: {no_memory: x, final: '{memory} {problem}'}", "slots of final must be problem, memory"),
    ("wording: own\ntexts: {no_memory: '{x}', final: '{problem} {memory}'}", "slots of no_memory must be none"),
    ("wording: own\ntexts: {no_memory: x, final: '{problem} {memory} {'}", "final: "),
    ("texts: [", "is not valid YAML"),
])  # fmt: skip
def test_bad_packs(folder: Path, text: str, said: str) -> None:
    (folder / "default.yaml").write_text(text)
    with pytest.raises(UserError, match=said):
        load("a", SLOTS)


def test_what_is_not_there() -> None:
    with pytest.raises(UserError, match="There is no memory agent 'nobody': choose memagent"):
        agent("nobody")
    with pytest.raises(UserError, match="Agent memagent has no prompt pack nothing"):
        load("memagent", {}, "nothing")
    with pytest.raises(UserError, match="no released wording called released-boxed: choose default, released"):
        load("infmem", {}, "released-boxed")
