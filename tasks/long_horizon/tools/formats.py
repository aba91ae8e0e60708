"""Which format a document has, by its content first and its name second, and its text by the reader of that format.

Names and content types lie: a page is saved as `.xls`, a PDF arrives as a stream of octets. What a document begins with
decides wherever it can.
"""

import io
import re
import zipfile

from tasks.long_horizon.tools import office, readers
from tasks.long_horizon.tools.readers import Refused

TEXTS = frozenset("txt md json jsonl jsonld xml yaml yml py js rst log pdb tex sql ini".split())
"""Formats that are their own text."""

READERS = {
    "pdf": readers.pdf, "csv": readers.commas, "tsv": readers.tabs, "html": readers.html, "htm": readers.html,
    "docx": office.docx, "pptx": office.pptx, "xlsx": office.spreadsheet, "xlsm": office.spreadsheet,
    "xls": office.spreadsheet, "ods": office.spreadsheet,
}  # fmt: skip

SHEETS = frozenset(("xlsx", "xlsm", "xls", "ods"))
PACKED = SHEETS - {"xls"} | {"docx", "pptx", "zip"}
"""Formats that are zip archives."""

PARTS = {"word/document.xml": "docx", "ppt/presentation.xml": "pptx", "xl/workbook.xml": "xlsx"}
"""What an archive of a format holds."""

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Begins the compound files of older office programs, and encrypted files of newer ones."""

STREAMS = (
    ("EncryptedPackage", "encrypted"), ("WordDocument", "doc"), ("PowerPoint Document", "ppt"), ("Workbook", "xls"),
    ("Book", "xls"),
)  # fmt: skip
"""Streams of a compound file, each with the format that it means; the first that is there counts."""

PAGE = re.compile(rb"\s*+(?>(?><!--.*?-->)\s*+)*+<(!doctype html|html|head|body|table)\b", re.IGNORECASE | re.DOTALL)


def text_of(data: bytes, named: str) -> str:
    """The text of a document called a `named` one. Raises `Refused`, or whatever its library raises."""
    if not data:
        raise Refused("it is empty")
    kind = kind_of(data, named)
    if kind == "encrypted":
        raise Refused("it is protected by a password")
    if kind == "zip":
        return archive(data)
    reader = READERS.get(kind)
    if reader is not None:
        return reader(data)
    if kind in TEXTS:
        return readers.plain(data)
    raise Refused(f"no text can be taken out of {kind or 'a file without suffix'}")


def kind_of(data: bytes, named: str) -> str:
    """The format of a document: `encrypted`, the one of its content, or the one that it is `named` by."""
    if data.startswith(b"%PDF-"):
        return "pdf"
    if data.startswith(OLE):
        return next((kind for stream, kind in STREAMS if stream.encode("utf-16-le") in data), named)
    if data.startswith(b"PK\x03\x04"):
        return _packed(data, named)
    if named in PACKED | {"xls", "pdf", ""} and _is_text(data):
        if PAGE.match(data[:4096]):
            return "html"
        return "csv" if named in SHEETS else "txt"
    return named


def archive(data: bytes) -> str:
    """Members of a zip file with the text of those that can be read; archives inside it are only listed."""
    readers.unpacked(data)
    parts = []
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        for member in opened.infolist():
            if member.is_dir():
                continue
            content, kind = opened.read(member), member.filename.rpartition(".")[2].lower()
            try:
                inside = "zip" in (kind, kind_of(content, kind))
                body = "(an archive inside the archive)" if inside else text_of(content, kind)
            except (Refused, MemoryError) as error:
                body = f"({error or 'it is too large'})"
            except Exception as error:
                body = f"(it is damaged, or no {kind} file: {type(error).__name__})"
            parts.append(f"[{member.filename}]\n{body}")
    return "\n\n".join(parts)


def _packed(data: bytes, named: str) -> str:
    """The format of an archive; one that cannot be opened, or is of no known format, has the one of its name."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            names = set(opened.namelist())
            found = next((kind for part, kind in PARTS.items() if part in names), None)
            if found is None and "content.xml" in names and "mimetype" in names:
                with opened.open("mimetype") as file:
                    found = "ods" if file.read(100).endswith(b".spreadsheet") else "an OpenDocument text"
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError):  # encrypted, or compressed in an unknown way
        return named if named in PACKED else "zip"
    return found or (named if named in PACKED else "zip")


def _is_text(data: bytes) -> bool:
    try:
        data[:65536].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < min(len(data), 65536) - 4:
            return False
    return b"\0" not in data[:65536]
