"""Readers of office documents: text documents, spreadsheets and slides."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from tasks.long_horizon.tools.readers import Refused, unpacked

RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def docx(data: bytes) -> str:
    """Paragraphs and tables of a Word document, in order."""
    from docx import Document
    from docx.table import Table

    unpacked(data)

    def parts() -> Iterator[str]:
        for block in Document(io.BytesIO(data)).iter_inner_content():
            if isinstance(block, Table):
                yield "\n".join(" | ".join(cell.text.strip() for cell in row.cells) for row in block.rows)
            else:
                yield block.text

    return "\n".join(parts())


def spreadsheet(data: bytes) -> str:
    """Rows of every sheet (xlsx, xlsm, xls, ods), cells apart by ` | `."""
    from python_calamine import CalamineWorkbook

    if data[:2] == b"PK":
        unpacked(data)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            manifest = "META-INF/manifest.xml"
            if manifest in archive.namelist() and b"encryption-data" in archive.read(manifest):
                raise Refused("it is protected by a password")
    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    parts = []
    for name in book.sheet_names:
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
        lines = [" | ".join(_cell(value) for value in row).rstrip(" |") for row in rows]
        parts.append("\n".join([f"[sheet {name}]", *lines]))
    return "\n\n".join(parts)


def pptx(data: bytes) -> str:
    """Text of a PowerPoint file slide by slide, in the order in which they are shown; cells apart by ` | `."""
    unpacked(data)
    parts = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in _slides(archive):
            parts.append("\n".join([f"[slide {len(parts) + 1}]", *filter(None, _lines(_tree(archive, name)))]))
    return "\n\n".join(parts)


def _slides(archive: zipfile.ZipFile) -> list[str]:
    """Names of the slides in the order of the presentation, which need not be that of their numbers."""
    main = "ppt/presentation.xml"
    if main not in archive.namelist():
        raise Refused("it is damaged, or no pptx file (there is no presentation in it)")
    targets = {link.get("Id"): link.get("Target") for link in _tree(archive, "ppt/_rels/presentation.xml.rels")}
    wanted = [targets.get(slide.get(RELATION)) for slide in _tree(archive, main).iter("{*}sldId")]
    return [target.lstrip("/") if target.startswith("/") else f"ppt/{target}" for target in wanted if target]


def _lines(slide: Any) -> Iterator[str]:
    """Paragraphs and rows of tables."""
    for found in slide.iter("{*}p", "{*}tr"):
        if found.tag.endswith("}tr"):
            yield " | ".join(" ".join("".join(p.itertext("{*}t")) for p in cell.iter("{*}p")) for cell in found)
        elif not any(above.tag.endswith("}tr") for above in found.iterancestors()):
            yield "".join(found.itertext("{*}t"))


def _tree(archive: zipfile.ZipFile, name: str) -> Any:
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    return etree.fromstring(archive.read(name), parser)


def _cell(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
