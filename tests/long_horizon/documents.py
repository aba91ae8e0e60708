"""Documents of every format that is read, made for the tests, and two ways of reading them."""

import asyncio
import io
import re
import zipfile

from tasks.long_horizon.benchmarks import attachments
from tasks.long_horizon.tools.extracting import said
from tasks.long_horizon.tools.extraction import text_of
from tasks.long_horizon.tools.formats import OLE
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


def remade(data: bytes, body: bytes, name: str = "sheet1.xml") -> bytes:
    """An archive with another body in its members whose name ends so."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for member in source.namelist():
            target.writestr(member, body if member.endswith(name) else source.read(member))
    return out.getvalue()


WORD = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>%s'
WORD += b"</w:t></w:r></w:p></w:body></w:document>"


CELL = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" '
CELL += b't="str"><v>%s</v></c></row></sheetData></worksheet>'


GREENHOUSE = (attachments.READY / "greenhouse.ods").read_bytes()


def entities(kind: str, declared: bytes, named: bytes) -> bytes:
    """A document of a format whose only word is the entity `named`, which `declared` defines."""
    start = b"<!DOCTYPE a [" + declared + b"]>"
    if kind == "pptx":
        return slides(named.decode(), before=start)
    if kind == "docx":
        return remade(document(), start + WORD % named, "word/document.xml")
    if kind == "xlsx":
        return remade(workbook([["a"]]), start + CELL % named)
    with zipfile.ZipFile(io.BytesIO(GREENHOUSE)) as archive:
        content = archive.read("content.xml")
    assert b"Sea lavender" in content
    content = re.sub(rb"^<\?xml.*?\?>", rb"", content).replace(b"Sea lavender", named)
    return remade(GREENHOUSE, start + content, "content.xml")


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
        return remade(GREENHOUSE, manifest, "manifest.xml")
    return OLE + b"\0" * 1000 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 1000
