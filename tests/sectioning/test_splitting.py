r"""Fragments of oversized leaves: what they cover, where the cuts lie, what fits, and which cuts are preferred."""

import json
import re
from itertools import pairwise

import json5
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.sectioning.splitting import inside, split
from tasks.tokens.slices import SliceCounter
from tasks.trees.parse import parse
from tests.sectioning.plain_tokenizers import Characters, Pieces


def fragments(text: str, format: str, path: str, budget: int, tokenizer=None) -> list[str]:
    """The fragments of the leaf at `path`; that they touch, and lie where `inside` says, is checked."""
    tree = parse(text, format)
    (node,) = [node for node in range(len(tree)) if tree.path(node) == path]
    tokenizer = tokenizer or Characters()
    found = list(split(tree, node, SliceCounter(text, tokenizer), budget))
    start, end, quote = inside(tree, node)
    assert [found[0][0], found[-1][1]] == [start, end]
    assert all(one[1] == two[0] for one, two in pairwise(found))
    for begin, stop, exceeds in found:
        assert begin < stop
        assert exceeds == (tokenizer.count(quote + text[begin:stop] + quote) > budget)
    return [text[begin:stop] for begin, stop, _ in found]


@pytest.mark.parametrize(
    ("format", "text", "path", "expected"),
    [
        # Keys, marks, anchors, tags and `;` are wrapper text; fragments are what stands between the marks.
        ("json", '{"k": "abcdefgh"}', "$.k", ["abc", "def", "gh"]),
        ("json", '"abcdefgh"', "$", ["abc", "def", "gh"]),
        ("json", "[12345678]", "$[0]", ["12345", "678"]),
        ("yaml", 'k: &a !!str "abcdefgh" # c', "$.k", ["abc", "def", "gh"]),
        ("yaml", "- 'abcd''efg'", "$[0]", ["abc", "d''", "efg"]),
        ("yaml", "k: abcdefgh", "$.k", ["abcde", "fgh"]),
        ("yaml", "abcdefghi:", "$.abcdefghi", ["abcde", "fghi:"]),
        ("javascript", 'const s = "abcdefgh" /* c */ ;', "$.s", ["abc", "def", "gh"]),
        ("javascript", "const o = {s: `abcdefgh`};", "$.o.s", ["abc", "def", "gh"]),
        ("javascript", "let n = 12345678;", "$.n", ["12345", "678"]),
        ("javascript", "let n = -12345678", "$.n", ["-1234", "5678"]),
        ("javascript", "'abcdefgh';", "$[0]", ["abc", "def", "gh"]),
        ("javascript", r"let r = /ab\/cd\/e/;", "$.r", [r"/ab\/", r"cd\/e", r"/"]),
        ("html", '<p>"abcdefgh"</p>', "/p[1]/text()[1]", ['"abcd', "efgh\""]),
        ("html", "<img alt=abcd>", "/img[1]", ["<img ", "alt=a", "bcd>"]),
        ("html", "<p id=abcd></p>", "/p[1]", ["<p ", "id=ab", "cd></", "p>"]),
        ("html", "<!--abcdefg-->", "/comment()[1]", ["<!--a", "bcdef", "g-->"]),
        # What must stay whole.
        ("json", r'"\u00e9\u00e9ab"', "$", [r"\u00e9", r"\u00e9", "ab"]),
        ("json", r'"\ud83d\ude00a"', "$", [r"\ud83d\ude00", "a"]),
        ("json", r'"\ud83da\ude00"', "$", [r"\ud83d", "a", r"\ude00"]),
        ("json", r'"a\r\nb"', "$", ["a", r"\r\n", "b"]),
        ("json", r'"abc\\nde"', "$", ["abc", r"\\n", "de"]),
        ("yaml", r'"a\U0001F600b\x41c"', "$", ["a", r"\U0001F600", "b", r"\x41", "c"]),
        ("yaml", '"abcd\\\n   ef"', "$", ["abc", "d", "\\\n   ", "ef"]),
        ("yaml", "''''''''''", "$", ["''", "''", "''", "''"]),
        ("yaml", "ab\r\n cd", "$", ["ab\r\n", " cd"]),
        ("javascript", r"let s='a\u{1F600}b\x41\
c\101'", "$.s", ["a", r"\u{1F600}", "b", r"\x41", "\\\nc", r"\101"]),
        ("javascript", r"let s='\u{d83d}\u{de00}\0'", "$.s", [r"\u{d83d}\u{de00}", r"\0"]),
        ("html", "<p>ab&amp;&#233;&copy &nosuch</p>", "/p[1]/text()[1]",
         ["ab", "&amp;", "&#233;", "&copy", " &nos", "uch"]),
        ("html", "<p>abcd\r\nef</p>", "/p[1]/text()[1]", ["abcd", "\r\nef"]),
    ],
)  # fmt: skip
def test_what_fragments_cover(format: str, text: str, path: str, expected: list[str]) -> None:
    assert fragments(text, format, path, 5) == expected


def test_an_empty_string_under_a_long_key_is_its_marks() -> None:
    assert fragments('{"a long key": ""}', "json", "$" + '["a long key"]', 5) == ['""']


@pytest.mark.parametrize(
    ("text", "budget", "expected"),
    [
        ("line one\\nline two is long", 22, ["line one\\n", "line two is long"]),
        ("One. Two three four five", 18, ["One. Two three ", "four five"]),
        ("One two thr. Four five six", 22, ["One two thr. ", "Four five six"]),
        ("a b cdefghijklmnopqrst", 14, ["a b cdefghij", "klmnopqrst"]),
        ("一二三四。五六七八九十", 10, ["一二三四。", "五六七八九十"]),
    ],
)
def test_a_natural_end_is_preferred_when_half_of_the_budget_is_filled(
    text: str, budget: int, expected: list[str]
) -> None:
    assert fragments(f'"{text}"', "json", "$", budget) == expected


def test_a_character_above_the_budget_is_whole() -> None:
    assert fragments('["ab😀c"]', "json", "$[0]", 4, Pieces()) == ["ab", "😀", "c"]


UNITS = {
    "json": [r"\n", r"\r\n", r"\"", r"\\", r"\/", r"\u00e9", r"\ud83d\ude00", r"\t", r"\u0020"],
    "yaml double": [r"\n", r"\r\n", r"\"", r"\\", r"\/", r"\xe9", r"\U0001F600", r"\t", r"\_", r"\L", "\\\n  "],
    "yaml single": ["''", "\\", '"'],
    "javascript": [r"\n", r"\r\n", r"\'", r"\\", r"\xe9", "\\\n", "\\\r\n", r"\ud83d\ude00", r"\u2028", r"\q"],
}
READ = {
    "json": lambda body: json.loads(f'"{body}"'),
    "yaml double": lambda body: yaml.safe_load(f'"{body}"'),
    "yaml single": lambda body: yaml.safe_load(f"'{body}'"),
    "javascript": lambda body: json5.loads(f"'{body}'"),
}
WRITE = {
    "json": ("json", '{{"key": "{}"}}', "$.key"),
    "yaml double": ("yaml", 'key: &a "{}"', "$.key"),
    "yaml single": ("yaml", "- '{}'", "$[0]"),
    "javascript": ("javascript", "const key = '{}';", "$.key"),
}
PLAIN = ["a", "word", "é", "😀", "日", ". ", " b ", "x" * 30, "end.", "u00e9", "ude00"]


@pytest.mark.parametrize("language", UNITS)
@given(data=st.data(), budget=st.integers(3, 60))
@settings(max_examples=150, deadline=None)
def test_fragments_in_marks_say_what_the_leaf_says(language: str, data: st.DataObject, budget: int) -> None:
    """Read one by one with their marks, by the languages' own readers, and joined."""
    units = data.draw(st.lists(st.sampled_from(UNITS[language] + PLAIN), min_size=1, max_size=60))
    tokenizer = data.draw(st.sampled_from([Characters(), Pieces()]))
    format, document, path = WRITE[language]
    body = "".join(units)
    parts = fragments(document.format(body), format, path, budget, tokenizer)
    read = [READ[language](part) for part in parts]
    assert "".join(read) == READ[language](body)
    for part, said in zip(parts, read, strict=True):
        if tokenizer.count(f"'{part}'") > budget:
            assert len(said) <= 1 or part in UNITS[language]
    _check_preference(parts, budget, lambda part: tokenizer.count(f"'{part}'"), units)


@given(
    units=st.lists(st.sampled_from(["&amp;", "&#233;", "&#xe9;", "&copy", "\r\n", "\n", '"', "'", *PLAIN]), min_size=1),
    budget=st.integers(1, 60),
)
@settings(max_examples=150, deadline=None)
def test_fragments_of_html_text(units: list[str], budget: int) -> None:
    text = "".join(units)
    if text.isspace():
        return
    parts = fragments(f"<p>{text}</p>", "html", "/p[1]/text()[1]", budget)
    assert "".join(parts) == text
    cuts = {len("".join(parts[:place])) for place in range(1, len(parts))}
    for reference in re.finditer(r"&(amp;|#233;|#xe9;|copy)|\r\n", text):
        assert not cuts & set(range(reference.start() + 1, reference.end()))
    assert all(len(part) <= budget or part in units for part in parts)
    _check_preference(parts, budget, len, units)


def _check_preference(parts: list[str], budget: int, count, units: list[str]) -> None:
    """A fragment that ends inside a word had no blank in its second half, as far as units without escapes tell."""
    for part in parts[:-1]:
        if re.search(r"(\s|\\[nrt]|[。.!?])\Z", part) or "\\" in part:
            continue
        for blank in re.finditer(r"(?<=\S)[ \n](?=\S)", part):
            cut = part[: blank.end()]
            assert 2 * count(cut) < budget or count(cut) > budget, (part, cut)
