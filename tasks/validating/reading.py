"""A rendered context as plain Python values, by other parsers than those of the builder.

JSON by the standard library, YAML by PyYAML (libyaml), JavaScript by pyjson5, HTML by lxml (libxml2). Each format has
a module with `read(text) -> value`, which follows the head of `tasks/building/reference.py`. A context is taken apart
here: by its frame (`FRAMES`), written down a second time, and by the payloads that it should consist of.
"""

import importlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tasks.hashing import content_id
from tasks.validating.values import Number

FRAMES = {
    "json": ("[\n", ",\n", "\n]"),
    "yaml": ("", "", ""),
    "html": ("", "\n", ""),
    "javascript": ("", "\n\n", ""),
}
"""What stands before the first payload of a context, between two, and behind the last."""


class Unsound(ValueError):
    """A context is not what it should be; the text says where."""


@dataclass
class Unit:
    """One payload, read; what several examples ask of it is worked out once."""

    format: str
    text: str
    found: dict[Any, Any] = field(default_factory=dict)
    """Room for what checks remember of it."""

    @cached_property
    def value(self) -> Any:
        """The payload as objects, arrays and leaves. Raises `ValueError` where it does not parse."""
        if self.format == "html":
            return self._page.value
        return importlib.import_module(f"tasks.validating.{self.format}_reading").read(self.text)

    @cached_property
    def payload_id(self) -> str:
        """What its id should be."""
        return content_id(self.format, self.text)

    @cached_property
    def strings(self) -> Counter[str]:
        """How often each text and key stands in it, without case, blanks run together."""
        if self.format == "html":
            return Counter(folded(text) for text, _ in self._page.standings)
        return Counter(map(folded, [*texts(self.value), *named(self.value)]))

    def inside(self, value: Any) -> Counter[str]:
        """How often each text and key stands in one of its records."""
        if self.format == "html":
            return Counter(map(folded, self._page.inside(value)))
        return Counter(map(folded, [*texts(value), *named(value)]))

    @cached_property
    def named(self) -> Counter[str]:
        """How often each key stands in it; nothing for a page."""
        return Counter() if self.format == "html" else Counter(named(self.value))

    @cached_property
    def keys(self) -> frozenset[str]:
        """Every key, or name of an element or attribute, in it."""
        return self._page.names if self.format == "html" else frozenset(self.named)

    @cached_property
    def _page(self) -> Any:
        from tasks.validating.html_reading import Page

        return Page(self.text)


def parts(format: str, context: str, payloads: Sequence[Mapping[str, Any]]) -> list[str]:
    """The texts that a context consists of. Raises `Unsound` unless they are the payloads, in order, in the frame."""
    before, between, behind = FRAMES[format]
    if not context.startswith(before):
        raise Unsound(f"the context does not begin with {before!r}")
    at = len(before)
    found = []
    for position, payload in enumerate(payloads):
        joint = between if position else ""
        text = payload["text"]
        if format == "yaml":
            joint = "" if _marked(text) else "---\n"
        if not context.startswith(joint, at) or not context.startswith(text, at + len(joint)):
            raise Unsound(f"payload {position} does not stand in the context at character {at}")
        at += len(joint) + len(text)
        found.append(text)
        if format == "yaml" and not text.endswith("\n"):
            if not context.startswith("\n", at):
                raise Unsound(f"payload {position} has no line end behind it")
            at += 1
    if context[at:] != behind:
        raise Unsound(f"behind the last payload stands {context[at : at + 20]!r}")
    return found


def _marked(text: str) -> bool:
    """Whether a YAML document brings its own `---`, behind comments and empty lines at most."""
    for line in text.splitlines():
        if line == "---" or line.startswith(("--- ", "---\t")):
            return True
        if line.strip() and not line.lstrip().startswith("#"):
            return False
    return False


def folded(text: str) -> str:
    """A text without case, blanks run together."""
    return " ".join(text.split()).casefold()


def texts(value: Any) -> Iterator[str]:
    """Every text below a value, keys and numbers excepted."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, str) and not isinstance(item, Number):
            yield item


def named(value: Any) -> Iterator[str]:
    """Every key below a value, as often as it stands there."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield from item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
