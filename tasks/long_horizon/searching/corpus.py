"""A local corpus under BM25: an index on disk (Tantivy), made in one pass with bounded memory.

Words are lower-cased, English stop words dropped and stems taken, as Lucene's English analysis does. Tantivy's BM25
has k1 = 1.2 and b = 0.75, Lucene's defaults; BrowseComp-Plus's own retriever has 0.9 and 0.4 (Pyserini's).
"""

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tantivy

from tasks.errors import Fault, UserError
from tasks.hashing import content_id
from tasks.long_horizon.searching.library import Hit, Page
from tasks.long_horizon.tools.toolbox import ToolFailed

VERSION = 1
"""Raise it when an index is made differently: older ones are made anew then."""

ANALYSIS = "english"
SNIPPET = 300
"""Characters of a snippet."""

WRITER_BYTES = 256_000_000
"""Memory of the index writer, all its threads together."""


@dataclass(frozen=True)
class Document:
    """One document of a corpus."""

    docid: str
    url: str
    text: str
    title: str = ""


class Corpus:
    """An opened index. Documents are found by words, by docid and by url."""

    def __init__(self, folder: Path):
        """Raises `UserError` where there is no finished index at `folder`, `Fault` where it is damaged."""
        if not (folder / "corpus.json").is_file():
            raise UserError(f"There is no search index at {folder}: run the command again to make it.")
        self._folder = folder
        with _damage_told(folder):
            self.facts: dict[str, Any] = dict(json.loads((folder / "corpus.json").read_text("utf-8")))
            """documents, characters, key."""
            self._index = tantivy.Index.open(str(folder / "index"))
            self._index.register_tokenizer(ANALYSIS, analysis())
            self._searcher = self._index.searcher()
        self._analysis = analysis()

    def find(self, query: str, most: int) -> list[tuple[float, Document]]:
        """The best documents with their scores; words that occur nowhere do not matter."""
        wanted = self._query(query)
        if wanted is None:
            return []
        with _damage_told(self._folder):
            found = self._searcher.search(wanted, most, count=False)
            hits = [(score, self._document(address)) for score, address in found.hits]
        return sorted(hits, key=lambda hit: (-hit[0], hit[1].docid))

    def get(self, key: str) -> Document | None:
        """The document with this docid or url."""
        with _damage_told(self._folder):
            for field in ("docid", "url"):
                term = tantivy.Query.term_query(self._index.schema, field, key)
                for _, address in self._searcher.search(term, 1, count=False).hits:
                    return self._document(address)
        return None

    def snippet(self, query: str, document: Document) -> str:
        """The part of a document that fits a query best, on one line."""
        wanted = self._query(query)
        if wanted is None:
            return " ".join(document.text[:SNIPPET].split())
        with _damage_told(self._folder):
            generator = tantivy.SnippetGenerator.create(self._searcher, wanted, self._index.schema, "text")
        generator.set_max_num_chars(SNIPPET)
        stored = tantivy.Document(text=document.text[:1_000_000])
        return " ".join((generator.snippet_from_doc(stored).fragment() or document.text[:SNIPPET]).split())

    def _query(self, query: str) -> tantivy.Query | None:
        terms = dict.fromkeys(self._analysis.analyze(query[:10_000]))
        schema = self._index.schema
        clauses = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", term)) for term in terms]
        return tantivy.Query.boolean_query(clauses) if clauses else None

    def _document(self, address: tantivy.DocAddress) -> Document:
        stored = self._searcher.doc(address)
        docid, url, title, text = (str(stored.get_first(name) or "") for name in ("docid", "url", "title", "text"))
        return Document(docid, url, text, title)


@contextlib.contextmanager
def _damage_told(folder: Path) -> Iterator[None]:
    """Raise `Fault` where files of the index are damaged: Tantivy raises `ValueError`, or panics while it reads."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, (ValueError, TypeError)) and type(error).__name__ != "PanicException":
            raise
        raise Fault(
            f"The search index {folder} is damaged: delete that folder, then run the command again to have it made "
            "anew."
        ) from error


class Shelf:
    """A corpus as a library: agents search it as if it were the web, and never reach the web."""

    def __init__(self, corpus: Corpus):
        self.corpus = corpus

    async def search(self, query: str, most: int) -> list[Hit]:
        """The best documents."""
        return [
            Hit(doc.title or doc.docid, doc.url or doc.docid, self.corpus.snippet(query, doc), round(score, 4))
            for score, doc in self.corpus.find(query, most)
        ]

    async def open(self, link: str) -> Page:
        """The document at a url or docid."""
        found = self.corpus.get(link.strip())
        if found is None:
            raise ToolFailed(f"there is no page {link[:200]} here: open a link that a search gave")
        return Page(found.url or found.docid, found.title, found.text)


def identity(name: str, *parts: object) -> str:
    """Identity of a corpus: the same name, content and way of indexing give the same index."""
    return content_id("corpus", VERSION, ANALYSIS, name, *parts)


def build(folder: Path, documents: Iterable[Document], key: str, *, threads: int = 2) -> Corpus:
    """The index of `documents` at `folder`, made unless it is there with the same `key`.

    It counts only once it is whole, and one that cannot be opened is made anew. Raises `Fault` when the disk cannot
    hold it, `UserError` without documents.
    """
    if (folder / "corpus.json").is_file():
        with contextlib.suppress(Fault):  # what cannot be opened is made anew as what is out of date
            found = Corpus(folder)
            if found.facts.get("key") == key:
                return found
    partial = folder.with_name(f"{folder.name}.{os.getpid()}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        (partial / "index").mkdir(parents=True)
        facts = _write(partial / "index", documents, threads)
        if not facts["documents"]:
            raise UserError(f"The corpus for {folder} has no documents: name another one.")
        (partial / "corpus.json").write_text(json.dumps({"key": key, **facts}), "utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        try:
            os.rename(partial, folder)
        except OSError:
            if not (folder / "corpus.json").is_file():  # another process was faster otherwise, with the same corpus
                raise
    except OSError as error:
        raise Fault(
            f"The search index {folder} cannot be written ({error.strerror or error}): make room, then run the "
            "command again."
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return Corpus(folder)


def _write(folder: Path, documents: Iterable[Document], threads: int) -> dict[str, int]:
    schema = (
        tantivy.SchemaBuilder()
        .add_text_field("docid", stored=True, tokenizer_name="raw", index_option="basic")
        .add_text_field("url", stored=True, tokenizer_name="raw", index_option="basic")
        .add_text_field("title", stored=True, tokenizer_name="raw", index_option="basic")
        .add_text_field("text", stored=True, tokenizer_name=ANALYSIS, index_option="freq")
        .build()
    )
    index = tantivy.Index(schema, str(folder))
    index.register_tokenizer(ANALYSIS, analysis())
    writer = index.writer(WRITER_BYTES, threads)
    count = characters = 0
    try:
        for document in documents:
            writer.add_document(
                tantivy.Document(docid=document.docid, url=document.url, title=document.title, text=document.text)
            )
            count += 1
            characters += len(document.text)
        writer.commit()
    finally:
        writer.wait_merging_threads()  # and let go of the folder
    return {"documents": count, "characters": characters}


def analysis() -> tantivy.TextAnalyzer:
    """How texts and queries become terms."""
    filters = (
        tantivy.Filter.remove_long(40), tantivy.Filter.lowercase(), tantivy.Filter.stopword("english"),
        tantivy.Filter.stemmer("english"),
    )  # fmt: skip
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for one in filters:
        builder = builder.filter(one)
    return builder.build()
