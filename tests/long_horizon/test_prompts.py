"""Wording of the frameworks: packs that lack something, and released prompts out of a user's own copy."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from flows.solving import SolveParameters
from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.home import Home
from tasks.long_horizon import prompts
from tasks.long_horizon.frameworks import NAMES, framework
from tasks.upstream import importing

TEXTS = {
    "SYSTEM": "Use\n<tools>\n{\"name\": \"old\"}\n</tools>\nthen answer",
    "SUMMARY": "Q {{{question}}} H {{{turns so far}}} as {\"json\": 1}",
    "MORE": "Q {{{question}}} B {{{last}}} H {{{turns so far}}}",
}  # fmt: skip


@pytest.fixture
def checkout(tmp_path: Path, fresh_home: Home, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a repository, and where its texts stand."""
    folder = tmp_path / "prompts"
    for name in ("resum", "long_horizon", "amem"):
        (folder / name).mkdir(parents=True)
        (folder / name / "default.yaml").write_text((prompts.FOLDER / name / "default.yaml").read_text("utf-8"))
    source = "raise SystemExit\n" + "".join(f"{name} = {text!r}\n" for name, text in TEXTS.items())
    source += "class A:\n    def __init__(self): pass\nclass B:\n    def __init__(self): self.x = 'go {on}'\n"
    (tmp_path / "checkout").mkdir()
    (tmp_path / "checkout" / "p.py").write_text(source)
    marks = {"{{{question}}}": "question", "{{{turns so far}}}": "turns", "{{{last}}}": "before"}

    def entry(name: str, **more: object) -> dict:
        return {"files": ["p.py"], "constant": name, "sha256": sha256(TEXTS[name]), **more}

    within = {"after": "<tools>\n", "before": "\n</tools>", "slot": "tools"}
    pack = {"resum": entry("SYSTEM", within=within), "summarise": entry("SUMMARY", marks=marks),
            "summarise_more": entry("MORE", marks=marks),
            "resume": {"files": ["p.py"], "function": "__init__", "sha256": sha256("go {on}")}}  # fmt: skip
    upstream = {"repository": "some/where", "commit": "0123456789abcdef", "licence": "MIT", "packs": {"released": pack}}
    with (folder / "resum" / "upstream.yaml").open("w") as file:
        YAML(typ="safe").dump(upstream, file)
    monkeypatch.setattr(importing, "FOLDER", folder)
    monkeypatch.setattr(prompts, "FOLDER", folder)
    return tmp_path / "checkout"


def test_released_prompts_are_imported_and_filled(checkout: Path) -> None:
    needed = framework("resum").texts
    with pytest.raises(UserError, match="run `treebench prompts import resum --from CHECKOUT`"):
        prompts.load("resum", needed, "released")
    (path,) = prompts.import_prompts("resum", needed, [checkout])
    found = prompts.load("resum", needed, "released")
    assert found.wording == "released: some/where at 0123456789ab (MIT)"
    assert found.fill("resum", tools="{mine}") == "Use\n<tools>\n{mine}\n</tools>\nthen answer"
    assert found.fill("summarise", question="q", turns="{t}") == 'Q q H {t} as {"json": 1}'
    assert found.fill("summarise_more", question="q", turns="t", before="b") == "Q q B b H t"
    assert found.fill("resume") == "go {on}"
    assert [pack.name for pack in prompts.available("resum", needed)] == ["default", "released"]
    assert found.sha256 != prompts.load("resum", needed).sha256
    assert path.parent.name == "resum"


def test_changed_texts_and_frameworks_without_release_are_refused(checkout: Path) -> None:
    source = (checkout / "p.py").read_text()
    (checkout / "p.py").write_text(source.replace("then answer", "then guess"))
    with pytest.raises(UserError, match="not the released"):
        prompts.import_prompts("resum", framework("resum").texts, [checkout])
    with pytest.raises(UserError, match="has no released prompts"):
        prompts.import_prompts("hymem", framework("hymem").texts, [checkout])


@pytest.mark.parametrize("name", ["resum", "amem"])
def test_what_is_pinned_covers_every_text(name: str) -> None:
    upstream = importing._yaml(prompts.FOLDER / name / "upstream.yaml")
    (texts,) = upstream["packs"].values()
    assert set(texts) == set(framework(name).texts)
    assert all(entry.get("own") or len(entry["sha256"]) == 64 for entry in texts.values())


def test_a_run_takes_released_prompts_where_there_are_any() -> None:
    plans = SolveParameters(frameworks=list(NAMES), prompts="released").plans()
    packs = {plan["framework"]: plan["pack"] for plan in plans}
    assert {name for name, pack in packs.items() if pack == "released"} == {"resum", "amem"}
