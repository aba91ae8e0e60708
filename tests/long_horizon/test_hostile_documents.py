"""Documents that are made to hurt: they end in a text or a sentence, within bounds of memory and time."""

import asyncio
import contextlib
import io
import zipfile
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.long_horizon.tools.extracting import said
from tasks.long_horizon.tools.extraction import text_of
from tasks.long_horizon.tools.formats import OLE, READERS, kind_of
from tasks.long_horizon.tools.toolbox import ToolFailed
from tests.long_horizon.documents import (
    GREENHOUSE,
    entities,
    here,
    pages,
    read,
    remade,
    workbook,
    zipped,
)


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
    with pytest.raises(ToolFailed, match="takes more than 512 MB"):
        read(remade(workbook([["a"]]), sheet), "xlsx", memory_mb=512)


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
    with zipfile.ZipFile(io.BytesIO(GREENHOUSE)) as archive:
        content = archive.read("content.xml")
    cell = b'<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated='
    cell += b'"16384" office:value-type="float" office:value="1"/></table:table-row>'
    made = remade(GREENHOUSE, content.replace(b"<table:table-row>", cell + b"<table:table-row>", 1), "content.xml")
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


def test_a_page_that_begins_with_comments_and_is_none() -> None:
    """To see that took twice as long for each comment."""
    assert kind_of(b"<!---->" * 500, "xls") == "csv"
    assert kind_of(b" <!-- a > - --> \n" * 200 + b"<html><body>", "xls") == "html"


def test_a_table_of_one_giant_field() -> None:
    assert here(b'name,text\na,"' + b"x" * 3_000_000 + b'"\n', "csv").startswith("name | text\na | xxx")
    with pytest.raises(ToolFailed, match="damaged"):
        here(b'name,text\na,"' + b"x" * 11_000_000, "csv")


BEGINNINGS = (b"", b"%PDF-1.7\n", b"PK\x03\x04", OLE, b"\xff\xfe", b"<html>", b'"', b"\xef\xbb\xbf", b"{")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(BEGINNINGS), st.binary(max_size=300), st.sampled_from([*READERS, "txt", "zip", "", "png"]))
def test_any_bytes_under_any_name_are_a_text_or_a_sentence(beginning: bytes, rest: bytes, kind: str) -> None:
    found = said(beginning + rest, kind, 2_000_000, 1024)
    assert set(found) in ({"text"}, {"error"})
    assert "\n" not in found.get("error", "")


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
