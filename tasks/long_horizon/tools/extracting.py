"""Takes the text out of a document: the child process of `extraction`, and the readers by format.

python -m tasks.long_horizon.tools.extracting KIND MEMORY_MB SECONDS CHARACTERS < document

prints one line of JSON, `{"text": ...}` or `{"error": ...}`.
"""

import csv
import io
import json
import resource
import sys
import zipfile
from collections.abc import Callable, Iterator

UNPACKED_MB = 100
"""Size of an archive's members together, counted while they are unpacked, not as its directory says."""

MEMBERS = 2000
TEXTS = frozenset("txt md csv tsv json jsonl jsonld xml yaml yml py js html htm rst log pdb tex sql ini".split())


class Refused(Exception):
    """A document is not read; the message says why."""


def text_of(data: bytes, kind: str) -> str:
    """The text of a document of `kind`. Raises `Refused`, or whatever its library raises."""
    reader = READERS.get(kind)
    if reader is None:
        if kind in TEXTS:
            return plain(data)
        raise Refused(f"no text can be taken out of {kind or 'a file without suffix'}")
    return reader(data)


def plain(data: bytes) -> str:
    """Text in UTF-8, UTF-16 or, failing these, Latin-1."""
    for encoding in ("utf-8-sig", "utf-16") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    if b"\0" in data[:4096]:
        raise Refused("it is no text")
    return data.decode("latin-1")


def pdf(data: bytes) -> str:
    """Pages of a PDF, each under its number."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    return "\n\n".join(f"[page {number}]\n{page.extract_text()}" for number, page in enumerate(reader.pages, start=1))


def docx(data: bytes) -> str:
    """Paragraphs and tables of a Word document, in order."""
    from docx import Document
    from docx.table import Table

    _unpacked(data)

    def parts() -> Iterator[str]:
        for block in Document(io.BytesIO(data)).iter_inner_content():
            if isinstance(block, Table):
                yield "\n".join(" | ".join(cell.text.strip() for cell in row.cells) for row in block.rows)
            else:
                yield block.text

    return "\n".join(parts())


def spreadsheet(data: bytes) -> str:
    """Rows of every sheet (xlsx, xls, ods), cells apart by ` | `."""
    from python_calamine import CalamineWorkbook

    if data[:2] == b"PK":
        _unpacked(data)
    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    parts = []
    for name in book.sheet_names:
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
        lines = [" | ".join(_cell(value) for value in row).rstrip(" |") for row in rows]
        parts.append("\n".join([f"[sheet {name}]", *lines]))
    return "\n\n".join(parts)


def table(data: bytes) -> str:
    """Rows of a CSV or TSV file, cells apart by ` | `."""
    text = plain(data)
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:8192], ",;\t|")
    except csv.Error:
        dialect = csv.excel
    return "\n".join(" | ".join(row) for row in csv.reader(io.StringIO(text), dialect))


def html(data: bytes) -> str:
    """Main text of a web page; all of its text where no main part stands out."""
    import trafilatura
    from trafilatura.utils import decode_file

    page = decode_file(data)
    found = trafilatura.extract(page, include_tables=True, include_links=False, favor_recall=True)
    if not found:
        found = trafilatura.html2txt(page)
    title = trafilatura.extract_metadata(page)
    name = title.title if title is not None else None
    return "\n".join(part for part in (name, found) if part)


def slides(data: bytes) -> str:
    """Text of a PowerPoint file, slide by slide."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    _unpacked(data)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    parts = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.startswith("ppt/slides/slide") and name.endswith(".xml")]
        for name in sorted(names, key=lambda name: (len(name), name)):
            tree = etree.fromstring(archive.read(name), parser)
            lines = ["".join(p.itertext("{*}t")) for p in tree.iter("{*}p")]
            parts.append("\n".join([f"[slide {len(parts) + 1}]", *filter(None, lines)]))
    return "\n\n".join(parts)


def archive(data: bytes) -> str:
    """Members of a zip file with the text of those that can be read; archives inside it are only listed."""
    _unpacked(data)
    parts = []
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        for member in opened.infolist():
            if member.is_dir():
                continue
            kind = member.filename.rpartition(".")[2].lower()
            try:
                body = "(an archive inside the archive)" if kind == "zip" else text_of(opened.read(member), kind)
            except Refused as error:
                body = f"({error})"
            parts.append(f"[{member.filename}]\n{body}")
    return "\n\n".join(parts)


READERS: dict[str, Callable[[bytes], str]] = {
    "pdf": pdf, "docx": docx, "xlsx": spreadsheet, "xlsm": spreadsheet, "xls": spreadsheet, "ods": spreadsheet,
    "csv": table, "tsv": table, "html": html, "htm": html, "pptx": slides, "zip": archive,
}  # fmt: skip


def _cell(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _unpacked(data: bytes) -> None:
    """Unpack an archive to nowhere; refuse one that grows beyond bounds, whatever its directory promises."""
    left = UNPACKED_MB * 1_000_000
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if len(members) > MEMBERS:
            raise Refused(f"the archive has more than {MEMBERS} members")
        for member in members:
            with archive.open(member) as file:
                while chunk := file.read(65536):
                    left -= len(chunk)
                    if left < 0:
                        raise Refused(f"unpacked it is larger than {UNPACKED_MB} MB")


def _limit(memory_mb: int, seconds: int) -> None:
    """Bound this process. Systems that cannot bound memory (macOS) bound the time alone."""
    for which, value in ((resource.RLIMIT_AS, memory_mb * 2**20), (resource.RLIMIT_CPU, seconds),
                         (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):  # fmt: skip
        try:
            resource.setrlimit(which, (value, value))
        except (ValueError, OSError):
            continue


def main() -> None:
    """Read standard input, print the text."""
    kind, memory_mb, seconds, characters = sys.argv[1], *map(int, sys.argv[2:5])
    _limit(memory_mb, seconds)
    try:
        said = {"text": text_of(sys.stdin.buffer.read(), kind)[:characters]}
    except Refused as error:
        said = {"error": str(error)}
    except MemoryError:
        said = {"error": f"it takes more than {memory_mb} MB"}
    except Exception as error:
        said = {"error": f"it is damaged, or no {kind} file ({type(error).__name__})"}
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main()
