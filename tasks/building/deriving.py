"""Record kinds that a document itself defines: its tables of data, its lists of objects, its keyed tables.

`datasets/<dataset>/*.yaml` holds the patterns; what a pattern finds in a document becomes a kind like any other, with
fields named by column texts, or by what keys say in plain words.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from tasks.building.columns import field, shared_fields, tells_apart, two_types
from tasks.building.extracting import follow
from tasks.building.kinds import Description, FieldSpec, Kind, Pattern
from tasks.building.naming import natural, plural, well_known
from tasks.building.reference import EVERY, KEY, UP, Path
from tasks.building.views import View, folded
from tasks.hashing import content_id

DEEPEST = 3
"""Keys between a declared name and a list or table in it."""

CATEGORY = 48
"""Characters of a column text, or of a name that a question quotes, at most."""

COMMON = "all"
"""What a kind is derived from that all documents share."""

ENTRIES = 120
"""Entries of a keyed table that is one record, at most."""

LABELS = 3
"""Fields that may describe the entries of a list, at most."""


def derived(view: View, known: Iterable[Pattern], dataset: str, payload_id: str) -> dict[str, Kind]:
    """The kinds that patterns find in a document, by name. Tables of equal columns are one kind, on whatever page."""
    makers = {
        "table_rows": _table_rows,
        "list_entries": _list_entries,
        "table_entries": _table_entries,
        "keyed_tables": _keyed_tables,
        "named_objects": _named_objects,
        "declared_objects": _declared_objects,
        "page_facts": _page_facts,
    }
    found = (kind for pattern in known for kind in makers[pattern.pattern](view, pattern, dataset, payload_id))
    return {kind.name: kind for kind in found}


def _table_rows(view: View, pattern: Pattern, dataset: str, payload_id: str) -> Iterator[Kind]:
    """Tables of a page: rows are records, columns are fields; a cell may be a text or a number."""
    for table in follow(view, view.root, ("tables", EVERY)):
        members = view.members(table)
        title = view.value(members["columns"])
        columns = title.text.split(" | ") if title else []
        shown = all(len(column) <= CATEGORY and '"' not in column for column in columns)
        if not title or not shown:
            continue
        fields: dict[str, FieldSpec] = {}
        for number, column in enumerate(columns):
            fields |= two_types(f"column {number + 1}", (column,), f'"{column}" entry')
        yield Kind(
            kind=pattern.kind,
            format=pattern.format,
            records=("tables", {"columns": title.text}, "rows", EVERY),
            one=pattern.one,
            many=pattern.many.format(place=_listed([f'"{column}"' for column in columns])),
            fields=fields,
            descriptions=(_description(pattern, "column 1 text", f'"{columns[0]}" entry', ""),),
            derived=content_id(title.text)[:16],
            countable=len(columns) <= pattern.columns,
        )


def _list_entries(view: View, pattern: Pattern, dataset: str, payload_id: str) -> Iterator[Kind]:
    """Lists of objects below a declared name: objects are records, keys are fields."""
    for node, keys in _places(view):
        entries = view.children(node)
        if len(entries) < pattern.fewest or view.members(node) or not all(map(view.members, entries)):
            continue
        fields = shared_fields(view, entries, dataset)
        labels = [name for name, spec in fields.items() if tells_apart(view, entries, spec)]
        if labels and len(fields) > 1:
            described = [_description(pattern, name, fields[name].name, _place(keys)) for name in labels[:LABELS]]
            yield _single(pattern, payload_id, keys, fields, described)


def _table_entries(view: View, pattern: Pattern, dataset: str, payload_id: str) -> Iterator[Kind]:
    """Keyed tables below a declared name: members are records; their values are fields, or objects with fields."""
    for node, keys in _places(view):
        members = view.members(node)
        entries = list(members.values())
        if len(entries) < pattern.fewest or len({folded(key) for key in members}) < len(members):
            continue
        if keys[-1] in well_known(dataset):
            continue
        if all(map(view.members, entries)):
            fields = shared_fields(view, entries, dataset)
        elif _is_table(view, entries) and not _says_fields(dataset, members):
            fields = two_types("value", (), "value")
        else:
            continue
        label = FieldSpec(path=(KEY,), type="text", name="label")
        if fields:
            described = [_description(pattern, "label", "label", _place(keys))]
            yield _single(pattern, payload_id, keys, {"label": label} | fields, described)


def _declared_objects(view: View, pattern: Pattern, dataset: str, payload_id: str) -> Iterator[Kind]:
    """The object that a declaration holds; what documents have of it is one kind (see `merged`)."""
    fields: dict[str, FieldSpec] = {}
    described: list[Description] = []
    for declared in follow(view, view.root, ({},)):
        for key, child in view.members(declared).items():
            value, name = view.value(child), natural(dataset, key)
            if value is None or name is None:
                continue
            if value.type == "flag":
                fields[f"{key} flag"] = field(key, name, "flag")
                continue
            fields |= two_types(key, (key,), name)
            if value.type == "text" and name in pattern.labels:
                described.append(_description(pattern, f"{key} text", name, ""))
    if described and len(fields) >= pattern.fewest:
        yield Kind(
            kind=pattern.kind,
            format=pattern.format,
            records=({},),
            one=pattern.one,
            many=pattern.many,
            fields=fields,
            descriptions=tuple(described),
            derived=COMMON,
            countable=pattern.countable,
        )


def _page_facts(view: View, pattern: Pattern, dataset: str, payload_id: str) -> Iterator[Kind]:
    """What a page says of its subject in pairs; what pages have of it is one kind (see `merged`)."""
    fields: dict[str, FieldSpec] = {}
    for entry in follow(view, view.root, ("facts", EVERY, "entries", EVERY)):
        term = str(view.identifier(entry))
        if len(term) <= CATEGORY and '"' not in term and term not in (EVERY, UP, KEY):
            fields |= two_types(term, ("entries", term), f'"{term}" entry')
    if fields:
        yield Kind(
            kind=pattern.kind,
            format=pattern.format,
            records=("facts", EVERY),
            one=pattern.one,
            many=pattern.many,
            fields={"heading": FieldSpec(path=("heading",), type="text", name="heading")} | fields,
            descriptions=(_description(pattern, "heading", "heading", ""),),
            derived=COMMON,
            countable=pattern.countable,
        )


def merged(first: Kind, second: Kind) -> Kind:
    """One kind with the fields of both, in order of their keys; of two keys with the same name, the first counts."""
    if first == second:
        return first
    fields: dict[str, FieldSpec] = {}
    paths: dict[str, Path] = {}
    for name, spec in sorted((first.fields | second.fields).items()):
        if paths.setdefault(spec.name, spec.path) == spec.path:
            fields[name] = spec
    described = {description.fields: description for description in (*second.descriptions, *first.descriptions)}
    kept = [described[names] for names in sorted(described) if all(name in fields for name in names)]
    return first.model_copy(update={"fields": fields, "descriptions": tuple(kept)})


def _keyed_tables(view: View, pattern: Pattern, dataset: str, payload_id: str) -> Iterator[Kind]:
    """Keyed tables below a declared name, each as one record with its entries as fields."""
    for node, keys in _places(view):
        members = view.members(node)
        if not pattern.fewest <= len(members) <= ENTRIES or not _is_table(view, list(members.values())):
            continue
        if _says_fields(dataset, members) or keys[-1] in well_known(dataset):
            continue
        fields: dict[str, FieldSpec] = {}
        for key in members:
            if len(key) <= CATEGORY and key.isprintable() and '"' not in key and key not in (EVERY, UP, KEY):
                fields |= two_types(key, (key,), f'"{key}" entry')
        yield _whole(pattern, payload_id, keys, fields)


def _named_objects(view: View, pattern: Pattern, dataset: str, payload_id: str) -> Iterator[Kind]:
    """Objects below a declared name, each as one record: its keys, in plain words, are fields."""
    for node, keys in _places(view):
        members = view.members(node)
        if len(members) < pattern.fewest or not _says_fields(dataset, members):
            continue
        fields: dict[str, FieldSpec] = {}
        names = {"name"}  # the object goes by the one that it is declared as
        for key, child in members.items():
            value, name = view.value(child), natural(dataset, key)
            if value and value.type != "flag" and name and name not in names:
                names.add(name)
                fields |= two_types(key, (key,), name)
        if fields:
            yield _whole(pattern, payload_id, keys, fields)


def _whole(pattern: Pattern, payload_id: str, keys: tuple[str, ...], fields: dict[str, FieldSpec]) -> Kind:
    """A kind whose one record is what stands at a place, called by its name."""
    place = "".join(f' in "{key}"' for key in reversed(keys[:-1]))
    name = FieldSpec(path=(KEY,), type="text", name="own name")
    described = [_description(pattern, "own name", "", place)]
    kind = _single(pattern, payload_id, keys, {"own name": name} | fields, described)
    return kind.model_copy(update={"records": keys, "countable": pattern.countable})


def _says_fields(dataset: str, keys: Collection[str]) -> bool:
    """Whether most keys are words for what a thing has, such as `label`: an object, whose keys no question names."""
    return 2 * sum(natural(dataset, key) is not None for key in keys) > len(keys)


def _is_table(view: View, entries: Sequence[int]) -> bool:
    """Whether members are texts, or numbers, and not all the same."""
    values = [view.value(entry) for entry in entries]
    types = {value.type if value else None for value in values}
    return len(types) == 1 and not types & {None, "flag"} and len({value.text for value in values if value}) > 1


def _single(
    pattern: Pattern, payload_id: str, keys: Sequence[str], fields: dict[str, FieldSpec], described: list[Description]
) -> Kind:
    return Kind(
        kind=pattern.kind,
        format=pattern.format,
        records=(*keys, EVERY),
        one=pattern.one,
        many=pattern.many.format(place=_place(keys)),
        fields=fields,
        descriptions=tuple(described),
        derived=content_id(payload_id, keys)[:16],
        single=True,
        anchor=keys[0],
    )


def _places(view: View) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Objects and arrays below declared names, but not in records, with the keys that lead there, all fit to quote.

    Nothing else in the document may be called as what is declared is: a question calls places by that name.
    """
    named = view.named()
    pending: list[tuple[int, tuple[str, ...]]] = [(view.root, ())]
    while pending:
        node, keys = pending.pop()
        if keys and view.children(node):
            yield node, keys
        members = view.members(node)
        records = len(keys) > 0 and len(members) > 2 and all(map(view.members, members.values()))
        if len(keys) <= DEEPEST and not records:
            for key, child in members.items():
                fit = 0 < len(key) <= CATEGORY and key.isprintable() and '"' not in key and key not in (EVERY, KEY, UP)
                if fit and (keys or named[key] == 1):
                    pending.append((child, (*keys, key)))


def _place(keys: Sequence[str]) -> str:
    """`"errors" in "invalid" in "cases"`, the innermost first."""
    return " in ".join(f'"{key}"' for key in reversed(keys))


def _description(pattern: Pattern, field: str, label: str, place: str) -> Description:
    return Description(
        fields=(field,),
        one=pattern.description.format(label=label, place=place, value="{value}"),
        many=pattern.descriptions.format(labels=plural(label) if label else "", place=place, values="{values}"),
        quoted=True,
    )


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
