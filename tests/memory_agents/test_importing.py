"""Importing released prompts from files that are parsed, never run."""

from pathlib import Path

import pytest

from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.home import Home
from tasks.memory_agents import prompts
from tasks.memory_agents.agents import NAMES, agent
from tasks.memory_agents.importing import import_prompts
from tasks.memory_agents.prompts import load
from tasks.upstream import importing
from tasks.upstream.literals import Source

FILE = '''
raise SystemExit("this file must not be run")
NO_MEMORY = "nothing"
TEMPLATE = """READ {prompt} {memory} {chunk} \\\\boxed{{}} """
TEMPLATE_FINAL = "A " + "{prompt} {memory}" % ()
'''


def entry(text: str, **more: object) -> dict:
    return {"files": ["deep/released.py"], "sha256": sha256(text), **more}


UPSTREAM = {
    "repository": "some/where", "commit": "0123456789abcdef", "licence": "MIT",
    "packs": {"released": {
        "no_memory": entry("nothing", constant="NO_MEMORY"),
        "update": entry("READ {prompt} {memory} {chunk} \\boxed{{}} ", constant="TEMPLATE",
                        slots={"prompt": "problem", "chunk": "section"}),
        "final": entry("A {prompt} {memory}", constant="TEMPLATE_FINAL", slots={"prompt": "problem"}),
    }},
}  # fmt: skip


@pytest.fixture
def checkout(tmp_path: Path, fresh_home: Home, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(importing, "_yaml", lambda path: UPSTREAM)
    file = tmp_path / "checkout" / "deep" / "released.py"
    file.parent.mkdir(parents=True)
    file.write_text(FILE)
    return tmp_path / "checkout"


def test_a_checkout_becomes_a_pack(checkout: Path, fresh_home: Home) -> None:
    slots = agent("memagent").slots
    with pytest.raises(UserError, match="treebench prompts import memagent --from"):
        load("memagent", slots, "released")
    assert import_prompts("memagent", [checkout]) == [fresh_home.root / "prompts" / "memagent" / "released.yaml"]
    pack = load("memagent", slots, "released")
    assert pack.fill("update", problem="P", memory="M", section="{S}") == "READ P M {S} \\boxed{} "
    assert pack.fill("final", problem="P", memory="M") == "A P M"
    assert pack.wording == "released: some/where at 0123456789ab (MIT)"
    assert pack.sha256 != load("memagent", slots).sha256


def test_the_file_itself_will_do(checkout: Path) -> None:
    assert import_prompts("memagent", [checkout / "deep" / "released.py"])


def test_a_changed_text_is_refused_and_nothing_is_stored(checkout: Path, fresh_home: Home) -> None:
    file = checkout / "deep" / "released.py"
    file.write_text(FILE.replace("READ", "read"))
    with pytest.raises(UserError, match=r"TEMPLATE in .*released.py has SHA-256 .*nothing was imported"):
        import_prompts("memagent", [checkout])
    assert not (fresh_home.root / "prompts").exists()


@pytest.mark.parametrize(("content", "said"), [
    ("def (", "cannot be read as Python"), ("NO_MEMORY = input()\n", "has no NO_MEMORY that can be read"),
    ("\0", "cannot be read as Python"),
])  # fmt: skip
def test_files_that_are_not_the_released_ones(checkout: Path, content: str, said: str) -> None:
    (checkout / "deep" / "released.py").write_text(content)
    with pytest.raises(UserError, match=said):
        import_prompts("memagent", [checkout])


def test_what_is_not_there(checkout: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere is not there: name a copy of some/where"):
        import_prompts("memagent", [tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"No pack of memagent is complete: deep/released.py not found"):
        import_prompts("memagent", [tmp_path / "empty"])
    with pytest.raises(UserError, match="There is no memory agent 'nobody'"):
        import_prompts("nobody", [checkout])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_pinned_covers_every_text(name: str) -> None:
    upstream = importing._yaml(prompts.FOLDER / name / "upstream.yaml")
    assert "released" in upstream["packs"]
    assert set(upstream["packs"]) <= set(prompts.IMPORTED)
    for texts in upstream["packs"].values():
        assert set(texts) == set(agent(name).slots)
        assert all(len(entry["sha256"]) == 64 for entry in texts.values())


def test_literals_of_a_function_and_values_that_need_no_run(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text(
        'A = "x"\nB = {"k": A + "\\n" + "y%s%s" % (A, 1)}\n'
        'def f(n):\n    g = {"a": 1}\n    g = n\n    t = f"{n!r}: {{{n.x[0]}}}" + "plain"\n    return {"d": [1, 2]}\n'
    )
    source = Source(path)
    assert source.constant("B") == {"k": "x\nyx1"}
    assert source.local("f", "g") == {"a": 1}
    assert source.returned("f") == {"d": [1, 2]}
    assert {"{0}: {{{1}}}", "plain"} <= set(source.literals("f"))
    with pytest.raises(UserError, match="has no function h"):
        source.returned("h")
