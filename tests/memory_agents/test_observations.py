"""Observations under the four methods, and residual retrieval as a worked example (sections 3.2, 3.3, appendix A.3)."""

from functools import partial

import pytest

from tasks.errors import UserError
from tasks.home import home
from tasks.memory_agents.observations import METHODS, Observations, Section, location, method, sections
from tasks.sectioning.retrieval import retrieve
from tasks.tokens.tokenizer import load

SECTIONS = [
    Section('{"magnitude": 4.5}', "$.events", (0, 2)),
    Section('{"magnitude": 6.1}', "$.events", (3, 5)),
    Section('"last"', "$.note", None, (1, 2)),
]


def observed(name: str, retrieved: str | None = None) -> tuple[list[str], list, list]:
    asked: list = []
    saved: list = []

    def find(question, memories):
        asked.append((question, list(memories)))
        return retrieved

    reading = Observations(METHODS[name], "Q", SECTIONS, find, lambda *row: saved.append(row))
    texts = []
    for position in range(1, len(reading) + 1):
        texts.append(reading.at(position))
        reading.save(position, f"m{position}")
    return texts, asked, saved


@pytest.mark.parametrize("name", ["flat", "tree"])
def test_plain_methods_show_the_section_alone(name: str) -> None:
    texts, asked, _ = observed(name)
    assert texts == [section.text for section in SECTIONS]
    assert asked == []


def test_paths() -> None:
    texts, asked, _ = observed("tree_path")
    assert texts[0] == 'Location: $.events, children 0 to 2\n\n{"magnitude": 4.5}'
    assert texts[2] == 'Location: $.note\n\n"last"'
    assert asked == []


def test_retrieved_spans_come_from_linked_memories_only_and_are_recorded() -> None:
    texts, asked, saved = observed("treeagent", "magnitude 4.5")
    assert texts[1] == 'Location: $.events, children 3 to 5\n\n{"magnitude": 6.1}'
    assert texts[2] == 'Location: $.note\n\n"last"\n\nNotes from earlier sections:\nmagnitude 4.5'
    assert asked == [("Q", [(1, "m1"), (2, "m2")])]
    assert saved == [(1, "m1", None), (2, "m2", None), (3, "m3", "magnitude 4.5")]


def test_no_match_leaves_no_trace() -> None:
    texts, _, saved = observed("treeagent", None)
    assert texts[2] == 'Location: $.note\n\n"last"'
    assert saved[2] == (3, "m3", None)


def test_worked_example_of_residual_retrieval() -> None:
    tokenizer = load("smollm2", home())
    question = "What is the depth of the event us7000abcd?"
    linked = [Section("s1", "$[0]"), Section("s2", "$[1]"), Section("s3", "$", None, (1, 2))]
    reading = Observations(
        METHODS["treeagent"], question, linked, partial(retrieve, tokenizer=tokenizer), lambda *row: None
    )  # fmt: skip
    reading.at(1)
    reading.save(1, "Event us7000abcd: depth 10.2 km. Nothing else of use.\nWeather was fine.")
    reading.at(2)
    reading.save(2, "The event is known; its depth is forgotten.")
    # scores by (A.3): shared terms + 0.25 each. Span 1 of memory 1 shares event, us7000abcd, depth: 3.75;
    # the memory after section 2 shares event and depth: 2.5; the other spans share nothing and are dropped.
    assert reading.at(3) == (
        "Location: $\n\ns3\n\nNotes from earlier sections:\n"
        "Event us7000abcd: depth 10.2 km.\nThe event is known; its depth is forgotten."
    )


def row(position: int, start: int, end: int, type: str = "subtree", range: tuple[int, int] | None = None) -> dict:
    first, last = range or (None, None)
    return {"position": position, "type": type, "path": f"$[{position}]", "range_start": first, "range_end": last,
            "span_start": start, "span_end": end}  # fmt: skip


def test_sections_are_slices_and_fragments_get_their_quotation_marks_back() -> None:
    text = '[1, 2, "one two three", {"k": "four five"}]'
    one, four = text.index("one"), text.index("four")
    rows = [
        row(1, 1, 5, "siblings", (0, 1)), row(2, one, one + 4, "span"), row(3, one + 4, one + 8, "span"),
        row(4, one + 8, one + 13, "span"), row(5, four, four + 5, "span"), row(6, four + 5, four + 9, "span"),
    ]  # fmt: skip
    found = sections(text, rows, {4: [1, 3]})
    assert [section.text for section in found] == ["1, 2", '"one "', '"two "', '"three"', '"four "', '"five"']
    assert found[0].range == (0, 1)
    assert found[3].links == (1, 3)


def test_fragments_of_unquoted_text_stay_as_they_are() -> None:
    text = "<p>one two</p>"
    assert [s.text for s in sections(text, [row(1, 3, 7, "span"), row(2, 7, 10, "span")], {})] == ["one ", "two"]


def test_html_sections_carry_the_start_tags_around_them() -> None:
    text = '<table class="a>b"><tr><td>1<td>2<tr><td>"<img>"</table>'
    rows = [
        row(1, 19, 31, "siblings", (0, 1)) | {"path": "/table[1]/tr[1]"},
        row(2, text.index("<img>"), text.index("<img>") + 5, "span") | {"path": "/table[1]/tr[2]/td[1]/img[1]"},
    ]
    found = sections(text, rows, {})
    assert [section.tags for section in found] == [
        ('<table class="a>b">', "<tr>"),
        ('<table class="a>b">', "<tr>", "<td>"),
    ]
    reading = Observations(METHODS["tree_path"], "?", found, lambda *_: None, lambda *_: None)
    assert reading.at(2) == 'Location: /table[1]/tr[2]/td[1]/img[1]\nInside: <table class="a>b"><tr><td>\n\n<img>'
    plain = Observations(METHODS["tree"], "?", found, lambda *_: None, lambda *_: None)
    assert plain.at(2) == "<img>"


def test_locations_and_unknown_methods() -> None:
    assert location(Section("x", "", None)) == "/"
    with pytest.raises(
        UserError, match="There is no observation method 'tall': choose flat, tree, tree_path, treeagent"
    ):
        method("tall")
