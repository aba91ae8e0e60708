"""Loaders over tiny copies in the real file formats of GAIA and BrowseComp-Plus; every text in them is invented."""

import asyncio
import base64
import hashlib
import json
from pathlib import Path

import duckdb
import pytest

from tasks.errors import UserError
from tasks.home import Home
from tasks.long_horizon.benchmarks import browsecomp, gaia
from tasks.long_horizon.benchmarks.source import Source, corpus, read_ids, spread, tasks
from tasks.long_horizon.benchmarks.task import Task
from tasks.long_horizon.contexts import Counter
from tasks.long_horizon.tools.making import Search, maker

ROWS = [
    {"task_id": "aaa", "Question": "How many?", "Level": "1", "Final answer": "3", "file_name": "", "file_path": "",
     "Annotator Metadata": {"Steps": "count", "Number of steps": "1"}},
    {"task_id": "bbb", "Question": "What is in the file?", "Level": "2", "Final answer": "x", "file_name": "bbb.txt",
     "file_path": "2023/validation/bbb.txt", "Annotator Metadata": {"Steps": "read", "Number of steps": "1"}},
    {"task_id": "ccc", "Question": "Hidden?", "Level": "3", "Final answer": "?", "file_name": "", "file_path": "",
     "Annotator Metadata": {"Steps": "", "Number of steps": ""}},
]  # fmt: skip
KEY = "an invented canary sentence"


def parquet(path: Path, rows: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_suffix(".source.json")
    source.write_text(json.dumps(rows))
    with duckdb.connect() as con:
        con.execute(f"COPY (FROM read_json_auto('{source}')) TO '{path}' (FORMAT parquet)")
    source.unlink()


@pytest.fixture(params=["parquet", "levels", "jsonl", "flat"])
def copy(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of GAIA in each form that its repository has had."""
    place = tmp_path if request.param == "flat" else tmp_path / "2023" / "validation"
    place.mkdir(parents=True, exist_ok=True)
    if request.param == "levels":
        for row in ROWS:
            parquet(place / f"metadata.level{row['Level']}.parquet", [{**row, "Level": int(row["Level"])}])
    elif request.param == "parquet":
        parquet(place / "metadata.parquet", ROWS)
    else:
        (place / "metadata.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (place / "bbb.txt").write_text("x")
    return tmp_path


def test_gaia_in_every_form(copy: Path) -> None:
    found = gaia.tasks(copy, "all")
    assert [(t.name, t.level, t.answer, t.files) for t in found] == [
        ("aaa", "1", "3", ()), ("bbb", "2", "x", ("bbb.txt",)), ("ccc", "3", None, ())]  # fmt: skip
    assert all(t.gated and t.kind == "web" and t.row()["question"] is None for t in found)
    assert (found[1].folder / found[1].files[0]).read_text() == "x"  # type: ignore[operator]
    assert [t.name for t in gaia.tasks(copy, "text_only")] == ["aaa", "ccc"]
    assert [t.name for t in gaia.tasks(copy, "listed", ["ccc", "aaa", "ccc"])] == ["ccc", "aaa"]
    with pytest.raises(UserError, match=r"GAIA has no task zzz here \(unknown: 1 of 2 ids\)"):
        gaia.tasks(copy, "listed", ["aaa", "zzz"])
    with pytest.raises(UserError, match=r"GAIA has no task of such a name here \(unknown: 1 of 1 ids\)"):
        gaia.tasks(copy, "listed", ["How many?"])


def test_an_agent_sees_the_files_of_its_own_task_and_no_answers(tmp_path: Path, fresh_home: Home) -> None:
    """The files of all tasks lie in one folder with the expected answers, and often are links into a cache."""
    rows = [*ROWS, {**ROWS[1], "task_id": "ddd", "file_name": "ddd.txt"}]
    (tmp_path / "metadata.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "blob").write_text("what is in it")
    (tmp_path / "bbb.txt").symlink_to("blob")
    (tmp_path / "ddd.txt").write_text("of another task")
    counter = Counter(len, lambda messages: 0)
    make = maker(fresh_home, Source("gaia", str(tmp_path), "all"), Search("searxng", "http://localhost"), counter)
    boxes = {task.name: make(task) for task in gaia.tasks(tmp_path, "all")}

    def parse(task: str, name: str) -> str:
        found = asyncio.run(boxes[task].call("parse_file", {"file_path": name}))
        return found.value["tool_result"]["content"] if found.ok else found.value["error"]

    assert parse("bbb", "bbb.txt") == parse("bbb", "./bbb.txt") == "what is in it"
    for name in ("metadata.jsonl", "ddd.txt", "blob", "../ddd/ddd.txt", str(tmp_path / "bbb.txt")):
        assert "there is no attached file" in parse("bbb", name)
    assert parse("aaa", "bbb.txt") == "this task has no attached files"
    own = [path for path in (fresh_home.root / "tasks" / "gaia").rglob("*") if path.is_file()]
    assert sorted(path.name for path in own) == ["bbb.txt", "ddd.txt"]
    assert not any(path.is_symlink() for path in own)
    (tmp_path / "blob").unlink()
    assert parse("bbb", "bbb.txt") == "what is in it"


def test_only_tasks_with_files_need_them(copy: Path) -> None:
    """A copy of the metadata alone is enough for the text-only tasks, which are the default."""
    next(copy.rglob("bbb.txt")).unlink()
    assert [t.name for t in gaia.tasks(copy, "default")] == ["aaa", "ccc"]
    assert [t.name for t in gaia.tasks(copy, "listed", ["aaa"])] == ["aaa"]
    for subset, ids in (("all", None), ("listed", ["aaa", "bbb"])):
        with pytest.raises(UserError, match="file of task bbb of GAIA is missing"):
            gaia.tasks(copy, subset, ids)


def test_gaia_copies_that_are_not_in_order(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no copy of GAIA"):
        gaia.tasks(tmp_path, "all")
    (tmp_path / "folder").mkdir()
    for row, said in (
        ({**ROWS[1]}, "file of task bbb of GAIA is missing"),
        ({**ROWS[0], "Level": "9"}, "level '9'"),
        ({**ROWS[0], "file_name": "../secret.txt"}, "outside its folder"),
        ({"task_id": "x"}, "no field Question"),
        ({**ROWS[0], "Question": None}, "no field Question"),
        ({**ROWS[0], "Final answer": None}, "no field Final answer"),
        ([ROWS[0]], "not JSON lines"),
        ({**ROWS[0], "file_name": "folder"}, "file of task aaa of GAIA is missing"),
    ):
        (tmp_path / "metadata.jsonl").write_text(json.dumps(row))
        with pytest.raises(UserError, match=said) as error:
            gaia.tasks(tmp_path, "all")
        assert "How many" not in str(error.value)
    (tmp_path / "metadata.parquet").write_text("no parquet")
    with pytest.raises(UserError, match="no Parquet file"):
        gaia.tasks(tmp_path, "all")


def encrypted(text: str, password: str = KEY) -> str:
    """Written out from the description of the format, independently of the reader."""
    key = hashlib.sha256(password.encode()).digest()
    stream = (key * (len(text.encode()) // 32 + 1))[: len(text.encode())]
    return base64.b64encode(bytes(a ^ b for a, b in zip(text.encode(), stream, strict=True))).decode()


def test_decryption_of_a_nested_record() -> None:
    document = {"docid": encrypted("12"), "text": encrypted(""), "url": encrypted("https://x")}
    record = {"query_id": "7", "query": encrypted("Wer war’s? " * 9), "answer": encrypted("Ä"), "gold_docs": [document]}
    assert browsecomp.decrypted(record, KEY) == {
        "query_id": "7", "query": "Wer war’s? " * 9, "answer": "Ä",
        "gold_docs": [{"docid": "12", "text": "", "url": "https://x"}]}  # fmt: skip


@pytest.fixture
def browse(tmp_path: Path) -> Path:
    """A copy of BrowseComp-Plus with nine encrypted queries, judgements and a corpus of two files."""
    folder = tmp_path / "copy"
    rows = [{"query_id": str(n), "query": encrypted(f"question {n}"), "answer": encrypted(f"answer {n}"),
             "gold_docs": [{"docid": encrypted("1")}]} for n in range(9)]  # fmt: skip
    parquet(folder / "data" / "test-00000.parquet", rows)
    (folder / "decrypt_dataset.py").write_text(f"import os\nDEFAULT_CANARY = '{KEY}'\nos.abort()\n")
    (folder / "topics-qrels").mkdir()
    lines = [f"{n} Q0 {doc} 1" for n in range(9) for doc in range(n + 1)]
    (folder / "topics-qrels" / "qrel_evidence.txt").write_text("\n".join(lines))
    for part in range(2):
        documents = [{"docid": str(5 * part + n), "text": f"title: Page {n}\nkiwi mango {n}", "url": f"https://{n}"}
                     for n in range(5)]  # fmt: skip
        parquet(folder / "corpus" / f"part{part}.parquet", documents)
    return folder


def test_browsecomp_plus_from_an_encrypted_copy(browse: Path, fresh_home: Home) -> None:
    before = {path: path.read_bytes() for path in browse.rglob("*") if path.is_file()}
    found = tasks(Source("browsecomp_plus", str(browse)), fresh_home)
    assert [(t.name, t.question, t.answer) for t in found] == [
        (str(n), f"question {n}", f"answer {n}") for n in range(9)
    ]
    assert found[2].evidence == ("0", "1", "2")
    assert all(t.gated and t.kind == "collection" for t in found)
    made = corpus(Source("browsecomp_plus", str(browse)), fresh_home)
    assert made.facts["documents"] == 10
    assert made.find("kiwi 4", 1)[0][1].title.startswith(("Page", "title"))
    assert {path: path.read_bytes() for path in browse.rglob("*") if path.is_file()} == before
    written = [path for path in fresh_home.root.rglob("*") if path.is_file() and b"question" in path.read_bytes()]
    assert written == []


def test_browsecomp_plus_levels(browse: Path, fresh_home: Home) -> None:
    thirds = browsecomp.substitute(browsecomp.tasks(browse, "all"), each=2)
    assert [t.level for t in thirds] == ["easy"] * 2 + ["medium"] * 2 + ["hard"] * 2
    assert max(len(t.evidence or ()) for t in thirds[:2]) < min(len(t.evidence or ()) for t in thirds[4:])
    parquet(browse / "bc_test.parquet", [
        {"data_source": "bc_test_meduim", "extra_info": {"instance_id": "3"}},
        {"data_source": "bc_test_hard", "extra_info": {"instance_id": "4"}}])  # fmt: skip
    ids = browse / "ids.txt"
    ids.write_text("4\n3\n")
    found = tasks(Source("browsecomp_plus", str(browse), "listed", str(ids)), fresh_home)
    assert [(t.name, t.level) for t in found] == [("4", "hard"), ("3", "medium")]


def test_browsecomp_plus_copies_that_are_not_in_order(browse: Path, tmp_path: Path) -> None:
    (browse / "decrypt_dataset.py").write_text("DEFAULT_CANARY = 'another one'")
    with pytest.raises(UserError, match="cannot be decrypted"):
        browsecomp.tasks(browse, "all")
    (browse / "decrypt_dataset.py").unlink()
    with pytest.raises(UserError, match=r"put decrypt_dataset\.py"):
        browsecomp.tasks(browse, "all")
    (browse / "canary.txt").write_text(KEY + "\n")
    assert len(browsecomp.tasks(browse, "all")) == 9
    (browse / "topics-qrels" / "qrel_evidence.txt").write_text("1 Q0 2\n")
    with pytest.raises(UserError, match="line 1 is not of the form"):
        browsecomp.tasks(browse, "all")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="no copy of BrowseComp-Plus"):
        browsecomp.tasks(tmp_path / "empty", "all")


def test_evidence_comes_from_the_rows_where_there_are_no_judgements(browse: Path) -> None:
    rows = [
        {
            "query_id": "1",
            "query": encrypted("q"),
            "answer": encrypted("a"),
            "evidence_docs": [{"docid": encrypted("7"), "text": encrypted("t")}, {"docid": encrypted("8"), "text": ""}],
        }
    ]
    parquet(browse / "data" / "test-00000.parquet", rows)
    (browse / "topics-qrels" / "qrel_evidence.txt").unlink()
    assert [task.evidence for task in browsecomp.tasks(browse, "all")] == [("7", "8")]
    parquet(browse / "data" / "test-00000.parquet", [{k: v for k, v in rows[0].items() if k != "evidence_docs"}])
    with pytest.raises(UserError, match=r"Query 1 .* has no evidence documents \(1 queries"):
        browsecomp.tasks(browse, "all")


@pytest.mark.parametrize(("name", "content", "said"), [
    ("levels.json", "[1]", "no JSON object of query ids"), ("levels.json", "{", "no JSON object of query ids"),
    ("bc_test.parquet", "x", "extra_info.instance_id"), ("data/test-00000.parquet", "x", "no data file"),
    ("decrypt_dataset.py", "DEFAULT_CANARY = (", "put decrypt_dataset"), ("canary.txt", "\0", "cannot be decrypted"),
    ("decrypt_dataset.py", "DEFAULT_CANARY = 7", "put decrypt_dataset"),
    ("data/browsecomp_plus_decrypted.jsonl", '{"query_id": "1", "query": "QUAGGA"}', "line 1 is no JSON object"),
    ("data/browsecomp_plus_decrypted.jsonl", "QUAGGA", "line 1 is no JSON object"),
    ("data/browsecomp_plus_decrypted.jsonl", '\n["QUAGGA"]', "line 2 is no JSON object"),
])  # fmt: skip
def test_broken_files_of_a_copy_are_named_and_not_quoted(browse: Path, name: str, content: str, said: str) -> None:
    (browse / name).write_text(content)
    with pytest.raises(UserError, match=said) as error:
        browsecomp.tasks(browse, "all")
    assert "QUAGGA" not in str(error.value)
    assert "\n" not in str(error.value)


def test_a_decrypted_copy_is_read_too(tmp_path: Path) -> None:
    row = {"query_id": "5", "query": "q", "answer": "a", "evidence_docs": [{"docid": "8", "text": "t", "url": "u"}]}
    (tmp_path / "browsecomp_plus_decrypted.jsonl").write_text(json.dumps(row) + "\n")
    (found,) = browsecomp.tasks(tmp_path, "all")
    assert (found.name, found.question, found.answer, found.evidence) == ("5", "q", "a", ("8",))


@pytest.mark.parametrize("text", ["a\nb\n# c\n", "\ufeffa\nb", '["a", "b"]', '[{"task_id": "a"}, {"query_id": "b"}]',
                                  '{"id": "a"}\n{"instance_id": "b"}\n'])  # fmt: skip
def test_lists_of_ids(tmp_path: Path, text: str) -> None:
    (tmp_path / "ids").write_text(text)
    assert read_ids(tmp_path / "ids") == ["a", "b"]


@pytest.mark.parametrize("content", [b"\xff\xfe\0", b"[1, 2", b'{"name": "a"}', b'[{"name": "a"}]'])
def test_files_that_list_no_ids(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ids").write_bytes(content)
    with pytest.raises(UserError, match="does not list ids"):
        read_ids(tmp_path / "ids")


def test_what_is_missing_is_said(tmp_path: Path, fresh_home: Home) -> None:
    (tmp_path / "none.txt").write_text("\n# no id\n")
    for source, said in (
        (Source("gaia"), "name the folder of your own copy with --data"),
        (Source("gaia", str(tmp_path / "none")), "There is no folder"),
        (Source("gaia", str(tmp_path), "listed"), "name a file that lists them with --ids"),
        (Source("sample", None, "listed", str(tmp_path / "none.txt")), r"none\.txt lists no ids: give one a line"),
        (Source("hle"), "choose sample, gaia, browsecomp_plus"),
        (Source(levels=("9",)), "No task of sample is left"),
    ):
        with pytest.raises(UserError, match=said):
            tasks(source, fresh_home)


def test_tasks_are_spread_over_levels() -> None:
    found = [Task("b", f"{level}{n}", "q", level=level) for level in ("1", "2", "3") for n in range(4)]
    assert [t.name for t in spread(found, 5)] == ["10", "11", "20", "21", "30"]
    assert spread(found, 100) == found
