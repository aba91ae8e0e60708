"""How contexts are taken apart, and the four readers on texts that can be checked by eye."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.home import home
from tasks.tokens.tokenizer import load
from tasks.validating import javascript_reading, tallying, yaml_reading
from tasks.validating.reading import Unit, Unsound, parts
from tasks.validating.values import Number, RepeatedKey
from tasks.warehouse.contexts import render

FORMATS = ["json", "html", "yaml", "javascript"]
pieces = st.lists(
    st.sampled_from(["{}", "a: 1", "a: 1\n", "---\nb: 2\n", "# c\n--- \nb", "<p>", "var a = {};"]), min_size=1
)


@given(st.sampled_from(FORMATS), pieces)
def test_a_rendered_context_consists_of_its_payloads(format, texts):
    assert parts(format, render(format, texts), [{"text": text} for text in texts]) == texts


@given(st.sampled_from(FORMATS), pieces, st.data())
def test_a_context_of_something_else_is_unsound(format, texts, data):
    context = render(format, texts)
    at = data.draw(st.integers(0, len(context)))
    with pytest.raises(Unsound):
        parts(format, context[:at] + "!" + context[at:], [{"text": text} for text in texts])
    with pytest.raises(Unsound):
        parts(format, context, [{"text": text} for text in [*texts, "more"]])


def test_yaml_types():
    value = yaml_reading.read(
        'a: 1.50\nb: "1.50"\nc: yes\nd: true\ne: ~\nf: null\ng:\nh: 2020-01-01\ni: 0x1F\nj: |\n  two\n  lines\n'
        "k: &x [1, 'it''s']\nl: *x\n\"200\": {}\n200: []\n".replace("200: []\n", "")
    )
    assert value == {
        "a": "1.50", "b": "1.50", "c": "yes", "d": True, "e": None, "f": None, "g": None, "h": "2020-01-01",
        "i": "0x1F", "j": "two lines", "k": ["1", "it's"], "l": None, "200": {},
    }  # fmt: skip
    assert [type(value[key]) for key in "abi"] == [Number, str, str]


@pytest.mark.parametrize("text", ["a: [1", "a: 1\n---\nb: 2\n", "? [1]\n: 2\n", "a: 1\na: 2\n"])
def test_yaml_that_is_no_single_document_of_plain_keys_is_refused(text):
    with pytest.raises(ValueError, match=r"\w"):
        yaml_reading.read(text)


def test_javascript_values():
    text = "/* x */ export const A_1 = { 'k': [1, 0x10, .5, -2e3], /* c */ b: true, n: null, t: 'a\\x62',\n};\n"
    assert javascript_reading.read(text) == {
        "A_1": {"k": ["1", "16", "0.5", "-2000.0"], "b": True, "n": None, "t": "ab"}
    }
    for wrong in ("{a: 1}", "const a = f();", "const = {}", "const a = {b: `t`};"):
        with pytest.raises(ValueError, match=r"\w"):
            javascript_reading.read(wrong)


def test_a_third_reader_agrees_or_says_where_it_does_not(monkeypatch):
    text = (
        "const a = {n: [1.0, 0x10, .5, 5., -2e3, -0], 't': 'a\\x62\\u00e9\\ud83d\\ude00', b: false, /* c */ k: null};"
    )
    assert javascript_reading.otherwise(text) is None
    misread = {"n": [1, 2], "t": "ab"}
    monkeypatch.setattr(javascript_reading.pyjson5, "decode", lambda text: misread)
    assert javascript_reading.otherwise("const a = {n: [1, 2], t: 'ab'}") is None
    for other in (
        "{n: [1, 3], t: 'ab'}",
        "{n: [2, 1], t: 'ab'}",
        "{n: [1, 2], t: 'aB'}",
        "{n: [1, 2]}",
        "{n: [1.0, 2], t: 'ab'}",
    ):
        assert javascript_reading.otherwise(f"const a = {other}") == "json5 reads a otherwise than pyjson5"
    assert "json5 does not read a: " in str(javascript_reading.otherwise("const a = {n: [1, 2], t: `ab`}"))


def test_repeated_keys_are_refused_where_readers_keep_them():
    with pytest.raises(RepeatedKey):
        _ = Unit("json", '[{"a": 1, "a": 2}]').value


def test_texts_inside_a_record_of_a_page_are_all_that_its_elements_hold():
    unit = Unit("html", "<p>Home</p><ul><li><a href=/a title=Tip>Home</a></li><li><a href=/b>Two</a></li></ul>")
    first, second = unit.value["items"]
    assert unit.strings["home"] == 3  # the paragraph, the run and the item
    assert unit.inside(first)["home"] == 2
    assert unit.inside(first)["tip"] == 1
    assert unit.inside(second)["home"] == 0
    assert unit.inside(unit.value["page"]) == unit.strings
    assert {"li", "href", "title"} <= unit.keys


EDGES = st.sampled_from(["}", "'", "e\u0301", "\n", "\r\n", " \n", "  ", "7", "</p>", "", "---\n", "\n\n  "])
bodies = st.lists(st.builds(lambda a, b, c: a + b + c, EDGES, st.text(max_size=9), EDGES), min_size=1, max_size=6)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(FORMATS), bodies)
def test_parts_of_a_context_have_its_tokens(format, texts):
    tokenizer = load("qwen", home())
    context = render(format, texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallying, "WHOLE", 0)
        patch.setattr(tallying, "EVERY", 10**9)
        assert tallying.Tally(tokenizer).tokens(context, texts, "1" * 64) == len(tokenizer.encode(context))
