"""YAML documents by PyYAML's event parser over libyaml, so that quotes, block scalars and aliases can be told apart."""

from typing import Any

import yaml

from tasks.validating.values import DECIMAL, Number, object_of

_LOADER: Any = getattr(yaml, "CLoader", yaml.Loader)


def read(text: str) -> Any:
    """The value of a single document. Raises `ValueError` when it does not parse or is a stream of several."""
    root: list[Any] = []
    stack: list[tuple[list[Any], bool]] = [(root, False)]
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            items = stack[-1][0]
            if isinstance(event, yaml.ScalarEvent):
                key = stack[-1][1] and len(items) % 2 == 0
                items.append(event.value if key else _leaf(event))
            elif isinstance(event, yaml.AliasEvent):
                items.append(None)
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                stack.append(([], isinstance(event, yaml.MappingStartEvent)))
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                items, mapping = stack.pop()
                stack[-1][0].append(_mapping(items) if mapping else items)
    except yaml.YAMLError as error:
        raise ValueError(f"the YAML does not parse: {' '.join(str(error).split())[:120]}") from None
    if len(root) != 1:
        raise ValueError(f"a payload holds {len(root)} documents")
    return root[0]


def _mapping(items: list[Any]) -> dict[str, Any]:
    keys = items[::2]
    if not all(isinstance(key, str) for key in keys):
        raise ValueError("a key is no scalar")
    return object_of(list(zip(keys, items[1::2], strict=True)))


def _leaf(event: yaml.ScalarEvent) -> Any:
    if event.style in ("|", ">"):
        return " ".join(event.value.split())
    if event.style in ("'", '"'):
        return event.value
    if event.value in ("", "~", "null"):
        return None
    if event.value in ("true", "false"):
        return event.value == "true"
    return Number(event.value) if DECIMAL.fullmatch(event.value) else event.value
