from pathlib import Path

import pytest

from tasks.errors import UserError
from tasks.serving.models import FOLDER, model_spec, names
from tasks.serving.opening import open_endpoint


def test_every_specification_that_comes_along_is_valid() -> None:
    assert "embedded" in names()
    for name in names():
        spec = model_spec(name)
        assert spec.name == name
        assert spec.window >= 1024


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("title: Mine\nkind: openai\nmodel: org/mine\ntokenizer: qwen\nwindow: 32768\n")
    spec = model_spec(str(path))
    assert (spec.name, spec.model, spec.chat_template) == ("mine", "org/mine", None)
    with pytest.raises(UserError, match="Model mine needs a running server"), open_endpoint(spec):
        pass


def test_identity_is_what_decides_replies() -> None:
    spec = model_spec("embedded")
    assert spec.model_copy(update={"slots": 1, "title": "x", "url": "http://h"}).identity() == spec.identity()
    assert spec.model_copy(update={"window": 4096}).identity() != spec.identity()
    assert spec.model_copy(update={"chat_arguments": {"enable_thinking": False}}).identity() != spec.identity()


@pytest.mark.parametrize("name", ["nothing", "../models/embedded", "", "embedded/", "nothing.yaml"])
def test_unknown(name: str) -> None:
    with pytest.raises(UserError, match=r"There is no model specification .* embedded"):
        model_spec(name)


@pytest.mark.parametrize(("text", "said"), [
    ("[]", "must be a mapping"),
    ("a: [", "is not valid YAML"),
    ("title: x\nkind: magic\nmodel: m\ntokenizer: t\nwindow: 1\n", "kind: Input should be"),
    ("title: x\nkind: openai\nmodel: m\ntokenizer: t\nwindow: 1\nwindows: 2\n", "windows: Extra inputs"),
    ("title: x\nkind: openai\nmodel: m\ntokenizer: t\n", "window: Field required"),
])  # fmt: skip
def test_bad_files(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=said):
        model_spec(str(path))
    assert FOLDER.is_dir()


@pytest.mark.parametrize(("name", "base", "thinking"), [
    ("memagent-7b", "qwen2.5", "none"), ("infmem-4b", "qwen3", "switch"), ("memreread-4b", "qwen3", "switch"),
    ("rememr1-7b", "qwen2.5", "none"),
])  # fmt: skip
def test_the_released_checkpoints(name: str, base: str, thinking: str) -> None:
    spec = model_spec(name)
    assert (spec.kind, spec.thinking, spec.sglang.flags["context-length"]) == ("sglang", thinking, spec.window)
    assert spec.hub
    assert Path(spec.template).name == f"{base}.jinja"


def test_prompts_of_the_qwen_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.tokens.chat_template import ChatTemplate

    def rendered(base: str, messages: list, **arguments: object) -> str:
        return ChatTemplate((FOLDER / f"{base}.jinja").read_text(), {}, None).render(messages, **arguments)

    user, system = ("user", " hi\n"), ("system", "s")
    asked = "<|im_start|>user\n hi\n<|im_end|>\n<|im_start|>assistant\n"
    told = "<|im_start|>system\ns<|im_end|>\n" + asked
    assert rendered("qwen2.5", [system, user]) == told
    assert rendered("qwen2.5", [user]).startswith("<|im_start|>system\nYou are Qwen")
    assert rendered("qwen2.5", [user]).endswith(asked)
    assert rendered("qwen3", [user]) == rendered("qwen3", [user], enable_thinking=True) == asked
    assert rendered("qwen3", [system, user]) == told
    assert rendered("qwen3", [user], enable_thinking=False) == asked + "<think>\n\n</think>\n\n"


def test_thinking_is_said_where_the_template_takes_it() -> None:
    assert model_spec("infmem-4b").arguments(thinks=True) == {"enable_thinking": True}
    assert model_spec("memreread-4b").arguments(thinks=False) == {"enable_thinking": False}
    assert model_spec("memagent-7b").arguments(thinks=True) == {}


def test_the_prompt_tags_of_qwen3_are_one_token() -> None:
    from tasks.home import home
    from tasks.running.counting import prompt_counter
    from tasks.serving.chat import Message

    count = prompt_counter(model_spec("infmem-4b"), home())
    asked = [Message("user", "hi")]
    # <|im_start|> user \n hi <|im_end|> \n <|im_start|> assistant \n, and <think> \n\n </think> \n\n
    assert count(asked, {"enable_thinking": True}) == 9
    assert count(asked, {"enable_thinking": False}) == 13
    assert count([*asked, Message("assistant", "<think>\nso</think>")], {"enable_thinking": True}) == 13
