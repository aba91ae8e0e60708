"""Counts prompts the way the server of a model does, from the model's own tokenizer and chat template."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.home import Home
from tasks.serving.chat import Message
from tasks.serving.endpoint import CountPrompt
from tasks.serving.models import ModelSpec
from tasks.tokens import chat_template
from tasks.tokens.chat_template import ChatTemplate
from tasks.tokens.tokenizer import Tokenizer, load


def tokenizer_of(spec: ModelSpec, home: Home) -> Tokenizer:
    """The tokenizer of a model. It is kept for this process: building one takes about a second."""
    return _tokenizer(spec.tokenizer, home)


def prompt_counter(spec: ModelSpec, home: Home) -> CountPrompt | None:
    """A function that counts prompt tokens; None where the specification names no chat template."""
    if spec.template is None:
        return None
    template = _template(spec.template, spec.tokenizer, home)

    tokenizer = tokenizer_of(spec, home)

    def count(messages: Sequence[Message], arguments: Mapping[str, Any]) -> int:
        plain = [(message.role, message.content) for message in messages]
        start = plain.pop()[1] if plain and plain[-1][0] == "assistant" else ""
        return template.count(plain, **arguments) + (len(tokenizer.encode_prompt(start)) if start else 0)

    return count


def template_sha256(spec: ModelSpec, home: Home) -> str | None:
    """Hash of the chat template; None where the specification names none."""
    return None if spec.template is None else _template(spec.template, spec.tokenizer, home).sha256


@functools.lru_cache(maxsize=4)
def _tokenizer(name: str, home: Home) -> Tokenizer:
    return load(name, home)


@functools.lru_cache(maxsize=4)
def _template(source: str, tokenizer: str, home: Home) -> ChatTemplate:
    return chat_template.load(source, _tokenizer(tokenizer, home), home)
