"""Readers of documents that are texts, pages or PDF, and the bounds of archives."""

import csv
import io
import zipfile

UNPACKED_MB = 100
"""Size of an archive's members together, counted while they are unpacked, not as its directory says."""

MEMBERS = 2000
FIELD = 10_000_000
"""Characters of a field of a table at most."""


class Refused(Exception):
    """A document is not read; the message says why."""


def plain(data: bytes) -> str:
    """Text in UTF-8, UTF-16 or, failing these, Latin-1."""
    for encoding in ("utf-8-sig", "utf-16") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",):
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        text = data.decode("latin-1")
    if "\0" in text[:65536]:
        raise Refused("it is no text")
    return text


def pdf(data: bytes) -> str:
    """Pages of a PDF, each under its number."""
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            raise Refused("it is protected by a password")
        return "\n\n".join(f"[page {n}]\n{page.extract_text()}" for n, page in enumerate(reader.pages, start=1))
    except (DependencyError, FileNotDecryptedError):
        raise Refused("it is protected by a password") from None


def commas(data: bytes) -> str:
    """Rows of a table whose cells are set apart by commas, semicolons, tabs or bars; here by ` | `."""
    text = plain(data)
    try:
        return _rows(text, csv.Sniffer().sniff(text[:8192], ",;\t|"))
    except csv.Error:
        return _rows(text, csv.excel)


def tabs(data: bytes) -> str:
    """Rows of a table whose cells are set apart by tabs; here by ` | `."""
    return _rows(plain(data), csv.excel_tab)


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


def unpacked(data: bytes) -> None:
    """Unpack an archive to nowhere; refuse one that grows beyond bounds, whatever its directory promises."""
    left = UNPACKED_MB * 1_000_000
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if len(members) > MEMBERS:
            raise Refused(f"the archive has more than {MEMBERS} members")
        for member in members:
            if member.flag_bits & 1:
                raise Refused("it is protected by a password")
            with archive.open(member) as file:
                while chunk := file.read(65536):
                    left -= len(chunk)
                    if left < 0:
                        raise Refused(f"unpacked it is larger than {UNPACKED_MB} MB")


def _rows(text: str, dialect: type[csv.Dialect] | csv.Dialect) -> str:
    csv.field_size_limit(FIELD)
    return "\n".join(" | ".join(row) for row in csv.reader(io.StringIO(text, newline=""), dialect))
