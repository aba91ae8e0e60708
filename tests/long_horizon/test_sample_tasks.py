"""The sample tasks: every answer follows from what it names as evidence, and every file is read by the tools."""

import ast
import asyncio
import operator
import re
from collections import Counter
from pathlib import PurePosixPath
from typing import Any

import pytest

from tasks.errors import UserError
from tasks.home import Home
from tasks.long_horizon.benchmarks import attachments, sample
from tasks.long_horizon.searching.corpus import Shelf
from tasks.long_horizon.tools.formats import READERS, TEXTS, text_of
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


def harbour_dues() -> float:
    import configparser

    rates = configparser.ConfigParser()
    rates.read_string(FILES["dues.ini"])

    class Read:
        """Stands for the module, whose parser has read the settings."""

        ConfigParser = staticmethod(lambda: rates)

    scope: dict[str, Any] = {"configparser": Read}
    exec(FILES["dues.py"].replace("import configparser\n", ""), scope)
    found = re.findall(r'arrive (\w+) ".*?" length=(\d+) nights=(\d+)', FILES["arrivals.log"])
    assert len(found) == FILES["arrivals.log"].count("arrive ")
    return sum(scope["dues"](kind, float(metres), int(nights)) for kind, metres, nights in found)


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
    assert kinds == {f".{kind}" for kind in (*READERS, *TEXTS, "zip")}  # every format that can be read
    assert [task.task_id for task in sample.tasks(fresh_home)] == [task.task_id for task in tasks]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_answers_follow_from_their_evidence(entry: dict) -> None:
    evidence = plain("\n".join(map(text, entry["evidence"])))
    if entry["name"] == "w12":
        assert "10:45" in evidence
        assert "3 hours and 25 minutes" in evidence
        assert 10 * 60 + 45 + 3 * 60 + 25 == 14 * 60 + 10
    elif entry["name"] == "w23":  # the attached program itself, over the attached log, says so
        assert harbour_dues() == computed(entry["computed"]) == float(entry["answer"])
    elif "computed" in entry:
        said = plain(entry["question"]) + evidence
        for number in re.findall(r"\d+(?:\.\d+)?", entry["computed"]):
            assert re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", said) or number in ("4", "15"), number
        assert computed(entry["computed"]) == float(entry["answer"])
    elif entry["name"] == "w14":
        assert sum(map(int, re.findall(r'plants="(\d+)"', evidence))) == 1130
        assert "found 1130 plants" in evidence
    elif entry["name"] == "w15":
        assert "1961-02-11" in evidence
        assert 1961 + 76 == 2037
    elif entry["name"] == "w27":
        unlit = re.findall(r"\| (o\d) \| \w+ \| none", evidence)
        course = re.search(r"course: \[(.*)\]", evidence)[1].split(", ")  # type: ignore[index]
        assert sum(course.count(buoy) for buoy in unlit) == int(entry["answer"])
    elif entry["name"] == "w28":
        assert evidence.count("          na") - evidence.count("          cl") == 1
        assert '"name": "hardness", "value": 2.5' in evidence
    elif entry["name"] == "w24":
        lent = dict(re.findall(r"values \((\d+), '((?:[^']|'')*)'", evidence))
        assert [title for number, title in lent.items() if f'"object": {number},' not in evidence] == ["horn of 1974"]
        assert re.search(r"912, 'horn of 1974', 'klb'", evidence)
        assert re.search(r"code: klb\n\s+name: kolby library", evidence)
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
        toolbox = Toolbox([*web_tools(Shelf(sample.library(fresh_home)), len), file_tool(task.folder, task.files)])
        for name in task.files:
            found = asyncio.run(toolbox.call("parse_file", {"file_path": name}))
            assert found.ok, found.value
            assert len(found.value["tool_result"]["content"]) > 40


def test_files_are_the_same_bytes_each_time() -> None:
    for name, content in FILES.items():
        assert attachments.made(name, content) == attachments.made(name, content)


def test_subsets_of_the_sample_tasks(fresh_home: Home) -> None:
    assert len(sample.tasks(fresh_home, "all")) == len(ENTRIES)
    assert all(not task.files for task in sample.tasks(fresh_home, "text_only"))
    assert [task.name for task in sample.tasks(fresh_home, "listed", ["w03", "w01", "w03"])] == ["w03", "w01"]
    with pytest.raises(UserError, match=r"has no task zzz here \(unknown: 1 of 1 ids\)"):
        sample.tasks(fresh_home, "listed", ["zzz"])
    with pytest.raises(UserError, match="no subset 'substitute'"):
        sample.tasks(fresh_home, "substitute")


def test_files_that_lie_ready_hold_what_is_written_down_for_them() -> None:
    """Other libraries wrote them, from the same contents."""
    ready = [path for path in attachments.READY.iterdir() if path.suffix != ".py"]
    assert {path.suffix for path in ready} == {".xls", ".ods", ".pptx"}
    for path in ready:
        said = text(path.name)
        for block in FILES[path.name].values() if isinstance(FILES[path.name], dict) else FILES[path.name]:
            for item in block:
                for row in item if isinstance(item, list) and isinstance(item[0], list) else [item]:
                    assert " | ".join(map(str, row if isinstance(row, list) else [row])) in said, (path.name, row)


def test_files_change_with_their_content(fresh_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {task.name: task for task in sample.tasks(fresh_home)}
    monkeypatch.setitem(FILES, "diary.txt", "another diary")
    after = {task.name: task for task in sample.tasks(fresh_home)}
    changed = {name for name in before if before[name].task_id != after[name].task_id}
    assert changed == {"w07", "w09"}
    folder = after["w07"].folder
    assert folder
    assert (folder / "diary.txt").read_text() == "another diary"
