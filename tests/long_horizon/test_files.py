"""Attached files: a name leads to a plain file in the task's own folder, or nowhere."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from tasks.long_horizon.tools import files
from tasks.long_horizon.tools.toolbox import Toolbox, ToolFailed
from tasks.long_horizon.tools.web_tools import file_tool


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("secret")
    own = tmp_path / "task"
    (own / "data").mkdir(parents=True)
    (own / "note.txt").write_text("hello")
    (own / "data" / "more.txt").write_text("more")
    return own


def test_files_of_the_task(folder: Path) -> None:
    assert files.read(folder, "note.txt") == b"hello"
    assert files.read(folder, "data/more.txt") == b"more"
    assert files.read(folder, "./note.txt") == b"hello"


@pytest.mark.parametrize("name", [
    "../secret.txt", "data/../../secret.txt", "/etc/passwd", "", "..", ".", "data", "missing.txt", "note.txt\0.pdf",
    "~/x", "file:///etc/passwd", "note.txt/..", "a" * 5000,
])  # fmt: skip
def test_names_that_lead_elsewhere(folder: Path, name: str) -> None:
    with pytest.raises(ToolFailed):
        files.read(folder, name)


def test_absolute_path_of_the_own_file(folder: Path) -> None:
    with pytest.raises(ToolFailed, match="outside the folder"):
        files.read(folder, str(folder / "note.txt"))


def test_links_out_and_in(folder: Path) -> None:
    (folder / "out.txt").symlink_to("../secret.txt")
    (folder / "absolute.txt").symlink_to("/etc/passwd")
    (folder / "in.txt").symlink_to("note.txt")
    (folder / "up").symlink_to("..")
    os.link(folder.parent / "secret.txt", folder / "hard.txt")
    for name in ("out.txt", "absolute.txt", "in.txt", "up/secret.txt", "hard.txt"):
        with pytest.raises(ToolFailed):
            files.read(folder, name)


def test_a_folder_that_is_swapped_for_a_link(folder: Path) -> None:
    (folder / "data" / "more.txt").unlink()
    (folder / "data").rmdir()
    (folder / "data").symlink_to(folder.parent)
    with pytest.raises(ToolFailed):
        files.read(folder, "data/secret.txt")


def test_pipes_devices_and_sockets_do_not_hang(folder: Path) -> None:
    os.mkfifo(folder / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s.txt"))
        for name in ("pipe.txt", "s.txt"):
            with pytest.raises(ToolFailed):
                files.read(folder, name)


def test_a_large_file(folder: Path) -> None:
    with (folder / "large.txt").open("wb") as file:
        file.truncate(51_000_000)
    with pytest.raises(ToolFailed, match="larger than 50 MB"):
        files.read(folder, "large.txt")


def test_a_task_without_files() -> None:
    found = asyncio.run(Toolbox([file_tool(None, ())]).call("parse_file", {"file_path": "note.txt"}))
    assert (found.ok, found.value["error"]) == (False, "this task has no attached files")
