"""`treebench section FILE`: what it prints, for every format and encoding, and how it refuses."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from flows.command_line import main
from tests.sectioning.plain_tokenizers import Characters


@pytest.fixture(autouse=True)
def characters(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tokenizer by whose counts every line can be checked by hand."""
    monkeypatch.setattr("tasks.sectioning.command.load", lambda name, home: Characters())


class Command:
    """The command on a file `name` with the bytes `data`."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder, self._monkeypatch, self._capsys = folder, monkeypatch, capsys

    def rows(self, name: str, data: bytes, *words: str) -> list[dict[str, Any]]:
        """The lines that it prints, the document first."""
        assert self._status(name, data, *words) == 0
        return [json.loads(line) for line in self._capsys.readouterr().out.splitlines()]

    def texts(self, name: str, data: bytes, *words: str) -> list[str]:
        """The texts of the sections; that their positions are those of code points is checked."""
        document, *sections = self.rows(name, data, *words, "--text")
        assert document["sections"] == len(sections)
        for row in sections:
            assert len(row["text"]) == row["end"] - row["start"] == row["tokens"]
        return [row["text"] for row in sections]

    def refusal(self, name: str, data: bytes | None, *words: str) -> str:
        """The one line on standard error; the status is 2, and nothing is on standard output."""
        status = self._status(name, data, *words)
        shown = self._capsys.readouterr()
        assert (status, shown.out, shown.err.count("\n")) == (2, "", 1)
        return shown.err.replace(str(self._folder / name), "FILE").removeprefix("treebench: ").strip()

    def _status(self, name: str, data: bytes | None, *words: str) -> int:
        file = self._folder / name
        if data is not None:
            file.write_bytes(data)
        self._monkeypatch.setattr(sys, "argv", ["treebench", "section", str(file), "--tokenizer", "x", *words])
        with pytest.raises(SystemExit) as stopped:
            main()
        return int(stopped.value.code or 0)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(tmp_path, monkeypatch, capsys)


def test_every_field_of_every_line(command: Command) -> None:
    data = b'{"a": ["xx", "yy", "zz"], "b": "one two three"}'
    assert command.rows("a.json", data, "--budget", "12", "--base-budget", "10") == [
        {
            "kind": "document", "format": "json", "characters": 47, "tokens": 47, "tokenizer": "x", "method": "tree",
            "base_budget": 10, "budget": 12, "flat_sections": 5, "sections": 4, "tried": [[12, 4]],
        },
        {
            "kind": "section", "position": 1, "type": "siblings", "path": "$.a", "range": [0, 1], "start": 7, "end": 17,
            "tokens": 10, "atomic": False, "links": [],
        },
        {
            "kind": "section", "position": 2, "type": "subtree", "path": "$.a[2]", "range": None, "start": 19,
            "end": 23, "tokens": 4, "atomic": False, "links": [1],
        },
        {
            "kind": "section", "position": 3, "type": "span", "path": "$.b", "range": None, "start": 32, "end": 40,
            "tokens": 8, "atomic": False, "links": [],
        },
        {
            "kind": "section", "position": 4, "type": "span", "path": "$.b", "range": None, "start": 40, "end": 45,
            "tokens": 5, "atomic": False, "links": [2],
        },
    ]  # fmt: skip


def test_flat(command: Command) -> None:
    rows = command.rows("a.txt", b"[1, 2]", "--format", "json", "--method", "flat", "--base-budget", "4", "--text")
    assert [rows[0][key] for key in ("method", "budget", "flat_sections", "sections", "tried")] == ["flat", 4, 2, 2, []]
    assert [(row["type"], row["path"], row["range"], row["text"]) for row in rows[1:]] == [
        ("flat", None, None, "[1, "),
        ("flat", None, None, "2]"),
    ]


@pytest.mark.parametrize(
    ("suffixes", "format"),
    [
        ("json geojson JSON", "json"),
        ("yaml yml", "yaml"),
        ("html htm xhtml HTM", "html"),
        ("js mjs cjs", "javascript"),
    ],
)
def test_the_suffix_says_the_format(command: Command, suffixes: str, format: str) -> None:
    for suffix in suffixes.split():
        assert command.rows(f"a.{suffix}", b"[1, 2]")[0]["format"] == format
    assert command.rows("a.json", b"[1, 2]", "--format", format)[0]["format"] == format


@pytest.mark.parametrize(
    ("name", "data", "texts"),
    [
        ("a.json", '\ufeff["é😀"]\n'.encode(), ['["é😀"]']),
        ("a.yaml", "\ufeffa: é😀\r\nb: [1]\r\n".encode(), ["a: é😀\r\nb: [1]"]),
        ("a.js", "\ufeffconst é = '😀';\n".encode(), ["const é = '😀';"]),
        ("a.html", "\ufeff<p>é😀".encode(), ["<p>é😀"]),
        ("a.html", "<meta charset=windows-1251><p>да</p>".encode("cp1251"), ["<meta charset=windows-1251><p>да</p>"]),
        ("a.html", "<p>日本".encode("utf-16"), ["<p>日本"]),
        ("a.html", b"<p>caf\xe9</p>", ["<p>café</p>"]),
        ("a.html", b"", [""]),
        ("a.html", b" \r\n", [""]),
        ("a.yaml", b"", [""]),
        ("a.yaml", b"# nothing\n", [""]),
        ("a.js", b"", [""]),
        ("a.js", b"// nothing\n", [""]),
    ],
)
def test_encodings_and_files_without_content(command: Command, name: str, data: bytes, texts: list[str]) -> None:
    assert command.texts(name, data) == texts


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.json", b"", "FILE: This JSON does not parse at line 1, column 1: expected a value, the text ends."),
        ("a.json", b"\n\n ", "FILE: This JSON does not parse at line 3, column 2: expected a value, the text ends."),
        (
            "a.json",
            '\ufeff{"é":\r\n 1,}'.encode(),
            "FILE: This JSON does not parse at line 2, column 4: expected a key",
        ),
        ("a.json", b'["\xff"]', "FILE is not UTF-8 at byte 2: convert it to UTF-8 first."),
        ("a.yaml", b"a: \xff", "FILE is not UTF-8 at byte 3: convert it to UTF-8 first."),
        ("a.js", b"'\xff'", "FILE is not UTF-8 at byte 1: convert it to UTF-8 first."),
        ("a.yaml", b"a: 1\n b: 2", "FILE: This YAML does not parse at line 2, column 3"),
        ("a.js", b"a = 1;\nb = [1 2]", "FILE: This JavaScript does not parse at line 2, column 8"),
        ("a.txt", b"x", "FILE has no suffix that names a format: add `--format json|yaml|html|javascript`."),
        ("gone", None, "FILE cannot be read (No such file or directory): check the path."),
        ("", None, "FILE cannot be read (Is a directory): check the path."),
        ("gone.json", None, "FILE cannot be read (No such file or directory): check the path."),
    ],
)
def test_refusals(command: Command, name: str, data: bytes | None, said: str) -> None:
    assert command.refusal(name, data).startswith(said)


@pytest.mark.parametrize("word", ["--budget", "--base-budget"])
@pytest.mark.parametrize("value", ["0", "-1"])
def test_a_budget_must_hold_something(command: Command, word: str, value: str) -> None:
    command.refusal("a.json", b"[1]", word, value)


@pytest.mark.parametrize(
    ("name", "step", "data"),
    [
        ("deep.json", "[0]", b"[" * 10_000 + b"1" + b"]" * 10_000),
        ("deep.json", ".a", b'{"a":' * 10_000 + b"1" + b"}" * 10_000),
        ("deep.yaml", "[0]", b"- " * 10_000 + b"x"),
        ("deep.yaml", ".a", b"{a: " * 10_000 + b"}" * 10_000),
        ("deep.html", "/div[1]", b"<div>" * 10_000 + b"x" + b"</div>" * 10_000),
        ("deep.html", "/ul[1]/li[1]", b"<ul><li>" * 10_000),
        ("deep.js", "[0]", b"const v = " + b"[" * 10_000 + b"1" + b"]" * 10_000),
        ("deep.js", ".a", b"const v = " + b"{a:" * 10_000 + b"1" + b"}" * 10_000),
    ],
    ids=["arrays", "objects", "dashes", "braces", "elements", "unclosed", "js arrays", "js objects"],
)
def test_nesting_of_10_000(command: Command, name: str, step: str, data: bytes) -> None:
    """Under a budget that only the innermost values fit, so that all is taken apart."""
    (row,) = command.rows(name, data, "--budget", "8")[1:]
    assert row["path"].count(step) >= 9_990
