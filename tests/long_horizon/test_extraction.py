"""Reading documents: every supported format, whatever it is called, and what is no document."""

import io

import pytest

from tasks.long_horizon.benchmarks import attachments
from tasks.long_horizon.tools.formats import OLE
from tasks.long_horizon.tools.toolbox import ToolFailed
from tests.long_horizon.documents import GREENHOUSE, document, encrypted, here, pages, read, slides, workbook, zipped


def test_every_format() -> None:
    assert read("plain £ text".encode(), "txt") == "plain £ text"
    assert read(b"a;b\n1;2\n", "csv") == "a | b\n1 | 2"
    assert read(workbook([["city", "people"], ["Orve", 12.0]]), "xlsx") == "[sheet Data]\ncity | people\nOrve | 12"
    assert read(document(), "docx") == "Minutes of the meeting\nChair | Ada\nEnd"
    assert read(pages("First page", "Second page"), "pdf").split("\n") == [
        "[page 1]",
        "First page",
        "",
        "",
        "[page 2]",
        "Second page",
        "",
    ]
    page = (
        b"<html><head><title>T</title><script>x()</script></head><body><nav>menu</nav><article><h1>Head</h1>"
        b"<p>The main text of this page is long enough to be found, with a number 42 in it.</p></article></body></html>"
    )
    found = read(page, "html")
    assert "number 42" in found
    assert "x()" not in found
    archive = read(zipped(a_DOT_txt=b"inside", b_DOT_png=b"\x89", c_DOT_zip=b"PK"), "zip")
    assert archive == ("[a.txt]\ninside\n\n[b.png]\n(no text can be taken out of png)\n\n[c.zip]\n"
                       "(an archive inside the archive)")  # fmt: skip
    assert read(slides("Title of the slide"), "pptx") == "[slide 1]\nTitle of the slide"


@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "zip", "pptx"])
def test_damaged_documents_are_sentences(kind: str) -> None:
    with pytest.raises(ToolFailed, match=f"it.{kind} could not be read: it is damaged, or no {kind} file"):
        here(b"PK\x03\x04 nonsense", kind)


def test_other_kinds() -> None:
    with pytest.raises(ToolFailed, match="no text can be taken out of png"):
        here(b"\x89PNG", "png")
    with pytest.raises(ToolFailed, match="it is no text"):
        here(b"\0\1\2\xff", "txt")


def test_slides_are_in_the_order_of_the_presentation() -> None:
    made = slides("first file", "second file", order=(2, 1))
    assert here(made, "pptx") == "[slide 1]\nsecond file\n\n[slide 2]\nfirst file"


def test_a_table_with_a_quote_that_nothing_closes() -> None:
    assert here(b'a,b\n1,"two\n3,4\n', "csv") == "a | b\n1 | two\n3,4\n"


@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "xlsm", "xls", "ods", "pptx", "zip", "csv", "html", "txt"])
def test_empty_documents(kind: str) -> None:
    with pytest.raises(ToolFailed, match=rf"it\.{kind} could not be read: it is empty"):
        here(b"", kind)


@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "xls", "ods", "pptx"])
def test_half_documents(kind: str) -> None:
    whole = {"pdf": pages("x" * 200), "docx": document(), "xlsx": workbook([["a"]]), "ods": GREENHOUSE,
             "xls": (attachments.READY / "ferry_traffic.xls").read_bytes(), "pptx": slides("x")}[kind]  # fmt: skip
    with pytest.raises(ToolFailed, match="damaged"):
        assert here(whole[: len(whole) // 2], kind) == ""


@pytest.mark.parametrize("kind", ["pdf", "zip", "ods", "docx", "xlsx", "pptx"])
def test_documents_under_a_password(kind: str) -> None:
    with pytest.raises(ToolFailed, match="it is protected by a password"):
        here(encrypted(kind), kind)


def test_a_pdf_that_forbids_copying_only_is_here() -> None:
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption("", "owner", canCopy=0))
    canvas.drawString(72, 720, "open to all")
    canvas.save()
    assert "open to all" in here(out.getvalue(), "pdf")


@pytest.mark.parametrize("name", ["txt", "csv", "xlsx", "html", "", "dat", "zip"])
def test_names_that_lie(name: str) -> None:
    """What a document is decides, not what it is called."""
    assert "First page" in here(pages("First page"), name)
    assert "Orve | 12" in here(workbook([["Orve", 12.0]]), name)
    assert "Chair | Ada" in here(document(), name)
    assert "MV Gannet" in here((attachments.READY / "ferry_traffic.xls").read_bytes(), name)


def test_texts_that_are_called_something_else() -> None:
    assert here(b"a;b\n1;2\n", "xlsx") == "a | b\n1 | 2"
    page = b"<html><body><table><tr><td>Orve</td><td>12</td></tr></table><p>A sentence of a page.</p></body></html>"
    for name in ("xls", "pdf", "docx"):
        assert "<td>" not in here(page, name)
        assert "A sentence of a page." in here(page, name)
    assert here(b"only text", "pdf") == "only text"
    assert here("ünïcode".encode(), "") == "ünïcode"
    with pytest.raises(ToolFailed, match="out of a file without suffix"):
        here(b"\x89PNG\r\n\x1a\n\0\0", "")


@pytest.mark.parametrize(("stream", "kind"), [("WordDocument", "doc"), ("PowerPoint Document", "ppt")])
def test_office_formats_of_long_ago_are_named(stream: str, kind: str) -> None:
    with pytest.raises(ToolFailed, match=f"no text can be taken out of {kind}"):
        here(OLE + b"\0" * 600 + stream.encode("utf-16-le") + b"\0" * 600, kind)


def test_a_broken_member_leaves_the_rest_of_an_archive() -> None:
    found = here(zipped(a_DOT_xlsx=b"\xff\0\xfe", b_DOT_txt=b"fine", c_DOT_csv=b""), "zip")
    assert "[b.txt]\nfine" in found
    assert "[a.xlsx]\n(it is damaged, or no xlsx file" in found
    assert "[c.csv]\n(it is empty)" in found
