"""Counts prompts the way the server of a model does, from the model's own tokenizer and chat template."""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.home import Home
from tasks.serving.chat import Message
from tasks.serving.endpoint import CountPrompt
from tasks.serving.models import ModelSpec
from tasks.tokens import chat_template
from tasks.tokens.tokenizer import load


def prompt_counter(spec: ModelSpec, home: Home) -> CountPrompt | None:
    """A function that counts prompt tokens; None where the specification names no chat template."""
    if spec.chat_template is None:
        return None
    template = chat_template.load(spec.chat_template, load(spec.tokenizer, home), home)

    def count(messages: Sequence[Message], arguments: Mapping[str, Any]) -> int:
        return template.count([(message.role, message.content) for message in messages], **arguments)

    return count


def template_sha256(spec: ModelSpec, home: Home) -> str | None:
    """Hash of the chat template; None where the specification names none."""
    if spec.chat_template is None:
        return None
    return chat_template.load(spec.chat_template, load(spec.tokenizer, home), home).sha256
