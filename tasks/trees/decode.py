"""Bytes of an HTML page to text, as browsers do it, with one exception in favour of saved pages.

Pages that were fetched and saved again are often UTF-8 while their `meta` still names the old encoding. Bytes that are
sound UTF-8 are therefore read as UTF-8 whatever is declared: text in another encoding is practically never sound UTF-8.
"""

import codecs
import re

# Labels of the WHATWG Encoding Standard that do not mean in Python what they mean in browsers, or that Python lacks.
_LABELS = {
    "windows-1252": "iso-8859-1 iso8859-1 iso88591 iso_8859-1 latin1 latin-1 l1 ascii us-ascii ansi_x3.4-1968 x-cp1252"
    " iso-ir-100 cp819 ibm819 x-user-defined",
    "windows-1254": "iso-8859-9 iso8859-9 iso88599 iso_8859-9 latin5 l5 x-cp1254",
    "windows-874": "iso-8859-11 iso8859-11 iso885911 tis-620 dos-874",
    "windows-1251": "x-cp1251",
    "windows-1250": "x-cp1250",
    "gb18030": "gbk gb2312 gb_2312 gb_2312-80 chinese x-gbk csgb2312 iso-ir-58",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji csshiftjis ms932 windows-31j",
    "cp949": "euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 cseuckr",
    "euc-jp": "x-euc-jp cseucpkdfmtjapanese",
    "macintosh": "mac x-mac-roman csmacintosh",
    "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "utf-8": "unicode-1-1-utf-8 utf-16 utf-16le utf-16be unicode x-unicode20utf8",
}
_ENCODING = {label: encoding for encoding, labels in _LABELS.items() for label in labels.split()}

_skipped = re.compile(rb"<!--.*?(?:-->|\Z)|<(script|style|title|textarea)\b.*?</\1", re.DOTALL | re.IGNORECASE)
_meta = re.compile(rb"<meta[\s/](?:[^>\"']|\"[^\"]*\"|'[^']*')*+>", re.IGNORECASE)
_charset = re.compile(rb"""charset\s*=\s*["']?\s*([^\s"'/>;]+)""", re.IGNORECASE)
_xml_encoding = re.compile(rb"""\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]+)["']""").match
_UNDECLARED = "windows-1252"


def decode(data: bytes) -> str:
    """The text of a page, without its byte-order mark. Never fails: undecodable bytes become U+FFFD, as in browsers."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    declared = declared_encoding(data)
    if declared == "iso2022_jp" and b"\x1b" in data:
        return data.decode(declared, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(declared or _UNDECLARED, "html_bytes" if _single_byte(declared) else "replace")


def declared_encoding(data: bytes) -> str | None:
    """Python's name of the encoding that the first `meta` with a known one declares, else the XML declaration."""
    found = [_charset.search(meta) for meta in _meta.findall(_skipped.sub(b"", data))] + [_xml_encoding(data)]
    for match in found:
        if match is None:
            continue
        label = match[1].decode("ascii", "replace").strip().lower()
        try:
            return codecs.lookup(_ENCODING.get(label, label)).name
        except LookupError:
            continue
    return None


def _single_byte(encoding: str | None) -> bool:
    return encoding is None or encoding.startswith(("cp125", "windows-125"))


def _as_control(error: UnicodeError) -> tuple[str, int]:
    """Bytes that windows-125x leaves undefined are control characters of the same number."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("html_bytes", _as_control)
