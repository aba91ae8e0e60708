"""Makes the files of sample tasks from their contents in `datasets/tasks/files.yaml`, the same bytes each time.

Formats that treebench does not write (xls, ods, pptx) lie ready in `datasets/tasks/attachments/`.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from tasks.hashing import sha256
from tasks.home import PROJECT

READY = PROJECT / "datasets" / "tasks" / "attachments"
WHEN = (2026, 1, 1, 0, 0, 0)


def write(folder: Path, name: str, content: Any) -> None:
    """Write the file `name` with `content`, whose shape depends on the format; a file that is there stays.

    Workbooks are sheets with rows; docx: paragraphs and tables; pptx: slides with a title, lines and tables; pdf: pages
    with lines; zip: members; others: their text.
    """
    path = folder / name
    if path.is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{name}.partial")
    partial.write_bytes(made(name, content))
    partial.replace(path)


def identity(name: str, content: Any) -> str:
    """What tells a file from one with other content: the hash of its content, or of the file that lies ready."""
    if (READY / name).is_file():
        return sha256((READY / name).read_bytes())
    return sha256(json.dumps(content, sort_keys=True))


def made(name: str, content: Any) -> bytes:
    """The bytes of a file."""
    kind = PurePosixPath(name).suffix.lstrip(".")
    if (READY / name).is_file():
        return (READY / name).read_bytes()
    makers = {"xlsx": _xlsx, "xlsm": _xlsm, "docx": _docx, "pdf": _pdf, "zip": _zip}
    return makers[kind](content) if kind in makers else content.encode("utf-8")


def _xlsx(sheets: dict[str, list[list[Any]]]) -> bytes:
    import xlsxwriter

    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        book.set_properties({"created": datetime(*WHEN)})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return _same_times(out.getvalue())


def _xlsm(sheets: dict[str, list[list[Any]]]) -> bytes:
    """A workbook that says it may hold macros, as programs save it, though it holds none."""
    plain, macros = "officedocument.spreadsheetml.sheet.main", "ms-excel.sheet.macroEnabled.main"
    return _same_times(_xlsx(sheets), {f"openxmlformats-{plain}".encode(): macros.encode()})


def _docx(blocks: list[Any]) -> bytes:
    from docx import Document

    document = Document()
    document.core_properties.created = document.core_properties.modified = datetime(*WHEN)
    for block in blocks:
        if isinstance(block, str):
            document.add_paragraph(block)
            continue
        table = document.add_table(len(block), len(block[0]))
        for row, cells in zip(table.rows, block, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = str(text)
    out = io.BytesIO()
    document.save(out)
    return _same_times(out.getvalue())


def _pdf(pages: list[list[str]]) -> bytes:
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    for lines in pages:
        for number, line in enumerate(lines):
            canvas.drawString(72, 760 - 18 * number, line)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _zip(members: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name, WHEN), text)
    return out.getvalue()


def _same_times(data: bytes, replaced: Mapping[bytes, bytes] | None = None) -> bytes:
    """An archive with the same time on all its members, and some words of its list of contents replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            for old, new in (replaced or {}).items() if name == "[Content_Types].xml" else ():
                content = content.replace(old, new)
            target.writestr(zipfile.ZipInfo(name, WHEN), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
