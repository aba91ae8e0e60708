"""Reading documents: every supported format, and those that are made to hurt."""

import asyncio
import contextlib
import io
import zipfile

import pytest

from tasks.long_horizon.tools.extraction import text_of
from tasks.long_horizon.tools.toolbox import ToolFailed


def read(data: bytes, kind: str, **limits) -> str:
    return asyncio.run(text_of(data, kind, f"it.{kind}", **limits))


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name.replace("__", "/").replace("_DOT_", "."), body)
    return out.getvalue()


def workbook(rows: list[list[object]]) -> bytes:
    import xlsxwriter

    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet("Data")
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
    return out.getvalue()


def document() -> bytes:
    from docx import Document

    made = Document()
    made.add_paragraph("Minutes of the meeting")
    table = made.add_table(1, 2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Chair", "Ada"
    made.add_paragraph("End")
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def pages(*texts: str) -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    for text in texts:
        canvas.drawString(72, 720, text)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


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
    slide = b'<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>Title of the slide</a:t></a:r></a:p></p:sld>'
    assert read(zipped(ppt__slides__slide1_DOT_xml=slide), "pptx") == "[slide 1]\nTitle of the slide"


@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "zip", "pptx"])
def test_damaged_documents_are_sentences(kind: str) -> None:
    with pytest.raises(ToolFailed, match=f"it.{kind} could not be read: it is damaged, or no {kind} file"):
        read(b"PK\x03\x04 nonsense", kind)


def test_other_kinds() -> None:
    with pytest.raises(ToolFailed, match="no text can be taken out of png"):
        read(b"\x89PNG", "png")
    with pytest.raises(ToolFailed, match="it is no text"):
        read(b"\0\1\2\xff", "txt")


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """A small archive that unpacks to 120 MB."""
    made = zipped(xl__big_DOT_xml=b"\0" * 120_000_000)
    assert len(made) < 150_000
    return made


@pytest.mark.parametrize("kind", ["zip", "xlsx", "docx", "pptx"])
def test_an_archive_that_explodes(bomb: bytes, kind: str) -> None:
    with pytest.raises(ToolFailed, match="unpacked it is larger than 100 MB"):
        read(bomb, kind)


def test_an_archive_that_lies_about_its_size(bomb: bytes) -> None:
    bomb = bytearray(bomb)
    size = (120_000_000).to_bytes(4, "little")
    for place in (bomb.find(size), bomb.rfind(size)):
        bomb[place : place + 4] = (10).to_bytes(4, "little")
    with pytest.raises(ToolFailed):
        read(bytes(bomb), "zip")


def test_an_archive_of_too_many_members() -> None:
    with pytest.raises(ToolFailed, match="more than 2000 members"):
        read(zipped(**{f"f{n}": b"" for n in range(2001)}), "zip")


def test_a_sheet_that_claims_the_whole_grid() -> None:
    """Two cells in opposite corners: 17 thousand million cells, should anybody lay them out."""
    sheet = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
        b"</sheetData></worksheet>"
    )
    good = workbook([["a"]])
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            target.writestr(name, sheet if name.endswith("sheet1.xml") else source.read(name))
    with pytest.raises(ToolFailed, match="takes more than 512 MB"):
        read(out.getvalue(), "xlsx", memory_mb=512)


def test_entities_that_multiply() -> None:
    laughs = b'<!DOCTYPE a [<!ENTITY a "ha">' + b"".join(
        f'<!ENTITY a{n} "{f"&a{n - 1 if n else str()};" * 10}">'.encode() for n in range(12)
    )
    body = laughs + b']><p:sld xmlns:p="p" xmlns:a="a"><a:p><a:t>&a11;</a:t></a:p></p:sld>'
    with contextlib.suppress(ToolFailed):
        assert len(read(zipped(ppt__slides__slide1_DOT_xml=body), "pptx")) < 10_000


def test_an_external_entity_reads_no_file(tmp_path) -> None:
    (tmp_path / "secret.txt").write_text("SECRET")
    body = f'<!DOCTYPE a [<!ENTITY x SYSTEM "file://{tmp_path}/secret.txt">]>'.encode()
    body += b'<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:t>&x;</a:t></a:p></p:sld>'
    with contextlib.suppress(ToolFailed):
        assert "SECRET" not in read(zipped(ppt__slides__slide1_DOT_xml=body), "pptx")


def test_a_document_that_takes_too_long() -> None:
    with pytest.raises(ToolFailed, match=r"could not be read within 0\.01 s"):
        read(b"x", "txt", seconds=0.01)


def test_a_child_sees_no_secrets(monkeypatch) -> None:
    """The environment of the reader holds no key of ours."""
    import tasks.long_horizon.tools.extraction as extraction

    seen = {}
    made = asyncio.create_subprocess_exec

    async def spy(*command, **options):
        seen.update(options["env"])
        return await made(*command, **options)

    monkeypatch.setenv("TREEBENCH_API_KEY", "secret")
    monkeypatch.setattr(extraction.asyncio, "create_subprocess_exec", spy)
    assert read(b"x", "txt") == "x"
    assert "TREEBENCH_API_KEY" not in seen
