import io
import random
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from tasks.collecting import archives
from tasks.collecting.collect import collect
from tasks.collecting.received import Skipped
from tasks.collecting.sources import source
from tasks.errors import Fault, UserError
from tasks.warehouse.ingest import sync
from tasks.warehouse.snapshot import rows

COMMIT = "6ddf8587e5cf" + "0" * 28
STATIC = "const rules = { first: 'static data of the first rule', second: [ 1, 2 ] };\n"
FILES = {
    "lib/rules.js": STATIC,
    "lib/call.js": "const x = { name: 'not static, since it calls', value: call() };\n",
    "node_modules/other/index.js": STATIC.replace("first", "other"),
    ".hidden/secret.js": STATIC.replace("first", "hidden"),
    "README.md": "# no program\n",
}


def tarball(path, files, top="eslint-6ddf/", commit=COMMIT):
    headers = {"comment": commit} if commit else {}
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT, pax_headers=headers) as tar:
        for name, text in files.items():
            data = text.encode()
            member = tarfile.TarInfo(top + name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo(top + "lib/link.js")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return str(path)


def zipped(path, files, top=""):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(top + name, text)
    return str(path)


def test_a_repository_archive_gives_its_program_files_with_commit_and_hash(tmp_path, fresh_home):
    place = tarball(tmp_path / "eslint.tar.gz", FILES)
    counts = collect(fresh_home, "eslint", "mirror", place=place)
    assert (counts["responses"], counts["payloads"], counts["rejected"]) == (1, 1, 1)
    sync(fresh_home)
    (row,) = rows(fresh_home, "FROM responses")
    assert row["source_version"] == f"commit {COMMIT}"
    assert row["location"].endswith("eslint.tar.gz!lib/rules.js")
    assert len(row["archive_sha256"]) == 64
    (payload,) = rows(fresh_home, "FROM payloads")
    assert (payload["text"], payload["licence"]) == (STATIC.strip(), "MIT")
    (rejected,) = rows(fresh_home, "FROM rejections")
    assert rejected["subject"].endswith("lib/call.js:1:11")
    assert rejected["reason"] == "call"
    assert collect(fresh_home, "eslint", "mirror", place=place)["skipped"]


def test_an_unpacked_package_names_its_release_and_licence(tmp_path, fresh_home):
    for name, text in FILES.items():
        path = tmp_path / "eslint" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "eslint" / "package.json").write_text('{"name": "eslint", "version": "9.1.0", "license": "MIT"}')
    (tmp_path / "eslint" / "lib" / "link.js").symlink_to("/etc/passwd")
    items = list(archives.receive(source("eslint"), str(tmp_path / "eslint")))
    assert [item.location for item in items] == ["eslint/lib/call.js", "eslint/lib/rules.js"]
    assert {(item.version, item.licence, item.transport) for item in items} == {("release 9.1.0", "MIT", "mirror")}


def test_websrc_pages_come_from_its_archive_whatever_folder_they_lie_in(tmp_path, fresh_home):
    pages = {
        f"release/auto/01/processed_data/{number:07d}.html": f"<html><body><p>page {number}</p></body></html>"
        for number in range(3)
    }
    place = zipped(tmp_path / "websrc.zip", pages | {"release/auto/01/dataset.csv": "question,id\n"})
    counts = collect(fresh_home, "websrc", "mirror", place=place)
    assert (counts["responses"], counts["payloads"], counts["rejected"]) == (3, 3, 0)


def test_apis_guru_documents_come_from_its_archive(tmp_path):
    files = {"APIs/a.org/1.0/openapi.yaml": "openapi: 3.0.0\n", "APIs/README.md": "", "scripts/openapi.yaml": ""}
    place = tarball(tmp_path / "a.tar.gz", files, "openapi-directory-3f25/", commit=None)
    (item,) = archives.receive(source("apis_guru"), place)
    assert item.parameters == {"member": "APIs/a.org/1.0/openapi.yaml"}


def test_a_file_larger_than_any_context_is_skipped_by_name(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_BYTES", 50)
    place = tarball(tmp_path / "a.tar.gz", FILES)
    found = list(archives.receive(source("eslint"), place))
    assert all(isinstance(item, Skipped) for item in found)
    assert {item.reason for item in found} == {"larger than a context"}


@pytest.mark.parametrize(
    ("name", "place", "message"),
    [
        ("eslint", "nowhere.tar.gz", "no archive or folder nowhere"),
        ("usgs", "nowhere.tar.gz", "never from an archive"),
    ],
)
def test_bad_places_are_one_sentence(name, place, message):
    with pytest.raises(UserError, match=message):
        list(archives.receive(source(name), place))


def test_what_is_no_archive_is_named(tmp_path):
    (tmp_path / "page.html").write_text("<html>404</html>")
    with pytest.raises(UserError, match="cannot be read as an archive"):
        list(archives.receive(source("eslint"), str(tmp_path / "page.html")))


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz", "zip", "locked"])
@pytest.mark.parametrize("damage", ["cut", "overwritten"])
def test_a_damaged_archive_is_refused_as_a_whole(tmp_path, mode, damage):
    path = tmp_path / "damaged"
    texts = {f"lib/{n}.js": "".join(random.Random(n).choices("abcdefgh =;", k=20_000)).encode() for n in range(8)}
    if mode in ("zip", "locked"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in texts.items():
                archive.writestr(f"eslint/{name}", text)
    else:
        with tarfile.open(path, mode) as tar:
            for name, text in texts.items():
                member = tarfile.TarInfo(f"eslint/{name}")
                member.size = len(text)
                tar.addfile(member, io.BytesIO(text))
    whole = path.read_bytes()
    assert len(list(archives.receive(source("eslint"), str(path)))) == 8
    if mode == "locked":  # the flag of a file with a password
        spoilt = bytearray(whole)
        for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            for found in re.finditer(re.escape(mark), whole):
                spoilt[found.start() + at] |= 1
    elif damage == "cut":
        spoilt = whole[: len(whole) // 2]
    else:
        header = whole.index(b"eslint/lib/4.js") if mode == "w" else len(whole) // 2
        spoilt = whole[:header] + b"\xff" * 600 + whole[header + 600 :]
    path.write_bytes(spoilt)
    with pytest.raises(UserError, match=r"damaged cannot be read as an archive \(.+\): name a whole"):
        list(archives.receive(source("eslint"), str(path)))


def test_commits_make_addresses():
    spec = source("apis_guru")
    address = archives.address(spec, "commit:3f25f9de3b6a")
    assert address == "https://codeload.github.com/APIs-guru/openapi-directory/tar.gz/3f25f9de3b6a"
    assert archives.address(spec, "https://x.example/a.zip") == "https://x.example/a.zip"
    with pytest.raises(UserError, match="no archive at commit 'main'"):
        archives.address(spec, "commit:main")


@pytest.fixture
def archive_here(service, monkeypatch, tmp_path):
    """Transport live with the archive of ESLint here."""
    data = Path(tarball(tmp_path / "live.tar.gz", FILES)).read_bytes()
    service.answer = lambda request: type("A", (), {"body": data, "status": 200, "headers": {}})()
    spec = service.as_source("eslint", url=service.url + "/tar.gz/{commit}")
    monkeypatch.setattr("tasks.collecting.collect.source", lambda name: spec)
    return service


def test_an_archive_at_a_commit_is_loaded_once(archive_here, fresh_home):
    first = collect(fresh_home, "eslint", "live", contact="a@b.example")
    assert first["payloads"] == 1
    collect(fresh_home, "eslint", "live", contact="a@b.example", most_responses=30)
    assert [request.path for request in archive_here.asked] == ["/tar.gz/6ddf8587e5cf"]


def test_a_broken_download_is_loaded_anew(archive_here, fresh_home):
    whole = archive_here.answer(None)
    archive_here.answer = lambda request: type("A", (), {"body": whole.body[:300], "status": 200, "headers": {}})()
    with pytest.raises(Fault, match=r"6ddf8587e5cf sent no whole archive \(.+\): run the same command again"):
        collect(fresh_home, "eslint", "live", contact="a@b.example")
    archive_here.answer = lambda request: whole
    assert collect(fresh_home, "eslint", "live", contact="a@b.example")["payloads"] == 1


def test_an_archive_of_another_commit_than_the_papers_is_refused(archive_here, fresh_home, monkeypatch, tmp_path):
    data = Path(tarball(tmp_path / "other.tar.gz", FILES, commit="f" * 40)).read_bytes()
    archive_here.answer = lambda request: type("A", (), {"body": data, "status": 200, "headers": {}})()
    with pytest.raises(Fault, match=r"of commit f{40}, not of 6ddf8587e5cf"):
        collect(fresh_home, "eslint", "live", contact="a@b.example")
