# /// script
# requires-python = ">=3.11"
# dependencies = ["odfpy==1.4.1", "python-pptx==1.0.2", "ruamel.yaml", "xlwt==1.3.0"]
# ///
"""Makes the attachments of sample tasks whose formats treebench reads but does not write: xls, ods and pptx.

uv run datasets/tasks/attachments/make.py

Their contents are those of `../files.yaml`. Each is written by a library that treebench does not read with, so that
the files are what its reader meets elsewhere; they are committed, since these libraries are needed for nothing else.
"""

from pathlib import Path
from typing import Any

import xlwt
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P
from pptx import Presentation
from pptx.util import Inches
from ruamel.yaml import YAML

HERE = Path(__file__).parent


def xls(sheets: dict[str, list[list[Any]]], path: Path) -> None:
    """A workbook of Excel 97 to 2003."""
    book = xlwt.Workbook()
    for name, rows in sheets.items():
        sheet = book.add_sheet(name)
        for y, row in enumerate(rows):
            for x, value in enumerate(row):
                sheet.write(y, x, value)
    book.save(str(path))


def ods(sheets: dict[str, list[list[Any]]], path: Path) -> None:
    """An OpenDocument spreadsheet."""
    document = OpenDocumentSpreadsheet()
    for name, rows in sheets.items():
        table = Table(name=name)
        for row in rows:
            line = TableRow()
            for value in row:
                number = isinstance(value, int | float)
                cell = TableCell(valuetype="float", value=value) if number else TableCell(valuetype="string")
                cell.addElement(P(text=str(value)))
                line.addElement(cell)
            table.addElement(line)
        document.spreadsheet.addElement(table)
    document.save(str(path))


def pptx(slides: list[list[Any]], path: Path) -> None:
    """Slides: a title, then lines or tables."""
    show = Presentation()
    for title, *blocks in slides:
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = title
        for place, block in enumerate(blocks):
            box = (Inches(1), Inches(2 + place), Inches(8), Inches(1))
            if isinstance(block, str):
                slide.shapes.add_textbox(*box).text_frame.text = block
                continue
            table = slide.shapes.add_table(len(block), len(block[0]), *box).table
            for y, row in enumerate(block):
                for x, value in enumerate(row):
                    table.cell(y, x).text = str(value)
    show.save(str(path))


if __name__ == "__main__":
    contents = YAML(typ="safe").load((HERE.parent / "files.yaml").read_text("utf-8"))
    for name, content in contents.items():
        if name.endswith((".xls", ".ods", ".pptx")):
            {"xls": xls, "ods": ods, "pptx": pptx}[name.rpartition(".")[2]](content, HERE / name)
