"""HTML: spans by hand, random documents with a known tree, recorded pages against lxml."""

import html
import re
from pathlib import Path

import lxml.etree
import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.trees.decode import decode
from tasks.trees.html_tree import parse
from tests.trees.invariants import check_spans, outline, wrapper

CASES = {
    "<ul><li>a\n<li>b</ul>": [
        ("/ul[1]", "<ul><li>a\n<li>b</ul>"),
        ("/ul[1]/li[1]", "<li>a\n"),
        ("/ul[1]/li[1]/text()[1]", "a\n"),
        ("/ul[1]/li[2]", "<li>b"),
        ("/ul[1]/li[2]/text()[1]", "b"),
    ],
    "<p>x<p>y<div>z</div>": [
        ("/p[1]", "<p>x"),
        ("/p[1]/text()[1]", "x"),
        ("/p[2]", "<p>y"),
        ("/p[2]/text()[1]", "y"),
        ("/div[1]", "<div>z</div>"),
        ("/div[1]/text()[1]", "z"),
    ],
    "<table><thead><tr><td>1<td>2<tbody><tr><td><table><tr><td>n</table><td>z</table>": [
        ("/table[1]", "<table><thead><tr><td>1<td>2<tbody><tr><td><table><tr><td>n</table><td>z</table>"),
        ("/table[1]/thead[1]", "<thead><tr><td>1<td>2"),
        ("/table[1]/thead[1]/tr[1]", "<tr><td>1<td>2"),
        ("/table[1]/thead[1]/tr[1]/td[1]", "<td>1"),
        ("/table[1]/thead[1]/tr[1]/td[1]/text()[1]", "1"),
        ("/table[1]/thead[1]/tr[1]/td[2]", "<td>2"),
        ("/table[1]/thead[1]/tr[1]/td[2]/text()[1]", "2"),
        ("/table[1]/tbody[1]", "<tbody><tr><td><table><tr><td>n</table><td>z"),
        ("/table[1]/tbody[1]/tr[1]", "<tr><td><table><tr><td>n</table><td>z"),
        ("/table[1]/tbody[1]/tr[1]/td[1]", "<td><table><tr><td>n</table>"),
        ("/table[1]/tbody[1]/tr[1]/td[1]/table[1]", "<table><tr><td>n</table>"),
        ("/table[1]/tbody[1]/tr[1]/td[1]/table[1]/tr[1]", "<tr><td>n"),
        ("/table[1]/tbody[1]/tr[1]/td[1]/table[1]/tr[1]/td[1]", "<td>n"),
        ("/table[1]/tbody[1]/tr[1]/td[1]/table[1]/tr[1]/td[1]/text()[1]", "n"),
        ("/table[1]/tbody[1]/tr[1]/td[2]", "<td>z"),
        ("/table[1]/tbody[1]/tr[1]/td[2]/text()[1]", "z"),
    ],
    "<p>head <b>bold</b> tail <a href='>'>x</a></p>": [
        ("/p[1]", "<p>head <b>bold</b> tail <a href='>'>x</a></p>"),
        ("/p[1]/text()[1]", "head "),
        ("/p[1]/b[1]", "<b>bold</b>"),
        ("/p[1]/b[1]/text()[1]", "bold"),
        ("/p[1]/text()[2]", " tail "),
        ("/p[1]/a[1]", "<a href='>'>x</a>"),
        ("/p[1]/a[1]/text()[1]", "x"),
    ],
    "<b><i>x</b></i>y": [
        ("/b[1]", "<b><i>x</b>"),
        ("/b[1]/i[1]", "<i>x"),
        ("/b[1]/i[1]/text()[1]", "x"),
        ("/text()[1]", "y"),
    ],
    "<b><p>x</b>y</p>z": [
        ("/b[1]", "<b><p>x</b>y</p>"),
        ("/b[1]/p[1]", "<p>x</b>y</p>"),
        ("/b[1]/p[1]/text()[1]", "x"),
        ("/b[1]/p[1]/text()[2]", "y"),
        ("/text()[1]", "z"),
    ],
    "<DIV>1 < 2 &lt; 3<BR>x<my-item a/b>é</my-item></Div></span>": [
        ("/div[1]", "<DIV>1 < 2 &lt; 3<BR>x<my-item a/b>é</my-item></Div>"),
        ("/div[1]/text()[1]", "1 < 2 &lt; 3"),
        ("/div[1]/br[1]", "<BR>"),
        ("/div[1]/text()[2]", "x"),
        ("/div[1]/my-item[1]", "<my-item a/b>é</my-item>"),
        ("/div[1]/my-item[1]/text()[1]", "é"),
    ],
    "<!-- a --><!doctype html><?php x ?><![CDATA[y]]>z<!-- open": [
        ("/comment()[1]", "<!-- a -->"),
        ("/comment()[2]", "<?php x ?>"),
        ("/comment()[3]", "<![CDATA[y]]>"),
        ("/text()[1]", "z"),
        ("/comment()[4]", "<!-- open"),
    ],
    "<svg><path d='>'/><title>t</title><![CDATA[<b>]]></svg><p>n\0l": [
        ("/svg[1]", "<svg><path d='>'/><title>t</title><![CDATA[<b>]]></svg>"),
        ("/svg[1]/path[1]", "<path d='>'/>"),
        ("/svg[1]/title[1]", "<title>t</title>"),
        ("/svg[1]/title[1]/text()[1]", "t"),
        ("/svg[1]/text()[1]", "<![CDATA[<b>]]>"),
        ("/p[1]", "<p>n\0l"),
        ("/p[1]/text()[1]", "n\0l"),
    ],
    "<p><a href=/>x</a><a href=a/>y</a><b/>z": [
        ("/p[1]", "<p><a href=/>x</a><a href=a/>y</a><b/>z"),
        ("/p[1]/a[1]", "<a href=/>x</a>"),
        ("/p[1]/a[1]/text()[1]", "x"),
        ("/p[1]/a[2]", "<a href=a/>y</a>"),
        ("/p[1]/a[2]/text()[1]", "y"),
        ("/p[1]/b[1]", "<b/>"),
        ("/p[1]/text()[1]", "z"),
    ],
    "<select><option>1<option>2</select><dl><dt>a<dd>b<dt>c</dl><textarea><b></textarea>": [
        ("/select[1]", "<select><option>1<option>2</select>"),
        ("/select[1]/option[1]", "<option>1"),
        ("/select[1]/option[1]/text()[1]", "1"),
        ("/select[1]/option[2]", "<option>2"),
        ("/select[1]/option[2]/text()[1]", "2"),
        ("/dl[1]", "<dl><dt>a<dd>b<dt>c</dl>"),
        ("/dl[1]/dt[1]", "<dt>a"),
        ("/dl[1]/dt[1]/text()[1]", "a"),
        ("/dl[1]/dd[1]", "<dd>b"),
        ("/dl[1]/dd[1]/text()[1]", "b"),
        ("/dl[1]/dt[2]", "<dt>c"),
        ("/dl[1]/dt[2]/text()[1]", "c"),
        ("/textarea[1]", "<textarea><b></textarea>"),
        ("/textarea[1]/text()[1]", "<b>"),
    ],
}

# Forms of which one observation is enough: the paths of the text runs, each with its source.
RUNS = {
    "<ul><li>a<ul><li>b<li>c</ul><li>d</ul>": {
        "/ul[1]/li[1]/text()[1]": "a",
        "/ul[1]/li[1]/ul[1]/li[1]/text()[1]": "b",
        "/ul[1]/li[1]/ul[1]/li[2]/text()[1]": "c",
        "/ul[1]/li[2]/text()[1]": "d",
    },
    "<table><caption>c<col><thead><tr><th>h<tfoot><tr><td>f<tbody><tr><td>b<td>d<tr><td>e</table>": {
        "/table[1]/caption[1]/text()[1]": "c",
        "/table[1]/thead[1]/tr[1]/th[1]/text()[1]": "h",
        "/table[1]/tfoot[1]/tr[1]/td[1]/text()[1]": "f",
        "/table[1]/tbody[1]/tr[1]/td[1]/text()[1]": "b",
        "/table[1]/tbody[1]/tr[1]/td[2]/text()[1]": "d",
        "/table[1]/tbody[1]/tr[2]/td[1]/text()[1]": "e",
    },
    "<tr><td>a<td>b<tr><td>c": {
        "/tr[1]/td[1]/text()[1]": "a",
        "/tr[1]/td[2]/text()[1]": "b",
        "/tr[2]/td[1]/text()[1]": "c",
    },
    "<td>a<td>b<tr><td>c<tbody><td>d": {
        "/td[1]/text()[1]": "a",
        "/td[2]/text()[1]": "b",
        "/tr[1]/td[1]/text()[1]": "c",
        "/tbody[1]/td[1]/text()[1]": "d",
    },
    "<p>a<!-- - -- > --> b<![CDATA[ c > d ]]></p><!DOCTYPE x>": {
        "/p[1]/text()[1]": "a",
        "/p[1]/text()[2]": " b",
        "/p[1]/text()[3]": " d ]]>",
    },
    "<a title='x > y' data-x=a/b>&lt;&#233;&copy</a  >": {"/a[1]/text()[1]": "&lt;&#233;&copy"},
    "<p>\n a \n</p>\n<p>\t</p>": {"/p[1]/text()[1]": "\n a \n"},
    "<select><optgroup><option>1<option>2<optgroup><option>3</select>": {
        "/select[1]/optgroup[1]/option[1]/text()[1]": "1",
        "/select[1]/optgroup[1]/option[2]/text()[1]": "2",
        "/select[1]/optgroup[2]/option[1]/text()[1]": "3",
    },
    "<h1>a<h2>b</h1>c<button>d<button>e</button><a>f<a>g</a>": {
        "/h1[1]/text()[1]": "a",
        "/h2[1]/text()[1]": "b",
        "/text()[1]": "c",
        "/button[1]/text()[1]": "d",
        "/button[2]/text()[1]": "e",
        "/a[1]/text()[1]": "f",
        "/a[2]/text()[1]": "g",
    },
    "<ruby>a<rt>b<rp>c</ruby><iframe><p>x</iframe><p>eof in a tag <a href": {
        "/ruby[1]/text()[1]": "a",
        "/ruby[1]/rt[1]/text()[1]": "b",
        "/ruby[1]/rp[1]/text()[1]": "c",
        "/iframe[1]/text()[1]": "<p>x",
        "/p[1]/text()[1]": "eof in a tag <a href",
    },
}


@pytest.mark.parametrize("text", RUNS)
def test_where_text_runs_belong(text: str) -> None:
    tree = parse(text)
    assert {path: source for path, source in outline(tree) if "text()" in path} == RUNS[text]
    check_spans(tree)


@pytest.mark.parametrize("text", CASES)
def test_spans_and_paths(text: str) -> None:
    tree = parse(text)
    assert outline(tree)[1:] == CASES[text]
    check_spans(tree)


def test_head_ends_where_the_body_begins() -> None:
    tree = parse("<html><head><title>t</title>\n<body>x</html>")
    assert dict(outline(tree))["/html[1]/head[1]"] == "<head><title>t</title>\n"


def test_scripts_and_styles_are_atomic_and_textareas_are_not() -> None:
    tree = parse("<script>if (a<b) '</p>'</script><style>p>b{}</style><title>x</title>")
    atomic = {tree.path(node): tree.atomic(node) for node in range(len(tree)) if tree.leaf(node)}
    assert atomic == {"/script[1]/text()[1]": True, "/style[1]/text()[1]": True, "/title[1]/text()[1]": False}


def test_a_script_may_hold_a_script_in_a_comment() -> None:
    text = "<script><!-- document.write('<script></script>') --></script><p>x"
    assert outline(parse(text))[1][1] == text[: text.index("<p>")]


def test_a_stream_of_pages() -> None:
    pages = ["<!doctype html>\n<html><body>a</body></html>\n<!-- end -->", "<html><p>b</html>", "<!doctype html><p>c"]
    tree = parse("\n".join(pages))
    assert [(tree.path(node), tree.source(node)) for node in tree.children(0)] == [
        (f"/page[{number}]", page) for number, page in enumerate(pages, 1)
    ]
    assert tree.path(len(tree) - 1) == "/page[3]/p[1]/text()[1]"


def test_what_stands_before_the_doctype_belongs_to_its_page() -> None:
    tree = parse("<br>Warning<!doctype html><html>x</html>")
    assert [tree.path(node) for node in tree.children(0)] == ["/br[1]", "/text()[1]", "/html[1]"]


@pytest.mark.parametrize(
    "unit",
    [
        "<div>",
        "<b><p>",
        "<ul><li>",
        "<table><tr><td>",
        '<a href="',
        "<a b='>'",
        "<!--",
        "</",
        "<svg><title>",
        "<script>",
    ],
)
def test_depth_and_repetition_are_cheap(unit: str) -> None:
    check_spans(parse(unit * 10_000 + "x"))


_PIECES = (
    "<p> </p> <b> </b> <i> </i> <table> </table> <tr> <td> </td> <li> <ul> </ul> <div> </div> <!-- --> x <br> <script>"
    " </script> <svg> </svg> <html> </html> <!doctype <a> </a> <form> </form> <option> <h1> </h2> <body> <head> </head>"
).split()


@given(
    st.text(alphabet="<>/!-='\" abptdr&;\n\0é") | st.lists(st.sampled_from([*_PIECES, " ", ">"])).map("".join),
)
@settings(max_examples=400, deadline=None)
def test_never_fails(text: str) -> None:
    check_spans(parse(text))


_TAGS = st.sampled_from(["div", "section", "my-x", "span", "em", "blockquote"])
_NODES = st.recursive(
    st.sampled_from(["text", " mixed é ", "&amp;😀", "<br>", "<img alt='>'>", "<!-- c -->"]),
    lambda inner: st.tuples(_TAGS, st.lists(inner, max_size=4)),
    max_leaves=25,
)


@given(st.lists(_NODES, max_size=5))
@settings(max_examples=200, deadline=None)
def test_well_formed_documents_give_the_tree_they_were_written_from(nodes: list) -> None:
    text = "<!doctype html>"
    expected: list[tuple[str, str]] = []

    def write(items: list, path: str) -> None:
        nonlocal text
        counts: dict[str, int] = {}
        previous = None
        for item in items:
            run = isinstance(item, str) and not item.startswith("<")
            if run and previous:  # two runs that touch are one
                text += item
                name, source = expected[-1]
                expected[-1] = (name, source + item)
                continue
            previous = run
            if isinstance(item, str):
                step = "text()" if run else "comment()" if item.startswith("<!") else re.findall(r"\w+", item)[0]
            else:
                step = item[0]
            counts[step] = counts.get(step, 0) + 1
            here = f"{path}/{step}[{counts[step]}]"
            place, begin = len(expected), len(text)
            expected.append((here, ""))
            if isinstance(item, str):
                text += item
            else:
                text += f"<{step} a='1'>"
                write(item[1], here)
                text += f"</{step}>"
            expected[place] = (here, text[begin:])

    write(nodes, "")
    assert outline(parse(text))[1:] == expected


def _pages(recordings: Path) -> list[Path]:
    return sorted(recordings.glob("html/*/*.htm*"))


def test_recorded_pages_keep_every_character_and_agree_with_lxml(recordings: Path) -> None:
    """lxml (libxml2) invents, drops and moves elements of broken pages, so that not all can agree."""
    agree = 0
    for page in _pages(recordings):
        text = decode(page.read_bytes())
        tree = parse(text)
        check_spans(tree)
        tags = re.sub(r"<!--.*?-->", "", wrapper(tree), flags=re.DOTALL)
        tags = re.sub(r"<[!/a-zA-Z](?:[^>\"']|\"[^\"]*\"|'[^']*')*>", "", tags)
        assert len(tags.split()) < 40, page.name  # what is outside the leaves is tags and doctype
        agree += _names(tree) == _names_of_lxml(text)
    assert agree >= 120 * len(_pages(recordings)) // 168


def _names(tree) -> list[str]:
    skipped = ("html", "head", "body", "tbody", "tr", "colgroup", "text()", "comment()")
    names = [str(step).split("[")[0] for step in tree.identifiers[1:]]
    return [name for name in names if name not in skipped]


def _names_of_lxml(text: str) -> list[str]:
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    root = lxml.html.document_fromstring(text.encode(), parser=parser)
    names = [element.tag for element in root.iter() if isinstance(element.tag, str)]
    return [name for name in names if name not in ("html", "head", "body", "tbody", "tr", "colgroup")]


def test_text_of_recorded_pages_is_the_text_of_lxml(recordings: Path) -> None:
    same = 0
    for page in _pages(recordings):
        text = decode(page.read_bytes())
        tree = parse(text)
        ours = "".join(
            tree.source(node)
            for node in range(len(tree))
            if "text()" in str(tree.identifiers[node]) and not tree.atomics[node]
        )
        root = lxml.html.document_fromstring(
            text.encode(), parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
        )
        lxml.etree.strip_elements(root, "script", "style", lxml.etree.Comment, with_tail=False)
        theirs = "".join(root.itertext())
        same += "".join(html.unescape(ours).split()) == "".join(theirs.split())
    assert same >= 100 * len(_pages(recordings)) // 168


def test_encodings() -> None:
    assert decode("é".encode("utf-8-sig")) == "é"
    assert decode("<p>é😀".encode("utf-16")) == "<p>é😀"
    assert decode(b'<meta charset="windows-1251">' + "привет".encode("cp1251")).endswith("привет")
    content = b"<meta http-equiv='Content-Type' content='text/html; charset=Shift_JIS'>"
    assert decode(content + "日本".encode("cp932")).endswith("日本")
    assert decode(b"<!-- <meta charset=shift_jis> --><meta charset=latin1>\x80 \x81").endswith("€ \x81")
    assert decode(b"caf\xe9") == "café"
    assert decode(b'<meta charset="utf-8">caf\xe9').endswith("caf�")
    xml = b'<?xml version="1.0" encoding="koi8-r"?><p>' + "привет".encode("koi8-r")
    assert decode(xml).endswith("<p>привет")
    assert decode(b'<?xml version="1.0" encoding="koi8-r"?><meta charset=latin1>\xe9').endswith("é")
    assert decode(b"<meta charset=nonsense><meta charset=windows-1251>\xe9").endswith("й")
    # Saved as UTF-8 by someone who kept the old declaration.
    assert decode('<meta charset="iso-8859-1">é'.encode()).endswith("é")
    assert decode(b"<meta charset=iso-2022-jp>" + "日本".encode("iso2022_jp")).endswith("日本")
