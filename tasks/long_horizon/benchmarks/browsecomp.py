"""BrowseComp-Plus from the user's own copy: queries (encrypted or not), relevance judgements and corpus.

    FOLDER/data/browsecomp_plus_decrypted.jsonl     or the encrypted rows: *.parquet or *.jsonl with query_id
    FOLDER/topics-qrels/qrel_evidence.txt           else the evidence_docs of the rows count
    FOLDER/corpus/                                  parquet files with docid, text, url

Encrypted rows are decrypted in memory, with the benchmark's public canary sentence, which is read from the user's copy
of the upstream repository (`scripts_build_index/decrypt_dataset.py`) or from a file `canary.txt`. Nothing decrypted is
written by this module.
"""

import ast
import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from tasks.errors import UserError
from tasks.hashing import content_id
from tasks.home import Home
from tasks.long_horizon.benchmarks.task import UNRATED, Task, listed
from tasks.long_horizon.searching import corpus as indexes
from tasks.long_horizon.searching.corpus import Corpus, Document

CANARY = ("scripts_build_index/decrypt_dataset.py", "decrypt_dataset.py")
LEVELS = {"bc_test_easy": "easy", "bc_test_meduim": "medium", "bc_test_medium": "medium", "bc_test_hard": "hard"}
"""Names of the levels in the 150-question file of Context-Folding, spelled as there."""


def tasks(folder: Path, subset: str, ids: list[str] | None = None) -> list[Task]:
    """Queries: `all`, or those that `ids` lists.

    The benchmark has no levels. Where the copy has `levels.json` (query_id -> level), or the 150-question file
    `bc_test.parquet` of Context-Folding, those count. `substitute` stands in for that file: 50 queries of each third
    by number of evidence documents (few: easy), chosen by the hash of their id. Raises `UserError` where the
    copy is incomplete.
    """
    evidence = qrels(folder, "qrel_evidence.txt")
    levels = _levels(folder)
    found = []
    for row in _queries(folder):
        name = str(row["query_id"])
        documents = evidence.get(name) or [str(doc["docid"]) for doc in row.get("evidence_docs") or ()]
        found.append(Task(
            "browsecomp_plus", name, row["query"], row["answer"], levels.get(name, UNRATED),
            evidence=tuple(dict.fromkeys(documents)), kind="collection", gated=True,
        ))  # fmt: skip
    without = [task.name for task in found if not task.evidence]
    if without:
        raise UserError(
            f"Query {without[0]} of BrowseComp-Plus has no evidence documents ({len(without)} queries have none): put "
            f"topics-qrels/qrel_evidence.txt of the upstream repository into {folder}."
        )
    if subset in ("default", "all"):
        return found
    if subset == "substitute":
        return substitute(found)
    return listed(found, subset, ids, "BrowseComp-Plus", "all, listed or substitute")


def substitute(found: list[Task], each: int = 50) -> list[Task]:
    """`each` queries of each third by number of evidence documents, as levels easy, medium and hard."""
    ranked = sorted(found, key=lambda task: (len(task.evidence or ()), content_id(task.name)))
    third = len(ranked) / 3
    chosen = []
    for number, level in enumerate(("easy", "medium", "hard")):
        part = ranked[round(number * third) : round((number + 1) * third)]
        for task in sorted(part, key=lambda task: content_id(task.name))[:each]:
            chosen.append(Task(**{**vars(task), "level": level}))
    return chosen


def corpus(folder: Path, home: Home) -> Corpus:
    """The corpus, indexed in the home once."""
    files = corpus_files(folder)
    sizes = [(str(path.relative_to(folder)), path.stat().st_size) for path in files]
    key = indexes.identity("browsecomp_plus", sizes)
    return indexes.build(home.root / "indexes" / "browsecomp_plus", documents(files), key)


def corpus_files(folder: Path) -> list[Path]:
    """The files of the corpus; `UserError` where there are none."""
    files = sorted(path for path in (folder / "corpus").rglob("*") if path.suffix in (".parquet", ".jsonl"))
    if not files:
        raise UserError(
            f"There is no corpus in {folder / 'corpus'}: put the parquet files of browsecomp-plus-corpus there."
        )
    return files


def documents(files: list[Path]) -> Iterator[Document]:
    """Documents of corpus files, one after the other and never all at once."""
    for path in files:
        reader = "read_parquet" if path.suffix == ".parquet" else "read_json_auto"
        try:
            with duckdb.connect() as con:
                result = con.execute(f"SELECT docid::VARCHAR, url, text FROM {reader}(?)", [str(path)])
                while rows := result.fetchmany(256):
                    for docid, url, text in rows:
                        title = (text or "").lstrip("- \n").partition("\n")[0].removeprefix("title:").strip()[:200]
                        yield Document(docid, url or "", text or "", title)
        except duckdb.Error as error:
            sentence = str(error).splitlines()[0][:200]
            raise UserError(f"{path} is no corpus file with docid, url and text ({sentence}): get it again.") from None


def qrels(folder: Path, name: str) -> dict[str, list[str]]:
    """Documents of each query in a TREC file (qid, Q0, docid, relevance); empty where there is none."""
    path = next((place for place in (folder / "topics-qrels" / name, folder / name) if place.is_file()), None)
    found: dict[str, list[str]] = {}
    if path is None:
        return found
    for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), start=1):
        fields = line.split()
        if len(fields) != 4:
            raise UserError(f"{path}: line {number} is not of the form qid Q0 docid relevance.")
        if fields[3] != "0":
            found.setdefault(fields[0], []).append(fields[2])
    return found


def decrypted(record: dict[str, Any], password: str) -> dict[str, Any]:
    """A record in which every text but the value of query_id is decrypted: base64, then XOR with SHA-256(password)."""
    key = hashlib.sha256(password.encode("utf-8")).digest()

    def value(item: Any, name: str | None = None) -> Any:
        if isinstance(item, str):
            if name == "query_id":
                return item
            data = base64.b64decode(item)
            return bytes(byte ^ key[place % len(key)] for place, byte in enumerate(data)).decode("utf-8")
        if isinstance(item, dict):
            return {inner: value(found, inner) for inner, found in item.items()}
        return [value(found) for found in item] if isinstance(item, (list, tuple)) else item

    return value(record)


def _queries(folder: Path) -> Iterator[dict[str, Any]]:
    for place in (folder / "data", folder):
        plain = place / "browsecomp_plus_decrypted.jsonl"
        if plain.is_file():
            yield from _decrypted_lines(plain)
            return
    files = [path for place in (folder / "data", folder) for path in sorted(place.glob("*.parquet"))
             if path.name != "bc_test.parquet"]  # fmt: skip
    files += [path for place in (folder / "data", folder) for path in sorted(place.glob("*.jsonl"))]
    if not files:
        raise UserError(
            f"There is no copy of BrowseComp-Plus at {folder}: its data files are missing; name the folder of your "
            "copy with --data."
        )
    password = _canary(folder)
    for path in files:
        reader = "read_parquet" if path.suffix == ".parquet" else "read_json_auto"
        with duckdb.connect() as con:
            try:
                columns = [row[0] for row in con.execute(f"DESCRIBE FROM {reader}(?)", [str(path)]).fetchall()]
                docids = "[doc.docid FOR doc IN evidence_docs]" if "evidence_docs" in columns else "[]"
                result = con.execute(f"SELECT query_id, query, answer, {docids} FROM {reader}(?)", [str(path)])
                rows = result.fetchall()
            except duckdb.Error:
                raise UserError(f"{path} is no data file of BrowseComp-Plus: query_id, query or answer is missing.") \
                    from None  # fmt: skip
        for query_id, query, answer, docids in rows:
            documents = [{"docid": docid} for docid in docids or ()]
            record = {"query_id": str(query_id), "query": query, "answer": answer, "evidence_docs": documents}
            try:
                yield decrypted(record, password)
            except (ValueError, UnicodeDecodeError):
                raise UserError(
                    f"Query {query_id} of BrowseComp-Plus cannot be decrypted: the canary sentence is another one; "
                    "check canary.txt."
                ) from None


def _decrypted_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a decrypted copy. What is wrong with one is said by its number: its text is not for a message."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                evidence = [{"docid": doc["docid"]} for doc in row.get("evidence_docs") or ()]
                named = {name: row[name] for name in ("query_id", "query", "answer")}
            except (ValueError, KeyError, TypeError, AttributeError):
                raise UserError(
                    f"{path}: line {number} is no JSON object with query_id, query and answer: make the file again."
                ) from None
            yield {**named, "evidence_docs": evidence}


def _canary(folder: Path) -> str:
    for place in (folder, folder.parent):
        if (place / "canary.txt").is_file():
            return (place / "canary.txt").read_text("utf-8", errors="replace").strip()
        for name in CANARY:
            if (place / name).is_file():
                found = _constant((place / name).read_text("utf-8", errors="replace"))
                if found:
                    return found
    raise UserError(
        f"The queries in {folder} are encrypted: put decrypt_dataset.py of the upstream repository, or its canary "
        "sentence as canary.txt, into that folder."
    )


def _constant(source: str) -> str | None:
    """The value of DEFAULT_CANARY; the file is read and not run."""
    try:
        for node in ast.parse(source).body:
            if isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "DEFAULT_CANARY" for t in node.targets):
                found = ast.literal_eval(node.value)
                return found if isinstance(found, str) else None
    except (SyntaxError, ValueError, RecursionError):
        return None
    return None


def _levels(folder: Path) -> dict[str, str]:
    for place in (folder, folder / "data"):
        path = place / "levels.json"
        if path.is_file():
            try:
                return {str(name): str(level) for name, level in json.loads(path.read_text("utf-8")).items()}
            except (ValueError, AttributeError):
                raise UserError(f"{path} is no JSON object of query ids and levels: correct it.") from None
        path = place / "bc_test.parquet"
        if path.is_file():
            try:
                with duckdb.connect() as con:
                    sql = "SELECT extra_info.instance_id::VARCHAR, data_source FROM read_parquet(?)"
                    rows = con.execute(sql, [str(path)]).fetchall()
            except duckdb.Error:
                raise UserError(f"{path} is no file of questions with extra_info.instance_id and data_source: get it "
                                "again.") from None  # fmt: skip
            return {str(name): LEVELS.get(str(source), str(source)) for name, source in rows}
    return {}
