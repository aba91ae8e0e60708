"""Kinds that a document defines: what becomes one, and what does not because a question about it would be unclear."""

from tasks.building.deriving import derived
from tasks.building.extracting import view_of
from tasks.building.kinds import Kind, patterns
from tasks.building.naming import natural


def of(text: str) -> dict[str, list[Kind]]:
    """Kinds of a declaration, by pattern."""
    found: dict[str, list[Kind]] = {}
    for kind in derived(view_of(text, "javascript"), patterns("javascript"), "javascript", "0" * 32).values():
        found.setdefault(kind.kind, []).append(kind)
    return found


def test_a_name_that_is_a_key_inside_as_well_names_nothing():
    """`the list "errors"` must be one list."""
    entry = "{code: 'c%d', column: %d}"
    entries = ", ".join(entry % (number, number) for number in range(4))
    assert "javascript_list_entry" in of(f"const errors = [{entries}];")
    inside = entries.replace("code: 'c0'", "code: 'c0', errors: [1, 2]")
    assert "javascript_list_entry" not in of(f"const errors = [{inside}];")


def test_keys_that_are_words_for_what_a_thing_has_are_said_in_words():
    found = of("const style = {width: '4px', height: '5px', maxWidth: '6px', zzq: 'none'};")
    assert "javascript_table" not in found
    assert "javascript_table_entry" not in found
    (kind,) = found["javascript_named_object"]
    assert {spec.name for spec in kind.fields.values()} == {"own name", "width", "height", "maximum width"}
    assert kind.descriptions[0].one == "the object {value}"


def test_a_key_without_a_word_has_no_name():
    assert natural("javascript", "_") is None
    assert natural("javascript", "$$") is None


def test_keys_that_are_labels_make_a_table():
    found = of("const code = {DOM_VK_A: 65, DOM_VK_B: 66, DOM_VK_END: 35, DOM_VK_ALT: 18};")
    assert "javascript_named_object" not in found
    assert {"javascript_table", "javascript_table_entry"} <= found.keys()
