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


def test_an_object_that_is_called_by_its_name_is_not_asked_for_another():
    """`the name of the object "locale"` would have two answers."""
    (kind,) = of("const locale = {name: 'eu', label: 'Basque', width: '4px'};")["javascript_named_object"]
    assert {spec.name for spec in kind.fields.values()} == {"own name", "label", "width"}


def test_a_type_is_not_asked_as_the_most_frequent():
    """That most tokens are punctuators is a good guess, whatever the data."""
    entries = ", ".join(f"{{type: 'T{number % 3}', value: 'v{number}', source: 's{number}'}}" for number in range(6))
    (kind,) = of(f"const tokens = [{entries}];")["javascript_list_entry"]
    assert kind.used("frequent") == ["value", "source"]
    assert kind.used("filter") == ["type", "value", "source"]


def test_tables_that_many_know_by_heart_are_asked_nothing():
    """The code of a key is known without a look into the data; a table beside it may be asked about."""
    codes = "{DOM_VK_A: 65, DOM_VK_B: 66, DOM_VK_END: 35, DOM_VK_ALT: 18}"
    assert not of(f"const KeyEvent = {codes};")
    kinds = of(f"const tables = {{KeyEvent: {codes}, Other: {codes}}};")
    assert [kind.descriptions[0].one for kind in kinds["javascript_table"]] == ['the table {value} in "tables"']
    assert [kind.records for kind in kinds["javascript_table"]] == [("tables", "Other")]
