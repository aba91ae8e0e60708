"""Chat templates: how many prompt tokens a list of messages makes, as the server that serves the model counts them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import TemplateError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tasks.downloads import SMOLLM2, require
from tasks.errors import UserError
from tasks.hashing import sha256
from tasks.home import Home
from tasks.tokens.tokenizer import Tokenizer


class ChatTemplate:
    """A model's chat template with its tokenizer."""

    def __init__(self, source: str, special: dict[str, str], tokenizer: Tokenizer):
        """`special` holds `bos_token` and `eos_token`, as templates name them."""
        self.sha256 = sha256(source)
        self._special = special
        self._tokenizer = tokenizer
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
        environment.globals["raise_exception"] = _refuse
        environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
        try:
            self._template = environment.from_string(source)
        except TemplateError as error:
            raise UserError(f"The chat template cannot be read ({error}): correct the model specification.") from error

    def render(self, messages: Sequence[tuple[str, str]], **arguments: Any) -> str:
        """The prompt for `messages` (role, content), with the cue for the reply; `arguments` go to the template."""
        plain = [{"role": role, "content": content} for role, content in messages]
        return self._template.render(messages=plain, add_generation_prompt=True, **{**self._special, **arguments})

    def count(self, messages: Sequence[tuple[str, str]], **arguments: Any) -> int:
        """Prompt tokens of `messages`, the template's own included."""
        return len(self._tokenizer.encode_prompt(self.render(messages, **arguments)))


def load(source: str, tokenizer: Tokenizer, home: Home) -> ChatTemplate:
    """The template of `smollm2`, of a GGUF file, of a `tokenizer_config.json`, or of a file that holds it alone.

    Raises `UserError` where there is none.
    """
    from tasks.tokens.gguf_metadata import read

    path = require(SMOLLM2, home) if source == "smollm2" else Path(source).expanduser()
    if not path.is_file():
        raise UserError(f"There is no chat template at {source}: correct chat_template of the model specification.")
    if path.suffix == ".gguf":
        metadata = read(path)
        tokens = metadata["tokenizer.ggml.tokens"]
        special = {
            f"{name}_token": tokens[metadata[f"tokenizer.ggml.{name}_token_id"]]
            for name in ("bos", "eos")
            if f"tokenizer.ggml.{name}_token_id" in metadata
        }
        return ChatTemplate(metadata["tokenizer.chat_template"], special, tokenizer)
    if path.suffix == ".json":
        config = json.loads(path.read_text("utf-8"))
        names = ("bos_token", "eos_token")
        special = {name: _content(config[name]) for name in names if config.get(name)}
        return ChatTemplate(config["chat_template"], special, tokenizer)
    return ChatTemplate(path.read_text("utf-8"), {}, tokenizer)


def _content(token: Any) -> str:
    return token["content"] if isinstance(token, dict) else str(token)


def _refuse(message: str) -> None:
    raise TemplateError(message)
