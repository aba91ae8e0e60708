"""The sample tasks: every answer follows from what it names as evidence, and every file is read by the tools."""

import ast
import asyncio
import operator
import re
from collections import Counter
from pathlib import PurePosixPath
from typing import Any

import pytest

from tasks.home import Home
from tasks.long_horizon.benchmarks import attachments, sample
from tasks.long_horizon.searching.corpus import Shelf
from tasks.long_horizon.tools.extracting import text_of
from tasks.long_horizon.tools.toolbox import Toolbox
from tasks.long_horizon.tools.web_tools import file_tool, web_tools
from tasks.scoring.gaia import correct

ENTRIES = sample._read("sample")["tasks"]
FILES = sample._read("files")
DOCUMENTS = {document.docid: document.text for document in sample.documents()}


def text(name: str) -> str:
    if name in DOCUMENTS:
        return DOCUMENTS[name]
    return text_of(attachments.made(name, FILES[name]), PurePosixPath(name).suffix[1:])


def computed(expression: str) -> float:
    known: dict[type, Any] = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
                              ast.Div: operator.truediv}  # fmt: skip

    def value(node: Any) -> float:
        if isinstance(node, ast.Constant):
            return node.value
        return known[type(node.op)](value(node.left), value(node.right))

    return value(ast.parse(expression, mode="eval").body)


def plain(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d)", "", text).lower()


def test_enough_tasks_of_three_levels_and_two_kinds(fresh_home: Home) -> None:
    tasks = sample.tasks(fresh_home)
    assert len(tasks) >= 24
    assert {level: count >= 8 for level, count in Counter(task.level for task in tasks).items()} == dict.fromkeys(
        ("1", "2", "3"), True
    )
    assert Counter(task.kind for task in tasks)["collection"] >= 8
    assert len({task.task_id for task in tasks}) == len(tasks)
    assert all(task.sample and not task.gated for task in tasks)
    kinds = {PurePosixPath(name).suffix for task in tasks for name in task.files}
    assert {".pdf", ".csv", ".xlsx", ".docx", ".txt", ".html"} <= kinds
    assert [task.task_id for task in sample.tasks(fresh_home)] == [task.task_id for task in tasks]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_answers_follow_from_their_evidence(entry: dict) -> None:
    evidence = plain("\n".join(map(text, entry["evidence"])))
    if entry["name"] == "w12":
        assert "10:45" in evidence
        assert "3 hours and 25 minutes" in evidence
        assert 10 * 60 + 45 + 3 * 60 + 25 == 14 * 60 + 10
    elif "computed" in entry:
        said = plain(entry["question"]) + evidence
        for number in re.findall(r"\d+", entry["computed"]):
            assert re.search(rf"(?<!\d){number}(?!\d)", said) or number in ("4", "15"), number
        assert computed(entry["computed"]) == float(entry["answer"])
    elif entry["name"] == "w14":
        assert sum(map(int, re.findall(r'plants="(\d+)"', evidence))) == 1130
        assert "found 1130 plants" in evidence
    elif entry["name"] == "w15":
        assert "1961-02-11" in evidence
        assert 1961 + 76 == 2037
    elif entry["name"] == "c06":
        assert "13 and 14 july" in evidence
        assert "second day" in evidence
    elif entry["name"] == "w18":
        assert re.search(r"ness \| 24 \| 1901", evidence)
        assert "kolby | 31" in evidence
    else:
        assert plain(entry["answer"]) in evidence


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_the_expected_answer_is_correct_and_another_is_not(entry: dict) -> None:
    assert correct(entry["answer"], entry["answer"])
    assert not correct("something else", entry["answer"])


def test_every_hop_of_the_evidence_can_be_found(fresh_home: Home) -> None:
    """Each document of the evidence is among the best hits for the words of its own title."""
    corpus = sample.library(fresh_home)
    titles = {document.docid: document.title for document in sample.documents()}
    for name in {one for entry in ENTRIES for one in entry["evidence"] if one in DOCUMENTS}:
        assert name in [document.docid for _, document in corpus.find(titles[name], 5)], name


def test_files_are_read_by_the_tool_of_the_agents(fresh_home: Home) -> None:
    for task in sample.tasks(fresh_home):
        toolbox = Toolbox([*web_tools(Shelf(sample.library(fresh_home)), len), file_tool(task.folder)])
        for name in task.files[: 1 if task.level != "1" else 0]:
            found = asyncio.run(toolbox.call("parse_file", {"file_path": name}))
            assert found.ok, found.value
            assert len(found.value["tool_result"]["content"]) > 50


def test_files_are_the_same_bytes_each_time() -> None:
    for name, content in FILES.items():
        assert attachments.made(name, content) == attachments.made(name, content)
