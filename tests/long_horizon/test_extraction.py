"""Reading documents: every supported format, and those that are made to hurt."""

import asyncio
import contextlib
import io
import re
import zipfile
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.long_horizon.benchmarks import attachments
from tasks.long_horizon.tools.extracting import said
from tasks.long_horizon.tools.extraction import text_of
from tasks.long_horizon.tools.formats import OLE, READERS
from tasks.long_horizon.tools.toolbox import ToolFailed


def read(data: bytes, kind: str, **limits) -> str:
    return asyncio.run(text_of(data, kind, f"it.{kind}", **limits))


def here(data: bytes, kind: str) -> str:
    """The same without a process of its own: for documents that hurt nobody."""
    found = said(data, kind, 2_000_000, 1024)
    if "error" in found:
        raise ToolFailed(f"it.{kind} could not be read: {found['error']}")
    return found["text"]


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


def slides(*texts: str, order: tuple[int, ...] = (), before: bytes = b"") -> bytes:
    """A presentation of slides with one paragraph each, shown in this order of their numbers."""
    numbers = range(1, len(texts) + 1)
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    shown = "".join(f'<p:sldId r:id="r{n}"/>' for n in order or numbers)
    links = "".join(f'<Relationship Id="r{n}" Target="slides/slide{n}.xml"/>' for n in numbers)
    main = f'<p:presentation xmlns:p="p" xmlns:r="{relations}"><p:sldIdLst>{shown}</p:sldIdLst></p:presentation>'
    members = {
        "ppt__presentation_DOT_xml": main.encode(),
        "ppt___rels__presentation_DOT_xml_DOT_rels": f"<Relationships>{links}</Relationships>".encode(),
    }
    for n, text in zip(numbers, texts, strict=True):
        body = f'<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>'
        members[f"ppt__slides__slide{n}_DOT_xml"] = before + body.encode()
    return zipped(**members)


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
        here(zipped(**{f"f{n}": b"" for n in range(2001)}), "zip")


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


def test_slides_are_in_the_order_of_the_presentation() -> None:
    made = slides("first file", "second file", order=(2, 1))
    assert here(made, "pptx") == "[slide 1]\nsecond file\n\n[slide 2]\nfirst file"


def sheet_of(data: bytes, sheet: bytes, name: str = "sheet1.xml") -> bytes:
    """A workbook with another sheet in it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for member in source.namelist():
            target.writestr(member, sheet if member.endswith(name) else source.read(member))
    return out.getvalue()


WORD = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>%s'
WORD += b"</w:t></w:r></w:p></w:body></w:document>"
CELL = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" '
CELL += b't="str"><v>%s</v></c></row></sheetData></worksheet>'
SHEET = (attachments.READY / "greenhouse.ods").read_bytes()


def entities(kind: str, declared: bytes, named: bytes) -> bytes:
    """A document of a format whose only word is the entity `named`, which `declared` defines."""
    start = b"<!DOCTYPE a [" + declared + b"]>"
    if kind == "pptx":
        return slides(named.decode(), before=start)
    if kind == "docx":
        return sheet_of(document(), start + WORD % named, "word/document.xml")
    if kind == "xlsx":
        return sheet_of(workbook([["a"]]), start + CELL % named)
    with zipfile.ZipFile(io.BytesIO(SHEET)) as archive:
        content = archive.read("content.xml")
    assert b"Sea lavender" in content
    content = re.sub(rb"^<\?xml.*?\?>", rb"", content).replace(b"Sea lavender", named)
    return sheet_of(SHEET, start + content, "content.xml")


@pytest.mark.parametrize("kind", ["pptx", "docx", "xlsx", "ods"])
def test_entities_that_multiply(kind: str) -> None:
    """A billion laughs: they are not multiplied, or the document is refused."""
    laughs = b'<!ENTITY a "ha">' + b"".join(
        f'<!ENTITY a{n} "{f"&a{n - 1 if n else str()};" * 10}">'.encode() for n in range(12)
    )
    with contextlib.suppress(ToolFailed):
        assert read(entities(kind, laughs, b"&a11;"), kind).count("ha") < 100


@pytest.mark.parametrize("kind", ["pptx", "docx", "xlsx", "ods", "html", "xml"])
def test_an_external_entity_reads_no_file(tmp_path, kind: str) -> None:
    (tmp_path / "secret.txt").write_text("SECRET")
    declared = f'<!ENTITY x SYSTEM "file://{tmp_path}/secret.txt">'.encode()
    plain = b"<!DOCTYPE html [" + declared + b"]><html><body><p>A paragraph &x; of some length.</p></body></html>"
    made = plain if kind in ("html", "xml") else entities(kind, declared, b"&x;")
    with contextlib.suppress(ToolFailed):
        assert "SECRET" not in here(made, kind)


def test_a_spreadsheet_that_repeats_a_cell_over_the_whole_grid() -> None:
    """OpenDocument writes repetitions as numbers: 17 thousand million cells in a few bytes."""
    with zipfile.ZipFile(io.BytesIO(SHEET)) as archive:
        content = archive.read("content.xml")
    cell = b'<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated='
    cell += b'"16384" office:value-type="float" office:value="1"/></table:table-row>'
    made = sheet_of(SHEET, content.replace(b"<table:table-row>", cell + b"<table:table-row>", 1), "content.xml")
    with pytest.raises(ToolFailed, match="could not be read"):
        read(made, "ods", memory_mb=512)


def test_a_page_of_pdf_that_explodes() -> None:
    """A stream that inflates to 2 GB: the reader's own bound or that of its process ends it."""
    inner = zlib.compress(b"(a) Tj " * 30_000_000, 9)
    stream = zlib.compress(inner, 9)
    head = b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>" % len(stream)
    made = pages("x")
    at, end = made.index(b"stream\n"), made.index(b"endstream")
    start = made.rindex(b"<<", 0, at)
    made = made[:start] + head + b"\nstream\n" + stream + b"\n" + made[end:]
    assert len(made) < 100_000
    with contextlib.suppress(ToolFailed):
        assert len(read(made, "pdf", memory_mb=512, seconds=20)) < 2_100_000


@pytest.mark.parametrize("depth", [500, 200_000])
def test_a_page_of_elements_inside_each_other(depth: int) -> None:
    made = b"<html><body>" + b"<div>" * depth + b"deep down there is a sentence" + b"</div>" * depth
    with contextlib.suppress(ToolFailed):
        assert isinstance(read(made, "html"), str)


def test_a_table_of_one_giant_field() -> None:
    assert here(b'name,text\na,"' + b"x" * 3_000_000 + b'"\n', "csv").startswith("name | text\na | xxx")
    with pytest.raises(ToolFailed, match="damaged"):
        here(b'name,text\na,"' + b"x" * 11_000_000, "csv")


def test_a_table_with_a_quote_that_nothing_closes() -> None:
    assert here(b'a,b\n1,"two\n3,4\n', "csv") == "a | b\n1 | two\n3,4\n"


@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "xlsm", "xls", "ods", "pptx", "zip", "csv", "html", "txt"])
def test_empty_documents(kind: str) -> None:
    with pytest.raises(ToolFailed, match=rf"it\.{kind} could not be read: it is empty"):
        here(b"", kind)


@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "xls", "ods", "pptx"])
def test_half_documents(kind: str) -> None:
    whole = {"pdf": pages("x" * 200), "docx": document(), "xlsx": workbook([["a"]]), "ods": SHEET,
             "xls": (attachments.READY / "ferry_traffic.xls").read_bytes(), "pptx": slides("x")}[kind]  # fmt: skip
    with pytest.raises(ToolFailed, match="damaged"):
        assert here(whole[: len(whole) // 2], kind) == ""


def encrypted(kind: str) -> bytes:
    """A document under a password, as programs write it."""
    if kind == "pdf":
        from reportlab.lib.pdfencrypt import StandardEncryption
        from reportlab.pdfgen.canvas import Canvas

        out = io.BytesIO()
        canvas = Canvas(out, encrypt=StandardEncryption("password", "owner"))
        canvas.drawString(72, 720, "secret")
        canvas.save()
        return out.getvalue()
    if kind == "zip":  # the flag of an encrypted member, in its own header and in the directory
        made = bytearray(zipped(a_DOT_txt=b"secret"))
        made[6] |= 1
        made[made.index(b"PK\x01\x02") + 8] |= 1
        return bytes(made)
    if kind == "ods":
        manifest = b"<manifest:encryption-data/>"
        return sheet_of(SHEET, manifest, "manifest.xml")
    return OLE + b"\0" * 1000 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 1000


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


BEGINNINGS = (b"", b"%PDF-1.7\n", b"PK\x03\x04", OLE, b"\xff\xfe", b"<html>", b'"', b"\xef\xbb\xbf", b"{")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(BEGINNINGS), st.binary(max_size=300), st.sampled_from([*READERS, "txt", "zip", "", "png"]))
def test_any_bytes_under_any_name_are_a_text_or_a_sentence(beginning: bytes, rest: bytes, kind: str) -> None:
    found = said(beginning + rest, kind, 2_000_000, 1024)
    assert set(found) in ({"text"}, {"error"})
    assert "\n" not in found.get("error", "")


@pytest.mark.parametrize(("stream", "kind"), [("WordDocument", "doc"), ("PowerPoint Document", "ppt")])
def test_office_formats_of_long_ago_are_named(stream: str, kind: str) -> None:
    with pytest.raises(ToolFailed, match=f"no text can be taken out of {kind}"):
        here(OLE + b"\0" * 600 + stream.encode("utf-16-le") + b"\0" * 600, kind)


def test_a_broken_member_leaves_the_rest_of_an_archive() -> None:
    found = here(zipped(a_DOT_xlsx=b"\xff\0\xfe", b_DOT_txt=b"fine", c_DOT_csv=b""), "zip")
    assert "[b.txt]\nfine" in found
    assert "[a.xlsx]\n(it is damaged, or no xlsx file" in found
    assert "[c.csv]\n(it is empty)" in found


def test_a_document_that_takes_too_long() -> None:
    with pytest.raises(ToolFailed, match=r"could not be read within 0\.01 s"):
        read(b"x", "txt", seconds=0.01)


def test_few_documents_are_read_at_a_time(monkeypatch) -> None:
    import tasks.long_horizon.tools.extraction as extraction

    running, most = 0, 0

    async def slow(*given: object) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return "text"

    async def work() -> list[str]:
        return await asyncio.gather(*(text_of(b"x", "txt", "it.txt") for _ in range(20)))

    monkeypatch.setattr(extraction, "_read", slow)
    for _ in range(2):  # each event loop has a gate of its own
        assert asyncio.run(work()) == ["text"] * 20
    assert most == extraction.CHILDREN


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
