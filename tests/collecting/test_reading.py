import pytest

from tasks.collecting.reading import read
from tasks.collecting.received import Received
from tasks.collecting.sources import source
from tasks.errors import UserError


def item(body, media_type=None, **more):
    data = body if isinstance(body, bytes) else body.encode()
    return Received("https://a.example/x", data, "live", "x", media_type=media_type, **more)


PAGE = "<html><body><p>Grüße, 5 € – “quoted”</p></body></html>"


@pytest.mark.parametrize(
    ("body", "media_type", "encoding"),
    [
        (PAGE.encode(), "text/html", "utf-8"),
        (b"\xef\xbb\xbf" + PAGE.encode(), "text/html; charset=iso-8859-1", "utf-8"),
        (b"\xff\xfe" + PAGE.encode("utf-16-le"), "text/html", "utf-16-le"),
        (PAGE.encode("cp1252"), "text/html", "windows-1252"),
        (PAGE.encode("cp1252"), "text/html; charset=ISO-8859-1", "cp1252"),
        (PAGE.replace("€", "EUR").encode("iso8859-15", "replace"), 'text/html; charset="iso-8859-15"', "iso8859-15"),
        (f'<meta charset="shift_jis">{PAGE}'.encode("cp932", "replace"), "text/html", "cp932"),
        (f'<meta charset="shift_jis">{PAGE}'.encode("cp1252"), "text/html; charset=windows-1252", "cp1252"),
        (f'<meta charset="iso-8859-1">{PAGE}'.encode(), "text/html; charset=iso-8859-1", "utf-8"),
    ],
)
def test_pages_are_decoded_as_browsers_do_and_the_encoding_is_kept(body, media_type, encoding):
    reading = read(item(body, media_type), source("public_pages"))
    assert reading.encoding == encoding
    (unit,) = reading.units
    assert "\ufffd" not in unit.text
    assert unit.text.startswith("<")
    if encoding not in ("cp932", "iso8859-15"):
        assert PAGE in unit.text
    assert unit.ranges == ((0, len(unit.text)),)


@pytest.mark.parametrize(
    ("name", "body", "why"),
    [
        ("public_pages", "  \n", "empty"),
        ("public_pages", "503 Service Unavailable", "no markup"),
        ("apis_guru", "<html><body>no</body></html>", "no OpenAPI document"),
        ("apis_guru", "a: 1\n", "no OpenAPI document"),
        ("apis_guru", "openapi: 3.0.0\npaths: {}\n", "no operations"),
        ("apis_guru", "openapi: 3.0.0\npaths: [\n", "line"),
        ("usgs", "<html>", "page of markup"),
        ("usgs", b'{"name": "M\xfcller"}', "UTF-8"),
    ],
)
def test_what_is_something_else_is_rejected_saying_what_it_is(name, body, why):
    with pytest.raises(UserError, match=why):
        read(item(body), source(name))


DOCUMENT = """openapi: 3.0.0
info:
  title: Parcels
  license:
    name: {licence}
  version: '1.0'
paths:
  /parcels:
    parameters: []
    get:
      responses:
        "200": {{description: fine}}
    post: {{}}
  /parcels/{{id}}:
    delete: {{}}
"""


def test_a_document_states_its_licence_and_counts_its_operations():
    (unit,) = read(item(DOCUMENT.format(licence='"Apache 2.0"')), source("apis_guru")).units
    assert (unit.licence, unit.records) == ("Apache 2.0", 3)
    (unit,) = read(item(DOCUMENT.format(licence='"  "')), source("apis_guru")).units
    assert unit.licence is None


def test_documents_that_differ_in_layout_only_are_one():
    texts = [
        DOCUMENT.format(licence="MIT"),
        DOCUMENT.format(licence="'MIT'").replace("    get:", "    # all of them\n    get:"),
        DOCUMENT.format(licence="MIT") + "\n\n",
    ]
    hashes = {read(item(text), source("apis_guru")).units[0].canonical for text in texts}
    assert len(hashes) == 1
    other = read(item(DOCUMENT.format(licence="BSD")), source("apis_guru")).units[0].canonical
    assert other not in hashes
