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
