"""Fields of the kinds that documents define: what they are called, their types, and what may be asked of them."""

from collections.abc import Sequence

from tasks.building.extracting import follow
from tasks.building.kinds import FieldSpec
from tasks.building.naming import natural, plural
from tasks.building.reference import FieldType, Path
from tasks.building.views import Value, View, folded


def two_types(name: str, path: Path, natural_name: str) -> dict[str, FieldSpec]:
    """A field whose values may be texts or numbers, as two fields, each with the other as its rival."""
    shared = {"path": path, "name": natural_name, "plural": plural(natural_name), "few": _of_few(natural_name)}
    text = shared | {"type": "text", "rival": f"{name} number", "uses": ("ask", "filter", "frequent")}
    number = shared | {"type": "number", "rival": f"{name} text", "uses": ("ask", "filter", "rank")}
    return {
        f"{name} text": FieldSpec.model_validate(text),
        f"{name} number": FieldSpec.model_validate(number),
    }


_SORTS = ("mode", "target", "type")


def _of_few(natural_name: str) -> bool:
    """Whether a field says what sort of thing something is, which its name and description often hint at."""
    return natural_name.split()[-1] in _SORTS


def shared_fields(view: View, entries: Sequence[int], dataset: str) -> dict[str, FieldSpec]:
    """The keys that entries share and that have a natural name, in the order of their first use."""
    found: dict[str, list[Value]] = {}
    for entry in entries:
        for key, child in view.members(entry).items():
            value = view.value(child)
            if value or key in found:
                found.setdefault(key, []).extend([value] if value else [])
    fields: dict[str, FieldSpec] = {}
    names: set[str] = set()
    for key, values in found.items():
        types: set[FieldType] = {value.type for value in values}
        name = natural(dataset, key)
        if name is None or name in names or len(types) != 1 or len(values) < 2:
            continue
        if len({value.text for value in values}) < 2 and len(values) == len(entries):
            continue
        names.add(name)
        fields[key] = field(key, name, types.pop())
    return fields


def field(key: str, name: str, sort: FieldType) -> FieldSpec:
    """A field for what stands under a key."""
    if sort == "flag":
        on, off = f"have {name} set to true", f"have {name} set to false"
        return FieldSpec(path=(key,), type=sort, name=on, negation=off, uses=frozenset({"filter"}))
    few = _of_few(name)
    uses: set[str] = {"ask", "filter"}
    if sort == "number":
        uses.add("rank")
    elif not few:  # of a few sorts, people guess the most frequent one
        uses.add("frequent")
    shared = {"path": (key,), "type": sort, "name": name, "plural": plural(name), "uses": uses, "few": few}
    return FieldSpec.model_validate(shared)


def tells_apart(view: View, entries: Sequence[int], spec: FieldSpec) -> bool:
    """Whether a text field tells most entries apart."""
    found = [view.value(node) for entry in entries for node in follow(view, entry, spec.path)]
    texts = {folded(value.text) for value in found if value and value.presentable}
    return spec.type == "text" and len(texts) >= max(2, len(entries) // 2)
